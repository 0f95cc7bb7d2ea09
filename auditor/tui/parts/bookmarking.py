"""Actions of bookmarks: on the item and off again, and on to the next one."""

from __future__ import annotations

from auditor.audit.review import Bookmark
from auditor.tui.parts.marking import Marking
from auditor.tui.parts.moving import Moving
from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.review_sentences import tell_no_bookmark


class Bookmarking:
    """Puts bookmarks on items and goes along them."""

    def __init__(self, desk: ReviewDesk, marking: Marking, moving: Moving) -> None:
        self._desk = desk
        self._marking = marking
        self._moving = moving

    async def action_toggle_bookmark(self) -> None:
        await self._marking.mark(Bookmark())

    async def action_next_bookmark(self) -> None:
        desk = self._desk
        index = await desk.work.call(desk.session.next_bookmarked, desk.index)
        if index is None:
            bookmarked = await desk.work.call(desk.session.bookmarked)
            desk.say(tell_no_bookmark(len(bookmarked), desk.keys))
            return
        if index == desk.index and desk.item is not None and desk.item.index == index:
            desk.say("This is the only item of the queue with a bookmark.")
            return
        if index <= desk.index:
            desk.say("Back at the first bookmark.")
        await self._moving.go_to(index)
