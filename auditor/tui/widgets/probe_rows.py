"""The probes of a problem: which are answered rightly, of which run they are, their dimensions and questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.audit.consistency import MARKS
from auditor.text import visible_line, visible_name
from auditor.tui.short_names import end_cut, middle_cut
from auditor.tui.styled import role_styles
from auditor.tui.widgets.row_view import CursorView

if TYPE_CHECKING:
    from auditor.audit.consistency import Cell, ProbeRow

_SHOWN = 400
"""Characters of a text that are looked at; more never fit."""
_WIDEST_NAME, _WIDEST_RUN, _WIDEST_DIMENSIONS = 16, 24, 34
STATE_ROLES = {"right": "verdict-ok", "wrong": "verdict-bad"}
"""Roles of the marks; others are `verdict-none`."""


def mark_of(cell: Cell) -> tuple[str, str]:
    """Return the mark of a cell and its role."""
    return MARKS[cell.state], STATE_ROLES.get(cell.state, "verdict-none")


class ProbeRows(CursorView):
    """`▸ ✗ probe/p1   recursive/t11   Logic, Boundary   At which of its evaluations …`."""

    def __init__(self) -> None:
        super().__init__()
        self._probes: Sequence[ProbeRow] = ()
        self._active = False
        self._widths = (0, 0, 0)

    def show_probes(self, probes: Sequence[ProbeRow]) -> None:
        """Show other probes; their texts may be any."""
        self._probes, self._total = probes, len(probes)
        texts = [self._texts(probe)[:3] for probe in probes]
        widest = (_WIDEST_NAME, _WIDEST_RUN, _WIDEST_DIMENSIONS)
        name, run, dimensions = (
            min(most, max((cell_len(text[at]) for text in texts), default=0)) for at, most in enumerate(widest)
        )
        self._widths = (name, run, dimensions)
        self._set_size()
        self.go_to(self.index)

    def show_active(self, active: bool) -> None:
        """Show whether the keys act on one of the probes."""
        self._active = active
        self.refresh()

    @staticmethod
    def _texts(probe: ProbeRow) -> tuple[str, str, str, str]:
        run = f"{visible_name(probe.implementation, _SHOWN)}/{visible_name(probe.test, _SHOWN)}"
        dimensions = visible_line(", ".join(probe.dimensions), _SHOWN)
        return visible_name(probe.name, _SHOWN), run, dimensions, visible_line(probe.question, _SHOWN)

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        row = y + self.scroll_offset.y
        if row >= self._total:
            return Strip.blank(width, base)
        here = self._active and row == self.index
        ground = role_styles(self.app.theme_variables, self.app.no_color)["here"] if here else Style.null()
        probe = self._probes[row]
        mark, role = mark_of(probe.cell)
        *columns, question = self._texts(probe)
        segments = [Segment("▸ " if here else "  ", base + ground), Segment(mark, self.role_style(role) + ground)]
        # The question is told whole below, so it has what the others leave.
        for text, cells in zip(columns, self._widths, strict=True):
            if cells:
                segments.append(Segment(f"  {set_cell_size(middle_cut(text, cells), cells)}", base + ground))
        room = width - sum(cell_len(segment.text) for segment in segments) - 2
        if room > 0:
            segments.append(Segment(f"  {end_cut(question, room)}", self.role_style("muted") + ground))
        return Strip(segments).adjust_cell_length(width, base + ground)
