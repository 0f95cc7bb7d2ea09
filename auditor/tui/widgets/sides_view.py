"""Two programs side by side, or below each other where there is no room for that; equal parts stand in one row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from auditor.audit.implementation_words import SIGNS
from auditor.text import counted
from auditor.tui.highlighting import SLICE_SECONDS, Highlighter, load_lexer
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.side_rows import (
    COLUMNS_FROM,
    Entry,
    SideLayout,
    SideTexts,
    overlaid,
    part_spans,
    side_entries,
    stretches,
)
from auditor.tui.unwrapped import UnwrappedText
from auditor.tui.widgets.line_view import CONTINUATION
from auditor.tui.widgets.row_view import RowView
from auditor.tui.wrapping import Row

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_SIGN_ROLES = {"equal": "gutter", "alike": "renamed"}
"""Roles of signs; others are `strong`."""
_HERE = "▸"
_GOES_ON = "…"
_SIGN_CELLS = 4
"""A mark, a sign of up to two characters, and a space."""


class SidesView(RowView):
    """`  1 def f(a):        =  1 def f(a):`, and one row a line in a narrow screen: `  1  1 = def f(a):`."""

    def __init__(self, *, folding: str = "auto") -> None:
        """`folding` says when equal stretches fold, as it does for blocks of a program."""
        super().__init__()
        self._folding = folding
        self._texts: SideTexts | None = None
        self._layout: SideLayout | None = None
        self._stretches: list[range] = []
        self._at = 0
        """The stretch that was gone to."""
        self._is_folded = False
        self._made_for = (0, 0)
        """Width and height of the layout."""
        self._lexers: dict[str, Lexer | None] = {}
        self._highlighters: tuple[Highlighter, ...] = ()
        self._marked: dict[tuple[int, int], list[RoleSpan]] = {}
        """Spans of the lines that are being drawn."""

    # --- what is shown ---------------------------------------------------------------------------------------------

    def show_texts(self, texts: SideTexts | None) -> None:
        """Show other programs from their first difference on; None shows nothing."""
        self._texts, self._at = texts, 0
        self._layout = None
        self._color()
        self._lay_out()
        self._open()
        self.refresh()
        self.post_message(self.Moved())
        for language in {side.language for side in texts.sides} - self._lexers.keys() if texts else ():
            self.call_after_refresh(self._start_loading, language)

    def opening_row(self) -> int:
        if self._layout is None or not self._stretches:
            return 0
        height = self.scrollable_content_region.height
        return self._layout.row_of(self._stretches[self._at].start) - max(1, height // 4)

    def step(self, by: int) -> bool:
        """Go so many stretches of differences on, around the end; say whether there are any."""
        if not self._stretches:
            return False
        self._at = (self._at + by) % len(self._stretches)
        self.jump_to(max(0, self.opening_row()))
        self.refresh()
        self.post_message(self.Moved())
        return True

    def toggle_folds(self) -> str:
        """Fold long equal stretches, or show all lines; return what came of it in a sentence."""
        was_folded = self._is_folded
        self._folding = "off" if was_folded else "on"
        self._lay_out_again()
        if not self._is_folded and not was_folded:
            return "There is no long stretch of equal lines to fold."
        return "" if self._is_folded else "All lines are shown."

    def wrap_lines(self, wraps: bool) -> None:
        if wraps != self.wraps:
            self.wraps = wraps
            self._lay_out_again()

    @property
    def beside(self) -> bool:
        """Say whether the programs stand beside each other."""
        return self.outer_size.width >= COLUMNS_FROM

    @property
    def digits(self) -> int:
        """Return the cells of a line number."""
        texts = self._texts
        return max(2, *(len(str(len(side.raw))) for side in texts.sides)) if texts else 2

    @property
    def other_begins(self) -> int:
        """Return the cell at which the other program begins where it stands beside the first one."""
        return self.digits + 1 + self._widths[0] + _SIGN_CELLS

    @property
    def extent(self) -> str:
        layout = self._layout
        if layout is None:
            return ""
        nothing = "alike" if any(entry.kind == "alike" for entry in layout.entries) else "equal"
        told = [f"≠ {self._at + 1} of {len(self._stretches)}" if self._stretches else f"all {nothing}"]
        if self.is_cut:
            top = self.scroll_offset.y
            bottom = min(layout.rows, top + self.scrollable_content_region.height)
            told.append(f"{top + 1:,}-{bottom:,} of {layout.rows:,}")
        return " · ".join(told)

    @property
    def is_cut(self) -> bool:
        return self._total > self.scrollable_content_region.height

    @property
    def across(self) -> str:
        widest, room = self._layout.widest if self._layout else 0, self._columns_shown
        if widest <= room:
            return ""
        return f"columns {self._left + 1:,}-{min(widest, self._left + room):,} of {widest:,}"

    @property
    def _columns_shown(self) -> int:
        return max(1, min(self._widths) - 1)

    def _within_line(self, column: int) -> int:
        return max(0, min(column, (self._layout.widest if self._layout else 0) - self._columns_shown))

    # --- layout ----------------------------------------------------------------------------------------------------

    @property
    def _widths(self) -> tuple[int, int]:
        """Return the cells of both programs' lines."""
        width = self.scrollable_content_region.width
        if not self.beside:
            return (max(2, width - 2 * (self.digits + 1) - _SIGN_CELLS + 1),) * 2
        room = max(4, width - 2 * (self.digits + 1) - _SIGN_CELLS)
        return room // 2, room - room // 2

    def _lay_out(self) -> None:
        """Lay the rows out for the size, folded as far as is asked for or needed."""
        texts = self._texts
        region = self.scrollable_content_region
        self._made_for = (region.width, region.height)
        self._total, self._layout, self._stretches = 0, None, []
        if texts is None or region.width <= 0:
            return
        layout = self._layout_of(texts, folded=self._folding == "on")
        if self._folding == "auto" and layout.rows > region.height > 0:
            layout = self._layout_of(texts, folded=True)
        self._layout, self._total = layout, layout.rows
        self._is_folded = any(entry.kind == "fold" for entry in layout.entries)
        self._stretches = stretches(layout.entries)
        self._at = min(self._at, max(0, len(self._stretches) - 1))
        self._left = self._within_line(self._left)
        self._set_size()

    def _layout_of(self, texts: SideTexts, *, folded: bool) -> SideLayout:
        entries = side_entries(texts.compared.sides.rows, columns=self.beside, folded=folded)
        return SideLayout(texts, entries, self._widths, wraps=self.wraps)

    def _lay_out_again(self) -> None:
        """Lay out for what is wanted now: what nobody scrolled opens anew, else the lines at the top stay there."""
        untouched, before = self.scroll_offset.y == self._opened_at, self._layout
        top = None if before is None or untouched else before.entries[self._top_entry(before)]
        self._lay_out()
        if top is None or self._layout is None:
            self._open()
        else:
            self.jump_to(self._layout.row_of(_nearest(self._layout.entries, top)))
        self.refresh()
        self.post_message(self.Moved())

    def _top_entry(self, layout: SideLayout) -> int:
        return min(layout.entry_at(self.scroll_offset.y)[0], len(layout.entries) - 1)

    def follow_size(self) -> None:
        region = self.scrollable_content_region
        if self._texts is not None and (region.width, region.height) != self._made_for:
            self._lay_out_again()

    def _set_size(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, self._total)

    # --- colours ---------------------------------------------------------------------------------------------------

    def _color(self) -> None:
        sides = self._texts.sides if self._texts else ()
        self._highlighters = tuple(Highlighter(side.shown, self._lexers.get(side.language)) for side in sides)

    def _start_loading(self, language: str) -> None:
        """Load a lexer beside the first paint, which does not wait for it."""
        self.run_worker(lambda: self._load(language), thread=True, group=f"lexer {language}", exit_on_error=False)

    def _load(self, language: str) -> None:
        self.app.call_from_thread(self._take_lexer, language, load_lexer(language))

    def _take_lexer(self, language: str, lexer: Lexer | None) -> None:
        self._lexers[language] = lexer
        self._color()
        self.refresh()

    def begin_drawing(self) -> None:
        super().begin_drawing()
        self._marked.clear()
        layout = self._layout
        if layout is None or not self._highlighters:
            return
        first, _ = layout.entry_at(min(self.scroll_offset.y, layout.rows - 1))
        last, _ = layout.entry_at(min(self.scroll_offset.y + self.size.height, layout.rows) - 1)
        seen = layout.entries[first : last + 1]
        lines = (
            max((entry.left for entry in seen if entry.left is not None), default=-1),
            max((entry.right for entry in seen if entry.right is not None), default=-1),
        )
        if not all([one.lex_to(line) for one, line in zip(self._highlighters, lines, strict=True) if line >= 0]):
            self.set_timer(SLICE_SECONDS, self.refresh)

    # --- rows ------------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, base, layout = self.scrollable_content_region.width, self.base_style, self._layout
        number = y + self.scroll_offset.y
        if layout is None or number >= layout.rows:
            return Strip.blank(self.size.width, base)
        at, nth = layout.entry_at(number)
        entry = layout.entries[at]
        if entry.kind == "fold":
            segments = self._fold_segments(entry)
        else:
            sign = self._sign_segments(entry, at, nth)
            segments = self._beside(layout, entry, nth, sign) if self.beside else self._below(layout, entry, nth, sign)
        return Strip(segments).adjust_cell_length(width, base).adjust_cell_length(self.size.width, base)

    def _fold_segments(self, entry: Entry) -> list[Segment]:
        assert entry.left is not None and entry.right is not None
        lines = f"{entry.left + 1:,}-{entry.left + entry.folded:,}"
        other = f"{entry.right + 1:,}-{entry.right + entry.folded:,}"
        places = lines if lines == other else f"{lines} and {other}"
        text = f"{'':{self.digits}} ⋯ {counted(entry.folded, 'equal line')}: {places}"
        return [Segment(text, self.role_style("muted"))]

    def _sign_segments(self, entry: Entry, at: int, nth: int) -> list[Segment]:
        """Return the sign of an entry in its first row, with a mark at the difference that was gone to."""
        sign = SIGNS[entry.kind] if nth == 0 and entry.kind != "fold" else " "
        here = bool(self._stretches) and len(self._stretches) > 1 and at in self._stretches[self._at]
        role = "here" if here else _SIGN_ROLES.get(entry.kind, "strong")
        text = f"{_HERE if here else ' '}{sign}"
        cells = _SIGN_CELLS if self.beside else _SIGN_CELLS - 1  # two lines without a counterpart have a sign of two
        return [Segment(text, self.role_style(role)), Segment(" " * (cells - len(text)), self.base_style)]

    def _beside(self, layout: SideLayout, entry: Entry, nth: int, sign: list[Segment]) -> list[Segment]:
        """Draw both lines of an entry."""
        left, right = (self._text_segments_of(layout, side, entry, nth) for side in (0, 1))
        return [self._number(layout, 0, entry, nth), *left, *sign, self._number(layout, 1, entry, nth), *right]

    def _below(self, layout: SideLayout, entry: Entry, nth: int, sign: list[Segment]) -> list[Segment]:
        """Draw the one line of an entry; its number says whose it is."""
        text = self._text_segments_of(layout, 0 if entry.left is not None else 1, entry, nth)
        return [*(self._number(layout, side, entry, nth) for side in (0, 1)), *sign, *text]

    def _number(self, layout: SideLayout, side: int, entry: Entry, nth: int) -> Segment:
        line = entry.right if side else entry.left
        is_there = line is not None and layout.part_of_line(side, line, nth) is not None
        number = "" if line is None or not is_there else CONTINUATION if nth else str(line + 1)
        return Segment(f"{number:>{self.digits}} ", self.role_style("gutter"))

    def _text_segments_of(self, layout: SideLayout, side: int, entry: Entry, nth: int) -> list[Segment]:
        """Draw what stands of one program's line in a row, filled up to the width of its column."""
        width, base = layout.widths[side], self.base_style
        line = entry.right if side else entry.left
        row = layout.part_of_line(side, line, nth)
        if row is None or line is None:
            return [Segment(" " * width, base)]
        text, pad = layout.texts[side], 0
        if isinstance(text, UnwrappedText):
            start, end, pad = text.window(line, self._left, width - 1)
            row = Row(line, start, end)
        segments = [Segment(" " * pad, base), *self._slice(text.lines[line], row, self._spans(side, entry, line))]
        room = width - sum(cell_len(segment.text) for segment in segments)
        if isinstance(text, UnwrappedText) and row.end < len(text.lines[line]):
            return [*segments, Segment(_GOES_ON.rjust(room), self.role_style("gutter"))]
        return [*segments, Segment(" " * room, base)]

    def _slice(self, text: str, row: Row, spans: Sequence[RoleSpan]) -> list[Segment]:
        base, segments, at = self.base_style, [], row.start
        for number in range(bisect_right(spans, row.start, key=lambda span: span.end), len(spans)):
            span = spans[number]
            start, end = max(span.start, at), min(span.end, row.end)
            if start >= row.end:
                break
            if start < end:
                segments += [Segment(text[at:start], base), Segment(text[start:end], self.role_style(span.role))]
                at = end
        return [*segments, Segment(text[at : row.end], base)]

    def _spans(self, side: int, entry: Entry, line: int) -> Sequence[RoleSpan]:
        assert self._texts is not None
        own, parts = self._texts.sides[side], entry.right_parts if side else entry.left_parts
        colors = self._highlighters[side].spans_of(line)
        if not parts:
            return colors
        if (side, line) not in self._marked:
            self._marked[side, line] = overlaid(colors, part_spans(own.raw[line], own.shown[line], parts))
        return self._marked[side, line]


def _nearest(entries: Sequence[Entry], wanted: Entry) -> int:
    """Return the entry that shows a line of another one, or the last before it."""
    found = 0
    for at, entry in enumerate(entries):
        for line, other in ((entry.left, wanted.left), (entry.right, wanted.right)):
            if line is not None and other is not None and line <= other:
                found = at
    return found
