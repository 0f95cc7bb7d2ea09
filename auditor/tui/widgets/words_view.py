"""Sentences of the program's own, wrapped; texts from data in them are visible already."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from auditor.tui.widgets.line_view import LineView
from auditor.tui.wrapping import Row


class WordsView(LineView):
    """A few lines of words."""

    def show_words(self, lines: Sequence[str]) -> None:
        """Show other lines, from the first on."""
        if list(lines) != list(self.lines):
            self.show_lines(list(lines))

    def _gutter_segment(self, row: Row) -> Segment:
        # These are sentences: that a row goes on needs no mark.
        return Segment(" " * self.gutter_width, self.base_style)
