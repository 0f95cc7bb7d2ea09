"""A program: line numbers, the checkpoint's line marked, tokens coloured only as far as the window reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.geometry import Region
from textual.strip import Strip

from auditor.model import Checkpoint
from auditor.text import visible_line
from auditor.tui.highlighting import SLICE_SECONDS, Highlighter, load_lexer
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.line_view import Beside, LineView
from auditor.tui.wrapping import shown_lines

if TYPE_CHECKING:
    from pygments.lexer import Lexer


class SourceView(LineView):
    """The source of a task."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._highlighter: Highlighter | None = None
        self._lexers: dict[str, Lexer | None] = {}
        self._language = ""
        self._checkpoint: Checkpoint | None = None
        self._numbers = 2

    def show_source(self, source: str, language: str, checkpoint: Checkpoint | None) -> None:
        """Show a program in one of the task languages, with its checkpoint's line in sight."""
        lines = shown_lines(source)
        if len(lines) > 1 and lines[-1] == "":
            lines.pop()
        self._language = language
        self._highlighter = Highlighter(lines, self._lexers.get(language))
        self._checkpoint = checkpoint
        self._numbers = max(2, len(str(len(lines))))
        self.gutter_width = self._numbers + 4
        self.show_lines(lines)
        if language not in self._lexers:
            self.call_after_refresh(self._start_loading, language)

    def opening_row(self) -> int:
        checkpoint = self._checkpoint
        if checkpoint is None or not 0 < checkpoint.line <= len(self.lines):
            return 0
        return self._wrapped.row_at(checkpoint.line - 1, 0) - self.scrollable_content_region.height // 2

    def _start_loading(self, language: str) -> None:
        """Load a lexer beside the first paint, which does not wait for it."""
        self.run_worker(lambda: self._load(language), thread=True, group="lexer", exit_on_error=False)

    def _load(self, language: str) -> None:
        self.app.call_from_thread(self._take_lexer, language, load_lexer(language))

    def _take_lexer(self, language: str, lexer: Lexer | None) -> None:
        self._lexers[language] = lexer
        if language == self._language:
            self._highlighter = Highlighter(self.lines, lexer)
            self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._highlighter is not None and not self._highlighter.lex_to(self.visible_lines()[1] - 1):
            self.set_timer(SLICE_SECONDS, self.refresh)
        return super().render_lines(crop)

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._highlighter.spans_of(line) if self._highlighter else ()

    def gutter_of(self, line: int) -> Beside:
        number = str(line + 1).rjust(self._numbers)
        return Beside(f" ▸{number}", "checkpoint") if self._marks(line) else Beside(f"  {number}")

    def note_of(self, line: int) -> Beside | None:
        if self._checkpoint is None or not self._marks(line):
            return None
        return Beside(f"  ◂ {checkpoint_words(self._checkpoint)}", "checkpoint")

    def _marks(self, line: int) -> bool:
        return self._checkpoint is not None and self._checkpoint.line == line + 1

    @property
    def extent(self) -> str:
        """Say which lines are on the screen."""
        if not self.is_cut:
            return ""
        first, last = self.visible_lines()
        return f"{first}-{last} of {len(self.lines)} lines"


def checkpoint_words(checkpoint: Checkpoint) -> str:
    """Return when a checkpoint is reached: `before iteration 6`."""
    nth = "" if checkpoint.iteration is None else f" {checkpoint.iteration}"
    return visible_line(checkpoint.when.replace("-", " ")) + nth
