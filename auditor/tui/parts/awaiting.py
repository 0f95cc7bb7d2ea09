"""A next item that another process's write kept from being taken is taken as soon as that ends; no key is needed."""

from __future__ import annotations

from textual.timer import Timer

from auditor.audit.queue_words import describe_back
from auditor.tui.parts.opening import Page
from auditor.tui.parts.retrying import Safely

_SECONDS = 0.5


class Awaiting:
    """Waits where the person asked for the next open item, until it is there or they do something else."""

    def __init__(self, page: Page, safely: Safely) -> None:
        self._page = page
        self._safely = safely
        self._timer: Timer | None = None
        self._left: object = None
        """What was on the screen when it began, as it was then."""

    def begin(self) -> None:
        """Wait from now on if the next item could not be taken because another process is writing."""
        if self._page.session.waits_for_another_process:
            self._left = self._here
            if self._timer is None:
                self._timer = self._page.screen.set_interval(_SECONDS, self._start)

    @property
    def _here(self) -> object:
        item = self._page.item
        return None if item is None else (item.response_id, item.review)

    def _is_wanted(self) -> bool:
        """Say whether the person still waits: they went nowhere, marked nothing and write nothing."""
        screen = self._page.screen
        return screen.app.screen is screen and not self._page.is_writing and self._here == self._left

    def _start(self) -> None:
        self._page.screen.run_worker(self._safely(self._try), group="awaiting", exclusive=True, exit_on_error=False)

    async def _try(self) -> None:
        if not self._is_wanted():
            self._stop()
            return
        page, session = self._page, self._page.session
        index = await page.work.call(session.next_open, page.index)
        item = None if index is None else await page.work.call(session.item, index)
        reason = "" if item is not None else await page.work.call(session.why_none)
        if not self._is_wanted():
            self._stop()
        elif item is not None:
            self._stop()
            page.say(describe_back(session.queue_progress()) if item.index <= page.index else "")
            page.show(item)
        elif not session.waits_for_another_process:
            self._stop()
            page.say(reason)
        elif not page.is_told:
            page.say(reason)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
