"""What waits beside a locked audit file is tried again and again until it is in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from textual.timer import Timer

from auditor.tui.parts.review_desk import ReviewDesk

_SECONDS = 0.5

Safely = Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]
"""Does something, and makes a sentence of an error."""


class Retrying:
    """Follows the work that is not in the audit file yet."""

    def __init__(self, desk: ReviewDesk, safely: Safely) -> None:
        self._desk = desk
        self._safely = safely
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Try now and then as long as there is something to bring in."""
        if self._desk.session.pending and self._timer is None:
            self._timer = self._desk.screen.set_interval(_SECONDS, self._start)

    def _start(self) -> None:
        work = partial(self._safely, self._retry)
        self._desk.screen.run_worker(work, group="retry", exclusive=True, exit_on_error=False)

    async def _retry(self) -> None:
        desk = self._desk
        if await desk.work.call(desk.session.retry_pending) == 0 and self._timer is not None:
            self._timer.stop()
            self._timer = None
            desk.say("All that waited is in the audit file now.")
