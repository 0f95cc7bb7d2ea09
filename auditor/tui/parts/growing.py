"""A queue whose items are still being found is followed until all are known, or the search ended early."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual.timer import Timer

from auditor.tui.parts.review_desk import ReviewDesk

_SECONDS = 0.25


class Growing:
    """Follows the session's queue."""

    def __init__(self, desk: ReviewDesk, follow: Callable[[], None]) -> None:
        """`follow` shows how many items are known."""
        self._desk = desk
        self._follow = follow
        self._timer: Timer | None = None
        self._shown_at = 0.0

    def is_shown(self) -> None:
        """Take notice that a key showed it: painting once more so soon after would be in the way of the next."""
        self._shown_at = monotonic()

    def begin(self) -> None:
        """Look now and then as long as more items may come."""
        if not self._desk.session.queue.complete and self._timer is None:
            self._timer = self._desk.screen.set_interval(_SECONDS, self._look)

    def _look(self) -> None:
        if monotonic() - self._shown_at < _SECONDS:
            return
        # Asked first: what comes in between is shown.
        progress = self._desk.session.queue_progress()
        self._follow()
        if progress.complete and self._timer is not None:
            self._timer.stop()
            self._timer = None
            if progress.ended_early is not None:
                self._desk.say(progress.ended_early, refused=True)
