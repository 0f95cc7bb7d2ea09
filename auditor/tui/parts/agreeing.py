"""The action that opens the agreement screen, over the review or over the queue; where one was there is remembered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from auditor.tui.screens.acting import ActingScreen
from auditor.tui.setup import Setup

OnClose = Callable[["int | None"], Awaitable[None]]
"""Is told from which place of the session's queue the review goes on; None = where it was."""


class Place(NamedTuple):
    """Where somebody is on the agreement screen, to be there again."""

    first: str = ""
    second: str = ""
    tag: str | None = None
    """None = whole sets of tags."""
    table: int = 0


class Agreeing:
    """Opens the screen and says when it is closed."""

    def __init__(self, screen: ActingScreen, setup: Setup, on_close: OnClose) -> None:
        self._screen = screen
        self._setup = setup
        self._on_close = on_close
        self._place = Place()
        self._is_all = False
        """Whether the program was opened for this screen alone: leaving it leaves the program."""

    async def begin(self) -> None:
        """Open the screen as the first one of the program."""
        self._is_all = True
        await self.action_show_agreement()

    async def action_show_agreement(self) -> None:
        """Open the screen where one was on it before."""
        # What measures is loaded only now: a review begins without it.
        from auditor.tui.screens.agreement import AgreementScreen

        below = self._screen
        await below.app.push_screen(AgreementScreen(below.session, below.work, self._setup, self._leave, self._place))

    async def _leave(self, index: int | None, place: Place) -> None:
        self._place = place
        is_all, self._is_all = self._is_all, False
        if is_all and index is None:
            self._screen.app.exit(0)
        else:
            await self._on_close(index)
