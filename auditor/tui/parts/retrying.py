"""What waits beside a locked audit file is tried again and again until it is in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from textual.timer import Timer

from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.screens.acting import ActingScreen

FIRST_SECONDS, _SECONDS = 0.15, 0.5
"""Until the first try again, before which nothing is said; and between the others."""

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
            self._timer = self._desk.screen.set_interval(_SECONDS, self.start)
            if not self._desk.work.is_waiting_long:
                self._desk.screen.set_timer(FIRST_SECONDS, self.start)

    def start(self) -> None:
        """Try once more."""
        work = partial(self._safely, self._retry)
        self._desk.screen.run_worker(work, group="retry", exclusive=True, exit_on_error=False)

    async def _retry(self) -> None:
        work = self._desk.work
        was_told = work.is_waiting_long
        if await work.retry():
            if not was_told:
                self._say(work.why_pending, refused=True)
        elif self._timer is not None:
            self._timer.stop()
            self._timer = None
            if was_told:
                self._say("All that waited is in the audit file now.")

    def _say(self, words: str, *, refused: bool = False) -> None:
        """Say something where the person is."""
        top = self._desk.screen.app.screen
        (top if isinstance(top, ActingScreen) else self._desk).say(words, refused=refused)
