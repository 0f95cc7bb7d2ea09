"""The prediction beside the state of a step: each predicted field with what the variable is now; then a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from auditor.text import visible_line
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.short_names import end_cut, end_fit
from auditor.tui.widgets.line_view import LineView

_MOST_FIELDS = 100
_NAME_CELLS, _VALUE_CELLS = 16, 400


class ClaimRow(NamedTuple):
    """One field; its texts may hold anything."""

    name: str
    now: str | None
    """The variable at the step; None = there is none."""
    predicted: str
    holds: bool | None
    """Whether it has the predicted value at the step; None = that cannot be told."""


class ClaimView(LineView):
    """`≠ ans   63250   + 63240`: what is predicted stands at the right, as everywhere."""

    def __init__(self) -> None:
        super().__init__()
        self._spans: dict[int, tuple[RoleSpan, ...]] = {}
        self._shown: tuple[Sequence[ClaimRow], str, str] = ((), "", "")
        self._made_for = 0

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._spans.get(line, ())

    def follow_size(self) -> None:
        if 0 < self.text_width != self._made_for:
            # Values that were cut for one width are cut for another.
            self.show_claim(*self._shown)
        super().follow_size()

    def show_claim(self, rows: Sequence[ClaimRow], sentence: str, question: str = "") -> None:
        """Show the fields at another step, what is said of the whole run, and the question that is asked, if one is."""
        self._shown, self._made_for = (rows, sentence, question), self.text_width
        names = [visible_line(row.name, 200) for row in rows[:_MOST_FIELDS]]
        cells = min(_NAME_CELLS, max(map(cell_len, names), default=0))
        now = ["not there" if row.now is None else visible_line(row.now, _VALUE_CELLS) for row in rows[:_MOST_FIELDS]]
        room = max(8, (self.text_width - cells - 8) // 2)
        widest = min(room, max(map(cell_len, now), default=0))
        lines, self._spans = [], {}
        for row, name, value in zip(rows, names, now, strict=False):
            mark = {True: "=", False: "≠", None: "?"}[row.holds]
            left = f"{mark} {end_fit(name, cells)}  {end_fit(value, widest)}  "
            lines.append(f"{left}+ {end_cut(visible_line(row.predicted, _VALUE_CELLS), room)}")
            role = {True: "verdict-ok", False: "verdict-bad", None: "muted"}[row.holds]
            self._spans[len(lines) - 1] = (RoleSpan(0, 1, role), RoleSpan(len(left), len(lines[-1]), "prediction"))
        if len(rows) > _MOST_FIELDS:
            lines.append(f"  and {len(rows) - _MOST_FIELDS:,} more fields")
        said = visible_line(sentence, 2_000)
        self._spans[len(lines)] = (RoleSpan(0, len(said), "computed"),)
        lines.append(f"~ {said}" if said else "")
        self._spans[len(lines) - 1] = (RoleSpan(0, len(lines[-1]), "computed"),)
        if question:
            lines.append(f"? {visible_line(question, 2_000)}")
            self._spans[len(lines) - 1] = (RoleSpan(0, len(lines[-1]), "muted"),)
        if lines != list(self.lines):
            at = self.scroll_offset.y
            self.show_lines(lines)
            self.jump_to(min(at, self.max_scroll_y))
