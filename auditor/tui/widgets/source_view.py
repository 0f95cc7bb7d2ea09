"""A program: line numbers, the checkpoint's line marked, tokens coloured only as far as the window reaches."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.model import Checkpoint
from auditor.text import visible_line
from auditor.tui.highlighting import Highlighter
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.line_view import Beside, LineView
from auditor.tui.wrapping import shown_lines


class SourceView(LineView):
    """The source of a task."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self._highlighter: Highlighter | None = None
        self._checkpoint: Checkpoint | None = None
        self._numbers = 2

    def show_source(self, source: str, language: str, checkpoint: Checkpoint | None) -> None:
        """Show a program in one of the task languages, with its checkpoint's line in sight."""
        lines = shown_lines(source)
        if len(lines) > 1 and lines[-1] == "":
            lines.pop()
        self._highlighter = Highlighter(lines, language)
        self._checkpoint = checkpoint
        self._numbers = max(2, len(str(len(lines))))
        self.gutter_width = self._numbers + 4
        self.show_lines(lines)
        if checkpoint is not None and 0 < checkpoint.line <= len(lines) and self.is_cut:
            self.open_at(checkpoint.line - 1, above=max(2, self.scrollable_content_region.height // 2))

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
