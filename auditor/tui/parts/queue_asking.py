"""The questions of the queue screen: a field with completion for each, and what taking an answer does."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from textual.widget import Widget

from auditor.audit.filter_completion import Completion, begun_filter
from auditor.audit.queue_words import describe_scope
from auditor.errors import AuditorError
from auditor.text import visible_line
from auditor.tui.parts.queue_desk import QueueDesk
from auditor.tui.parts.queue_searching import QueueSearching
from auditor.tui.queue_fields import FIELDS, QueueField
from auditor.tui.widgets.note_editor import NoteEditor

_EMPTIES = "ctrl+u"
"""The editor's own key that deletes what stands before the cursor."""
_CHARACTER = re.compile(r"character (\d+)")


class QueueAsking:
    """At most one field is open; what is in it acts when it is taken."""

    def __init__(self, desk: QueueDesk, below: Widget) -> None:
        """A field is shown above the widget `below`."""
        self._desk = desk
        self._below = below
        self._field: QueueField | None = None
        self.editor: NoteEditor | None = None
        """What is written in; None while no field is open."""
        self.goes_back = False
        """Whether the review, which the field was opened from, comes back when an item is found or the field left."""
        self.searching = QueueSearching(desk, self._close)
        """The search for the items of a filter, while its field stays open."""
        self._taken: str | None = None
        """What was in the field when it was taken last; None since it was opened."""
        self._found: int | None = None
        """The place that the review goes to when the field is closed."""

    @property
    def is_open(self) -> bool:
        """Say whether a field is open."""
        return self._field is not None

    @property
    def completes(self) -> bool:
        """Say whether what is written in the field can be completed."""
        return self._field is not None and self._field.completes

    async def action_ask(self, kind: str) -> None:
        """Open a field."""
        desk, keys = self._desk, self._desk.keys
        self.goes_back, self._taken = False, None
        self._field = field = FIELDS[kind]
        texts = {"filter": begun_filter(desk.where), "columns": "".join(f"{name}, " for name in desk.table.columns)}
        title = f"{field.title}   {keys['field.take']} takes it, {keys['field.leave']} leaves it"
        if texts.get(kind):
            title += f", {_EMPTIES} empties it"
        self.editor = editor = NoteEditor(texts.get(kind, ""), visible_line(title))
        editor.styles.height = 3
        # Else Textual gives the editor that key before any other.
        editor.tab_behavior = "focus"
        await desk.screen.mount(editor, before=self._below)
        desk.screen.set_focus(editor)
        desk.say(field.help)
        desk.show_situation()

    # --- completion ------------------------------------------------------------------------------------------------

    def suggest_soon(self) -> None:
        """Show what can complete the text, which has changed."""
        work: Callable[[], Awaitable[None]] = self._suggest
        self._desk.screen.run_worker(work, group="suggest", exclusive=True, exit_on_error=False)

    async def _suggest(self) -> None:
        if self._field is None or self.editor is None:
            return
        text = _one_line(self.editor)
        found = await self._suggestions(self._field, text)
        # What was said of the text when it was taken is of more use than what could complete it.
        if text.strip() != self._taken:
            self._tell(self._field, found)

    async def action_complete(self) -> None:
        """Write the first suggestion."""
        if self._field is None or self.editor is None:
            return
        await self.editor.settle()
        found = await self._suggestions(self._field, _one_line(self.editor))
        if found:
            text = _one_line(self.editor)
            self.editor.load_text(text[: found[0].start] + found[0].text)
            self.editor.move_cursor(self.editor.document.end)
        self._tell(self._field, found)

    async def _suggestions(self, field: QueueField, text: str) -> list[Completion]:
        return await self._desk.work.call(field.suggest, self._desk.table, text) if field.completes else []

    def _tell(self, field: QueueField, suggestions: list[Completion]) -> None:
        shown = "   ".join(visible_line(one.text, 40) for one in suggestions)
        self._desk.say(f"{self._desk.keys['field.complete']}: {shown}" if shown else field.help)

    # --- the answer ------------------------------------------------------------------------------------------------

    async def action_take_field(self) -> None:
        """Do what is asked for; where that cannot be, the field stays open at what is wrong."""
        assert self._field is not None and self.editor is not None
        await self.editor.settle()
        self._taken = text = _one_line(self.editor).strip()
        kind = self._field.kind
        take = {
            "filter": self._take_filter,
            "columns": self._take_columns,
            "id": self._take_id,
            "name": self._take_name,
        }[kind]
        try:
            said = await take(text)
        except AuditorError as error:
            self._desk.say(str(error), refused=True)
            at = _CHARACTER.search(str(error))
            if at is not None:
                self.editor.move_cursor((0, int(at.group(1)) - 1))
            return
        if said is None:
            return
        await self._close()
        if self._found is not None:
            await self._desk.go_on(self._found)
        elif kind != "filter":  # of which the screen has said what there is to say
            self._desk.say(said)

    async def action_leave_field(self) -> None:
        """Leave everything as it was."""
        self.searching.stop()
        await self._close()
        if self.goes_back:
            await self._desk.go_on(None)
        else:
            self._desk.say("")

    async def _take_filter(self, text: str) -> str | None:
        """Show what a filter leaves; None where nothing is found yet."""
        desk, order = self._desk, self._desk.order
        if text.startswith("@"):
            saved = await desk.work.call(desk.table.saved_filter, text[1:])
            text, order = saved.where, saved.order or desk.order
        return "" if await self.searching.begin(text, order) else None

    async def _take_columns(self, text: str) -> str:
        desk = self._desk
        names = [name.strip() for name in text.split(",") if name.strip()]
        desk.table.use_columns(names)
        desk.show_rows()
        await desk.work.call(desk.table.remember_columns, desk.session.annotator)
        return ""

    async def _take_id(self, text: str) -> str:
        desk = self._desk
        places = await desk.work.call(self._places_of, text)
        desk.view.range_start = None
        if not self.goes_back:
            desk.view.go_to(places[0])
            return f"The first of {len(places):,} items that match." if len(places) > 1 else ""
        if len(places) == 1:
            self._found = places[0]
            return ""
        desk.choose_among(places, f"items of {visible_line(text, 60)}")
        keys = desk.keys
        return (
            f"{len(places):,} items match: {keys['table.review']} goes to the one that is chosen,"
            f" {keys['table.close']} shows all again."
        )

    def _places_of(self, text: str) -> list[int]:
        desk = self._desk
        size = len(desk.session)
        if text.isascii() and text.isdigit() and 0 < int(text) <= size:
            return [int(text) - 1]
        places = [desk.session.index_of(one) for one in desk.table.find(text)]
        known = [place for place in places if place is not None]
        if not known:
            progress = desk.session.queue_progress()
            raise AuditorError(
                f"{visible_line(text, 60)} is not among the {describe_scope(progress)}.",
                f"{desk.keys['table.filter']} changes the filter.",
            )
        return sorted(known)

    async def _take_name(self, text: str) -> str:
        desk = self._desk
        saved = await desk.work.call(desk.table.save_filter, text, desk.where, desk.order)
        return f"Saved: @{saved.name} in the filter brings back {saved.where or 'everything'} · {saved.order}."

    async def _close(self) -> None:
        screen = self._desk.screen
        self._field = None
        screen.workers.cancel_group(screen, "suggest")
        editor, self.editor = self.editor, None
        if editor is not None:
            await editor.remove()
        screen.set_focus(self._desk.view)
        self._desk.show_situation()


def _one_line(editor: NoteEditor) -> str:
    """Return what is written; lines that were pasted are words side by side."""
    return " ".join(editor.note.split("\n"))
