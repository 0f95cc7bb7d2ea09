"""The path from a key to the audit file: one thread that does one thing after the other, and what is known of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from auditor.text import visible_line
from auditor.tui.widgets.header import SaveState

if TYPE_CHECKING:
    from auditor.audit.review import Intent, Pending, Refused, ReviewSession, Saved

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class Work:
    """All calls of the session, off the event loop and in order."""

    def __init__(self, session: ReviewSession) -> None:
        self.session = session
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="review-session")
        self._failures: dict[int, str] = {}
        """By response id: the sentence about a mark that is nowhere."""
        self.when_pending: Callable[[], None] = lambda: None
        """Is called when a mark of any screen waits beside the audit file."""
        self.why_pending = ""
        """What is to be said of the mark that waits last."""
        self.is_waiting_long = bool(session.pending)
        """Whether what waits beside the audit file could not be written when it was tried again."""

    async def call(
        self, function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Call a method of the session in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: function(*args, **kwargs))

    async def submit(self, response_id: int, intent: Intent, seconds: float | None = None) -> Saved | Pending | Refused:
        """Make a mark durable; when this returns, it is in the file or in the side file.

        `seconds` is how long the person was at the item, where a timer runs. Raises whatever the session raises, after
        noting that the mark is not saved.
        """
        try:
            timed = () if seconds is None else (None, seconds)
            outcome = await self.call(self.session.submit, response_id, intent, *timed)
        except Exception as error:
            self._failures[response_id] = f"NOT SAVED, press the key again: {type(error).__name__}: {error}"
            raise
        self._failures.pop(response_id, None)
        if self.session.pending:
            self.why_pending = outcome.message
            self.when_pending()
        return outcome

    async def retry(self) -> int:
        """Try to write what waits beside the audit file; return how many marks still wait."""
        left = await self.call(self.session.retry_pending)
        self.is_waiting_long = left > 0
        return left

    def words_on(self, outcome: Pending) -> str:
        """Return what is to be said of a mark that waits; empty as long as it may be over in a moment."""
        return outcome.message if self.is_waiting_long or self.session.in_memory_only else ""

    def acknowledge(self) -> None:
        """Forget the failures: the person has read them."""
        self._failures.clear()

    @property
    def state(self) -> SaveState:
        """Return what the header has to say."""
        if self._failures:
            return SaveState(visible_line(next(iter(self._failures.values()))), "failed")
        if lost := self.session.in_memory_only:
            return SaveState(f"NOT SAVED: {lost} mark{'' if lost == 1 else 's'} in memory only; retrying", "failed")
        count = self.session.pending
        if count and not self.is_waiting_long:
            return SaveState("saving …", "muted")
        if count:
            return SaveState(
                f"NOT SAVED: {count} mark{'' if count == 1 else 's'} kept beside the file; retrying", "warning"
            )
        return SaveState()

    def close(self) -> None:
        """Let the call that runs end, and stop the thread."""
        self._thread.shutdown(wait=True)
