"""Actions that go to another item of the queue."""

from __future__ import annotations

from auditor.tui.parts.review_desk import ReviewDesk


class Moving:
    """Goes along the queue."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk

    async def go_to(self, index: int) -> None:
        """Show the item at a place of the queue."""
        desk = self._desk
        desk.show(await desk.work.call(desk.session.item, index))

    async def go_to_next_open(self) -> bool:
        """Go to the next item that is neither reviewed nor deferred; say whether there is one."""
        desk = self._desk
        index = await desk.work.call(desk.session.next_open, desk.index)
        if index is None:
            desk.say(await desk.work.call(desk.session.why_none))
            return False
        if index <= desk.index:
            desk.say("Back at the first item that is still open.")
        await self.go_to(index)
        return True

    async def action_next_item(self) -> None:
        await self._move(1)

    async def action_previous_item(self) -> None:
        await self._move(-1)

    async def _move(self, by: int) -> None:
        index = self._desk.index + by
        if 0 <= index < len(self._desk.session):
            await self.go_to(index)
        else:
            self._desk.say("This is the last item." if by > 0 else "This is the first item.")
