"""Actions that go to another item of the queue."""

from __future__ import annotations

from auditor.audit.queue_words import describe_back, describe_last
from auditor.tui.parts.awaiting import Awaiting
from auditor.tui.parts.review_desk import ItemDesk
from auditor.tui.review_sentences import tell_alike


class Moving:
    """Goes along the queue."""

    def __init__(self, desk: ItemDesk, awaiting: Awaiting) -> None:
        self._desk = desk
        self._awaiting = awaiting
        self._told_alike = False
        """Whether it was said how to see one item of each task: once in a sitting is enough."""

    async def go_to(self, index: int) -> None:
        """Show the item at a place of the queue."""
        desk, before = self._desk, self._desk.item
        item = await desk.work.call(desk.session.item, index)
        alike = "" if self._told_alike or item.index <= desk.index else tell_alike(before, item, desk.keys)
        self._told_alike = self._told_alike or bool(alike)
        desk.show(item, alike)

    async def go_to_next_open(self) -> bool:
        """Go to the next item that is neither reviewed nor deferred; say whether there is one."""
        desk = self._desk
        index = await desk.work.call(desk.session.next_open, desk.index)
        if index is None:
            desk.say(await desk.work.call(desk.session.why_none))
            self._awaiting.begin()
            return False
        if index <= desk.index:
            desk.say(describe_back(desk.session.queue_progress()))
        await self.go_to(index)
        return True

    async def action_next_open(self) -> None:
        await self._go_to_open(await self._desk.work.call(self._desk.session.next_open, self._desk.index), 1)

    async def action_previous_open(self) -> None:
        await self._go_to_open(self._desk.session.previous_open(self._desk.index), -1)

    async def action_first_open(self) -> None:
        await self._go_to_open(self._desk.session.first_open(), 0)

    async def _go_to_open(self, index: int | None, by: int) -> None:
        """Go to an open item that was looked for forwards, backwards or from the start."""
        desk = self._desk
        if index is None:
            desk.say(await desk.work.call(desk.session.why_none))
            if by > 0:
                self._awaiting.begin()
        elif desk.item is not None and index == desk.item.index:
            desk.say("This is the first open item." if by == 0 else "No other item is open.")
        else:
            if by > 0 and index < desk.index:
                desk.say(describe_back(desk.session.queue_progress()))
            elif by < 0 and index > desk.index:
                desk.say("No open item comes before; this is the last one.")
            await self.go_to(index)

    async def action_next_item(self) -> None:
        await self._move(1)

    async def action_previous_item(self) -> None:
        await self._move(-1)

    async def _move(self, by: int) -> None:
        index = self._desk.index + by
        if 0 <= index < len(self._desk.session):
            await self.go_to(index)
        else:
            session = self._desk.session
            self._desk.say(describe_last(session.queue_progress()) if by > 0 else "This is the first item.")
