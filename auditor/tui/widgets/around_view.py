"""The steps around the one that is shown, a row each: which line, what it says, what changed before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.tui.marked_lines import MarkedLine, RoleSpan
from auditor.tui.widgets.line_view import LineView
from auditor.tui.window_lines import window_lines

if TYPE_CHECKING:
    from auditor.audit.probe_window import WindowRow


class AroundView(LineView):
    """`▶▸ 13  5  run += 1`, as many steps before as behind, as far as the pane has rows."""

    def __init__(self) -> None:
        super().__init__()
        self.wraps = False
        self._marked: Sequence[MarkedLine] = ()
        self._rows: Sequence[WindowRow] = ()
        self._here = -1
        self._made_for = 0

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._marked[line].spans if line < len(self._marked) else ()

    def follow_size(self) -> None:
        if 0 < self.text_width != self._made_for and self._rows:
            # Columns that were made for one width are made for another.
            self.show_rows(self._rows, self._here)
        super().follow_size()

    def show_rows(self, rows: Sequence[WindowRow], here: int) -> None:
        """Show other steps, one of which is the one on the screen; it is in sight."""
        self._rows, self._here, self._made_for = rows, here, self.text_width
        self._marked = window_lines(rows, max(20, self.text_width), here)
        self.show_lines([line.text for line in self._marked])
        at = next((place for place, row in enumerate(rows) if row.step == here), 0)
        self.jump_to(max(0, min(at - self.scrollable_content_region.height // 2, self.max_scroll_y)))
