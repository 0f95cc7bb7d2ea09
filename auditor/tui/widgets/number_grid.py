"""Numbers in rows and columns, of which one cell is the one that the keys act on; only what is seen is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.message import Message
from textual.strip import Strip

from auditor.text import visible_name
from auditor.tui.short_names import middle_cut
from auditor.tui.styled import Styled
from auditor.tui.widgets.row_view import CursorView

_MOST_NAME = 200
"""Characters of a name that are looked at; more never fit."""
_SHADES = 5
_STRONGEST = 0.45
"""Share of the accent in the ground of the strongest shade: numbers on it can still be read."""
_MARK = "▸"
_WIDEST_HEAD = 7
"""Cells of a head; a longer one is cut, and the row of its name has it whole."""


class GridCell(NamedTuple):
    """What stands in a cell."""

    text: str
    shade: float = 0.0
    """How strong its ground is, from 0 to 1; the number says the same."""
    role: str = ""


NO_CELL = GridCell("")


def shades(variables: Mapping[str, str]) -> tuple[Style, ...]:
    """Return the grounds of cells under a theme's variables, the weakest first; the first is no ground."""
    background, accent = Color.parse(variables["background"]), Color.parse(variables["accent"])
    grounds = [background.blend(accent, _STRONGEST * step / _SHADES) for step in range(1, _SHADES + 1)]
    return (Style.null(), *(Style(bgcolor=ground.rich_color) for ground in grounds))


class GridHead(Styled):
    """The names of the columns that are on the screen."""

    DEFAULT_CSS = """
    GridHead { height: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._draw: Callable[[int], list[Segment]] = lambda width: []

    def follow(self, draw: Callable[[int], list[Segment]]) -> None:
        """Draw what a grid says from now on."""
        self._draw = draw

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        return Strip(self._draw(width)).adjust_cell_length(width, self.base_style)


class NumberGrid(CursorView):
    """`▸ ana   ·  0.61  0.48`: a row a name, columns of one width; those that do not fit come when the cursor does."""

    class Picked(Message):
        """A cell was clicked."""

        def __init__(self, grid: NumberGrid, row: int, column: int) -> None:
            super().__init__()
            self.grid, self.row, self.column = grid, row, column

    def __init__(self) -> None:
        super().__init__()
        self.head = GridHead()
        self.head.follow(self.draw_head)
        self.column = 0
        """The column that the keys act on."""
        self.has_cursor = True
        """Whether the cell that the keys act on is marked; not while they act on what stands beside the grid."""
        self._first = 0
        """The first column on the screen."""
        self._names: tuple[str, ...] = ()
        self._heads: tuple[str, ...] = ()
        self._cells: Mapping[tuple[int, int], GridCell] = {}
        self._cell_width = 6

    def show_grid(
        self,
        names: Sequence[str],
        heads: Sequence[str],
        cells: Mapping[tuple[int, int], GridCell],
        at: tuple[int, int] | None = None,
    ) -> None:
        """Show cells by row and column; names and heads may hold any text. `at` is the cell to act on."""
        self._names = tuple(visible_name(name, _MOST_NAME) for name in names)
        self._heads = tuple(visible_name(head, _MOST_NAME) for head in heads)
        self._cells = cells
        self._total = len(names)
        widest = max((cell_len(cell.text) for cell in cells.values()), default=0)
        self._cell_width = max(5, widest + 1, min(_WIDEST_HEAD, max(map(cell_len, self._heads), default=0))) + 1
        self._set_size()
        self.go_to_cell(*(at or (self.index, self.column)))

    def go_to_cell(self, row: int, column: int) -> None:
        """Act on another cell, and keep it on the screen."""
        self.column = max(0, min(column, len(self._heads) - 1))
        if self.size:
            # In a grid that is not on the screen yet nothing is out of sight.
            shown = self._shown_columns
            if self.column < self._first:
                self._first = self.column
            elif self.column >= self._first + shown:
                self._first = self.column - shown + 1
            self._first = max(0, min(self._first, len(self._heads) - shown))
        self.go_to(row)
        self.head.refresh()

    def follow_size(self) -> None:
        super().follow_size()
        self.go_to_cell(self.index, self.column)

    def stepped(self, how: str) -> tuple[int, int]:
        """Return the cell that is a step away: `down`, `up`, `left`, `right`, a page, or the first or last row."""
        across = {"left": -1, "right": 1}.get(how, 0)
        return self.stepped_row(how), max(0, min(self.column + across, len(self._heads) - 1))

    @property
    def name_width(self) -> int:
        """Return the cells of the column of names."""
        widest = max(map(cell_len, self._names), default=0)
        return max(4, min(widest, self.scrollable_content_region.width * 2 // 5))

    @property
    def wanted_width(self) -> int:
        """Return the cells in which all columns can be seen."""
        return max(map(cell_len, self._names), default=4) + 4 + len(self._heads) * self._cell_width

    @property
    def _shown_columns(self) -> int:
        room = self.scrollable_content_region.width - self.name_width - 3
        return max(1, min(len(self._heads), room // self._cell_width))

    @property
    def extent(self) -> str:
        shown, total = self._shown_columns, len(self._heads)
        across = f"columns {self._first + 1}-{self._first + shown} of {total}" if shown < total else ""
        return " · ".join(filter(None, (super().extent if self.is_cut else "", across)))

    # --- drawing ---------------------------------------------------------------------------------------------------

    def draw_head(self, width: int) -> list[Segment]:
        """Return the heads of the columns that are on the screen."""
        muted, here = self.role_style("muted"), self.role_style("strong")
        segments = [Segment(" " * (self.name_width + 3), muted)]
        for column in self._columns():
            text = middle_cut(self._heads[column], self._cell_width - 1)
            pad = " " * max(0, self._cell_width - 1 - cell_len(text))
            segments.append(Segment(f"{pad}{text} ", here if self.has_cursor and column == self.column else muted))
        return segments

    def _columns(self) -> range:
        return range(self._first, min(len(self._heads), self._first + self._shown_columns))

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        row = y + self.scroll_offset.y
        if row >= self._total:
            return Strip.blank(width, base)
        at_row = self.has_cursor and row == self.index
        name = middle_cut(self._names[row], self.name_width)
        name_style = self.role_style("strong") if at_row else base
        segments = [
            Segment(f"{_MARK if at_row else ' '} ", base),
            Segment(set_cell_size(name, self.name_width) + " ", name_style),
        ]
        grounds = shades(self.app.theme_variables) if self._is_shaded else (Style.null(),) * (_SHADES + 1)
        for column in self._columns():
            cell = self._cells.get((row, column), NO_CELL)
            here = at_row and column == self.column
            style = base + grounds[min(_SHADES, round(_SHADES * cell.shade))]
            if cell.role:
                style = style + Style(color=self.role_style(cell.role).color)
            if here:
                style = self.role_style("here")
            text = f"{_MARK if here else ''}{cell.text}"
            segments.append(Segment(text.rjust(self._cell_width - 1), style))
            segments.append(Segment(" ", base))
        return Strip(segments).adjust_cell_length(width, base)

    @property
    def _is_shaded(self) -> bool:
        return not self.app.no_color and self.app.console.color_system != "standard"

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        row = event.y + self.scroll_offset.y
        column = self._first + (event.x - self.name_width - 3) // self._cell_width
        if 0 <= row < self._total and event.x >= self.name_width + 3 and column < len(self._heads):
            self.post_message(self.Picked(self, row, column))
