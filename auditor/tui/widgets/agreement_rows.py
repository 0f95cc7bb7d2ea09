"""What is measured between two annotators, a row a tag, with intervals drawn on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.short_names import end_cut, middle_cut
from auditor.tui.styled import Styled
from auditor.tui.widgets.row_view import CursorView

UNDEFINED = "\N{EN DASH}"
_MOST_NAME = 200
_LEAST_TAG, _LEAST_BAR, _WIDEST_TAG, _WIDEST_BAR = 14, 13, 30, 61
_NUMBER_CELLS = {"items": 6, "prev": 6, "observed": 5, "kappa": 6, "AC1": 6, "clusters": 6}
_HEADS = {"observed": "obs", "clusters": "clus"}
_DISPENSABLE = ("clusters", "observed", "AC1", "prev", "items")
"""Columns in the order in which they are left out where there is no room for them."""


class ShownRow(NamedTuple):
    """One row; None = undefined, or not measured yet."""

    name: str
    """Of the tag, which may be any text."""
    items: int
    clusters: int | None = None
    prevalence: float | None = None
    observed: float | None = None
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    ac1: float | None = None
    note: str = ""
    """What stands in place of the interval."""
    is_tag: bool = True
    """Whether the row is about a tag: whole sets have no prevalence and no AC1."""


class Columns(NamedTuple):
    """Cells of the columns."""

    tag: int
    numbers: tuple[str, ...]
    """Names of the columns of numbers that have room."""
    bar: int


def lay_out(width: int, names: Sequence[str]) -> Columns:
    """Share a width out among the columns: the tag, the numbers, and what is left for the intervals."""
    numbers = list(_NUMBER_CELLS)
    for name in _DISPENSABLE:
        if _free(width, _LEAST_TAG, numbers) >= _LEAST_BAR:
            break
        numbers.remove(name)
    widest = max((cell_len(visible_line(name, _MOST_NAME)) for name in names), default=0)
    # The bars have what they need, then the tags, then the bars what is left.
    free = max(0, _free(width, 0, numbers))
    tag = min(widest, _WIDEST_TAG, max(free - _LEAST_BAR, min(_LEAST_TAG, free)))
    return Columns(tag, tuple(numbers), max(0, min(_WIDEST_BAR, free - tag)))


def _free(width: int, tag: int, numbers: Sequence[str]) -> int:
    return width - 3 - tag - sum(_NUMBER_CELLS[name] for name in numbers) - 3


def interval_bar(low: float | None, value: float, high: float | None, start: float, cells: int) -> str:
    """Draw `├──●───┤` on a scale from `start` to 1; an interval beyond the scale ends at its end."""
    if cells < 1:
        return ""
    if low is None or high is None:
        low = high = value
    ends = [round((min(1.0, max(start, one)) - start) / (1 - start) * (cells - 1)) for one in (low, value, high)]
    left, at, right = ends
    drawn = {at: "●"}
    if left < right:
        drawn = {left: "├", right: "┤", at: "●"}
    return "".join(drawn.get(cell, "─" if left < cell < right else " ") for cell in range(cells))


def scale_words(start: float, cells: int) -> str:
    """Return the numbers of a scale from `start` to 1, each where it stands."""
    words = [" "] * cells
    for mark in (1.0, start, 0.0, 0.5):
        text = f"{mark:g}"
        at = round((mark - start) / (1 - start) * (cells - 1))
        at = min(max(0, at - len(text) // 2 if 0 < at < cells - 1 else at), cells - len(text))
        # A mark that would touch another one is left out.
        if mark >= start and at >= 0 and not "".join(words[max(0, at - 1) : at + len(text) + 1]).strip():
            words[at : at + len(text)] = text
    return "".join(words)


def scale_start(rows: Sequence[ShownRow]) -> float:
    """Return where the scale of these rows begins: 0, or below it as far as an interval or a value reaches."""
    lowest = min((one for row in rows for one in (row.low, row.kappa) if one is not None), default=0.0)
    return 0.0 if lowest >= 0 else max(-1.0, -0.25 if lowest >= -0.25 else -0.5 if lowest >= -0.5 else -1.0)


class TagRowsHead(Styled):
    """The names of the columns, and the scale of the intervals."""

    DEFAULT_CSS = """
    TagRowsHead { height: 1; }
    """

    def __init__(self, rows: TagRows) -> None:
        super().__init__()
        self._rows = rows

    def render_line(self, y: int) -> Strip:
        width, muted = self.size.width, self.role_style("muted")
        columns = self._rows.columns
        numbers = {name: _HEADS.get(name, name).rjust(_NUMBER_CELLS[name]) for name in columns.numbers}
        before = "".join(text for name, text in numbers.items() if name not in _BEHIND)
        behind = "".join(text for name, text in numbers.items() if name in _BEHIND)
        scale = scale_words(self._rows.start, columns.bar)
        text = f"  {'tag'.ljust(columns.tag)} {before}  {scale} {behind}"
        return Strip([Segment(text, muted)]).adjust_cell_length(width, self.base_style)


_BEHIND = frozenset({"AC1", "clusters"})
"""Columns behind the intervals."""


class TagRows(CursorView):
    """`▸ copying   403  0.16   0.93   0.71      ├──●──┤   0.91   209`."""

    def __init__(self) -> None:
        super().__init__()
        self.head = TagRowsHead(self)
        self._shown: Sequence[ShownRow] = ()
        self.start = 0.0
        """Where the scale of the intervals begins."""

    def show_rows(self, rows: Sequence[ShownRow], index: int | None = None) -> None:
        """Show other rows; the scale is one for all of them."""
        self._shown = rows
        self._total = len(rows)
        self.start = scale_start(rows)
        self._set_size()
        self.head.refresh()
        self.go_to(self.index if index is None else index)

    def stepped(self, how: str) -> tuple[int, int]:
        """Return the row that is a step away, and the column, of which there is one."""
        return self.stepped_row(how), 0

    @property
    def columns(self) -> Columns:
        """Return the cells of the columns now."""
        return lay_out(self.scrollable_content_region.width, [row.name for row in self._shown])

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        if index >= self._total:
            return Strip.blank(width, base)
        row, here, columns = self._shown[index], index == self.index, self.columns
        ground = self.role_style("here") if here else base
        name = middle_cut(visible_line(row.name, _MOST_NAME), columns.tag)
        segments = [
            Segment("▸ " if here else "  ", ground),
            Segment(set_cell_size(name, columns.tag) + " ", ground),
            Segment("".join(_number(row, one) for one in columns.numbers if one not in _BEHIND) + "  ", ground),
            self._bar(row, columns.bar, ground),
            Segment(" " + "".join(_number(row, one) for one in columns.numbers if one in _BEHIND), ground),
        ]
        return Strip(segments).adjust_cell_length(width, ground)

    def _bar(self, row: ShownRow, cells: int, ground: Style) -> Segment:
        if row.kappa is None:
            note = end_cut(visible_line(row.note, 400), cells)
            return Segment(set_cell_size(note, cells), ground + Style(color=self.role_style("muted").color))
        drawn = interval_bar(row.low, row.kappa, row.high, self.start, cells)
        return Segment(drawn, ground + Style(color=self.role_style("title-focused").color))


def _number(row: ShownRow, column: str) -> str:
    cells = _NUMBER_CELLS[column]
    if column in ("items", "clusters"):
        count = row.items if column == "items" else row.clusters
        text = UNDEFINED if count is None else _short_count(count, cells - 1)
    else:
        value = {"prev": row.prevalence, "observed": row.observed, "kappa": row.kappa, "AC1": row.ac1}[column]
        absent = UNDEFINED if row.is_tag or column == "kappa" else ""
        text = absent if value is None else f"{value:.2f}"
    return text.rjust(cells)


def _short_count(count: int, cells: int) -> str:
    """Return a count in so many cells: whole, or in thousands or millions."""
    if len(str(count)) <= cells:
        return str(count)
    return f"{count / 1e6:.3g}M" if count >= 1e6 else f"{count / 1e3:.3g}k"
