"""Of the screen only the rows that changed are painted, and what was painted adds up to what the screen shows."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pyte
import pytest
from rich.console import RenderableType
from rich.segment import Segment
from textual._compositor import ChopsUpdate, CompositorUpdate
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from auditor.audit.review import ReviewSession
from auditor.tui.styled import Styled
from tests.tui.driving import press, reviewing, screen_of, screen_text, settle


class Painted:
    """A terminal that takes what an app paints."""

    def __init__(self, app: App[int], size: tuple[int, int]) -> None:
        self._app = app
        self._display = app._display
        self.screen = pyte.Screen(*size)
        self._stream = pyte.Stream(self.screen)
        self.rows: set[int] = set()
        """Rows that were painted since this was emptied."""
        app._display = self._take  # type: ignore[method-assign]  # the app has no terminal

    def _take(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        update: object = renderable
        if isinstance(update, CompositorUpdate):
            lines = range(self.screen.lines)
            self.rows.update([y for y, _, _ in update.spans] if isinstance(update, ChopsUpdate) else lines)
            self._stream.feed(update.render_segments(self._app.console).replace("\n", "\r\n"))
        self._display(screen, renderable)

    @property
    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.screen.display) + "\n"


@asynccontextmanager
async def painting(session: ReviewSession) -> AsyncIterator[tuple[Pilot[int], Painted]]:
    """Review a session and have all of the screen painted once."""
    size = (120, 40)
    async with reviewing(session, size) as pilot:
        # The scroll bars come a moment later, which is another layout.
        while not screen_of(pilot).panes.source.show_vertical_scrollbar:
            await settle(pilot)
        await settle(pilot)
        painted = Painted(pilot.app, size)
        pilot.app.screen.refresh()
        await settle(pilot)
        painted.rows.clear()
        yield pilot, painted


async def test_what_is_painted_adds_up_to_the_screen(session: ReviewSession) -> None:
    keys = "1 space j k w r r space u tab down o down escape question_mark escape n a enter"
    async with painting(session) as (pilot, painted):
        for key in keys.split():
            await press(pilot, key)
            assert painted.text == screen_text(pilot), f"after {key}"


async def test_a_tag_paints_no_pane(session: ReviewSession) -> None:
    async with painting(session) as (pilot, painted):
        await press(pilot, "1")
        assert painted.rows
        assert painted.rows.isdisjoint(screen_of(pilot).panes.region.line_range)


class Rows(Styled):
    """Rows of texts that a test changes."""

    DEFAULT_CSS = "Rows { height: 5; }"

    def __init__(self) -> None:
        super().__init__()
        self.texts = ["-"] * 5

    def render_line(self, y: int) -> Strip:
        return Strip([Segment(self.texts[y].ljust(self.size.width), self.base_style)])


class RowsApp(App[int]):
    """Two widgets, so that what is painted of one lies around the other."""

    def compose(self) -> ComposeResult:
        yield from (Rows(), Rows())


@pytest.mark.parametrize("seed", range(4))
async def test_rows_that_were_drawn_for_somebody_else_are_still_painted(seed: int) -> None:
    chance = random.Random(seed)
    app = RowsApp()
    async with app.run_test(size=(20, 10)) as pilot:
        painted = Painted(app, (20, 10))
        app.screen.refresh()
        await pilot.pause()
        above, below = app.query(Rows)
        for _ in range(25):
            for rows in (above, below):
                for _ in range(chance.randrange(3)):
                    y = chance.randrange(5)
                    rows.texts[y] = chance.choice("abc")
                    rows.refresh(*([Region(0, y, 20, 1)] if chance.random() < 0.5 else []))
                    if chance.random() < 0.5:
                        rows.render_lines(Region(0, 0, 20, chance.randrange(1, 6)))
            if chance.random() < 0.7:
                app.screen._on_timer_update()
        await pilot.pause()
        app.screen._on_timer_update()
        assert painted.text.split() == [*above.texts, *below.texts]
