"""What is measured between two annotators, a row a tag, with intervals drawn on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.column_widths import ColumnNeed, share_width
from auditor.tui.short_names import end_cut, middle_cut
from auditor.tui.styled import Styled
from auditor.tui.widgets.row_view import CursorView

UNDEFINED = "\N{EN DASH}"
_MOST_NAME = 200
_LEAST_TAG, _LEAST_BAR, _WIDEST_TAG, _USUAL_BAR, _WIDEST_BAR = 14, 13, 30, 31, 61
_TAG_WEIGHT = 100
_NUMBER_CELLS = {"items": 5, "prev": 5, "observed": 4, "kappa": 5, "AC1": 5, "clusters": 5}
"""The least cells of numbers, without the one before them."""
_HEADS = {"items": ("items",), "prev": ("prevalence", "prev"), "observed": ("observed", "obs"), "kappa": ("kappa",)}
_HEADS |= {"AC1": ("AC1",), "clusters": ("clusters", "clus")}
"""Names of the columns of numbers, and shorter ones for where there is no room for these."""
_RANKS = {"clusters": 5, "observed": 4, "AC1": 3, "prev": 2, "items": 1}
"""Of columns, the higher the earlier they are left out where there is no room for them."""


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
    numbers: dict[str, int]
    """Of the columns of numbers that have room, by name; the one before each is not counted."""
    bar: int


def lay_out(width: int, names: Sequence[str]) -> Columns:
    """Share a width out among the columns: the tag, the numbers, and what is left for the intervals."""
    tag = min(_WIDEST_TAG, max((cell_len(visible_line(name, _MOST_NAME)) for name in names), default=0))
    heads = {name: max(_NUMBER_CELLS[name], len(_HEADS[name][0])) for name in _NUMBER_CELLS}
    # Names of columns are shorter rather than those of tags, and rather than the intervals become small.
    whole = _share(width, tag, heads)
    return whole if whole.tag == tag and whole.bar >= _USUAL_BAR else _share(width, tag, _NUMBER_CELLS)


def _share(width: int, tag: int, numbers: Mapping[str, int]) -> Columns:
    """Share a width out among tags, numbers of some cells, and intervals, which have what the tags leave."""
    needs = [ColumnNeed(tag, min(tag, _LEAST_TAG), _TAG_WEIGHT)]
    needs += [ColumnNeed(cells, cells, rank=_RANKS.get(name, 0)) for name, cells in numbers.items()]
    needs.append(ColumnNeed(_WIDEST_BAR, _LEAST_BAR))
    # Two cells stand before the first column, and one more on each side of the intervals.
    cells = share_width(needs, max(0, width - 4), 1)
    shown = {name: one for name, one in zip(numbers, cells[1:-1], strict=True) if one is not None}
    return Columns(cells[0] or 0, shown, cells[-1] or 0)


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
        numbers = {name: f" {_head_of(name, cells).rjust(cells)}" for name, cells in columns.numbers.items()}
        before = "".join(text for name, text in numbers.items() if name not in _BEHIND)
        behind = "".join(text for name, text in numbers.items() if name in _BEHIND)
        scale = scale_words(self._rows.start, columns.bar)
        text = f"  {'tag'.ljust(columns.tag)}{before}  {scale} {behind}"
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
            Segment(set_cell_size(name, columns.tag), ground),
            Segment(_numbers(row, columns, behind=False) + "  ", ground),
            self._bar(row, columns.bar, ground),
            Segment(" " + _numbers(row, columns, behind=True), ground),
        ]
        return Strip(segments).adjust_cell_length(width, ground)

    def _bar(self, row: ShownRow, cells: int, ground: Style) -> Segment:
        if row.kappa is None:
            note = end_cut(visible_line(row.note, 400), cells)
            return Segment(set_cell_size(note, cells), ground + Style(color=self.role_style("muted").color))
        drawn = interval_bar(row.low, row.kappa, row.high, self.start, cells)
        return Segment(drawn, ground + Style(color=self.role_style("title-focused").color))


def _head_of(column: str, cells: int) -> str:
    return next((name for name in _HEADS[column] if len(name) <= cells), _HEADS[column][-1])


def _numbers(row: ShownRow, columns: Columns, *, behind: bool) -> str:
    """Return the numbers before the intervals, or those behind them."""
    shown = columns.numbers.items()
    return "".join(f" {_number(row, name, cells)}" for name, cells in shown if (name in _BEHIND) == behind)


def _number(row: ShownRow, column: str, cells: int) -> str:
    if column in ("items", "clusters"):
        count = row.items if column == "items" else row.clusters
        text = UNDEFINED if count is None else _short_count(count, cells)
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
