"""A text from data (input, reply, reasoning), or the words that stand for its absence."""

from __future__ import annotations

from auditor.text import counted
from auditor.tui.widgets.growing_view import GrowingView


class TextView(GrowingView):
    """One text, with how much of it is on the screen."""

    _is_absent = True

    def show_text(self, text: str | None, absent: str = "(none)") -> None:
        """Show a text from its start; `absent` stands there when it is None."""
        self._is_absent = text is None
        lines = self.begin(text or "")
        self.show_lines(lines if text is not None else [absent] if absent else [])

    @property
    def extent(self) -> str:
        """Say how much text there is, how much of it is laid out, and which lines are on the screen."""
        if self._is_absent or not self._text:
            return ""
        total = counted(len(self._text), "character")
        if not self.is_whole:
            total = f"{self._laid_out:,} of {total}"
        if not self.is_cut:
            return total
        lines = len(self.lines)
        first, last = self.visible_lines()
        if lines == 1:
            seen = round(100 * (self.scroll_offset.y + self.scrollable_content_region.height) / self._wrapped.rows)
            return f"{min(100, seen)} % of {total}"
        return f"{first}-{last} of {lines} lines, {total}"
