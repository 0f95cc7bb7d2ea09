"""A C* program that runs: the construct to which a rule applies, the lines reached so far, and the line of the end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from auditor.text import visible
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.line_view import Beside
from auditor.tui.widgets.replay_source import ReplaySource
from auditor.tui.widgets.source_view import VIOLATION
from auditor.tui.wrapping import expand_tabs

if TYPE_CHECKING:
    from auditor.studies.prex.cstar.syntax_tree import Place


class CStarSource(ReplaySource):
    """`▶✗10` is the line of the step, and where the run ends; the construct itself is underlined."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: Sequence[str] = ()
        """The lines as they are stored, in which places count."""
        self._construct: Place | None = None

    def show_text(self, source: str, language: str) -> None:
        """Show a program; its construct is that of the next step that is shown."""
        self._texts = source.split("\n")
        self._construct = None
        self.show_source(source, language, None)

    def show_other_text(self, source: str, language: str) -> None:
        """Show the same program in another spelling, line by line the same."""
        self._texts = source.split("\n")
        self._construct = None
        self.show_spelling(source, language)

    def show_construct(self, step: int, place: Place | None) -> None:
        """Show another step, with what its rule applies to."""
        self._construct = place
        self.show_step(step, place.line if place is not None else 0)

    def gutter_of(self, line: int) -> Beside:
        beside = super().gutter_of(line)
        if not self._is_marked(line):
            return beside
        return Beside(f"{beside.text[:1]}{VIOLATION}{beside.text[2:]}", "verdict-bad")

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        spans, place = super().spans_of(line), self._construct
        number = self._lines_of_rows[line] + 1
        if place is None or not place.line <= number <= place.end_line or line in self._folds:
            return spans
        text = self._texts[number - 1]
        start = _shown_column(text, place.column - 1) if number == place.line else 0
        end = _shown_column(text, place.end_column - 1) if number == place.end_line else len(self.lines[line])
        return _with_span(spans, RoleSpan(start, end, "construct"))


def _shown_column(text: str, column: int) -> int:
    """Return where a character of a line is on the screen's line, which shows controls as marks."""
    return len(expand_tabs(visible(text[:column])))


def _with_span(spans: Sequence[RoleSpan], one: RoleSpan) -> list[RoleSpan]:
    """Return spans with another one in the place of what it covers."""
    return list(_merged(spans, one))


def _merged(spans: Sequence[RoleSpan], one: RoleSpan) -> Iterator[RoleSpan]:
    at = bisect_right(spans, one.start, key=lambda span: span.start)
    for span in spans[:at]:
        if span.start < min(span.end, one.start):
            yield span._replace(end=min(span.end, one.start))
    yield one
    for span in spans[max(0, at - 1) :]:
        if span.end > one.end:
            yield span._replace(start=max(span.start, one.end))
