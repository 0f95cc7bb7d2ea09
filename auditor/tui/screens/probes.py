"""The probes of a run: what is written and what can be proposed, how a model is asked, and writing them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.timer import Timer

from auditor.audit.probe_runs import ProbeCase, ProbeRun, prompt_of
from auditor.audit.probe_text import text_for, text_of
from auditor.audit.review import Pending, Redo, Refused, ReviewItem, ReviewSession, Undo, WriteProbe
from auditor.audit.session_places import PROBE
from auditor.store.changes import OwnProbe
from auditor.text import counted, visible_line, visible_name
from auditor.tui.actions import Action, Situation
from auditor.tui.parts.probe_running import Asked, AskingFailed, ProbeRunning
from auditor.tui.parts.probe_writing import ComposedNow, ProbeWriting
from auditor.tui.parts.probing import AskedRun, AskedRuns
from auditor.tui.parts.reading import tell_wrap
from auditor.tui.review_sentences import short_key
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.turns import do_in_turn
from auditor.tui.widgets.asked_rows import AskedRow, AskedRows, answer_shown
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.note_editor import NoteEditor
from auditor.tui.widgets.pane import Pane, PaneTitle
from auditor.tui.widgets.text_view import TextView
from auditor.tui.widgets.words_view import WordsView
from auditor.tui.work import Work

_TICK_SECONDS = 0.5
_SHOWN = 2_000
_ALL, _OF_LINE, _OF_VARIABLE = range(3)


class ProbesScreen(ActingScreen):
    """Goes along the probes of one run; nothing of the item's review is changed here."""

    DEFAULT_CSS = """
    ProbesScreen {
        layout: vertical;
        background: $background;

        #probes-all { layout: vertical; height: 1fr; }
        #probes-list { height: 1fr; }
        #probes-words { height: 5; }
        #probes-prompt { height: 1fr; }
    }
    """

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        item: ReviewItem,
        case: ProbeCase,
        shelf: AskedRuns,
        when_closed: Callable[[], Awaitable[None]] | None,
        *,
        line: int = 0,
        variable: str | None = None,
        unsafe: bool = False,
    ) -> None:
        """The rows begin at a line and a variable, where one is named and something is asked about it."""
        self._message = MessageRule()
        super().__init__(session, work, actions, self._message)
        self.item, self.case = item, case
        self.run: ProbeRun | None = None
        self.wraps = True
        """Whether long lines are wrapped; as in the review when the screen is opened."""
        self._shelf, self._when_closed = shelf, when_closed
        self._place = (line, variable)
        self._narrowed = _ALL
        self._proposals: list[OwnProbe] = []
        self._problem = ""
        self._rows, self._words, self._prompt = AskedRows(), WordsView(id="probes-words"), TextView()
        self._title = PaneTitle("Probes of this run")
        self._list_pane = Pane("Written and proposed", self._rows, head=self._rows.head, id="probes-list")
        self._prompt_pane = Pane("What a model is asked", self._prompt, id="probes-prompt")
        self._asking = ProbeRunning(self, unsafe=unsafe)
        self._writing = ProbeWriting(self, self._message)
        self._ticking: Timer | None = None
        self.parts = (self._writing,)

    def compose(self) -> ComposeResult:
        yield self._title
        with Box(id="probes-all"):
            yield self._list_pane
            yield self._words
            yield self._prompt_pane
        yield self._message
        yield self.footer

    async def on_mount(self) -> None:
        self._title.show(detail=f"{visible_name(self.case.name)} · {visible_line(self.case.call, 200)}")
        self._prompt.wrap_lines(self.wraps)
        self.set_focus(self._rows)
        self._ticking = self.set_interval(_TICK_SECONDS, self._tick, pause=True)
        kept = self._shelf.take(self.case.task.source, self.case.call)
        if kept is not None:
            self.run, self._proposals = kept
            await self._show_rows()
            self._go_to_place()
            return
        self._asking.begin(self.case)
        self._ticking.resume()
        await self._show_rows()

    async def on_unmount(self) -> None:
        self._asking.stop()
        await self._writing.keep_now()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._rows.follow_size)

    # --- the run ---------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        if self._asking.case is not None and not self._rows.row:
            self._show_probe(None)

    async def on_asked(self, message: Asked) -> None:
        message.stop()
        if self._ticking is not None:
            self._ticking.pause()
        self._asking.case = None
        self.run, self._proposals = message.run, message.proposals
        self._shelf.put(AskedRun(message.run, message.proposals))
        await self._show_rows()
        self._go_to_place()
        if self.session.draft_for(self.item.response_id, PROBE) is not None:
            key = self.keys["probes.new"]
            self.say(f"You began a probe and did not save it: {key} goes on with it.")

    async def on_asking_failed(self, message: AskingFailed) -> None:
        message.stop()
        await self._fail(message.words)

    async def _fail(self, words: str) -> None:
        if self._ticking is not None:
            self._ticking.pause()
        self._asking.case = None
        self._problem = words
        await self._show_rows()
        self.say(words, refused=True)

    # --- rows ------------------------------------------------------------------------------------------------------

    async def _show_rows(self, at: str = "") -> None:
        """Show what is written and what can be proposed, at the probe of a name, or else where the rows are."""
        found = await self.work.call(self.session.probes_of_run, self.item)
        own = (self.session.annotator, self.session.codebook_name)
        written = [
            AskedRow(
                one.probe, one.annotator, one.at, one.codebook, one.response_id, (one.annotator, one.codebook) == own
            )
            for one in found
        ]
        names, asked = (
            {row.probe.name for row in written},
            await self.work.call(self.session.probes_in_study, self.item),
        )
        left = [one for one in self._proposals if one.name not in names]
        every = [*written, *(AskedRow(one, is_asked=one.name in asked) for one in left)]
        rows = [row for row in every if self._is_listed(row.probe)]
        at = at or (self._rows.row.probe.name if self._rows.row else "")
        index = next((place for place, row in enumerate(rows) if row.probe.name == at), 0)
        absent = self._problem or ("Nothing is proposed of this run." if self.run else "The program runs …")
        self._rows.show_rows(rows, index, visible_line(absent, _SHOWN))
        in_study = sum(row.is_asked for row in every)
        studied = f"{in_study} in the study, " if in_study else ""
        told = f"{len(written)} written, {studied}{len(left) - in_study} proposed"
        line, variable = self._place
        narrowed = {_OF_LINE: f"line {line} only", _OF_VARIABLE: f"{variable or ''} only"}.get(self._narrowed, "")
        self._list_pane.title.show(detail=told, kept=visible_line(narrowed, 40))
        self._show_probe(self._rows.row)

    def _is_listed(self, probe: OwnProbe) -> bool:
        line, variable = self._place
        return {_OF_LINE: probe.line == line, _OF_VARIABLE: probe.variable == variable}.get(self._narrowed, True)

    def _go_to_place(self) -> None:
        """Go to the first row about the line and the variable for which the screen was opened."""
        line, variable = self._place
        for wanted in ((line, variable), (line, None)):
            for index in range(self._rows.total if line else 0):
                probe = self._rows.row_at(index).probe
                if probe.line == line and wanted[1] in (None, probe.variable):
                    self._rows.go_to(index)
                    self._show_probe(self._rows.row)
                    return

    def _show_probe(self, row: AskedRow | None) -> None:
        """Show a probe whole, and how a model is asked."""
        if row is None:
            words = self._problem or (self._asking.words if self._asking.case else "Nothing is listed.")
            self._words.show_words([visible_line(words, _SHOWN)])
            self._prompt.show_text(None, "")
        else:
            by = "Asked by the study already" if row.is_asked else "Proposed"
            if row.annotator is not None:
                done = "Withdrawn" if row.probe.withdrawn else "Written"
                by = f"{done} by {visible_line(row.annotator, 60)}, {row.at[:16].replace('T', ' ')}"
            self._show(row.probe, by)
        self.show_situation()

    def _show(self, probe: OwnProbe, by: str) -> None:
        times = "" if probe.n is None else f", time {probe.n:,}"
        what = f"{probe.kind}, line {probe.line:,}{times}"
        what += f", {visible_line(probe.variable, 60)}" if probe.variable else ""
        answer = f"Answer {answer_shown(probe)} ({visible_line(probe.answer_type, 20)}), depth {probe.depth:,}"
        dimensions = visible_line(", ".join(probe.dimensions), 80)
        about = f"{answer}, {dimensions}. {by}: {what}."
        self._words.show_words([visible_line(probe.question, _SHOWN), about])
        self._prompt.show_text(prompt_of(self.case, probe))
        self._prompt.scroll_by("end")

    # --- writing ---------------------------------------------------------------------------------------------------

    @property
    def is_writing(self) -> bool:
        return self._writing.is_open

    @property
    def situation(self) -> Situation:
        return Situation(
            items=1 if self._rows.row else 0, writing_note=self._writing.is_open, has_run=self.run is not None
        )

    def show_writing(self) -> None:
        """Give the list's room to the editor, or take it back."""
        self._list_pane.display = not self._writing.is_open
        if not self._writing.is_open:
            self._show_probe(self._rows.row)
        self.show_situation()

    def on_note_editor_edited(self, message: NoteEditor.Edited) -> None:
        message.stop()
        self._writing.follow_change()

    def on_composed_now(self, message: ComposedNow) -> None:
        message.stop()
        if not self._writing.is_open:
            return
        self._writing.follow_composed(message)
        if message.composed is None:
            self._words.show_words([visible_line(message.words, _SHOWN)])
            self._prompt.show_text(None, "(no probe yet)")
        else:
            self._show(message.composed.probe, "The run's answer to")

    async def show_saved(self, name: str) -> None:
        """Show the probes as they are written now, at one of them."""
        self._narrowed = _ALL
        await self._show_rows(name)

    async def action_write_probe(self) -> None:
        """Write the chosen probe, or change it."""
        row = self._rows.row
        assert row is not None
        if row.annotator is not None and not row.is_own:
            who = visible_line(row.annotator, 60)
            self.say(f"{who} wrote this; {self.keys['probes.new']} writes one of your own.", refused=True)
            return
        title = "Write this probe" if row.annotator is None else "Change this probe"
        await self._writing.open_text(text_of(row.probe._replace(withdrawn=False)), title)

    async def action_new_probe(self) -> None:
        """Write a probe from pieces, those of the row to begin with."""
        row, (line, variable) = self._rows.row, self._place
        if row is not None and variable is None:
            text = text_of(row.probe._replace(question="", dimensions=()))
        else:
            text = text_for(line or 1, variable)
        await self._writing.open_text(text, "New probe")

    async def action_withdraw_probe(self) -> None:
        """Take the chosen probe back, or take it up again."""
        row = self._rows.row
        assert row is not None
        if not row.is_own:
            told = "This is proposed only" if row.annotator is None else f"{visible_line(row.annotator, 60)} wrote this"
            self.say(f"{told}; you withdraw what you wrote.", refused=True)
            return
        probe = row.probe._replace(withdrawn=not row.probe.withdrawn)
        await self._submit(row.response_id, WriteProbe(probe), probe.name)

    async def action_undo(self) -> None:
        await self._submit(self.item.response_id, Undo())

    async def action_redo(self) -> None:
        await self._submit(self.item.response_id, Redo())

    async def _submit(self, response_id: int, intent: WriteProbe | Undo | Redo, name: str = "") -> None:
        outcome = await self.work.submit(response_id, intent)
        if isinstance(outcome, Refused):
            self.say(outcome.message, refused=True)
            return
        await self._show_rows(name)
        if isinstance(outcome, Pending):
            self.say(self.work.words_on(outcome))
            return
        where = ""
        if outcome.response_id not in (response_id, self.item.response_id):
            item = await self.work.call(self.session.item_by_id, outcome.response_id)
            where = f" on {short_key(item.key)}"
        self.say(f"{outcome.message}{where}.")

    # --- keys and clicks -------------------------------------------------------------------------------------------

    def action_step(self, how: str) -> None:
        """Go to another probe."""
        self._rows.go_to(self._rows.stepped_row(how))
        self._show_probe(self._rows.row)

    def on_row_view_chosen(self, message: AskedRows.Chosen) -> None:
        message.stop()
        if not self.is_writing:
            do_in_turn(self, f"choose({message.index})")

    async def action_choose(self, index: int) -> None:
        """Go to a row that was clicked."""
        await self.act(partial(self._go_to_row, index))

    def _go_to_row(self, index: int) -> None:
        self._rows.go_to(index)
        self._show_probe(self._rows.row)

    async def action_narrow(self) -> None:
        """List what is about the row's line only, then about its variable, then all."""
        row = self._rows.row
        assert row is not None
        if self._narrowed == _ALL:
            self._place = (row.probe.line, row.probe.variable)
        steps = [_ALL, _OF_LINE, *([_OF_VARIABLE] if self._place[1] else [])]
        self._narrowed = steps[(steps.index(self._narrowed) + 1) % len(steps)]
        await self._show_rows()
        words = {_OF_LINE: f"line {self._place[0]}", _OF_VARIABLE: visible_line(self._place[1] or "", 60)}
        self.say(f"Only what is about {words[self._narrowed]}." if self._narrowed in words else "All probes again.")

    def action_scroll_pane(self, how: str) -> None:
        """Scroll what a model is asked."""
        self._prompt.scroll_by(how)

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or show each as one row."""
        self.wraps = not self.wraps
        self._prompt.wrap_lines(self.wraps)
        self.say(tell_wrap(self.keys, wraps=self.wraps))

    async def action_close_probes(self) -> None:
        """Go back; a program that still runs is stopped."""
        self._asking.stop()
        await self.app.pop_screen()
        if self._when_closed is not None:
            await self._when_closed()

    async def action_interrupt(self) -> None:
        """Stop the program that runs, or say how to leave."""
        if self.is_writing:
            save, leave = self.keys["probes.save"], self.keys["probes.leave"]
            self.say(f"{save} saves the probe, {leave} leaves it.")
        elif self._asking.stop():
            await self._fail("The program was stopped.")
        else:
            self.say(f"{self.keys['probes.close']} goes back; {counted(len(self._proposals), 'probe')} proposed.")
