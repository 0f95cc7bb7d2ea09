"""The base of every list of items: each row is made when it is drawn, and a click chooses one."""

from __future__ import annotations

from textual import events
from textual.message import Message

from auditor.tui.widgets.line_view import LineView


class RowView(LineView):
    """Rows that are read when they are on the screen; there are no lines to lay out."""

    lays_lines_out = False

    class Chosen(Message):
        """A row was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, total: int = 0) -> None:
        super().__init__()
        self._total = total
        """How many rows there are."""

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if 0 <= index < self._total:
            self.post_message(self.Chosen(index))
