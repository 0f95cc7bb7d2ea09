"""Short facts about an item, a row each: a label and as much of a text as fits."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.short_names import end_cut
from auditor.tui.styled import Styled

_MOST = 400
"""Characters of a text that are looked at; more fit on no row."""


class Facts(Styled):
    """`input  3 1 7 2 0 4 9␊6 0 1 6 …`; as many rows as facts."""

    DEFAULT_CSS = """
    Facts { height: 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._facts: tuple[tuple[str, str], ...] = ()

    def show_facts(self, facts: Sequence[tuple[str, str | None]]) -> None:
        """Show labels and their texts, which may hold anything; None = there is none."""
        self._facts = tuple((label, visible_line(text[:_MOST]) if text else "(none)") for label, text in facts)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        if y >= len(self._facts):
            return Strip.blank(width, base)
        label, text = self._facts[y]
        head = Segment(f" {label.ljust(max(len(name) for name, _ in self._facts))}  ", self.role_style("muted"))
        room = max(0, width - head.cell_length - 1)
        return Strip([head, Segment(end_cut(text, room), base)]).adjust_cell_length(width, base)
