"""Oracle and prediction: marked lines that open at the first difference, with steps from one to the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.worker import get_current_worker

from auditor.text import visible_line
from auditor.tui.comparison import compare_item, is_large
from auditor.tui.marked_lines import MEMO, Comparison, MarkedLine, Place, RoleSpan
from auditor.tui.text_comparison import whole_text
from auditor.tui.widgets.line_view import CONTINUATION, Beside, LineView
from auditor.tui.wrapping import WrappedText

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem

_NARROWEST = 20
_SHOWN_MEMO = 400
"""Characters of a memo that are looked at: more never fit behind a line."""


class ComparisonView(LineView):
    """One comparison; the gutter says whose line it is (`=`, `-`, `+`), so colour is never alone."""

    _turn: ClassVar[threading.Lock] = threading.Lock()
    """Comparisons of several views are made one after the other: all at once they would leave the keys no time."""

    def __init__(self, compared: Callable[[ReviewItem], None], *, id: str | None = None) -> None:  # noqa: A002
        """`compared` is told when the comparison of an item is on the screen, or the words that it is being made."""
        super().__init__(id=id)
        self.gutter_width = 3
        self.comparison = Comparison()
        self._compared = compared
        self._item: ReviewItem | None = None
        self._at = 0
        self._made_for = 0
        self._memos: dict[int, str] = {}
        """By the number of the difference, from 1."""
        self.below: Callable[[int], Sequence[MarkedLine]] = lambda _: ()
        """Gives the lines that stand below a comparison, for a width."""
        self._above = 0
        """Lines of the comparison itself."""

    def show_item(self, item: ReviewItem, at: int = 0) -> None:
        """Compare an item's oracle with its prediction, and go to one of the differences.

        It is done at once where that is quick, else beside the event loop.
        """
        self._item = item
        width, wraps = max(_NARROWEST, self.text_width), self.wraps
        if not is_large(item):
            self._take(item, compare_item(item, width, wraps=wraps), at)
            return
        self._take(item, Comparison((MarkedLine("comparing …"),)))
        if self.text_width <= 0:
            return  # what is compared for no width is compared once more when there is one
        self.run_worker(
            lambda: self._compare(item, width, wraps, at),
            thread=True,
            group="comparison",
            exclusive=True,
            exit_on_error=False,
        )

    def show_absent(self, oracle: str | None, words: str) -> None:
        """Show an oracle where there is no answer to compare it with, and the words that say so."""
        self._item = None
        lines = whole_text(oracle, "-", "oracle") if oracle is not None else []
        self.comparison, self._at = Comparison((*lines, MarkedLine(words, "+", "prediction"))), 0
        self.show_lines([line.text for line in self.comparison.lines])

    def show_below(self) -> None:
        """Show what stands below the comparison now; all else stays where it is."""
        own, top = self.comparison.lines[: self._above], self.scroll_offset.y
        below = self.below(max(_NARROWEST, self.text_width))
        self.comparison = self.comparison._replace(lines=(*own, *below))
        self.show_lines([line.text for line in self.comparison.lines])
        self.jump_to(min(top, self.max_scroll_y))

    def _compare(self, item: ReviewItem, width: int, wraps: bool, at: int) -> None:
        """Compare long texts and lay the lines out; runs in a thread and touches no widget."""
        worker = get_current_worker()
        layout = None
        try:
            with self._turn:
                if worker.is_cancelled:
                    return
                comparison = compare_item(item, width, wraps=wraps)
                layout = self.lay_out([line.text for line in comparison.lines], width)
        except Exception as error:  # border: a worker's error is a sentence, never the end of the review
            comparison = Comparison(note=f"The comparison failed: {type(error).__name__}: {error}")
        if not worker.is_cancelled:
            self.app.call_from_thread(self._take, item, comparison, at, layout)

    def _take(self, item: ReviewItem, comparison: Comparison, at: int = 0, layout: WrappedText | None = None) -> None:
        """Show a comparison at one of its differences, unless another item came since."""
        if item is self._item:
            self.comparison, self._at = comparison, min(at, max(0, len(comparison.differences) - 1))
            self._made_for, self._above = self.text_width, len(comparison.lines)
            if below := self.below(max(_NARROWEST, self.text_width)):
                self.comparison = comparison._replace(lines=(*comparison.lines, *below))
            if layout is not None and not below and self.is_layout_now(layout):
                self.wrap_to(layout)
                self._opened()
            else:
                self.show_lines([line.text for line in self.comparison.lines])
            self._compared(item)

    def wrap_lines(self, wraps: bool) -> None:
        """Wrap long lines, or do not: they are cut into pairs or left whole, and the difference stays in sight."""
        if wraps != self.wraps:
            self.wraps = wraps
            self._made_for = 0
            if self.text_width > 0 and self._item is not None:
                self.show_item(self._item, self._at)

    def follow_size(self) -> None:
        if 0 < self.text_width != self._made_for and self._item is not None:
            # Lines that were cut for one width have to be cut for another.
            self.show_item(self._item)
        else:
            super().follow_size()

    def show_memos(self, memos: Mapping[int, str]) -> None:
        """Mark the differences, by their numbers from 1, that have memos."""
        shown = {number: visible_line(text, _SHOWN_MEMO) for number, text in memos.items()}
        if shown != self._memos:
            self._memos = shown
            self.refresh()

    def step(self, by: int) -> None:
        """Go `by` differences on, around the end."""
        count = len(self.comparison.differences)
        if count:
            self._at = (self._at + by) % count
            self._open()
            self.refresh()
            self.post_message(self.Moved())

    @property
    def at(self) -> int:
        """Return which difference was gone to, counted from 0."""
        return self._at

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
        spans = self.comparison.lines[line].spans
        if self.differences < 2:
            return spans
        # The one that was gone to looks otherwise, with and without colours: two can be in one row.
        return [
            span._replace(role=span.role.replace("-changed", "-here")) if span.difference == self._at else span
            for span in spans
        ]

    def gutter_of(self, line: int) -> Beside:
        shown = self.comparison.lines[line]
        here = self.differences > 1 and self.comparison.differences[self._at].line == line
        place = "▸" if here else MEMO if self._memos and self._memos_on(line) else " "
        return Beside(f"{place}{shown.mark}{CONTINUATION if shown.goes_on else ' '}", shown.mark_role)

    def note_of(self, line: int) -> Beside | None:
        memos = self._memos_on(line) if self._memos else []
        return Beside(f"  {MEMO} {'; '.join(memos)}", "memo", may_be_cut=True) if memos else None

    def _memos_on(self, line: int) -> list[str]:
        """Return the memos on the differences that begin in a line."""
        places = self.comparison.differences
        return [
            text for number, text in self._memos.items() if number <= len(places) and places[number - 1].line == line
        ]

    def opening_place(self) -> Place | None:
        return self.comparison.differences[self._at] if self.differences else None

    def opening_row(self) -> int:
        place = self.opening_place()
        if place is None:
            return 0
        height = self.scrollable_content_region.height
        # Some rows before it, unless there is room for the two that differ and no more.
        before = max(1, height // 4) if height > 2 else 0
        return self._wrapped.row_at(place.line, place.offset) - before
