"""The queue as a table: only the rows on the screen are read; columns keep their places while rows change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.audit.review_answers import BOOKMARK
from auditor.model import FIRST
from auditor.text import visible_line, visible_name
from auditor.tui.column_widths import ColumnNeed, WidestSeen, share_width
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
_KEPT_TEXTS = 512
"""Rows whose cells' texts are kept."""
_GAP = 2
_HEADS = {"state": "", "mode.computed": "computed"}
_LEAST_CELLS = 8
"""Of a column; one whose contents and name need less has what they need."""
_WEIGHTS = {"case": 3, "item": 4, "setting": 3, "mode.computed": 4, "note": 3, "prediction": 4, "oracle": 4}
"""Of columns whose contents are worth more cells than those of others, where not all have what they want."""
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


class TableHead(Styled):
    """The names of the columns."""

    DEFAULT_CSS = """
    TableHead { height: 1; }
    """

    def __init__(self, view: QueueTableView) -> None:
        super().__init__()
        self._view = view

    def render_line(self, y: int) -> Strip:
        text = "  " + "".join(
            _aligned(middle_cut(_head_of(name), cells), cells, name) + " " * _GAP for name, cells in self._view.columns
        )
        return Strip([Segment(text, self.role_style("muted"))]).adjust_cell_length(self.size.width, self.base_style)


class QueueTableView(CursorView):
    """One row an item, the one that the keys act on, and the range that is marked at once."""

    def __init__(self, read: RowReader) -> None:
        super().__init__()
        self.head = TableHead(self)
        self._rows = RowWindows(read)
        self._widest = WidestSeen()
        self._has_grown = False
        """Whether a column needs more cells than were drawn."""
        self._texts: dict[int, Sequence[tuple[str, str]]] = {}
        """Of the rows on the screen the text and the role of each cell."""
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

    def show_table(self, total: int, columns: Sequence[str], *, anew: bool = False) -> None:
        """Show other rows or columns, or the same ones after a mark; `anew` fits the columns to these rows alone."""
        self._rows.forget()
        self._texts.clear()
        if anew or tuple(columns) != self._columns:
            self._widest.forget()
            self.head.refresh()
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
            self._fit_columns()
            self.refresh()
            self.post_message(self.Moved())

    def move(self, how: str) -> None:
        """Act on another row: `down`, `up`, `page down`, `page up`, `start` or `end`."""
        page = max(1, self.scrollable_content_region.height - 1)
        by = {"down": 1, "up": -1, "page down": page, "page up": -page, "start": -self._total, "end": self._total}
        self.go_to(self.index + by[how])

    def go_to(self, index: int) -> None:
        super().go_to(index)
        self._fit_columns()

    def follow_size(self) -> None:
        super().follow_size()
        self._fit_columns()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._fit_columns()

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
        texts = self._texts_of(index, row)
        for place, cells in self._shown_columns():
            name, (text, role) = self._columns[place], texts[place]
            if name == "tags" and role and cell_len(text) > cells:
                text = visible_line(self._tag_keys(row.review), _SHOWN_TEXT) or text
            # A case is looked up by its name as it is.
            shown = self._cuts.get(name, end_cut)(str(row.cells[name]) if name == "case" else text, cells)
            style = self.role_style(role)
            if role == "chip":
                # Only what is a tag has the chip's ground.
                segments += [Segment(shown, style), Segment(" " * (cells - cell_len(shown) + _GAP), base + ground)]
            else:
                segments.append(Segment(_aligned(shown, cells, name) + " " * _GAP, style + ground))
        return Strip(segments).adjust_cell_length(width, base + ground)

    # --- columns ---------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> Sequence[tuple[str, int]]:
        """Return the columns that have room, with their cells."""
        return [(self._columns[place], cells) for place, cells in self._shown_columns()]

    def _shown_columns(self) -> list[tuple[int, int]]:
        """Return the places of the columns that have room, with their cells: what the pages seen so far need."""
        needs = [
            ColumnNeed(max(self._widest.of(name), cell_len(_head_of(name))), _LEAST_CELLS, _WEIGHTS.get(name, 2))
            for name in self._columns
        ]
        widths = share_width(needs, self.scrollable_content_region.width - 2, _GAP)
        return [(place, cells) for place, cells in enumerate(widths) if cells is not None]

    def _fit_columns(self) -> None:
        """Give the columns what the rows on the screen need; each is looked at once, here or when drawn."""
        top = self.scroll_offset.y
        for index in range(top, min(self._total, top + self.scrollable_content_region.height)):
            if index not in self._texts and (row := self.row(index)) is not None:
                self._texts_of(index, row)
        if self._has_grown:
            self._has_grown = False
            self.refresh()
            self.head.refresh()

    def _texts_of(self, index: int, row: TableRow) -> Sequence[tuple[str, str]]:
        """Return the visible text of each cell of a row, with its role."""
        if index not in self._texts:
            if len(self._texts) >= _KEPT_TEXTS:
                self._texts.clear()
            cells = (self._cell(row, name) for name in self._columns)
            texts = [(visible_name(text, _SHOWN_TEXT), role) for text, role in cells]
            widths = zip(self._columns, (cell_len(text) for text, _ in texts), strict=True)
            self._has_grown = self._widest.see(widths) or self._has_grown
            self._texts[index] = texts
        return self._texts[index]

    def _cell(self, row: TableRow, name: str) -> tuple[str, str]:
        """Return the text of a cell, and its role."""
        if name == "state":
            return STATE_MARKS[row.review.state], row.review.state.value
        if name == "tags":
            return (f"[{', '.join(self._tags_of(row.review, 'name'))}]", "chip") if row.review.tags else ("", "")
        if name == "first":
            first = row.review.first_cause
            return self._tags[first].name if first in self._tags else first, ""
        value = row.cells[name]
        if value is None:
            return "", "muted"
        if name == "mode.computed":
            return f"~ {value}".replace("_", " "), "computed"
        return f"{value:g}" if isinstance(value, float) else str(value), ""

    def _tags_of(self, review: ReviewView, what: Literal["name", "key"]) -> list[str]:
        """Return the names of an item's tags or their keys, with the mark of the first cause."""
        known = ((getattr(self._tags.get(tag, TagWords(tag, "")), what), tag) for tag in review.tags)
        return [f"{text}{FIRST if tag == review.first_cause else ''}" for text, tag in known]

    def _tag_keys(self, review: ReviewView) -> str:
        """Return the keys of an item's tags, for where their names do not fit; empty when one has none."""
        keys = self._tags_of(review, "key")
        return f"[{' '.join(keys)}]" if all(self._tags.get(tag, TagWords(tag, "")).key for tag in review.tags) else ""


def _head_of(name: str) -> str:
    return visible_line(_HEADS.get(name, name), _SHOWN_TEXT)


def _aligned(text: str, cells: int, name: str) -> str:
    if name in _RIGHT:
        return " " * (cells - cell_len(text)) + text
    return set_cell_size(text, cells)
