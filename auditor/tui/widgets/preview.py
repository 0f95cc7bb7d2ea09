"""The start of input and reply in one row each, where a terminal has no room for their panes."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.short_names import end_cut
from auditor.tui.styled import Styled

_MOST = 400
"""Characters of a text that are looked at; more fit on no row."""


class Preview(Styled):
    """`i input  3 1 7 2 0 4 9␊6 0 1 6 …` and the same for the reply."""

    DEFAULT_CSS = """
    Preview { height: 2; }
    """

    def __init__(self, input_key: str, reply_key: str) -> None:
        super().__init__()
        self._keys = (input_key, reply_key)
        self._rows: tuple[tuple[str, str, str | None], ...] = ()

    def show_texts(self, text: str | None, reply: str | None) -> None:
        """Show the start of an item's input and reply; None = there is none."""
        input_key, reply_key = self._keys
        self._rows = ((input_key, "input", text), (reply_key, "reply", reply))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base, style = self.size.width, self.base_style, self.role_style
        if y >= len(self._rows):
            return Strip.blank(width, base)
        key, name, text = self._rows[y]
        head = [Segment(f" {key}", style("key")), Segment(f" {name}  ", style("muted"))]
        room = max(0, width - sum(segment.cell_length for segment in head) - 1)
        shown = visible_line((text or "")[:_MOST]) if text else "(none)"
        return Strip([*head, Segment(end_cut(shown, room), style("" if text else "muted"))]).adjust_cell_length(
            width, base
        )
