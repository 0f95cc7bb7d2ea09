"""Where in a run a step is: a line from its first kept step to its last one, with marks, and a row of words."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.styled import Styled

_LEFT = 1
_ROLES = {"◆": "checkpoint", "✗": "verdict-bad", "✓": "verdict-ok", "·": "muted"}
_HERE = "█"
_COUNTED = "═"
"""Of the steps over which something is counted."""
_MOST_TICKS = 3
"""Cells of the line for each mark of an iteration: marks that stood closer would tell nothing."""


class StepSlider(Styled):
    """`├··◆····█···✗···┤`; of marks of one step the checkpoint's is shown."""

    DEFAULT_CSS = """
    StepSlider { height: 2; }
    """

    class Picked(Message):
        """A place of the line was clicked."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self) -> None:
        super().__init__()
        self._numbers: Sequence[int] = ()
        self._gaps: frozenset[int] = frozenset()
        self._marks: Mapping[str, int] = {}
        self._ticks: Sequence[int] = ()
        self._at = 0
        self._words = ""
        self._span: tuple[int, int] | None = None

    def show_run(
        self,
        numbers: Sequence[int],
        gaps: Sequence[int],
        marks: Mapping[str, int],
        span: tuple[int, int] | None = None,
    ) -> None:
        """Show another run: its kept steps, those before which some are not kept, and its marks by their character.

        `span` are the first and the last step of what is counted.
        """
        self._numbers, self._marks, self._span = numbers, marks, span
        self._gaps = frozenset(gaps)
        self.refresh()

    def show_step(self, at: int, words: str, ticks: Sequence[int] = ()) -> None:
        """Show another step, what is said of it, and where iterations begin."""
        self._at, self._words, self._ticks = at, visible_line(words, 400), ticks
        self.refresh()

    def show_words(self, words: str) -> None:
        """Say something where there is no run to show."""
        self._words = visible_line(words, 400)
        self.refresh()

    @property
    def _cells(self) -> int:
        return max(1, self.size.width - 2 * _LEFT - 2)

    def _cell_of(self, step: int) -> int:
        """Return the cell of a step; kept steps have the same room each, whatever is left out between them."""
        last = max(1, len(self._numbers) - 1)
        return round(bisect.bisect_left(self._numbers, step) / last * (self._cells - 1))

    def _placed_marks(self) -> dict[int, str]:
        """Return the cells of the marks; where two steps share a cell, the earlier one moves to the left of it."""
        placed: dict[int, str] = {}
        for step, mark in sorted(((self._marks[mark], mark) for mark in "◆✗✓" if mark in self._marks), reverse=True):
            cell = self._cell_of(step)
            while cell in placed and cell > 0 and step != self._marks[placed[cell]]:
                cell -= 1
            if cell not in placed or mark == "◆":
                placed[cell] = mark
        return placed

    def on_click(self, event: events.Click) -> None:
        cell = event.x - _LEFT - 1
        if event.y == 0 and self._numbers and 0 <= cell < self._cells:
            place = round(cell / max(1, self._cells - 1) * (len(self._numbers) - 1))
            self.post_message(self.Picked(self._numbers[place]))

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        if y == 1:
            return Strip([Segment(f" {self._words}", base)]).adjust_cell_length(width, base)
        if not self._numbers:
            return Strip([Segment("─" * width, self.role_style("rule"))])
        line = ["─"] * self._cells
        if self._span is not None:
            first, last = map(self._cell_of, self._span)
            line[first : last + 1] = _COUNTED * (last + 1 - first)
        if 0 < len(self._ticks) <= self._cells // _MOST_TICKS:
            for step in self._ticks:
                line[self._cell_of(step)] = "·"
        for step in self._gaps:
            line[self._cell_of(step)] = "⋯"
        line[self._cell_of(self._at)] = _HERE
        for cell, mark in self._placed_marks().items():
            line[cell] = mark
        rule = self.role_style("rule")
        segments = [Segment(" " * _LEFT + "├", rule)]
        here = self._cell_of(self._at)
        for place, char in enumerate(line):
            style = self.role_style(_ROLES.get(char, "rule"))
            if place == here:
                style = self.role_style("title-focused") if char == _HERE else style + type(style)(reverse=True)
            segments.append(Segment(char, style))
        segments.append(Segment("┤", rule))
        return Strip(segments).adjust_cell_length(width, base)
