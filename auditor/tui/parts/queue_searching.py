"""Looking for the items of a filter while its field stays open: the table changes when the first of them is there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.timer import Timer

from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.queue_words import describe_none_yet, describe_stopped
from auditor.errors import AuditorError
from auditor.tui.parts.queue_desk import QueueDesk

_SECONDS = 0.1


class QueueSearching:
    """Follows at most one search whose first item is not known yet."""

    def __init__(self, desk: QueueDesk, when_found: Callable[[], Awaitable[None]]) -> None:
        """`when_found` is called when an item came later than `begin` waited for it."""
        self._desk = desk
        self._when_found = when_found
        self._queue: ReviewQueue | None = None
        self._wanted: tuple[str, str | None] = ("", None)
        self._timer: Timer | None = None

    async def begin(self, where: str, order: str | None) -> bool:
        """Look for the items of a filter; say whether they are shown already, and else go on looking.

        Raises AuditorError for a filter that cannot be used, or leaves nothing as far as that is known at once.
        """
        self.stop()
        queue = await self._desk.look_for(where, order)
        if len(queue) or queue.complete:
            await self._desk.show_found(queue, where, order)
            return True
        self._queue, self._wanted = queue, (where, order)
        self._timer = self._desk.screen.set_interval(_SECONDS, self._look)
        self._tell(queue)
        return False

    def stop(self) -> bool:
        """End the search, if there is one; say whether there was, after saying on the screen that it is stopped."""
        queue = self._let_go()
        if queue is None:
            return False
        queue.cancel()
        self._desk.say(describe_stopped(queue.progress))
        return True

    def _let_go(self) -> ReviewQueue | None:
        queue, self._queue = self._queue, None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        return queue

    def _look(self) -> None:
        queue = self._queue
        if queue is None:
            return
        if len(queue) or queue.complete:
            self._let_go()
            self._desk.screen.run_worker(self._show(queue), group="found", exclusive=True, exit_on_error=False)
        else:
            self._tell(queue)

    def _tell(self, queue: ReviewQueue) -> None:
        self._desk.say(describe_none_yet(queue.progress, self._desk.keys["program.interrupt"]))

    async def _show(self, queue: ReviewQueue) -> None:
        try:
            await self._desk.show_found(queue, *self._wanted)
        except AuditorError as error:
            self._desk.say(str(error), refused=True)
        else:
            await self._when_found()
