"""The queue as a table: only the rows on the screen are read; columns keep their places while rows change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.audit.review_answers import BOOKMARK
from auditor.model import FIRST
from auditor.text import visible_line
from auditor.tui.row_windows import RowWindows
from auditor.tui.short_names import NameCuts, NearCuts, end_cut, middle_cut
from auditor.tui.styled import Styled, role_styles
from auditor.tui.widgets.queue_column import STATE_MARKS
from auditor.tui.widgets.row_view import CursorView

if TYPE_CHECKING:
    from auditor.audit.queue_table import TableRow
    from auditor.audit.review import ReviewView

_SHOWN_TEXT = 400
"""Characters of a cell that are looked at: more never fit."""
_GAP = 2
_HEADS = {"state": "", "mode.computed": "computed"}
_LEAST = {"state": 1, "loc": 4, "lines": 5, "sample": 6, "bookmark": 8, "memos": 5}
_WEIGHTS = {
    "case": 4,
    "note": 5,
    "tags": 3,
    "setting": 3,
    "mode.computed": 3,
    "item": 6,
    "prediction": 5,
    "oracle": 5,
}
_RIGHT = frozenset({"loc", "lines", "sample", "memos"})
"""Columns of numbers, aligned to the right."""
_MANY_NAMES = frozenset({"item", "study", "mode.computed"})
"""Columns of names whose ends tell them apart as much as their beginnings; they are cut in the middle."""

RowReader = Callable[[int, int], "Sequence[TableRow]"]


class TagWords(NamedTuple):
    """What a tag is shown as."""

    name: str
    key: str
    """Empty = it has none: the tag is retired."""


class Column(NamedTuple):
    """A column with its cells in a terminal of some width."""

    name: str
    cells: int


def lay_out(names: Sequence[str], width: int) -> list[Column]:
    """Share a width out among columns; what does not fit even when all are narrow is left out at the right."""
    room, kept = width - 2, list[str]()
    for name in names:
        least = _LEAST.get(name, 8)
        if room < least:
            break
        room -= least + _GAP
        kept.append(name)
    free = max(0, room + _GAP)
    growing = {name: _WEIGHTS.get(name, 2) for name in kept if name not in _LEAST}
    total = sum(growing.values())
    columns = [Column(name, _LEAST.get(name, 8) + free * growing.get(name, 0) // max(1, total)) for name in kept]
    return columns


class TableHead(Styled):
    """The names of the columns."""

    DEFAULT_CSS = """
    TableHead { height: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()

    def show_columns(self, names: Sequence[str]) -> None:
        """Show the columns' names."""
        self._names = tuple(names)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        text = "  " + "".join(
            _aligned(middle_cut(visible_line(_HEADS.get(name, name), _SHOWN_TEXT), cells), cells, name) + " " * _GAP
            for name, cells in lay_out(self._names, self.size.width - 1)
        )
        return Strip([Segment(text, self.role_style("muted"))]).adjust_cell_length(self.size.width, self.base_style)


class QueueTableView(CursorView):
    """One row an item, the one that the keys act on, and the range that is marked at once."""

    def __init__(self, read: RowReader) -> None:
        super().__init__()
        self._rows = RowWindows(read)
        self._columns: tuple[str, ...] = ()
        self._tags: Mapping[str, TagWords] = {}
        self._cuts: dict[str, Callable[[str, int], str]] = {}
        """How names of some columns are cut; the other columns are cut at their ends."""
        self.range_start: int | None = None
        """The other end of the range; None = there is none."""

    def use_names(
        self,
        tags: Mapping[str, TagWords],
        names: Mapping[str, Sequence[str]],
        cases_beside: Callable[[str], Sequence[str]],
    ) -> None:
        """Take what tags are shown as, by id, and the names of some columns, which are cut so that these differ."""
        self._tags = tags
        self._cuts = {column: NameCuts(some).cut for column, some in names.items()}
        self._cuts["case"] = NearCuts(cases_beside).cut
        self._cuts |= dict.fromkeys(_MANY_NAMES, middle_cut)

    def show_table(self, total: int, columns: Sequence[str]) -> None:
        """Show other rows or columns, or the same ones after a mark."""
        self._rows.forget()
        self._columns = tuple(columns)
        self._total = -1
        self.show_total(total)

    def show_total(self, total: int) -> None:
        """Follow a queue that grows: what is on the screen stays where it is."""
        if total != self._total:
            self._total = total
            self._rows.forget_unfilled()
            self.index = max(0, min(self.index, total - 1))
            self._set_size()
            self.refresh()
            self.post_message(self.Moved())

    def move(self, how: str) -> None:
        """Act on another row: `down`, `up`, `page down`, `page up`, `start` or `end`."""
        page = max(1, self.scrollable_content_region.height - 1)
        by = {"down": 1, "up": -1, "page down": page, "page up": -page, "start": -self._total, "end": self._total}
        self.go_to(self.index + by[how])

    def chosen_rows(self) -> range:
        """Return the places of the range, or of the one row."""
        other = self.index if self.range_start is None else self.range_start
        return range(min(other, self.index), max(other, self.index) + 1) if self._total else range(0)

    def row(self, index: int) -> TableRow | None:
        """Return a row, read if it has to be; None when there is none at the place."""
        return self._rows.row(index) if 0 <= index < self._total else None

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        row = self.row(index)
        if row is None:
            return Strip.blank(width, base)
        here, chosen = index == self.index, self.range_start is not None and index in self.chosen_rows()
        ground = role_styles(self.app.theme_variables, self.app.no_color)["here"] if here or chosen else Style.null()
        mark = "▸" if here else "▎" if chosen else " "
        segments = [
            Segment(mark, self.role_style("key" if chosen else "") + ground),
            Segment(BOOKMARK if row.review.bookmarked else " ", self.role_style("bookmark") + ground),
        ]
        for column in lay_out(self._columns, width):
            name, cells = column
            text, role = self._cell(row, name, cells)
            # A case is looked up by its name as it is.
            visible = text if name == "case" else visible_line(text, _SHOWN_TEXT)
            shown = self._cuts.get(name, end_cut)(visible, cells)
            style = self.role_style(role)
            if role == "chip":
                # Only what is a tag has the chip's ground.
                segments += [Segment(shown, style), Segment(" " * (cells - cell_len(shown) + _GAP), base + ground)]
            else:
                segments.append(Segment(_aligned(shown, cells, name) + " " * _GAP, style + ground))
        return Strip(segments).adjust_cell_length(width, base + ground)

    def _cell(self, row: TableRow, name: str, cells: int) -> tuple[str, str]:
        """Return the text of a cell, and its role."""
        if name == "state":
            return STATE_MARKS[row.review.state], row.review.state.value
        if name == "tags":
            return (self._tag_text(row.review, cells), "chip") if row.review.tags else ("", "")
        if name == "first":
            first = row.review.first_cause
            return self._tags[first].name if first in self._tags else first, ""
        value = row.cells[name]
        if value is None:
            return "", "muted"
        if name == "mode.computed":
            return f"~ {value}".replace("_", " "), "computed"
        return f"{value:g}" if isinstance(value, float) else str(value), ""

    def _tag_text(self, review: ReviewView, cells: int) -> str:
        """Return the names of the tags, or where these do not fit, their keys."""
        marks = {review.first_cause: FIRST}
        known = [(self._tags.get(tag, TagWords(tag, "")), marks.get(tag, "")) for tag in review.tags]
        names = f"[{', '.join(f'{tag.name}{mark}' for tag, mark in known)}]"
        if cell_len(visible_line(names, _SHOWN_TEXT)) <= cells or not all(tag.key for tag, _ in known):
            return names
        return f"[{' '.join(f'{tag.key}{mark}' for tag, mark in known)}]"


def _aligned(text: str, cells: int, name: str) -> str:
    if name in _RIGHT:
        return " " * (cells - cell_len(text)) + text
    return set_cell_size(text, cells)
