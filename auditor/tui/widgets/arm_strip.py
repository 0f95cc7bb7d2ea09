"""The arms of the item's case in one row: `arms  short ✓   long ✗   ▸ inside ✗   post ✗`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from auditor.text import visible_name
from auditor.tui.short_names import middle_cut
from auditor.tui.styled import Styled
from auditor.tui.verdicts import NO_ANSWER, verdict_of

if TYPE_CHECKING:
    from auditor.audit.related_items import ArmResponse
    from auditor.audit.review import ReviewItem

_HEAD = "  arms  "
_BESIDE_NAME = 7
"""Cells of an arm that are not its name's: the mark of the item, the verdict's, and a gap."""
_SHORTEST, _LONGEST = 8, 24


class ArmStrip(Styled):
    """One row; where there is no room for all arms, those around the item's own and how many there are more."""

    DEFAULT_CSS = """
    ArmStrip { height: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._arms: Sequence[ArmResponse] = ()
        self._own: int | None = None
        self._absent = ""

    def show_item(self, item: ReviewItem) -> None:
        """Show the arms of an item's case."""
        self._arms, self._own = item.arms, item.response_id
        self._absent = "hidden in this review" if item.hidden else ""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base, muted = self.size.width, self.base_style, self.role_style("muted")
        segments = [Segment(_HEAD, muted), Segment(self._absent, muted)]
        room = max(1, width - len(_HEAD) - 12)
        fitting = max(1, room // (_SHORTEST + _BESIDE_NAME))
        shown = self._around_own(fitting)
        cells = min(_LONGEST, room // max(1, len(shown)) - _BESIDE_NAME)
        for arm in shown:
            verdict = NO_ANSWER if arm.response_id is None else verdict_of(arm.status)
            own = arm.response_id == self._own
            name = middle_cut(visible_name(arm.arm, 200), max(1, cells))
            segments += [
                Segment("▸ " if own else "  ", base),
                Segment(f"{name} ", self.role_style("strong" if own else "")),
                Segment(verdict.mark, self.role_style(verdict.role)),
                Segment("   ", base),
            ]
        if (more := len(self._arms) - len(shown)) > 0:
            segments.append(Segment(f"{more:,} more", muted))
        return Strip(segments).adjust_cell_length(width, base)

    def _around_own(self, count: int) -> Sequence[ArmResponse]:
        """Return as many arms as fit: the first ones, or those around the item's own."""
        own = next((place for place, arm in enumerate(self._arms) if arm.response_id == self._own), 0)
        first = max(0, min(own - count // 2, len(self._arms) - count))
        return self._arms[first : first + count]
