"""The queue over the review: all items of a filter as a table, to narrow, sort, mark many at once, and review from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.timer import Timer

from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.queue_table import ORDERS, TableRow
from auditor.audit.queue_words import describe_search, describe_stopped
from auditor.audit.review import ReviewSession
from auditor.errors import AuditorError
from auditor.text import counted
from auditor.tui.actions import Situation
from auditor.tui.parts.agreeing import Agreeing
from auditor.tui.parts.overviewing import Overviewing
from auditor.tui.parts.queue_asking import QueueAsking
from auditor.tui.parts.queue_range import QueueRange
from auditor.tui.parts.queue_strip import QueueStrip
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.setup import Setup
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.note_editor import NoteEditor
from auditor.tui.widgets.pane import Pane
from auditor.tui.widgets.queue_column import count_words
from auditor.tui.widgets.queue_table import QueueTableView, TagWords
from auditor.tui.work import Work

_NOTHING_LEFT = "No item is left by this filter."
_POLL_SECONDS = 0.1
_ARMS_LOOKED_AT = 200
"""Items of a case that are looked at for more than one arm."""
_PATIENCE = 0.1
"""Seconds that the first item of a filter is waited for before the screen says that it is being looked for."""
OnClose = Callable[["int | None", str], Awaitable[None]]
"""Is told from which place of the queue the review goes on, None = where it was, and what there is to say of that."""


class _Wide(NamedTuple):
    """The queue that was narrowed to some of its items, and the place in it."""

    queue: ReviewQueue
    place: int
    choosing: bool = False
    """Whether the few are there to choose one, from which on the whole queue is reviewed."""


class QueueScreen(ActingScreen):
    """Shows the session's queue; another filter is the session's queue at once, and leaving gives the old one back."""

    DEFAULT_CSS = """
    QueueScreen { layout: vertical; background: $background; }
    QueueScreen > Pane { height: 1fr; }
    """

    def __init__(
        self, session: ReviewSession, work: Work, setup: Setup, index: int, on_close: OnClose, begin: str = ""
    ) -> None:
        """`index` is the place to begin at; `begin` names a field that is open at once.

        Raises AuditFileError for a file that cannot be read now: there is nothing to open then.
        """
        self._message = MessageRule()
        super().__init__(session, work, setup.screens["queue"], self._message)
        self._on_close = on_close
        self._begin = begin
        self._start = index
        self._origin = session.queue
        self._wide: _Wide | None = None
        selection = session.queue.selection
        self.where = selection.where if selection else ""
        self.order = selection.order if selection else ORDERS[0]
        self.view = QueueTableView(self._read)
        self._polling: Timer | None = None
        self._asking = QueueAsking(self, self._message)
        others = (Agreeing(self, setup, self._leave_agreement), Overviewing(self, setup, self._leave_agreement))
        self.parts = (self._asking, QueueRange(self), QueueStrip(self, setup), *others)
        tags = {choice.id: TagWords(choice.name, choice.key) for choice in session.choices}
        self.view.use_names(tags, dict(zip(("arm", "setting"), session.names(), strict=True)), session.cases_beside)
        self.table = session.table()
        self._unusable = self.table.recall_columns(session.annotator, setup.settings.queue_columns)
        """Why the columns of the setting cannot be shown."""
        self.bind_tags()

    # --- layout ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        self._pane = Pane("Queue", self.view, id="queue-table", head=self.view.head)
        yield self._pane
        yield self._message
        yield self.footer

    async def on_mount(self) -> None:
        self.set_focus(self.view)
        self.show_rows()
        self.view.go_to(self._start)
        self.call_after_refresh(self.view.follow_size)
        self._follow_search()
        if self._unusable:
            self.say(self._unusable, refused=True)
        if self._begin:
            await self._asking.action_ask(self._begin)
            self._asking.goes_back = self._begin == "id"

    def on_unmount(self) -> None:
        self._asking.searching.stop()
        self.table.close()

    def _read(self, start: int, count: int) -> list[TableRow]:
        return self.table.rows(self.session.queue.ids(start, count), start)

    def show_rows(self, *, anew: bool = False) -> None:
        """Show the session's queue as it is now; `anew` where it is another one."""
        self.view.show_table(len(self.session), self.table.columns, anew=anew)
        self._show_title()

    def _show_title(self) -> None:
        search = describe_search(self.session.queue_progress())
        parts = (count_words(self.session.counts()), self.session.description, *([search] if search else ()))
        self._pane.title.show(detail="   ".join(parts))
        self.show_situation()

    @property
    def situation(self) -> Situation:
        asking = self._asking
        return Situation(
            items=len(self.session),
            writing_note=asking.is_open,
            completes=asking.completes,
            blind=self.session.blind,
            again=self.session.again,
        )

    @property
    def is_writing(self) -> bool:
        return self._asking.is_open

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _follow_search(self) -> None:
        """Follow a queue that grows."""
        if not self.session.queue.complete and self._polling is None:
            self._polling = self.set_interval(_POLL_SECONDS, self._poll)

    def _poll(self) -> None:
        queue = self.session.queue
        complete = queue.complete
        self.view.show_total(len(queue))
        self._show_title()
        if complete and self._polling is not None:
            self._polling.stop()
            self._polling = None
            self.run_worker(self._tell_end(), group="end", exclusive=True, exit_on_error=False)

    async def _tell_end(self) -> None:
        """Say how a search ended, where the screen does not show it."""
        queue = self.session.queue
        if queue.error is not None:
            self.say(queue.progress.ended_early or str(queue.error), refused=True)
        elif not len(queue) and queue.progress.is_whole:
            hint = await self.work.call(self.table.hint_for_nothing, self.where)
            hint = hint or f"{self.keys['table.filter']} changes the filter."
            self.say(f"{_NOTHING_LEFT} {hint}", refused=True)

    async def look_for(self, where: str, order: str | None) -> ReviewQueue:
        """Begin to look for the items of a filter, and wait a moment for the first."""
        queue = await self.work.call(self.session.find_items, where, order, seed=self._seed)
        await self.work.call(queue.wait_for_rows, 1, _PATIENCE)
        return queue

    async def show_found(self, queue: ReviewQueue, where: str, order: str | None) -> None:
        """Show what was looked for among all items; raises AuditorError when the search ended and found nothing."""
        if not len(queue) and queue.complete:
            progress = queue.progress
            if not progress.is_whole:
                raise AuditorError(progress.ended_early or str(queue.error))
            hint = await self.work.call(self.table.hint_for_nothing, where)
            raise AuditorError(_NOTHING_LEFT, hint or "The table shows what it did before.")
        self._wide = None
        await self._show_found(queue, where, order)

    async def _show_found(self, queue: ReviewQueue, where: str, order: str | None) -> None:
        here = self.view.row(self.view.index)
        self._use(queue)
        self.where, self.order = where, order or (queue.selection.order if queue.selection else ORDERS[0])
        index = None if here is None else self.session.index_of(here.response_id)
        self.view.go_to((self.session.first_open() or 0) if index is None else index)
        self.say("")
        self._follow_search()
        if queue.complete:
            await self._tell_end()

    def _use(self, queue: ReviewQueue) -> None:
        before = self.session.use_queue(queue)
        if before is not self._origin and (self._wide is None or before is not self._wide.queue):
            before.cancel()
        self.view.range_start = None
        self.show_rows(anew=True)

    @property
    def _seed(self) -> int:
        selection = self._origin.selection
        return selection.seed if selection and not self.session.blind else 0

    async def action_next_order(self) -> None:
        """Sort in the next order, and say which one it is."""
        place = (ORDERS.index(self.order) + 1) % len(ORDERS)
        await self.show_found(await self.look_for(self.where, ORDERS[place]), self.where, ORDERS[place])
        if self.session.queue.error is None:
            self.say(f"Order: {ORDERS[place]}, {place + 1} of {len(ORDERS)}; {self.keys['table.order']} goes on.")

    async def action_narrow(self, to: str) -> None:
        """Show only the case or the task of this item; once more, show all again."""
        if self._wide is not None:
            self._widen()
            return
        row = self.view.row(self.view.index)
        if row is None:
            return
        wide, index, where = self.session.queue, self.view.index, self.where
        filter_ = await self.work.call(self.table.filter_around, row.response_id, to)
        queue = await self.look_for(filter_, self.order)
        self._wide = _Wide(wide, index)
        await self._show_found(queue, filter_, self.order)
        self.where = where
        if queue.error is not None:
            return
        # A case has few items, which are mostly all known in a moment.
        await self.work.call(queue.wait_for_rows, _ARMS_LOOKED_AT + 1, _PATIENCE)
        items, key = len(queue), self.keys["table.settings" if to == "task" else "table.arms"]
        several = await self.work.call(self.table.several_arms, queue.ids(0, _ARMS_LOOKED_AT))
        is_only = to == "case" and queue.complete and not several and items <= _ARMS_LOOKED_AT
        many = f": {counted(items, 'item')}{' of its only arm' if is_only else ''}" if queue.complete else " alone"
        self.say(f"This {to}{many}; {key} shows all again.")

    async def action_narrow_to_same(self) -> None:
        """Show only the items whose answers to this item's task are the same, as a range; once more, show all again."""
        if self._wide is not None:
            self._widen()
            return
        row = self.view.row(self.view.index)
        if row is None:
            return
        queue, key = self.session.queue, self.keys["table.same"]
        same = await self.work.call(self.table.same_answers, row.response_id)
        places = sorted(place for one in same if (place := self.session.index_of(one)) is not None)
        if not same:
            self.say("This item has no answer that could be the same as another.")
            return
        if len(places) < 2:
            self.say("No other item of this queue has the same answer to this task.")
            return
        self._wide = _Wide(queue, self.view.index)
        self._use(ReviewQueue([queue[place] for place in places], "the same answer to one task"))
        self.view.range_start = 0
        self.view.go_to(len(places) - 1)
        self.say(f"{len(places):,} items have this answer: a tag's key marks all of them; {key} shows all again.")

    def _widen(self) -> None:
        assert self._wide is not None
        wide, self._wide = self._wide, None
        self._use(wide.queue)
        self.view.go_to(wide.place)
        self._follow_search()

    def choose_among(self, places: Sequence[int], what: str) -> None:
        """Show only the items at some places, to choose one; Enter goes to it in the whole queue."""
        queue = self.session.queue
        self._wide = _Wide(queue, self.view.index, choosing=True)
        self._use(ReviewQueue([queue[place] for place in places], what))
        self.view.go_to(0)

    def show_alone(self, response_id: int, what: str) -> None:
        """Show one item in place of the queue, which going back shows again."""
        if self._wide is not None:
            self._widen()
        self._wide = _Wide(self.session.queue, self.view.index)
        self._use(ReviewQueue([response_id], what))
        self.view.go_to(0)

    async def _leave_agreement(self, index: int | None) -> None:
        """Show the queue again, or go on with the review at an item behind a number."""
        if index is None:
            self.show_rows()
            return
        if self.session.queue is not self._origin:
            self._origin.cancel()
        await self.go_on(index)

    # --- what widgets tell -----------------------------------------------------------------------------------------

    def on_row_view_chosen(self, message: QueueTableView.Chosen) -> None:
        message.stop()
        if not self.is_writing:
            self.view.range_start = None
            self.view.go_to(message.index)

    def on_note_editor_edited(self, message: NoteEditor.Edited) -> None:
        message.stop()
        self._asking.suggest_soon()

    # --- leaving ---------------------------------------------------------------------------------------------------

    async def action_review_from_here(self) -> None:
        """Review the items that are shown, from this one on."""
        if self._wide is not None and self._wide.choosing:
            chosen = self.session.queue[self.view.index]
            self._widen()
            self.view.go_to(self.session.index_of(chosen) or 0)
        if self.session.queue is not self._origin:
            self._origin.cancel()
        await self.go_on(self.view.index)

    async def action_close_queue(self) -> None:
        """Leave the range, else the narrowed queue, else the screen, which gives the queue of before back."""
        if self.view.range_start is not None:
            self.view.range_start = None
            self.view.refresh()
        elif self._wide is not None:
            self._widen()
        else:
            said = ""
            if self.session.queue is not self._origin:
                self.session.use_queue(self._origin).cancel()
                key = self.keys["table.review"]
                said = f"The queue is the one of before again: {self._origin.description}. {key} would keep the filter."
            await self.go_on(None, said)

    async def go_on(self, index: int | None, said: str = "") -> None:
        """Go back to the review, at a place of the queue that is shown; None = where it was."""
        # Both are done before the next key, which is the review's.
        await self.app.pop_screen()
        await self._on_close(index, said)

    def action_interrupt(self) -> None:
        """Stop looking for the items of a filter that was made here; what is known stays."""
        if self._asking.searching.stop():
            return
        queue = self.session.queue
        if not self.is_writing and queue is not self._origin and not queue.complete:
            queue.cancel()
            self._poll()
            self.say(describe_stopped(queue.progress))
            return
        key = self.keys["field.leave" if self.is_writing else "table.close"]
        self.say(f"{key} goes back.")
