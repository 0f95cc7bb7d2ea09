"""The rows of a message that has more than one: over the panes, which stay as they are, until the message goes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from auditor.tui.styled import Styled
from auditor.tui.wrapping import WrappedText

_MOST_ROWS = 4


def message_lines(message: str, width: int, most: int = _MOST_ROWS) -> list[str]:
    """Return the lines of a message on a rule of a width; the last one ends in `…` where there would be more."""
    room = max(10, width - 4)
    wrapped = WrappedText([message], room)
    lines = [message[row.start : row.end].rstrip() for row in map(wrapped.row, range(min(wrapped.rows, most + 1)))]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]}…"]
    return lines


def message_segments(widget: Styled, line: str, width: int, *, refused: bool, first: bool) -> list[Segment]:
    """Return a row of a message: the first one is part of a rule, the others stand below its words."""
    rule = widget.role_style("rule")
    head, tail = ("─ ", " " + "─" * width) if first else ("  ", "")
    return [Segment(head, rule), Segment(line, widget.role_style("warning" if refused else "")), Segment(tail, rule)]


class MessageRows(Styled):
    """All rows of a message but the last, which the widget below has."""

    DEFAULT_CSS = """
    MessageRows { layer: message; dock: bottom; display: none; background: $background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[str] = ()
        self._refused = False

    def show_lines(self, lines: Sequence[str], below: int, *, refused: bool) -> None:
        """Show lines so many rows above the bottom of the screen; none = nothing is shown."""
        self._lines, self._refused = lines, refused
        if lines:
            self.styles.height, self.styles.offset = len(lines), (0, -below)
        self.display = bool(lines)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        line = self._lines[y] if y < len(self._lines) else ""
        segments = message_segments(self, line, width, refused=self._refused, first=y == 0)
        return Strip(segments).adjust_cell_length(width, self.base_style)
