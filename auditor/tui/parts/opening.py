"""Actions that open the queue or the codebook over the review, and what the review shows when it is back."""

from __future__ import annotations

from typing import Protocol

from auditor.tui.parts.codebook_watch import CodebookPage, CodebookWatch
from auditor.tui.parts.review_desk import ItemDesk


class Page(ItemDesk, CodebookPage, Protocol):
    """A review that can follow what another screen, or another process, changed."""

    @property
    def is_told(self) -> bool:
        """Say whether a sentence is shown."""

    def follow_queue(self) -> None:
        """Show of the queue what is not an item's: its description and its length."""


class Opening:
    """Opens other screens, each of which says when it is closed."""

    def __init__(self, page: Page, watch: CodebookWatch) -> None:
        self._page = page
        self._watch = watch

    async def action_show_queue(self) -> None:
        await self._open_queue("")

    async def action_search_queue(self) -> None:
        await self._open_queue("filter")

    async def action_go_to_id(self) -> None:
        await self._open_queue("id")

    async def _open_queue(self, begin: str) -> None:
        from auditor.tui.screens.queue import QueueScreen

        page = self._page
        screen = QueueScreen(page.session, page.work, page.setup, page.index, self.leave_queue, begin)
        await page.screen.app.push_screen(screen)

    async def leave_queue(self, index: int | None, said: str = "") -> None:
        """Show the item at a place of the queue, which may be another one now; without a place the one from before.

        `said` is what there is to say of that.
        """
        page = self._page
        page.follow_queue()
        if index is not None:
            page.show(await page.work.call(page.session.item, index), said)
        else:
            await self._show_again(said)

    async def action_show_codebook(self) -> None:
        from auditor.tui.screens.codebook import CodebookScreen

        page = self._page
        await self._watch.take_up()
        actions = page.setup.screens["codebook"]
        await page.screen.app.push_screen(CodebookScreen(page.session, page.work, actions, self._leave_codebook))

    async def _leave_codebook(self, made_here: bool) -> None:
        self._watch.show_revision(made_here=made_here)
        await self._show_again()

    async def action_show_adjudication(self) -> None:
        from auditor.audit.adjudication import AdjudicationWish
        from auditor.tui.screens.adjudication import AdjudicationScreen

        page = self._page
        adjudication = await page.work.call(page.session.adjudication, AdjudicationWish())
        revision = page.session.codebook_revision

        async def leave() -> None:
            adjudication.close()
            if page.session.codebook_revision != revision:
                self._watch.show_revision(made_here=False)
            await self._show_again()

        at = page.item.response_id if page.item is not None else None
        screen = AdjudicationScreen(page.session, page.setup, adjudication, work=page.work, on_close=leave, begin_at=at)
        await page.screen.app.push_screen(screen)

    async def _show_again(self, said: str = "") -> None:
        """Show the item that is on the screen as it is now."""
        page = self._page
        if page.item is not None:
            page.show(await page.work.call(page.session.item_by_id, page.item.response_id), said)
