"""The queue over the review: all items of a filter as a table, to narrow, sort, mark many at once, and review from."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.screen import Screen
from textual.timer import Timer

from auditor.audit.queue_table import ORDERS, QueueTable, TableRow
from auditor.audit.review import Defer, Intent, MarkAll, Pending, Redo, Refused, ReviewSession, ToggleTag, Undo
from auditor.errors import AuditorError
from auditor.text import counted, visible_line
from auditor.tui.actions import TAG, Situation, key_range, shown_keys, textual_key
from auditor.tui.palette import TagEntry
from auditor.tui.queue_fields import FIELDS, QueueField
from auditor.tui.setup import Setup
from auditor.tui.widgets.footer import Footer
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.note_editor import NoteEditor
from auditor.tui.widgets.pane import Pane
from auditor.tui.widgets.queue_column import count_words
from auditor.tui.widgets.queue_table import QueueTableView, TableHead
from auditor.tui.work import Work

if TYPE_CHECKING:
    from auditor.audit.queue_ids import ReviewQueue

MOST_AT_ONCE = 5_000
"""Items that one act marks."""
_POLL_SECONDS = 0.1
_CHARACTER = re.compile(r"character (\d+)")
OnClose = Callable[["int | None"], Awaitable[None]]
"""Is told from which place of the queue the review goes on; None = where it was."""


class QueueScreen(Screen[None]):
    """Shows the session's queue; another filter is the session's queue at once, and leaving gives the old one back."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    QueueScreen { layout: vertical; background: $background; }
    QueueScreen > Pane { height: 1fr; }
    """

    def __init__(
        self, session: ReviewSession, work: Work, setup: Setup, index: int, on_close: OnClose, begin: str = ""
    ) -> None:
        """`index` is the place to begin at; `begin` names a field that is open at once."""
        super().__init__()
        self._session = session
        self._work = work
        self._on_close = on_close
        self._begin = begin
        self._start = index
        self._origin = session.queue
        self._wide: tuple[ReviewQueue, int] | None = None
        """The queue that was narrowed to a case or a task, and the place in it."""
        selection = session.queue.selection
        self._where = selection.where if selection else ""
        self._order = selection.order if selection else ORDERS[0]
        self._field: QueueField | None = None
        self._editor: NoteEditor | None = None
        self._suggestions: list[str] = []
        self._polling: Timer | None = None
        self.actions = setup.screens["queue"]
        """What can be done here; the palette lists it."""
        self._by_id = {action.id: action for action in self.actions}
        self._keys = shown_keys(self.actions)
        self.tag_entries = [TagEntry(choice.name, choice.key or "retired") for choice in session.choices]
        self._names = {choice.id: choice.name for choice in session.choices}
        for action in self.actions:
            for key in action.keys:
                self._bindings.bind(key, f"perform({action.id!r})", action.description, show=False, priority=True)
        for place, choice in enumerate(session.choices):
            if choice.key:
                key = textual_key(choice.key)
                self._bindings.bind(key, f"perform({TAG.id!r}, {place})", TAG.description, show=False, priority=True)

    # --- layout ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        self._table: QueueTable = self._session.table()
        self._table.recall_columns(self._session.annotator)
        self._head = TableHead()
        self._view = QueueTableView(self._read)
        self._pane = Pane("Queue", self._view, id="queue-table")
        self._message = MessageRule()
        keys = [choice.key for choice in self._session.choices if choice.key]
        self._footer = Footer(self.actions, key_range(keys))
        yield self._head
        yield self._pane
        yield self._message
        yield self._footer

    async def on_mount(self) -> None:
        self.set_focus(self._view)
        self._show_rows()
        self._view.go_to(self._start)
        self.call_after_refresh(self._view.follow_size)
        self._follow_search()
        if self._begin:
            await self.action_ask(self._begin)

    def on_unmount(self) -> None:
        self._table.close()

    def _read(self, start: int, count: int) -> list[TableRow]:
        return self._table.rows(self._session.queue.ids(start, count), start)

    def _show_rows(self) -> None:
        """Show the session's queue as it is now."""
        self._head.show_columns(self._table.columns)
        self._view.show_table(len(self._session), self._table.columns, self._names)
        self._show_title()

    def _show_title(self) -> None:
        progress = self._session.queue_progress()
        looking = ""
        if not progress.complete:
            share = f" {100 * progress.scanned // progress.total} %" if progress.total else ""
            looking = f"   looking for more …{share}"
        words = f"{count_words(self._session.counts())}   {self._session.description}{looking}"
        self._pane.title.show(detail=words)
        self._footer.show_situation(self._situation)

    @property
    def _situation(self) -> Situation:
        return Situation(items=len(self._session), writing_note=self._field is not None, blind=self._session.blind)

    # --- a queue that grows ----------------------------------------------------------------------------------------

    def _follow_search(self) -> None:
        if not self._session.queue.complete and self._polling is None:
            self._polling = self.set_interval(_POLL_SECONDS, self._poll)

    def _poll(self) -> None:
        queue = self._session.queue
        complete = queue.complete
        self._view.show_total(len(queue))
        self._show_title()
        if complete and self._polling is not None:
            self._polling.stop()
            self._polling = None
            if queue.error is not None:
                self._say(str(queue.error), refused=True)
            elif not len(queue):
                self._tell_empty()

    def _tell_empty(self) -> None:
        hint = self._table.hint_for_nothing(self._where) or f"{self._keys['table.filter']} changes the filter."
        self._say(f"No item is left by this filter. {hint}", refused=True)

    async def _search(self, where: str, order: str | None) -> None:
        """Show the items of a filter; raises AuditorError for one that cannot be used."""
        here = self._view.row(self._view.index)
        queue = await self._work.call(self._session.find_items, where, order, seed=self._seed)
        await self._work.call(queue.wait_for_rows, 1, 0.2)
        self._use(queue)
        self._where, self._order = where, order or (queue.selection.order if queue.selection else ORDERS[0])
        index = None if here is None else self._session.index_of(here.response_id)
        self._view.go_to(index or 0)
        self._say("")
        self._follow_search()
        if queue.complete and not len(queue):
            self._tell_empty()

    def _use(self, queue: ReviewQueue) -> None:
        before = self._session.use_queue(queue)
        if before is not self._origin and (self._wide is None or before is not self._wide[0]):
            before.cancel()
        self._view.range_start = None
        self._show_rows()

    @property
    def _seed(self) -> int:
        selection = self._origin.selection
        return selection.seed if selection and not self._session.blind else 0

    # --- keys ------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a field is open only its own keys act."""
        if action != "perform":
            return True
        entry = self._by_id[str(parameters[0])]
        return entry.while_writing if self._field is not None else entry.outside_writing

    async def action_perform(self, action_id: str, *parameters: int) -> None:
        """Do an action of the registry, or say why it cannot be done now."""
        action = self._by_id[action_id]
        reason = None if self._field is not None else action.why_not(self._situation)
        if reason is not None:
            self._say(reason, refused=True)
            return
        if self._field is None:
            self._say("")
        try:
            done: Awaitable[None] | None = getattr(self, f"action_{action.method}")(*action.arguments, *parameters)
            if done is not None:
                await done
        except AuditorError as error:
            self._say(str(error), refused=True)
        except Exception as error:  # an error becomes a sentence and never ends the review
            self._say(f"This failed: {type(error).__name__}: {error}", refused=True)

    def on_footer_clicked(self, message: Footer.Clicked) -> None:
        self.app.call_later(self.app.run_action, f"perform({message.action.id!r})", self)

    def on_queue_table_view_chosen(self, message: QueueTableView.Chosen) -> None:
        message.stop()
        if self._field is None:
            self._view.range_start = None
            self._view.go_to(message.index)

    def _say(self, message: str, *, refused: bool = False) -> None:
        self._message.show_message(message, refused=refused)

    def action_step(self, how: str) -> None:
        self._view.range_start = None
        self._move(how)

    def action_extend(self, how: str) -> None:
        view = self._view
        view.range_start = view.index if view.range_start is None else view.range_start
        self._move(how)
        rows = len(view.chosen_rows())
        keys = self._keys
        self._say(f"{counted(rows, 'item')} in the range: {keys['item.defer']} or a tag's key marks all of them.")

    def _move(self, how: str) -> None:
        view = self._view
        steps = {"down": 1, "up": -1, "page down": view.page, "page up": -view.page, "start": -len(self._session)}
        view.go_to(view.index + steps.get(how, len(self._session)))

    async def action_next_order(self) -> None:
        order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        await self._search(self._where, order)

    async def action_narrow(self, to: str) -> None:
        """Show only the case or the task of this item; once more, show all again."""
        if self._wide is not None:
            self._widen()
            return
        row = self._view.row(self._view.index)
        if row is None:
            return
        wide, index, where = self._session.queue, self._view.index, self._where
        filter_ = await self._work.call(self._table.filter_around, row.response_id, to)
        self._wide = wide, index
        try:
            await self._search(filter_, self._order)
        except AuditorError:
            self._wide = None
            raise
        self._where = where

    def _widen(self) -> None:
        assert self._wide is not None
        (queue, index), self._wide = self._wide, None
        self._use(queue)
        self._view.go_to(index)
        self._follow_search()

    # --- marks -----------------------------------------------------------------------------------------------------

    async def action_toggle_tag(self, place: int) -> None:
        tag = self._session.choices[place].id
        await self._mark_rows(ToggleTag(tag), tag)

    async def action_defer(self) -> None:
        await self._mark_rows(Defer(), None)

    async def action_undo(self) -> None:
        await self._mark(0, Undo())

    async def action_redo(self) -> None:
        await self._mark(0, Redo())

    async def _mark_rows(self, one: Intent, tag: str | None) -> None:
        places = self._view.chosen_rows()
        if not places:
            self._say("There is no item to mark.", refused=True)
        elif len(places) > MOST_AT_ONCE:
            self._say(f"{len(places):,} items are more than the {MOST_AT_ONCE:,} that one act marks.", refused=True)
        elif self._view.range_start is None:
            await self._mark(self._session.queue[places.start], one)
        else:
            ids = tuple(self._session.queue.ids(places.start, len(places)))
            on = not await self._work.call(self._table.all_have, ids, tag)
            await self._mark(ids[0], MarkAll(ids, on, tag))

    async def _mark(self, response_id: int, intent: Intent) -> None:
        outcome = await self._work.submit(response_id, intent)
        if isinstance(outcome, Refused | Pending):
            self._say(outcome.message, refused=True)
        else:
            undo = "" if isinstance(intent, Undo | Redo) else f"   {self._keys['work.undo']} undoes it"
            self._say(f"{outcome.message}{undo}")
        if isinstance(intent, Undo | Redo) and outcome.response_id is not None:
            index = self._session.index_of(outcome.response_id)
            if index is not None:
                self._view.range_start = None
                self._view.go_to(index)
        self._show_rows()

    # --- fields ----------------------------------------------------------------------------------------------------

    async def action_ask(self, kind: str) -> None:
        """Open a field; what is in it acts when it is taken."""
        self._field = FIELDS[kind]
        texts = {"filter": self._where, "columns": ",".join(self._table.columns)}
        keys = self._keys
        title = f"{self._field.title}   {keys['field.take']} takes it, {keys['field.leave']} leaves it"
        self._editor = NoteEditor(texts.get(kind, ""), visible_line(title))
        self._editor.styles.height = 3
        # Else Textual gives the editor that key before any other.
        self._editor.tab_behavior = "focus"
        await self.mount(self._editor, before=self._message)
        self.set_focus(self._editor)
        self._say(self._field.help)
        self._footer.show_situation(self._situation)

    async def on_note_editor_edited(self) -> None:
        self.run_worker(self._suggest(), group="suggest", exclusive=True, exit_on_error=False)

    async def _suggest(self) -> None:
        if self._field is None or self._editor is None or not self._field.completes:
            return
        text, field = self._editor.note, self._field
        self._suggestions = await self._work.call(field.suggest, self._table, text)
        shown = "   ".join(visible_line(one.rsplit(" ", 1)[-1], 40) for one in self._suggestions)
        self._say(f"{self._keys['field.complete']}: {shown}" if shown else field.help)

    async def action_complete(self) -> None:
        if self._editor is not None and self._field is not None and self._field.completes:
            await self._editor.settle()
            found = await self._work.call(self._field.suggest, self._table, self._editor.note)
            if found:
                self._editor.load_text(found[0])
                self._editor.move_cursor(self._editor.document.end)

    async def action_take_field(self) -> None:
        assert self._field is not None and self._editor is not None
        await self._editor.settle()
        text = " ".join(self._editor.note.split("\n")).strip()
        try:
            await getattr(self, f"_take_{self._field.kind}")(text)
        except AuditorError as error:
            self._say(str(error), refused=True)
            at = _CHARACTER.search(str(error))
            if at is not None:
                self._editor.move_cursor((0, int(at.group(1)) - 1))
            return
        said = self._message.message
        await self._close_field()
        self._say(said if said != FIELDS["filter"].help else "")

    async def _take_filter(self, text: str) -> None:
        order: str | None = self._order
        if text.startswith("@"):
            saved = await self._work.call(self._table.saved_filter, text[1:])
            text, order = saved.where, saved.order or self._order
        self._wide = None
        self._say("")
        await self._search(text, order)

    async def _take_columns(self, text: str) -> None:
        names = [name.strip() for name in text.split(",") if name.strip()]
        self._table.use_columns(names)
        self._show_rows()
        self._say("")
        await self._work.call(self._table.remember_columns, self._session.annotator)

    async def _take_id(self, text: str) -> None:
        index = await self._work.call(self._place_of, text)
        self._view.range_start = None
        self._view.go_to(index)
        self._say("")

    def _place_of(self, text: str) -> int:
        size = len(self._session)
        if text.isascii() and text.isdigit() and 0 < int(text) <= size:
            return int(text) - 1
        places = [self._session.index_of(one) for one in self._table.find(text)]
        known = [place for place in places if place is not None]
        if not known:
            raise AuditorError(
                f"{visible_line(text, 60)} is not among the {size:,} items of this filter.",
                f"{self._keys['table.filter']} changes the filter.",
            )
        return min(known)

    async def _take_name(self, text: str) -> None:
        saved = await self._work.call(self._table.save_filter, text, self._where, self._order)
        self._say(f"Saved: @{saved.name} in the filter brings back {saved.where or 'everything'} · {saved.order}.")

    async def action_leave_field(self) -> None:
        await self._close_field()
        self._say("")

    async def _close_field(self) -> None:
        self._field = None
        self.workers.cancel_group(self, "suggest")
        editor, self._editor = self._editor, None
        if editor is not None:
            await editor.remove()
        self.set_focus(self._view)
        self._footer.show_situation(self._situation)

    # --- leaving ---------------------------------------------------------------------------------------------------

    async def action_review_from_here(self) -> None:
        if self._session.queue is not self._origin:
            self._origin.cancel()
        await self._close(self._view.index)

    async def action_close_queue(self) -> None:
        if self._view.range_start is not None:
            self._view.range_start = None
            self._view.refresh()
        elif self._wide is not None:
            self._widen()
        else:
            if self._session.queue is not self._origin:
                self._session.use_queue(self._origin).cancel()
            await self._close(None)

    async def _close(self, index: int | None) -> None:
        # Both are done before the next key, which is the review's.
        await self.app.pop_screen()
        await self._on_close(index)

    def action_interrupt(self) -> None:
        key = self._keys["field.leave" if self._field is not None else "table.close"]
        self._say(f"{key} goes back.")

    async def action_show_help(self) -> None:
        from auditor.tui.help_lines import HelpCodebook
        from auditor.tui.screens.help import HelpScreen

        session = self._session
        words = (session.codebook_title, session.codebook_description)
        choices = [choice for choice in session.choices if choice.key]
        codebook = HelpCodebook(session.codebook_name, session.codebook_revision, *words, choices)
        await self.app.push_screen(HelpScreen(codebook, self.actions))

    async def action_show_palette(self) -> None:
        from textual.command import CommandPalette

        await self.app.push_screen(CommandPalette(id="--command-palette", placeholder="Search: action, tag or theme"))
