"""The trace around a moment as lines that a pane draws: mark, step, line, source, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from auditor.text import visible_line
from auditor.tui.marked_lines import MarkedLine, RoleSpan
from auditor.tui.short_names import end_cut, end_fit

if TYPE_CHECKING:
    from auditor.audit.probe_window import WindowRow

_SHOWN = 400
_BESIDE = 9 + 2
"""Cells of marks and of what separates columns, and two that are left for a scroll bar."""
_NARROWEST = 8
"""Cells of a column that are left to it whatever the other needs."""


def window_lines(rows: Sequence[WindowRow], width: int, here: int | None = None) -> list[MarkedLine]:
    """Return a line for each step, not longer than `width` cells.

    With `here` the marks stand in the lines, and `▶` before that step; without they are left to the gutter.
    """
    steps = max((len(f"{row.step:,}") for row in rows), default=1)
    numbers = max((len(f"{row.line:,}") for row in rows), default=1)
    sources = [visible_line(row.source, _SHOWN) for row in rows]
    changes = [visible_line(row.changed, _SHOWN) for row in rows]
    room = max(2 * _NARROWEST, width - steps - numbers - _BESIDE + (3 if here is None else 0))
    widest = max(map(cell_len, sources), default=0)
    wanted = max(map(cell_len, changes), default=0)
    cells = min(widest, max(room // 2, room - wanted, _NARROWEST))
    return [
        _line(
            row, f"{row.step:>{steps},}  {row.line:>{numbers},}  ", end_fit(source, cells), change, room - cells, here
        )
        for row, source, change in zip(rows, sources, changes, strict=True)
    ]


def _line(row: WindowRow, numbers: str, source: str, change: str, room: int, here: int | None) -> MarkedLine:
    is_here, marks = row.step == here, "" if here is None else f"{'▶' if row.step == here else ' '}{row.mark or ' '} "
    head = f"{marks}{numbers}"
    text = f"{head}{source}  {end_cut(change, room)}".rstrip()
    shown = RoleSpan(0, len(marks), "checkpoint" if row.mark else "strong")
    mark = " " if here is not None else row.mark or " "
    if is_here:
        return MarkedLine(text, spans=(shown, RoleSpan(len(marks), len(text), "strong")))
    end = min(len(text), len(head) + len(source))
    spans = (shown, RoleSpan(len(marks), min(end, len(head)), "gutter"), RoleSpan(end, len(text), _role(row)))
    return MarkedLine(text, mark, "checkpoint", spans)


def _role(row: WindowRow) -> str:
    return "checkpoint" if row.mark == "◆" else ""
