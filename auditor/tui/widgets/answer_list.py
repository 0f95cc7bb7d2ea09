"""The answers to one task as a list: only the rows on the screen are read; columns have what they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.model import Task
from auditor.store.tasks import oracle_text
from auditor.text import visible_line, visible_name
from auditor.tui.column_widths import ColumnNeed, WidestSeen, share_width
from auditor.tui.glance_line import glance_line
from auditor.tui.marked_lines import MarkedLine
from auditor.tui.row_windows import RowWindows
from auditor.tui.short_names import NameCuts, end_cut, middle_cut
from auditor.tui.styled import Styled, role_styles
from auditor.tui.verdicts import Verdict, verdict_of
from auditor.tui.widgets.row_view import CursorView

if TYPE_CHECKING:
    from auditor.audit.related_items import Answer

_WINDOW = 16
"""Rows that are read at a time: each answer may have megabytes, of which a row keeps one line."""
_SHOWN_TEXT = 400
"""Characters of a cell that are looked at: more never fit."""
_GAP = 2
_HEADS = ("verdict", "setting", "sample", "same", "first difference", "computed")
_RIGHT = frozenset({"sample", "same"})
_LEAST = {"setting": 8, "first difference": 8, "computed": 8}
"""Cells of the columns that need not be seen whole."""
_WEIGHTS = {"first difference": 4, "setting": 3, "computed": 4}

AnswerReader = Callable[[int, int], "Sequence[Answer]"]
"""Reads so many answers from a place on."""


class AnswerRow(NamedTuple):
    """What a row shows of an answer."""

    verdict: Verdict
    setting: str
    sample: int
    line: MarkedLine
    mode: str


class AnswerHead(Styled):
    """The names of the columns."""

    DEFAULT_CSS = """
    AnswerHead { height: 1; }
    """

    def __init__(self, answers: AnswerList) -> None:
        super().__init__()
        self._answers = answers

    def render_line(self, y: int) -> Strip:
        cells = ((name, self._answers.cells_of(name)) for name in _HEADS)
        words = (" " * _GAP).join(_placed(name, name, width) for name, width in cells if width is not None)
        return Strip([Segment(f"   {words}", self.role_style("muted"))]).adjust_cell_length(
            self.size.width, self.base_style
        )


class AnswerList(CursorView):
    """One row an answer: verdict, setting, sample, how many are the same, where it first differs, computed mode."""

    def __init__(self, read: AnswerReader, total: int, task: Task, index: int, settings: Sequence[str] = ()) -> None:
        """`index` is the row of the review's item, where the list begins; `settings` are those of the file."""
        super().__init__(total, index)
        self.head = AnswerHead(self)
        self._widest, self._has_grown = WidestSeen(), False
        self._settings = NameCuts(settings)
        self._read = read
        self._oracle, self._target = oracle_text(task.target, task.oracle), task.target
        self._rows = RowWindows(self._read_rows, _WINDOW)
        self._own = index
        self._alike: Mapping[int, int] = {}

    def show_alike(self, alike: Mapping[int, int]) -> None:
        """Show beside some places how many answers predict the same."""
        self._alike = alike
        self._see(("same", cell_len(_times(times))) for times in alike.values())
        self._fit_columns()
        self.refresh()

    @property
    def page(self) -> int:
        """How many rows a page has."""
        return max(1, self.scrollable_content_region.height - 1)

    def _read_rows(self, start: int, count: int) -> list[AnswerRow]:
        rows = []
        for answer in self._read(start, count):
            grade = answer.grade
            mode = f"~ {grade.finding.mode}".replace("_", " ") if grade else ""
            line = glance_line(grade, self._oracle, self._target)
            verdict = verdict_of(grade.status if grade else None)
            setting, mode = visible_name(answer.setting, _SHOWN_TEXT), visible_line(mode, _SHOWN_TEXT)
            row = AnswerRow(verdict, setting, answer.sample, line, mode)
            texts = (str(verdict), setting, str(row.sample), "", line.text, mode)
            self._see(zip(_HEADS, map(cell_len, texts), strict=True))
            rows.append(row)
        return rows

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        row = self._rows.row(index)
        if row is None:
            return Strip.blank(width, base)
        here = index == self.index
        ground = role_styles(self.app.theme_variables, self.app.no_color)["here"] if here else Style.null()
        texts: dict[str, tuple[str, str]] = {
            "verdict": (str(row.verdict), row.verdict.role),
            "setting": (row.setting, ""),
            "sample": (str(row.sample), ""),
            "same": (_times(self._alike.get(index, 1)), ""),
            "computed": (row.mode, "computed"),
        }
        segments = [Segment(("▸" if here else " ") + ("* " if index == self._own else "  "), base + ground)]
        for name in _HEADS:
            if (cells := self.cells_of(name)) is None:
                continue
            if name not in texts:
                segments += self._marked(row.line, cells, ground)
            else:
                text, role = texts[name]
                shown = self._settings.cut(text, cells) if name == "setting" else text
                segments.append(Segment(_placed(name, shown, cells), self.role_style(role) + ground))
            segments.append(Segment(" " * _GAP, base + ground))
        return Strip(segments).adjust_cell_length(width, base + ground)

    # --- columns ---------------------------------------------------------------------------------------------------

    def go_to(self, index: int) -> None:
        super().go_to(index)
        self._fit_columns()

    def follow_size(self) -> None:
        super().follow_size()
        self._fit_columns()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._fit_columns()

    def cells_of(self, name: str) -> int | None:
        """Return the cells of a column: what the pages seen so far need, as far as there is room; None = left out."""
        wanted = {name: max(cell_len(name), self._widest.of(name)) for name in _HEADS}
        needs = [ColumnNeed(wanted[one], _LEAST.get(one, wanted[one]), _WEIGHTS.get(one, 2)) for one in _HEADS]
        return share_width(needs, self.scrollable_content_region.width - 3, _GAP)[_HEADS.index(name)]

    def _fit_columns(self) -> None:
        """Give the columns what the rows on the screen need, which are read for that."""
        top = self.scroll_offset.y
        for index in range(top, min(self._total, top + self.scrollable_content_region.height)):
            self._rows.row(index)
        if self._has_grown:
            self._has_grown = False
            self.refresh()
            self.head.refresh()

    def _see(self, cells: Iterable[tuple[str, int]]) -> None:
        self._has_grown = self._widest.see(cells) or self._has_grown

    def _marked(self, line: MarkedLine, cells: int, ground: Style) -> list[Segment]:
        """Return as much of a marked line as fits, filled up."""
        segments, room = list[Segment](), cells
        for start, end, role, _ in line.spans:
            text = end_cut(line.text[start:end], room)
            segments.append(Segment(text, self.role_style(role) + ground))
            room -= cell_len(text)
        return [*segments, Segment(" " * room, self.base_style + ground)]


def _placed(name: str, text: str, cells: int) -> str:
    """Cut the text of a column, or fill it up."""
    shown = middle_cut(text, cells)
    return shown.rjust(cells) if name in _RIGHT else set_cell_size(shown, cells)


def _times(number: int) -> str:
    """Return how often there is something, where that is more than once."""
    return f"\N{MULTIPLICATION SIGN}{number:,}" if number > 1 else ""
