"""A probe while it is being written: its text, its draft, what the run says to it, and saving it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from auditor.audit.probe_text import Composed, compose, next_value
from auditor.audit.review import DraftKey, Pending, Refused, WriteProbe
from auditor.audit.session_places import PROBE
from auditor.errors import AuditorError, InputError
from auditor.tui.draft_keeper import DraftKeeper
from auditor.tui.widgets.note_editor import NoteEditor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from textual.screen import Screen
    from textual.widget import Widget

    from auditor.audit.probe_runs import ProbeRun
    from auditor.audit.review import ReviewItem, ReviewSession
    from auditor.tui.work import Work

_ROWS = 9
"""Of the editor: its title, the pieces, two rows of a question."""


class ComposedNow(Message):
    """What is written was held against the run."""

    def __init__(self, text: str, composed: Composed | None, words: str) -> None:
        """`words` say why there is no probe."""
        super().__init__()
        self.text, self.composed, self.words = text, composed, words


class ProbeDesk(Protocol):
    """The screen on which probes are written."""

    session: ReviewSession
    work: Work
    keys: Mapping[str, str]
    item: ReviewItem
    run: ProbeRun | None

    @property
    def screen(self) -> Screen[Any]:
        """Return the screen, for the editor and the focus."""

    def say(self, message: str, *, refused: bool = False) -> None:
        """Show a sentence until the next key."""

    def show_writing(self) -> None:
        """Make room for the editor, or give the room back."""

    async def show_saved(self, name: str) -> None:
        """Show the probes as they are written now, at one of them."""


class ProbeWriting:
    """Opens the editor, one at a time, and keeps what is in it."""

    def __init__(self, desk: ProbeDesk, below: Widget) -> None:
        """The editor is shown above the widget `below`."""
        self._desk, self._below = desk, below
        self._drafts = DraftKeeper(desk.work)
        self._editor: NoteEditor | None = None
        self._focus_before: Widget | None = None
        self._ours: set[str] = set()
        """Our words for what stood there so far: they give way when the pieces change, and others' words do not."""

    @property
    def is_open(self) -> bool:
        """Say whether a probe is being written."""
        return self._editor is not None

    async def open_text(self, text: str, title: str) -> None:
        """Show the editor with the draft, where one is kept, or else with a text."""
        desk, screen = self._desk, self._desk.screen
        key = DraftKey(desk.item.response_id, PROBE)
        draft = desk.session.draft_for(*key)
        keys = desk.keys
        heading = f"{title}   {keys['probes.save']} saves, {keys['probes.next_value']} next value"
        heading += f", {keys['probes.leave']} leaves it"
        self._ours = set()
        self._editor, self._focus_before = NoteEditor(text if draft is None else draft.text, heading), screen.focused
        self._editor.styles.height = _ROWS
        self._editor.tab_behavior = "focus"  # else the editor takes the key before it can mean the next value
        self._drafts.follow(key, self._editor)
        await screen.mount(self._editor, before=self._below)
        screen.set_focus(self._editor)
        desk.show_writing()
        if draft is not None:
            desk.say("This is the probe that you began and did not save; leave it to begin another one.")
        self.compose_now()

    def compose_now(self) -> None:
        """Hold what is written against the run; the screen is told what came of it."""
        run, editor = self._desk.run, self._editor
        if run is not None and editor is not None:
            text, screen = editor.note, self._desk.screen
            screen.run_worker(
                lambda: screen.post_message(self._composed(run, text)),
                group="composing",
                exclusive=True,
                exit_on_error=False,
                thread=True,
            )

    def _composed(self, run: ProbeRun, text: str) -> ComposedNow:
        try:
            found = compose(run, text, self._ours)
        except AuditorError as error:
            return ComposedNow(text, None, str(error))
        self._ours = {*self._ours, found.ours}
        return ComposedNow(text, found, "")

    def follow_composed(self, message: ComposedNow) -> None:
        """Let our words follow the pieces also in the editor, where they stand there and nobody is at them."""
        editor, composed = self._editor, message.composed
        if editor is None or composed is None or editor.note != message.text:
            return
        lines = message.text.split("\n")
        start = next((at for at, line in enumerate(lines) if line.startswith("question:")), len(lines))
        question = "\n".join(lines[start:]).removeprefix("question:").strip()
        if question and question in self._ours and question != composed.ours and editor.cursor_location[0] < start:
            where = editor.cursor_location
            editor.replace(f"question: {composed.ours}", (start, 0), (len(lines) - 1, len(lines[-1])))
            editor.move_cursor(where)

    def follow_change(self) -> None:
        """Have the draft kept in a moment, and hold the text against the run: it has changed."""
        self._drafts.note_change()
        self.compose_now()

    async def keep_now(self) -> None:
        """Keep what changed in the draft and is not kept yet."""
        await self._drafts.keep_now()

    async def action_next_value(self) -> None:
        """Put the next possible value into the line with the cursor."""
        editor, run = self._editor, self._desk.run
        assert editor is not None and run is not None
        await editor.settle()
        row = editor.cursor_location[0]
        lines = editor.note.split("\n")
        piece = next((line.partition(":")[0].strip().lower() for line in reversed(lines[: row + 1]) if ":" in line), "")
        try:
            value = await self._desk.work.call(next_value, run, editor.note, piece)
        except (InputError, KeyError) as error:
            told = str(error) if isinstance(error, InputError) else "There is nothing to choose from here."
            self._desk.say(told, refused=True)
            return
        start = next(at for at in range(row, -1, -1) if lines[at].partition(":")[0].strip().lower() == piece)
        end = (start, len(lines[start])) if piece != "question" else (len(lines) - 1, len(lines[-1]))
        editor.replace(f"{piece}: {value}", (start, 0), end)
        editor.move_cursor((start, len(f"{piece}: {value}")) if piece != "question" else editor.document.end)

    async def action_save_probe(self) -> None:
        """Save what is written with the answer of the run, and close the editor where that was done."""
        desk, editor, run = self._desk, self._editor, self._desk.run
        assert editor is not None and run is not None
        await editor.settle()
        composed = await desk.work.call(compose, run, editor.note, self._ours)
        probe = composed.probe
        place = await desk.work.call(desk.session.place_of_probe, desk.item.response_id, probe.name)
        outcome = await desk.work.submit(place, WriteProbe(probe))
        if isinstance(outcome, Refused):
            desk.say(outcome.message, refused=True)
            return
        await self._close()
        await desk.show_saved(probe.name)
        desk.say(desk.work.words_on(outcome) if isinstance(outcome, Pending) else f"{outcome.message}.")

    async def action_leave_probe(self) -> None:
        """Leave all as it was."""
        if self._editor is not None:
            await self._editor.settle()
            await self._close()

    async def _close(self) -> None:
        editor, self._editor = self._editor, None
        if editor is not None:
            await self._drafts.drop()
            await editor.remove()
            self._desk.screen.set_focus(self._focus_before)
        self._desk.show_writing()
