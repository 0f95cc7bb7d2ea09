"""The base of every view of one text of any size: the start is there at once, the rest when it is laid out."""

from __future__ import annotations

from collections.abc import Sequence

from textual.worker import Worker, get_current_worker

from auditor.text import has_invisible
from auditor.tui.widgets.line_view import LineView
from auditor.tui.wrapping import Row, WrappedText, shown_lines

HEAD_CHARACTERS = 48_000
"""So much is laid out at once when laying all of it out would be felt."""
_PLAIN_CHARACTERS = 4_000_000
_PLAIN_LINES = 100_000


class GrowingView(LineView):
    """The lines of a text; those of a large one become more while its start can be read."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._text = ""
        self._begun = [""]
        """The lines to begin with."""
        self._laid_out = 0
        """Characters of the text."""
        self.is_large = False
        """Whether laying the whole text out would be felt."""
        self._worker: Worker[None] | None = None
        self._wanted: Row | None = None
        """What was at the top of another layout, until it is laid out again."""

    def begin(self, text: str) -> list[str]:
        """Take another text, and return the lines to begin with."""
        self._wanted = None
        if text == self._text and not self.is_large:
            return self._begun
        self._text = text
        self.is_large = _is_large(text)
        return self._start()

    @property
    def is_whole(self) -> bool:
        """Say whether all of the text is laid out."""
        return self._laid_out >= len(self._text)

    def grow(self, layout: WrappedText) -> None:
        """Show more lines of the text, in a layout."""
        self.wrap_to(layout)

    def scroll_by(self, how: str) -> None:
        self._wanted = None
        super().scroll_by(how)

    def _start(self) -> list[str]:
        self._laid_out = HEAD_CHARACTERS if self.is_large else len(self._text)
        self._begun = shown_lines(self._text[: self._laid_out])
        return self._begun

    def _are_laid_out(self, lines: Sequence[str]) -> bool:
        # Of a large text these are the lines to begin with, and the others are still to come.
        return not self.is_large and super()._are_laid_out(lines)

    def _wrap(self, lines: Sequence[str]) -> None:
        if self.is_large and self._laid_out > HEAD_CHARACTERS:
            # For another width as for another text: the start at once.
            lines = self._start()
        super()._wrap(lines)
        if self._worker is not None:
            self._worker.cancel()
            self._worker = None
        text, width = self._text, self.text_width
        if width > 0 and not self.is_whole:
            self._worker = self.run_worker(
                lambda: self._lay_out_rest(text, width),
                thread=True,
                group="layout",
                exclusive=True,
                exit_on_error=False,
            )

    def _stay_at(self, top: Row | None) -> None:
        last = len(self.lines) - 1
        if top is None or self.is_whole or (top.line, top.start) < (last, len(self.lines[last])):
            super()._stay_at(top)
        else:
            self._wanted = top

    def _lay_out_rest(self, text: str, width: int) -> None:
        """Lay all of the text out in growing parts; runs in a thread and touches no widget."""
        worker = get_current_worker()
        end = HEAD_CHARACTERS
        while end < len(text) and not worker.is_cancelled:
            end = min(len(text), end * 4)
            layout = self.lay_out(shown_lines(text[:end]), width)
            if not worker.is_cancelled:
                self.app.call_from_thread(self._take, text, end, layout)

    def _take(self, text: str, characters: int, layout: WrappedText) -> None:
        if text is not self._text or not self.is_layout_now(layout):
            return
        untouched = self._wanted is None and self.scroll_offset.y == self._opened_at
        self._laid_out = characters
        self.grow(layout)
        if untouched:
            self._opened()
        elif self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self._stay_at(wanted)
        else:
            self.refresh()
            self.post_message(self.Moved())


def _is_large(text: str) -> bool:
    if len(text) <= HEAD_CHARACTERS:
        return False
    plain = len(text) <= _PLAIN_CHARACTERS and text.isascii()
    return not plain or text.count("\n") > _PLAIN_LINES or has_invisible(text)
