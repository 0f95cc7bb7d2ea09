"""The keys of the review that open the queue, and what the review shows when it goes through another one."""

from __future__ import annotations

from auditor.audit.review import ReviewItem
from auditor.tui.screens.looking import LookingScreen
from auditor.tui.setup import Setup
from auditor.tui.widgets.header import Header
from auditor.tui.widgets.queue_column import QueueColumn
from auditor.tui.work import Work


class QueueingScreen(LookingScreen):
    """A screen with a queue; the screen that builds on it sets the attributes and composes the widgets."""

    _setup: Setup
    _work: Work
    _item: ReviewItem | None
    _index: int
    _header: Header
    _queue: QueueColumn

    async def action_show_queue(self) -> None:
        await self._open_queue("")

    async def action_search_queue(self) -> None:
        await self._open_queue("filter")

    async def action_go_to_id(self) -> None:
        await self._open_queue("id")

    async def _open_queue(self, begin: str) -> None:
        from auditor.tui.screens.queue import QueueScreen

        screen = QueueScreen(self._session, self._work, self._setup, self._index, self._come_back, begin)
        await self.app.push_screen(screen)

    async def _come_back(self, index: int | None) -> None:
        """Show the item at a place of the queue, which may be another one now; without a place the one from before."""
        session = self._session
        self._header.show_description(session.description)
        self._queue.show_total(len(session))
        if index is not None:
            self._show(await self._work.call(session.item, index))
        elif self._item is not None:
            self._show(await self._work.call(session.item_by_id, self._item.response_id))

    def _show(self, item: ReviewItem) -> None:
        raise NotImplementedError
