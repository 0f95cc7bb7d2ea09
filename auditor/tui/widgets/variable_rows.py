"""The variables at a step, a row each: what changed in this step is marked, with what it was before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from auditor.text import counted, visible_line
from auditor.tui.short_names import end_cut, end_fit
from auditor.tui.widgets.row_view import CursorView

_MOST_NAME, _WIDEST_NAME = 200, 18
_MOST_VALUE = 1_000
"""Characters of a value that are looked at: more never fit."""
GONE = "(gone)"


class VariableRow(NamedTuple):
    """One variable; its name and its texts may hold anything."""

    name: str
    text: str
    changed: bool = False
    before: str | None = None
    """What it was at the step before, where it changed and had a value."""
    of_module: bool = False
    """Whether it is the module's while a function runs."""
    asked: bool = False
    """Whether a question is about it."""


class VariableRows(CursorView):
    """`▸• total    63250   was 62750`, with `◆` before one that a question is about.

    A step changes what the rows say, not which one is chosen.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[VariableRow] = ()
        self._name_cells = 1
        self._is_asked = False
        """Whether a question is about any of them, which takes a cell."""
        self._chosen_name = ""

    def show_rows(self, rows: Sequence[VariableRow]) -> None:
        """Show the variables of another step; the one of the chosen name stays chosen."""
        self._rows, self._total, self._is_asked = rows, len(rows), any(row.asked for row in rows)
        widest = max((cell_len(visible_line(row.name, _MOST_NAME)) for row in rows[:500]), default=1)
        self._name_cells = min(_WIDEST_NAME, max(1, widest))
        places = [place for place, row in enumerate(rows) if row.name == self._chosen_name]
        self._set_size()
        super().go_to(places[0] if places else self.index)

    def go_to(self, index: int) -> None:
        super().go_to(index)
        if 0 <= self.index < len(self._rows):
            self._chosen_name = self._rows[self.index].name

    def choose(self, name: str) -> None:
        """Choose the variable of a name as soon as there is one."""
        self._chosen_name = name

    @property
    def chosen(self) -> VariableRow | None:
        """Return the variable that is chosen; None where there is none."""
        return self._rows[self.index] if 0 <= self.index < len(self._rows) else None

    @property
    def extent(self) -> str:
        """Say how many variables there are."""
        return counted(self._total, "variable") if self._total else ""

    def scroll_by(self, how: str) -> None:
        self.go_to(self.stepped_row(how))

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        if index >= len(self._rows):
            words = "  no variable yet" if not self._rows and y == 0 else ""
            return Strip([Segment(words, self.role_style("muted"))]).adjust_cell_length(self.size.width, base)
        row = self._rows[index]
        name = end_fit(visible_line(row.name, _MOST_NAME), self._name_cells)
        asked = ("◆" if row.asked else " ") if self._is_asked else ""
        head = f"{'▸' if index == self.index else ' '}{asked}{'•' if row.changed else ' '}"
        segments = [
            Segment(head, self.role_style("checkpoint" if row.changed or row.asked else "strong")),
            Segment(f"{name}  ", self.role_style(_name_role(row))),
        ]
        room = max(1, width - self._name_cells - 2 - len(head))
        value = visible_line(row.text, _MOST_VALUE)
        before = f"   was {visible_line(row.before, _MOST_VALUE)}" if row.before is not None else ""
        if before and cell_len(value) + cell_len(before) > room:
            before = end_cut(before, max(0, room - cell_len(value))) if cell_len(value) + 9 <= room else ""
        segments.append(Segment(end_cut(value, room), self.role_style("strong" if row.changed else "")))
        segments.append(Segment(before, self.role_style("muted")))
        return Strip(segments).adjust_cell_length(self.size.width, base)


def _name_role(row: VariableRow) -> str:
    return "checkpoint" if row.asked else "strong" if row.changed else "muted" if row.of_module else ""
