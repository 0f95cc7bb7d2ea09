"""The figures of the whole file: what it holds, how far everybody is, what responses are like; each has its items."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.audit.flags.flag import FlagItems
from auditor.audit.overview import InState, Overview, Tagged, count_overview, items_behind
from auditor.audit.review import ReviewSession
from auditor.tui.overview_lines import Behind, Section
from auditor.tui.overview_words import Here, sections
from auditor.tui.parts.agreeing import Agreeing
from auditor.tui.parts.counting import Report
from auditor.tui.parts.overviewing import FiguresShelf, OnClose, OpenCodebook, open_core
from auditor.tui.screens.figures import FiguresScreen
from auditor.tui.setup import Setup
from auditor.tui.work import Work

if TYPE_CHECKING:
    from auditor.audit.core_overview import CoreFigures


class OverviewScreen(FiguresScreen[Overview]):
    """Opens the other screens that are about what it counts."""

    DEFAULT_CSS = """
    OverviewScreen #overview-words { height: 3; }
    """

    title_shown = "Overview"
    closing = "overview.close"
    opening = "overview.open"

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        setup: Setup,
        on_close: OnClose,
        shelf: FiguresShelf[Overview],
        core: FiguresShelf[CoreFigures],
        open_codebook: OpenCodebook | None = None,
    ) -> None:
        super().__init__(session, work, setup, "overview", on_close, shelf, Overview())
        self._core = core
        self._open_codebook = open_codebook
        self.parts = (Agreeing(self, setup, self.leave_other),)

    def count(self, connection: sqlite3.Connection, report: Report[Overview]) -> Overview:
        return count_overview(connection, self.session.path, report, hidden=self.session.hidden, before=self.found)

    def sections(self, width: int) -> tuple[Sequence[Section], Sequence[Section]]:
        return sections(self.found, self._here(), width)

    def items_of(self, opens: Behind) -> list[int]:
        assert isinstance(opens, InState | Tagged | FlagItems)
        return items_behind(self.session.path, opens)

    def _here(self) -> Here:
        session = self.session
        return Here(
            session.path.name,
            session.annotator,
            session.codebook_name,
            sum(1 for choice in session.choices if choice.key),
            session.description,
            session.counts(),
            growing=not session.queue_progress().complete,
            unsaved=session.pending,
            hidden=session.hidden,
            blind=session.blind,
            again=session.again,
            stopped=self.stopped,
        )

    async def open_screen(self, name: str) -> None:
        from auditor.tui.screens.queue import QueueScreen

        if name == "queue":
            place = self.session.first_open() or 0
            await self.app.push_screen(QueueScreen(self.session, self.work, self.setup, place, self.leave_queue))
        elif name != "codebook":
            await super().open_screen(name)
        elif self._open_codebook is None:
            self.say("The codebook is opened from the review, which follows its changes.")
        else:
            await self._open_codebook()

    async def action_show_core(self) -> None:
        """Open the screen with CoRE's figures."""
        await open_core(self, self.setup, self.leave_other, self._core)

    async def action_close_overview(self) -> None:
        """Go back to the screen below."""
        await self.close_figures(None)
