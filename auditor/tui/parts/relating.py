"""Actions that show what belongs to the item: the arms of its case, its task under the other settings, what its setting
made of its problem, the other implementations of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from auditor.audit.related_items import RelatedItems
from auditor.tui.parts.review_desk import ReviewDesk

Found = TypeVar("Found")


class Relating:
    """Opens the screens with other answers; one that is chosen there becomes the item of the review."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk

    async def action_show_arms(self) -> None:
        from auditor.tui.screens.arms import ArmsScreen

        desk = self._desk
        related, case = await self._find(lambda related, item: related.case_arms(item))
        actions = desk.setup.screens["arms"]
        screen = ArmsScreen(desk.session, desk.work, actions, related, case, self._leave)
        screen.wraps = desk.panes.wraps
        screen.spelling.is_standard = desk.panes.is_standard
        await desk.screen.app.push_screen(screen)

    async def action_show_settings(self) -> None:
        from auditor.tui.screens.other_settings import OtherSettingsScreen

        desk = self._desk
        related, answers = await self._find(lambda related, item: related.task_answers(item))
        actions = desk.setup.screens["settings"]
        screen = OtherSettingsScreen(desk.session, desk.work, actions, related, answers, self._leave)
        screen.wraps = desk.panes.wraps
        screen.spelling.is_standard = desk.panes.is_standard
        await desk.screen.app.push_screen(screen)

    async def action_show_consistency(self) -> None:
        from auditor.tui.screens.consistency import ConsistencyScreen

        desk = self._desk
        related, found = await self._find(lambda related, item: related.consistency(item))
        assert desk.item is not None
        actions = desk.setup.screens["consistency"]
        screen = ConsistencyScreen(
            desk.session, desk.work, actions, related, found, desk.item.response_id, self._leave, desk.setup
        )
        screen.wraps = desk.panes.wraps
        await desk.screen.app.push_screen(screen)

    async def action_show_sides(self) -> None:
        from auditor.tui.screens.sides import SidesScreen

        desk = self._desk
        related, found = await self._find(lambda related, item: related.implementations(item))
        actions, folding = desk.setup.screens["sides"], desk.setup.settings.fold
        screen = SidesScreen(desk.session, desk.work, actions, related, found, self._leave, folding=folding)
        screen.wraps = desk.panes.wraps
        await desk.screen.app.push_screen(screen)

    async def _find(self, find: Callable[[RelatedItems, int], Found]) -> tuple[RelatedItems, Found]:
        """Open what belongs to items, and find something of the item on the screen."""
        desk = self._desk
        assert desk.item is not None
        related = await desk.work.call(desk.session.related)
        try:
            return related, await desk.work.call(find, related, desk.item.response_id)
        except BaseException:
            related.close()
            raise

    async def _leave(self, response_id: int | None) -> None:
        """Go to the item that was chosen, at its place in the queue where it has one."""
        desk = self._desk
        if response_id is None or (desk.item is not None and response_id == desk.item.response_id):
            return
        item = await desk.work.call(desk.session.item_by_id, response_id)
        desk.show(item)
        if item.index < 0:
            where = "" if desk.session.queue_progress().complete else " as far as it is known yet"
            desk.say(f"This item is outside the queue{where}; {desk.keys['queue.next']} goes on in the queue.")
