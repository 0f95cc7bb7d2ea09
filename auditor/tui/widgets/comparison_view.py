"""Oracle and prediction: marked lines that open at the first difference, with steps from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message

from auditor.tui.marked_lines import Comparison, RoleSpan
from auditor.tui.widgets.line_view import CONTINUATION, Beside, LineView


class ComparisonView(LineView):
    """One comparison; the gutter says whose line it is (`=`, `-`, `+`), so colour is never alone."""

    class WidthChanged(Message):
        """Lines that were cut for one width have to be cut for another."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.gutter_width = 3
        self.comparison = Comparison()
        self._at = 0
        self._made_for = 0

    def show_comparison(self, comparison: Comparison) -> None:
        """Show a comparison at its first difference."""
        self.comparison, self._at = comparison, 0
        self._made_for = self.text_width
        self.show_lines([line.text for line in comparison.lines])

    def follow_size(self) -> None:
        super().follow_size()
        if self.text_width != self._made_for:
            self._made_for = self.text_width
            self.post_message(self.WidthChanged())

    def step(self, by: int) -> None:
        """Go `by` differences on, around the end."""
        count = len(self.comparison.differences)
        if count:
            self._at = (self._at + by) % count
            self._open()
            self.refresh()
            self.post_message(self.Moved())

    @property
    def differences(self) -> int:
        """Return how many places differ."""
        return len(self.comparison.differences)

    @property
    def extent(self) -> str:
        if self.differences > 1:
            return f"≠ {self._at + 1} of {self.differences}"
        return "≠ 1 of 1" if self.differences else self.comparison.headline

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self.comparison.lines[line].spans

    def gutter_of(self, line: int) -> Beside:
        shown = self.comparison.lines[line]
        here = self.differences > 1 and self.comparison.differences[self._at].line == line
        return Beside(f"{'▸' if here else ' '}{shown.mark}{CONTINUATION if shown.goes_on else ' '}", shown.mark_role)

    def opening_row(self) -> int:
        if not self.differences:
            return 0
        place = self.comparison.differences[self._at]
        height = self.scrollable_content_region.height
        # Some rows before it, unless there is room for the two that differ and no more.
        before = max(1, height // 4) if height > 2 else 0
        return self._wrapped.row_at(place.line, place.offset) - before
