"""The base of every list of items: each row is made when it is drawn, and a click chooses one."""

from __future__ import annotations

from textual import events
from textual.geometry import Size
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


class CursorView(RowView):
    """Rows of which one is the one that the keys act on."""

    def __init__(self, total: int = 0, index: int = 0) -> None:
        super().__init__(total)
        self.index = index
        """The row that the keys act on."""

    def go_to(self, index: int) -> None:
        """Act on another row, and keep it on the screen."""
        self.index = max(0, min(index, self._total - 1))
        height, top = max(1, self.scrollable_content_region.height), self.scroll_offset.y
        if not top <= self.index < top + height:
            self.jump_to(self.index if self.index < top else self.index - height + 1)
        self.refresh()
        self.post_message(self.Moved())

    def stepped_row(self, how: str) -> int:
        """Return the row that `down`, `up`, `page down`, `page up`, `start` or `end` goes to; else the one it is at."""
        page = max(1, self.scrollable_content_region.height - 1)
        steps = {"down": 1, "up": -1, "page down": page, "page up": -page, "start": -self._total, "end": self._total}
        return max(0, min(self.index + steps.get(how, 0), self._total - 1))

    def follow_size(self) -> None:
        self._set_size()
        self.go_to(self.index)

    def _set_size(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, max(0, self._total))

    @property
    def is_cut(self) -> bool:
        return self._total > self.scrollable_content_region.height

    @property
    def extent(self) -> str:
        return f"{self.index + 1:,} of {self._total:,}" if self._total else ""
