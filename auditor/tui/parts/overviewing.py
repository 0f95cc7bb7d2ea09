"""The actions that open the screens of figures, over the review or the queue; what was counted is kept for later."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from auditor.tui.screens.acting import ActingScreen
from auditor.tui.setup import Setup

if TYPE_CHECKING:
    from auditor.audit.core_overview import CoreFigures
    from auditor.audit.overview import Overview

OnClose = Callable[["int | None"], Awaitable[None]]
"""Is told from which place of the session's queue the review goes on; None = where it was."""
OpenCodebook = Callable[[], Awaitable[None]]
Stamp = tuple[tuple[int, int], ...]
Counted = TypeVar("Counted")


class FiguresShelf(Generic[Counted]):
    """What was counted last, and of which state of the file."""

    def __init__(self) -> None:
        self.found: Counted | None = None
        self.stamp: Stamp = ()
        self.key = ""
        """Of the figure that was chosen."""


def stamp_of(path: Path) -> Stamp:
    """Return what changes when anything is written to an audit file, without opening it."""
    stamps = []
    for one in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            stat = os.stat(one)
            stamps.append((stat.st_mtime_ns, stat.st_size))
    return tuple(stamps)


async def open_core(screen: ActingScreen, setup: Setup, on_close: OnClose, shelf: FiguresShelf[CoreFigures]) -> None:
    """Open the screen with CoRE's figures where one was on it before."""
    # What tabulates is loaded only now: a review begins without it.
    from auditor.tui.screens.core import CoreScreen

    await screen.app.push_screen(CoreScreen(screen.session, screen.work, setup, on_close, shelf))


class Overviewing:
    """Opens the screens and says when they are closed."""

    def __init__(
        self, screen: ActingScreen, setup: Setup, on_close: OnClose, open_codebook: OpenCodebook | None = None
    ) -> None:
        """`open_codebook` opens the codebook over what is shown, where that can follow its changes."""
        self._screen = screen
        self._setup = setup
        self._on_close = on_close
        self._open_codebook = open_codebook
        self._shelf: FiguresShelf[Overview] = FiguresShelf()
        self._core: FiguresShelf[CoreFigures] = FiguresShelf()

    async def action_show_core(self) -> None:
        """Open the screen with CoRE's figures."""
        await open_core(self._screen, self._setup, self._on_close, self._core)

    async def action_show_overview(self) -> None:
        """Open the screen where one was on it before."""
        # What tabulates is loaded only now: a review begins without it.
        from auditor.tui.screens.overview import OverviewScreen

        below = self._screen
        screen = OverviewScreen(
            below.session, below.work, self._setup, self._on_close, self._shelf, self._core, self._open_codebook
        )
        await below.app.push_screen(screen)
