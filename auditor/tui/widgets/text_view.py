"""A text from data (input, reply, reasoning), whatever its size: the start is there at once, the rest follows."""

from __future__ import annotations

from collections.abc import Sequence

from textual.worker import Worker, get_current_worker

from auditor.text import has_invisible
from auditor.tui.widgets.line_view import LineView
from auditor.tui.wrapping import WrappedText, shown_lines

HEAD_CHARACTERS = 48_000
"""So much is laid out at once when laying all of it out would be felt."""
_PLAIN_CHARACTERS = 4_000_000
_PLAIN_LINES = 100_000


class TextView(LineView):
    """One text, or the words that stand for its absence."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._text: str | None = None
        self._absent = ""
        self._shown_characters = 0
        self._worker: Worker[None] | None = None

    def show_text(self, text: str | None, absent: str = "(none)") -> None:
        """Show a text from its start; `absent` stands there when it is None."""
        self._text, self._absent = text, absent
        self.show_lines(self._first_lines())

    @property
    def extent(self) -> str:
        """Say how much text there is, how much of it is laid out, and which lines are on the screen."""
        if self._text is None:
            return ""
        total = f"{len(self._text):,} characters"
        if self._shown_characters < len(self._text):
            total = f"{self._shown_characters:,} of {total}"
        if not self.is_cut:
            return total if self._text else ""
        lines = len(self.lines)
        first, last = self.visible_lines()
        if lines == 1:
            seen = round(100 * (self.scroll_offset.y + self.scrollable_content_region.height) / self._wrapped.rows)
            return f"{min(100, seen)} % of {total}"
        return f"{first}-{last} of {lines} lines, {total}"

    def _first_lines(self) -> list[str]:
        if self._text is None:
            self._shown_characters = 0
            return [self._absent] if self._absent else []
        if _lays_out_at_once(self._text):
            self._shown_characters = len(self._text)
            return shown_lines(self._text)
        self._shown_characters = HEAD_CHARACTERS
        return shown_lines(self._text[:HEAD_CHARACTERS])

    def _wrap(self, lines: Sequence[str]) -> None:
        super()._wrap(lines)
        if self._worker is not None:
            self._worker.cancel()
            self._worker = None
        text, width = self._text, self.text_width
        if text is not None and width > 0 and self._shown_characters < len(text):
            self._worker = self.run_worker(
                lambda: self._lay_out(text, width), thread=True, group="layout", exclusive=True, exit_on_error=False
            )

    def _lay_out(self, text: str, width: int) -> None:
        """Lay all of the text out in growing parts; runs in a thread and touches no widget."""
        worker = get_current_worker()
        end = HEAD_CHARACTERS
        while end < len(text) and not worker.is_cancelled:
            end = min(len(text), end * 4)
            wrapped = self.lay_out(shown_lines(text[:end]), width)
            if not worker.is_cancelled:
                self.app.call_from_thread(self._take, text, end, wrapped)

    def _take(self, text: str, characters: int, wrapped: WrappedText) -> None:
        if text is self._text and self.is_layout_now(wrapped):
            self._shown_characters = characters
            self.wrap_to(wrapped)
            self.refresh()
            self.post_message(self.Moved())


def _lays_out_at_once(text: str) -> bool:
    """Say whether laying the whole text out takes less than a key press may."""
    if len(text) <= HEAD_CHARACTERS:
        return True
    plain = len(text) <= _PLAIN_CHARACTERS and text.isascii()
    return plain and text.count("\n") <= _PLAIN_LINES and not has_invisible(text)
