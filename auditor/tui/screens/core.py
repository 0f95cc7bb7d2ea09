"""CoRE's figures: heat map, exposure, superficial execution, measures by setting and problem; each has its items."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from auditor.audit.core_overview import CoreFigures, CoreItems, core_items, count_core
from auditor.audit.review import ReviewSession
from auditor.tui.core_lines import core_sections
from auditor.tui.overview_lines import Behind, Section
from auditor.tui.parts.counting import Report
from auditor.tui.parts.overviewing import FiguresShelf, OnClose
from auditor.tui.screens.figures import FiguresScreen
from auditor.tui.setup import Setup
from auditor.tui.work import Work


class CoreScreen(FiguresScreen[CoreFigures]):
    """The figures of the commands' layouts, of all problems of the file."""

    DEFAULT_CSS = """
    CoreScreen #overview-words { height: 3; }
    """

    title_shown = "CoRE"
    closing = "core.close"
    opening = "core.open"

    def __init__(
        self, session: ReviewSession, work: Work, setup: Setup, on_close: OnClose, shelf: FiguresShelf[CoreFigures]
    ) -> None:
        super().__init__(session, work, setup, "core", on_close, shelf, CoreFigures())

    def count(self, connection: sqlite3.Connection, report: Report[CoreFigures]) -> CoreFigures:
        return count_core(connection, report)

    def sections(self, width: int) -> tuple[Sequence[Section], Sequence[Section]]:
        return core_sections(self.found, width, stopped=self.stopped)

    def items_of(self, opens: Behind) -> list[int]:
        assert isinstance(opens, CoreItems)
        return core_items(self.session.path, opens)

    async def action_close_core(self) -> None:
        """Go back to the screen below."""
        await self.close_figures(None)
