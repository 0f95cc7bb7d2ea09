"""A rule that carries what just happened, or what is asked."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.styled import Styled
from auditor.tui.wrapping import WrappedText


class MessageRule(Styled):
    """One row, or as many as a longer message needs, up to four."""

    DEFAULT_CSS = """
    MessageRule { height: auto; max-height: 4; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._message = ""
        self._refused = False

    def show_message(self, message: str, *, refused: bool = False) -> None:
        """Show a message; an empty one clears it."""
        self._message, self._refused = visible_line(message, 2000), refused
        self.refresh(layout=True)

    @property
    def message(self) -> str:
        """Return the message on the rule."""
        return self._message

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._lines(width))

    def _lines(self, width: int) -> list[str]:
        if not self._message or width < 10:
            return [self._message]
        wrapped = WrappedText([self._message], width - 4)
        return [self._message[row.start : row.end].rstrip() for row in map(wrapped.row, range(wrapped.rows))]

    def render_line(self, y: int) -> Strip:
        width, rule = self.size.width, self.role_style("rule")
        if not self._message:
            return Strip([Segment("─" * width, rule)])
        lines = self._lines(width)
        line = lines[y] if y < len(lines) else ""
        if y == self.size.height - 1 < len(lines) - 1:
            line = set_cell_size(line, min(cell_len(line), width - 6)) + "…"
        style = self.role_style("warning" if self._refused else "")
        head, tail = ("─ ", " " + "─" * width) if y == 0 else ("  ", "")
        return Strip([Segment(head, rule), Segment(line, style), Segment(tail, rule)]).adjust_cell_length(
            width, self.base_style
        )
