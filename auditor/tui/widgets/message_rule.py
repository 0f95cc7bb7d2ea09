"""A rule that carries what just happened, or what is asked."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.styled import Styled
from auditor.tui.widgets.message_rows import message_lines, message_segments


class MessageRule(Styled):
    """One row, or as many as a longer message needs, up to four."""

    DEFAULT_CSS = """
    MessageRule { height: auto; max-height: 4; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._message = ""
        self._refused = False

    def show_message(self, message: str, *, refused: bool = False, brief: bool = False) -> None:
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
        return message_lines(self._message, width)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if not self._message:
            return Strip([Segment("─" * width, self.role_style("rule"))])
        lines = self._lines(width)
        line = lines[y] if y < len(lines) else ""
        segments = message_segments(self, line, width, refused=self._refused, first=y == 0)
        return Strip(segments).adjust_cell_length(width, self.base_style)
