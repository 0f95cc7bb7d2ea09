"""A text from data (input, reply, reasoning), or the words that stand for its absence."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.text import counted, visible_line
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.growing_view import GrowingView


class TextView(GrowingView):
    """One text, with how much of it is on the screen."""

    _is_absent = True
    _shown: tuple[str | None, str | None, tuple[str, ...]] | None = None
    """What is shown: a text, or words in its place, and what follows from it."""
    _computed = 0
    """Lines below the text that are none of it."""

    def show_text(self, text: str | None, absent: str = "(none)", computed: Sequence[str] = ()) -> None:
        """Show a text from its start; `absent` stands there when it is None.

        `computed` are lines of what follows from it, to stand below a text that is not large.
        """
        words = None if text is not None else absent
        shown = (text, words, tuple(computed))
        if shown == self._shown and not self.is_large and self._are_laid_out(self.lines):
            self.reopen()
            return
        self._shown = shown
        self._is_absent = text is None
        lines = self.begin(text or "")
        below = [] if text is None or self.is_large else [f"~ {visible_line(line)}" for line in computed]
        self._computed = len(below)
        self.show_lines([*lines, *below] if text is not None else [absent] if absent else [])

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        if line < len(self.lines) - self._computed:
            return ()
        return (RoleSpan(0, len(self.lines[line]), "computed"),)

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
        lines = len(self.lines) - self._computed
        first, last = (min(line, lines) for line in self.visible_lines())
        if lines == 1 and self._computed:
            return total
        if lines == 1:
            seen = round(100 * (self.scroll_offset.y + self.scrollable_content_region.height) / self._wrapped.rows)
            return f"{min(100, seen)} % of {total}"
        return f"{first}-{last} of {lines} lines, {total}"
