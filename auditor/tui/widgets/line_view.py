"""The base of every view of long text: rows of a wrapped text, drawn only when they are on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from auditor.tui.marked_lines import RoleSpan
from auditor.tui.styled import Styled
from auditor.tui.wrapping import Row, WrappedText

CONTINUATION = "┊"


class Beside(NamedTuple):
    """What stands before the first row of a line, or behind its last one, without being a part of it."""

    text: str
    role: str = "gutter"


class _Unwrapped(WrappedText):
    """The lines of a view that is not on the screen: they have no rows until it is."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__((), 0)
        self.lines = lines
        self.width = 0


class LineView(Styled, ScrollView, can_focus=True):
    """Shown lines, wrapped to the width, with a gutter. Every string given to it must already be visible text."""

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
        self._wrapped: WrappedText = _Unwrapped(())
        """The lines and their layout: one object, so that neither can belong to another text than the other."""
        self._opened_at = 0

    # --- what a view shows -----------------------------------------------------------------------------------------

    @property
    def lines(self) -> Sequence[str]:
        """The lines that are shown; `show_lines` changes them."""
        return self._wrapped.lines

    @lines.setter
    def lines(self, lines: Sequence[str]) -> None:
        """Take lines before the first paint, which lays them out."""
        self._wrapped = _Unwrapped(lines)

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
        self._wrap(lines)
        self._open()
        self.refresh()
        self.post_message(self.Moved())

    def opening_row(self) -> int:
        """Return the row that stands at the top when the lines are opened."""
        return 0

    def _open(self) -> None:
        self.jump_to(max(0, self.opening_row()) if self.is_cut else 0)
        self._opened_at = self.scroll_offset.y

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

    # --- layout ----------------------------------------------------------------------------------------------------

    @property
    def text_width(self) -> int:
        """Return the cells that a row of text may take."""
        return self.scrollable_content_region.width - self.gutter_width

    def wrap_to(self, wrapped: WrappedText) -> None:
        """Show lines in a layout."""
        self._wrapped = wrapped
        self.virtual_size = Size(self.scrollable_content_region.width, wrapped.rows)

    def _wrap(self, lines: Sequence[str]) -> None:
        """Lay lines out for the width; in a view that is not on the screen, drop the layout of what was there."""
        self.wrap_to(WrappedText(lines, self.text_width) if self.text_width > 0 else _Unwrapped(lines))

    def on_resize(self, event: events.Resize) -> None:
        # Textual calls the handlers of all base classes; what differs is therefore in a method of another name.
        self.follow_size()

    def follow_size(self) -> None:
        """Follow the size: a view that nobody scrolled opens anew, another keeps its text at the top."""
        if self.text_width <= 0:
            return
        untouched = self.scroll_offset.y == self._opened_at
        top = self._wrapped.row(self.scroll_offset.y) if self._wrapped.rows > self.scroll_offset.y else None
        if self.text_width != self._wrapped.width:
            self._wrap(self.lines)
        if untouched or top is None:
            self._open()
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
    def is_cut(self) -> bool:
        """Say whether some rows are outside the window."""
        return self._wrapped.rows > self.scrollable_content_region.height

    # --- drawing ---------------------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        # A view that comes back is painted before it is told its size.
        if self.lays_lines_out and isinstance(self._wrapped, _Unwrapped):
            self.follow_size()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        number = y + self.scroll_offset.y
        if number >= self._wrapped.rows:
            return Strip.blank(width, base)
        row = self._wrapped.row(number)
        segments = [self._gutter_segment(row), *self._text_segments(row, base)]
        if row.end == len(self.lines[row.line]) and (note := self.note_of(row.line)) is not None:
            used = sum(segment.cell_length for segment in segments)
            if used + cell_len(note.text) <= self.scrollable_content_region.width:
                segments.append(Segment(note.text, self.role_style(note.role)))
        return Strip(segments).adjust_cell_length(width, base)

    def _gutter_segment(self, row: Row) -> Segment:
        gutter = self.gutter_of(row.line) if row.start == 0 else Beside(CONTINUATION.rjust(self.gutter_width - 1))
        return Segment(gutter.text.ljust(self.gutter_width)[: self.gutter_width], self.role_style(gutter.role))

    def _text_segments(self, row: Row, base: Style) -> list[Segment]:
        text, segments, at = self.lines[row.line], [], row.start
        for span in self.spans_of(row.line):
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
