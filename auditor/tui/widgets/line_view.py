"""The base of every view of long text: its rows, wrapped or one a line, drawn only when they are on the screen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

from auditor.tui.marked_lines import Place, RoleSpan
from auditor.tui.styled import Styled
from auditor.tui.unwrapped import UnwrappedText
from auditor.tui.widgets.view_bar import ViewBar
from auditor.tui.wrapping import Row, WrappedText

CONTINUATION = "┊"
_GOES_ON = "…"
"""Where a line that is not wrapped goes on beside the window."""
_LEAST_NOTE = 6
"""Cells for which a note behind a line is worth being cut."""


class Beside(NamedTuple):
    """What stands before the first row of a line, or behind its last one, without being a part of it."""

    text: str
    role: str = "gutter"
    may_be_cut: bool = False
    """Whether as much of it is shown as there is room for; else nothing where not all of it fits."""


class _NotLaidOut(WrappedText):
    """The lines of a view that is not on the screen: they have no rows until it is."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__((), 0)
        self.lines = lines
        self.width = 0


class LineView(Styled, ScrollView, can_focus=True):
    """Shown lines in rows, with a gutter. Every string given to it must already be visible text."""

    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size: 1 1;
        scrollbar-color: $foreground 25%;
        scrollbar-color-hover: $foreground 40%;
        scrollbar-color-active: $accent;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;

    }
    """

    class Moved(Message):
        """The view shows other rows than before."""

    lays_lines_out: ClassVar[bool] = True
    """False in a view that makes each of its rows when it is drawn, and has no lines."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.gutter_width = 1
        self.wraps = True
        """Whether long lines are wrapped to the width; else each is one row, and the view scrolls sideways."""
        self._left = 0
        """The first column on the screen where lines are not wrapped."""
        self._wrapped: WrappedText = _NotLaidOut(())
        """The lines and their layout: one object, so that neither can belong to another text than the other."""
        self._opened_at = 0
        self._is_told = True
        """Whether the size was followed."""

    # --- what a view shows -----------------------------------------------------------------------------------------

    @property
    def lines(self) -> Sequence[str]:
        """The lines that are shown; `show_lines` changes them."""
        return self._wrapped.lines

    @lines.setter
    def lines(self, lines: Sequence[str]) -> None:
        """Take lines before the first paint, which lays them out."""
        self._wrapped = _NotLaidOut(lines)

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        """Return the spans of a line in order, without overlaps; characters in none of them look plain."""
        return ()

    def gutter_of(self, line: int) -> Beside:
        """Return the gutter of a line's first row."""
        return Beside("")

    def note_of(self, line: int) -> Beside | None:
        """Return what stands behind a line, as far as there is room; it is no part of the text."""
        return None

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show other lines, at the row where they are to be opened."""
        if not self._are_laid_out(lines):
            self._wrap(lines)
        self._opened()

    def reopen(self) -> None:
        """Show the lines that are shown, from where they are opened."""
        left = self._left
        self._open()
        if self._left != left:
            self.refresh()
        self.post_message(self.Moved())

    def _are_laid_out(self, lines: Sequence[str]) -> bool:
        """Say whether lines are those that are laid out already, for the width."""
        return self.is_layout_now(self._wrapped) and lines == self.lines

    def _opened(self) -> None:
        """Show the lines that were laid out at the row where they are to be opened."""
        self._open()
        self.refresh()
        self.post_message(self.Moved())

    def opening_row(self) -> int:
        """Return the row that stands at the top when the lines are opened."""
        return 0

    def opening_place(self) -> Place | None:
        """Return the character that is on the screen, sideways too, when the lines are opened; None = the first."""
        return None

    def _open(self) -> None:
        self.jump_to(max(0, self.opening_row()) if self.is_cut else 0)
        self._opened_at = self.scroll_offset.y
        self._left = 0
        place = self.opening_place()
        if place is not None and isinstance(self._wrapped, UnwrappedText):
            column, room = self._wrapped.column_of(*place), self._columns_shown
            # Some of what stands before it, unless all that stands before it fits.
            self._left = self._within_line(column - room // 3) if column >= room * 3 // 4 else 0

    @property
    def extent(self) -> str:
        """Say in a few words how much there is and how much of it is on the screen."""
        return ""

    def jump_to(self, y: int) -> None:
        """Scroll to a row at once, also before Textual knows that there is a scroll bar."""
        self.scroll_to(y=y, animate=False, immediate=True, force=True)
        self.vertical_scrollbar.position = self.scroll_y

    def scroll_by(self, how: str) -> None:
        """Scroll by `page down`, `page up`, `down` or `up`, or to `start` or `end`, at once."""
        page = max(1, self.scrollable_content_region.height - 1)
        y = self.scroll_offset.y
        targets = {"page down": y + page, "page up": y - page, "down": y + 1, "up": y - 1, "start": 0}
        target = targets.get(how, self.max_scroll_y)
        self.jump_to(min(max(0, target), self.max_scroll_y))
        if how == "start":
            self._scroll_to_column(0)
        elif how == "end" and isinstance(self._wrapped, UnwrappedText) and self.lines:
            self._scroll_to_column(self._wrapped.cells_of(len(self.lines) - 1) - self._columns_shown)

    def scroll_across(self, how: str) -> None:
        """Scroll lines that are not wrapped: `left` or `right` by a quarter, `page left` or `page right` by a page."""
        room = self._columns_shown
        steps = {"left": -room // 4, "right": room // 4, "page left": -room, "page right": room}
        self._scroll_to_column(self._left + steps[how])

    def _scroll_to_column(self, column: int) -> None:
        self._left = self._within_line(column)
        self.refresh()
        self.post_message(self.Moved())

    def _within_line(self, column: int) -> int:
        """Return the column nearest to one that can be the first on the screen."""
        if not isinstance(self._wrapped, UnwrappedText):
            return 0
        return max(0, min(column, self._wrapped.widest - self._columns_shown))

    @property
    def across(self) -> str:
        """Say which columns are on the screen where some are not."""
        wrapped, room = self._wrapped, self._columns_shown
        if not isinstance(wrapped, UnwrappedText) or wrapped.widest <= room:
            return ""
        return f"columns {self._left + 1:,}-{min(wrapped.widest, self._left + room):,} of {wrapped.widest:,}"

    @property
    def _columns_shown(self) -> int:
        """Return the cells for the text of a line that is not wrapped; one beside them says that it goes on."""
        return max(1, self.text_width - 1)

    def wrap_lines(self, wraps: bool) -> None:
        """Wrap long lines, or do not; the text at the top stays there."""
        if wraps == self.wraps:
            return
        self.wraps = wraps
        if self.text_width <= 0:
            return
        untouched, top = self.scroll_offset.y == self._opened_at, self._top
        self._wrap(self.lines)
        self._stay_at(None if untouched else top)

    # --- layout ----------------------------------------------------------------------------------------------------

    @property
    def text_width(self) -> int:
        """Return the cells that a row of text may take."""
        return self.scrollable_content_region.width - self.gutter_width

    def lay_out(self, lines: Sequence[str], width: int) -> WrappedText:
        """Return the layout of lines for a width; may be called from any thread."""
        return WrappedText(lines, width) if self.wraps else UnwrappedText(lines, width)

    def is_layout_now(self, layout: WrappedText) -> bool:
        """Say whether a layout that was made before is the one for now."""
        return layout.width == self.text_width and isinstance(layout, UnwrappedText) != self.wraps

    def wrap_to(self, wrapped: WrappedText) -> None:
        """Show lines in a layout. How many there are changes no widget's place, so that nothing is laid out anew."""
        self._wrapped = wrapped
        size = Size(self.scrollable_content_region.width, wrapped.rows)
        if self.container_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)
        else:
            self.virtual_size = size

    def _refresh_scrollbars(self) -> None:
        """Show the scroll bar from when it is needed on, blank where it is not: taking it away is a new layout."""
        if not self.show_vertical_scrollbar:
            super()._refresh_scrollbars()

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = bar = ViewBar(name="vertical")
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def show_scroll_bar(self) -> None:
        """Show the scroll bar from now on, so that no later text needs a new layout for it."""
        self.show_vertical_scrollbar = True

    def _wrap(self, lines: Sequence[str]) -> None:
        """Lay lines out for the width; in a view that is not on the screen, drop the layout of what was there."""
        self.wrap_to(self.lay_out(lines, self.text_width) if self.text_width > 0 else _NotLaidOut(lines))
        self._left = self._within_line(self._left)

    def on_resize(self, event: events.Resize) -> None:
        # Textual calls the handlers of all base classes; what differs is therefore in a method of another name.
        self._is_told = True
        self.follow_size()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """Take a size; a view that is not told of it by then follows it after the paint.

        Textual tells a widget whose size is another than in the map of the layout before, and makes that map anew when
        something asks where a widget is that was mounted since, as an editor does: nobody is told of what changed then.
        """
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if changed:
            self._is_told = False
            self.call_after_refresh(self._follow_untold)
        return changed

    def _follow_untold(self) -> None:
        if not self._is_told:
            self._is_told = True
            self.follow_size()

    def follow_size(self) -> None:
        """Follow the size: a view that nobody scrolled opens anew, another keeps its text at the top."""
        if self.text_width <= 0:
            return
        untouched, top = self.scroll_offset.y == self._opened_at, self._top
        if self.text_width != self._wrapped.width:
            self._wrap(self.lines)
        self._stay_at(None if untouched else top)

    @property
    def _top(self) -> Row | None:
        """Return the row at the top of the window."""
        y = self.scroll_offset.y
        return self._wrapped.row(y) if self._wrapped.rows > y else None

    def _stay_at(self, top: Row | None) -> None:
        """Put the text of a row of another layout at the top; None opens the lines anew."""
        if top is None:
            self._opened()
        else:
            self.jump_to(self._wrapped.row_at(top.line, top.start))
            self.refresh()
            self.post_message(self.Moved())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if old_value == self._opened_at and new_value == self.max_scroll_y < old_value:
            # A view that grew shows more above; that is no scrolling by a person.
            self._opened_at = self.scroll_offset.y
        self.post_message(self.Moved())

    def visible_lines(self) -> tuple[int, int]:
        """Return the numbers, from 1, of the first and last line on the screen; (0, 0) when there is none."""
        rows, top = self._wrapped.rows, self.scroll_offset.y
        if not rows or top >= rows:
            return 0, 0
        bottom = min(rows, top + max(1, self.scrollable_content_region.height)) - 1
        return self._wrapped.row(top).line + 1, self._wrapped.row(bottom).line + 1

    @property
    def rows_wanted(self) -> int:
        """Return the rows that all of the lines take; 0 in a view that is not on the screen."""
        return self._wrapped.rows

    @property
    def is_cut(self) -> bool:
        """Say whether some rows are outside the window."""
        return self._wrapped.rows > self.scrollable_content_region.height

    # --- drawing ---------------------------------------------------------------------------------------------------

    def begin_drawing(self) -> None:
        # A view that comes back is painted before it is told its size.
        if self.lays_lines_out and isinstance(self._wrapped, _NotLaidOut):
            self.follow_size()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        number = y + self.scroll_offset.y
        if number >= self._wrapped.rows:
            return self.blank_row(width)
        row = self._wrapped.row(number)
        if isinstance(self._wrapped, UnwrappedText):
            return Strip(self._unwrapped_segments(self._wrapped, row, base)).adjust_cell_length(width, base)
        segments = [self._gutter_segment(row), *self._text_segments(row, base)]
        if row.end == len(self.lines[row.line]) and (note := self.note_of(row.line)) is not None:
            self._add_note(segments, note)
        return Strip(segments).adjust_cell_length(width, base)

    def _unwrapped_segments(self, text: UnwrappedText, row: Row, base: Style) -> list[Segment]:
        """Draw what stands in the columns on the screen, with a mark where the line goes on beside them."""
        room = self._columns_shown
        start, end, pad = text.window(row.line, self._left, room)
        gutter, dim = self._gutter_segment(row), self.role_style("gutter")
        segments = [gutter]
        if start > 0:
            segments = [Segment(gutter.text[:-1], gutter.style), Segment(_GOES_ON, dim)]
        segments += [Segment(" " * pad, base), *self._text_segments(Row(row.line, start, end), base)]
        if end < row.end:
            used = sum(segment.cell_length for segment in segments)
            segments += [Segment(" " * (self.gutter_width + room - used), base), Segment(_GOES_ON, dim)]
        elif (note := self.note_of(row.line)) is not None:
            self._add_note(segments, note)
        return segments

    def _add_note(self, segments: list[Segment], note: Beside) -> None:
        """Add what stands behind a line, if there is room."""
        room = self.scrollable_content_region.width - sum(segment.cell_length for segment in segments)
        text = note.text
        if note.may_be_cut and room > _LEAST_NOTE and cell_len(text) > room:
            text = set_cell_size(text, room - 1) + "…"
        if cell_len(text) <= room:
            segments.append(Segment(text, self.role_style(note.role)))

    def _gutter_segment(self, row: Row) -> Segment:
        gutter = self.gutter_of(row.line) if row.start == 0 else Beside(CONTINUATION.rjust(self.gutter_width - 1))
        return Segment(gutter.text.ljust(self.gutter_width)[: self.gutter_width], self.role_style(gutter.role))

    def _text_segments(self, row: Row, base: Style) -> list[Segment]:
        text, segments, at = self.lines[row.line], [], row.start
        spans = self.spans_of(row.line)
        for number in range(bisect_right(spans, row.start, key=lambda span: span.end), len(spans)):
            span = spans[number]
            start, end = max(span.start, at), min(span.end, row.end)
            if start >= row.end:
                break
            if start >= end:
                continue
            if start > at:
                segments.append(Segment(text[at:start], base))
            segments.append(Segment(text[start:end], self.role_style(span.role)))
            at = end
        if at < row.end:
            segments.append(Segment(text[at : row.end], base))
        return segments
