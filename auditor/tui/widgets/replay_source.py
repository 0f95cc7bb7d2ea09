"""A program that runs: the line that is about to run, and which lines were reached so far."""

from __future__ import annotations

from collections.abc import Mapping

from rich.segment import Segment
from textual.strip import Strip

from auditor.tui.widgets.line_view import Beside
from auditor.tui.widgets.source_view import SourceView


class ReplaySource(SourceView):
    """`▶ 12` is about to run; numbers of lines that were not reached yet are dim."""

    def __init__(self) -> None:
        super().__init__()
        self._current = -1
        """The line that is about to run, from 0; -1 = none of the program."""
        self._reached: Mapping[int, int] = {}
        self._step = 0

    def show_reached(self, reached: Mapping[int, int]) -> None:
        """Take at which step each line, from 1, is reached first."""
        self._reached = reached

    def show_step(self, step: int, line: int) -> None:
        """Show another step, about to run a line counted from 1; it is brought on the screen."""
        self._step, self._current = step, line - 1 if 0 < line <= self._count else -1
        if self._current >= 0 and self.text_width > 0:
            height, top = max(1, self.scrollable_content_region.height), self.scroll_offset.y
            row = self._wrapped.row_at(self._row_of(self._current), 0)
            if not top <= row < top + height:
                self.jump_to(max(0, min(self.max_scroll_y, row - height // 2)))
        self.refresh()

    def opening_row(self) -> int:
        if self._current < 0:
            return super().opening_row()
        return self._wrapped.row_at(self._row_of(self._current), 0) - self.scrollable_content_region.height // 2

    def gutter_of(self, line: int) -> Beside:
        number = self._lines_of_rows[line]
        shown = str(number + 1).rjust(self._numbers)
        mark = "▸" if self._marks(line) else " "
        if number == self._current:
            return Beside(f"▶{mark}{shown}", "checkpoint" if mark == "▸" else "strong")
        if self._marks(line):
            return Beside(f" {mark}{shown}", "checkpoint")
        first = self._reached.get(number + 1)
        return Beside(f"  {shown}", "gutter" if first is not None and first <= self._step else "off")

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        number = y + self.scroll_offset.y
        if number >= self._wrapped.rows or self._lines_of_rows[self._wrapped.row(number).line] != self._current:
            return strip
        here = self.role_style("here")
        ground = here.without_color + type(here)(bgcolor=here.bgcolor)
        return Strip([Segment(one.text, (one.style or self.base_style) + ground) for one in strip], strip.cell_length)
