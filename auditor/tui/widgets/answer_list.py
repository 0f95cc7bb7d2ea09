"""The answers to one task as a list: only the rows on the screen are read; columns share out the width."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.model import Task
from auditor.store.tasks import oracle_text
from auditor.text import visible_line
from auditor.tui.glance_line import glance_line
from auditor.tui.marked_lines import MarkedLine
from auditor.tui.row_windows import RowWindows
from auditor.tui.short_names import NameCuts, middle_cut
from auditor.tui.styled import Styled, role_styles
from auditor.tui.verdicts import Verdict, verdict_of
from auditor.tui.widgets.row_view import CursorView

if TYPE_CHECKING:
    from auditor.audit.related_items import Answer

_WINDOW = 16
"""Rows that are read at a time: each answer may have megabytes, of which a row keeps one line."""
_SHOWN_TEXT = 400
"""Characters of a cell that are looked at: more never fit."""
_VERDICT_CELLS, _SAMPLE_CELLS, _ALIKE_CELLS, _GAP = 17, 6, 5, 2

AnswerReader = Callable[[int, int], "Sequence[Answer]"]
"""Reads so many answers from a place on."""


class AnswerRow(NamedTuple):
    """What a row shows of an answer."""

    verdict: Verdict
    setting: str
    sample: int
    line: MarkedLine
    mode: str


class AnswerColumns(NamedTuple):
    """Cells of the columns that share what the others leave."""

    setting: int
    difference: int
    mode: int


def lay_out(width: int) -> AnswerColumns:
    """Share a width out among the columns."""
    free = max(0, width - 3 - _VERDICT_CELLS - _SAMPLE_CELLS - _ALIKE_CELLS - 5 * _GAP)
    setting, mode = 3 * free // 10, 3 * free // 10
    return AnswerColumns(setting, free - setting - mode, mode)


class AnswerHead(Styled):
    """The names of the columns."""

    DEFAULT_CSS = """
    AnswerHead { height: 1; }
    """

    def render_line(self, y: int) -> Strip:
        columns, gap = lay_out(self.size.width - 1), " " * _GAP
        names = [
            "verdict".ljust(_VERDICT_CELLS),
            "setting".ljust(columns.setting)[: columns.setting],
            "sample".rjust(_SAMPLE_CELLS),
            "same".rjust(_ALIKE_CELLS),
            "first difference".ljust(columns.difference)[: columns.difference],
            "computed".ljust(columns.mode)[: columns.mode],
        ]
        text = f"   {gap.join(names)}"
        return Strip([Segment(text, self.role_style("muted"))]).adjust_cell_length(self.size.width, self.base_style)


class AnswerList(CursorView):
    """One row an answer: verdict, setting, sample, how many are the same, where it first differs, computed mode."""

    def __init__(self, read: AnswerReader, total: int, task: Task, index: int, settings: Sequence[str] = ()) -> None:
        """`index` is the row of the review's item, where the list begins; `settings` are those of the file."""
        super().__init__(total, index)
        self._settings = NameCuts(settings)
        self._read = read
        self._oracle, self._target = oracle_text(task.target, task.oracle), task.target
        self._rows = RowWindows(self._read_rows, _WINDOW)
        self._own = index
        self._alike: Mapping[int, int] = {}

    def show_alike(self, alike: Mapping[int, int]) -> None:
        """Show beside some places how many answers predict the same."""
        self._alike = alike
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
            rows.append(AnswerRow(verdict, visible_line(answer.setting, _SHOWN_TEXT), answer.sample, line, mode))
        return rows

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        row = self._rows.row(index)
        if row is None:
            return Strip.blank(width, base)
        here = index == self.index
        ground = role_styles(self.app.theme_variables, self.app.no_color)["here"] if here else Style.null()
        columns, gap = lay_out(width), Segment(" " * _GAP, base + ground)
        segments = [
            Segment(("▸" if here else " ") + ("* " if index == self._own else "  "), base + ground),
            Segment(_filled(str(row.verdict), _VERDICT_CELLS), self.role_style(row.verdict.role) + ground),
            gap,
            Segment(set_cell_size(self._settings.cut(row.setting, columns.setting), columns.setting), base + ground),
            gap,
            Segment(f"{row.sample:>{_SAMPLE_CELLS}}", base + ground),
            gap,
            Segment(_times(self._alike.get(index, 1)).rjust(_ALIKE_CELLS), base + ground),
            gap,
            *self._marked(row.line, columns.difference, ground),
            gap,
            Segment(_filled(visible_line(row.mode, _SHOWN_TEXT), columns.mode), self.role_style("computed") + ground),
        ]
        return Strip(segments).adjust_cell_length(width, base + ground)

    def _marked(self, line: MarkedLine, cells: int, ground: Style) -> list[Segment]:
        """Return as much of a marked line as fits, filled up."""
        segments, room = list[Segment](), cells
        for start, end, role, _ in line.spans:
            text = line.text[start:end]
            if cell_len(text) > room:
                text = set_cell_size(text, max(0, room - 1)) + "…"[:room]
            segments.append(Segment(text, self.role_style(role) + ground))
            room -= cell_len(text)
        return [*segments, Segment(" " * room, self.base_style + ground)]


def _filled(text: str, cells: int) -> str:
    return set_cell_size(middle_cut(text, cells), cells)


def _times(number: int) -> str:
    """Return how often there is something, where that is more than once."""
    return f"\N{MULTIPLICATION SIGN}{number:,}" if number > 1 else ""
