"""Where several people take items of one queue: the item on the screen is held, or it is said who else has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.audit.leased_queue import describe_standing
from auditor.model import ReviewState
from auditor.tui.parts.retrying import Safely
from auditor.tui.parts.review_desk import ReviewDesk

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem
    from auditor.store.leases import Standing

_SECONDS = 1.0
"""How often it is looked whether the item on the screen is still held."""


class Sharing:
    """Follows the item on the screen; does nothing in a review that takes no items."""

    def __init__(self, desk: ReviewDesk, safely: Safely) -> None:
        self._desk = desk
        self._safely = safely
        self._told: int | None = None
        """The item of which it was said that it is somebody else's."""

    def begin(self) -> None:
        """Look now and then whether the item is still held: a computer that slept comes back to a lease that ended."""
        if self._desk.session.overlap is not None:
            self._desk.screen.set_interval(_SECONDS, self._start)

    def follow(self, item: ReviewItem) -> str:
        """Take note of what is on the screen; return a sentence when it is somebody else's, else an empty one."""
        self._desk.session.stand_at(item.response_id, self._desk.index)
        return self._tell(item.response_id, item.standing)

    def _start(self) -> None:
        item = self._desk.item
        if item is None or item.review.state is ReviewState.REVIEWED or self._told == item.response_id:
            return
        if not self._desk.session.holds(item.response_id):
            work = self._safely(self._look)
            self._desk.screen.run_worker(work, group="sharing", exclusive=True, exit_on_error=False)

    async def _look(self) -> None:
        desk, item = self._desk, self._desk.item
        assert item is not None
        standing = await desk.work.call(desk.session.standing, item.response_id)
        if desk.item is item and (told := self._tell(item.response_id, standing)):
            desk.say(told)

    def _tell(self, response_id: int, standing: Standing | None) -> str:
        overlap = self._desk.session.overlap
        if standing is None or overlap is None:
            self._told = None
            return ""
        self._told = response_id
        return describe_standing(standing, overlap)
