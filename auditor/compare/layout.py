"""Two texts side by side, line by line, ready to be drawn: any window of rows without laying out the rest.

Lines are what `split("\\n")` says; text is given visible, so that a screen adds style and nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from auditor.compare.text_diff import Kind, Piece, TextDiff
from auditor.model import Span
from auditor.text import visible_line


class Segment(NamedTuple):
    """A stretch of a line that is drawn in one style."""

    text: str
    """Visible text. Newlines and tabs are pictures; so are spaces that changed or stand at the end of a line."""
    kind: Kind
    start: int
    """Where it begins in the whole text of its side, in characters."""
    stop: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one side, or the part of it that was asked for."""

    number: int
    """Counted from 1."""
    segments: tuple[Segment, ...]
    left: int
    """Characters of the line that are hidden before what is given."""
    right: int
    """Characters of the line that are hidden after it."""


class Row(NamedTuple):
    """Lines that belong beside each other; None = that side has no line here."""

    oracle: Line | None
    prediction: Line | None

    @property
    def changed(self) -> bool:
        """Say whether a screen has to mark the row; a changed part may be hidden on either side."""
        lines = [line for line in self if line is not None]
        return len(lines) < 2 or any(segment.kind != "equal" for line in lines for segment in line.segments)


class _Run(NamedTuple):
    """Rows in a row whose lines go up by one on each side that is present."""

    row: int
    oracle: int | None
    """Index of the first line, from 0."""
    prediction: int | None
    height: int


class SideBySide:
    """The rows of a difference: made once in time linear in lines and pieces, then any window is immediate."""

    def __init__(self, diff: TextDiff, oracle: str, prediction: str) -> None:
        self._oracle = _Side(oracle, [(piece.kind, piece.oracle) for piece in diff.pieces])
        self._prediction = _Side(prediction, [(piece.kind, piece.prediction) for piece in diff.pieces])
        self._runs = list(_runs(diff, self._oracle, self._prediction))
        self._first_rows = [run.row for run in self._runs]
        self._oracle_runs = [(run.oracle, run.row) for run in self._runs if run.oracle is not None]
        self._prediction_runs = [(run.prediction, run.row) for run in self._runs if run.prediction is not None]

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._runs[-1].row + self._runs[-1].height

    def rows(self, start: int, stop: int, *, left: int = 0, width: int | None = None) -> list[Row]:
        """Return the rows of a window.

        `left` and `width` choose characters of each line, so that a line of a megabyte costs what is shown of it.
        """
        return [self._row(row, left, width) for row in range(max(0, start), min(stop, len(self)))]

    def row_of(self, piece: Piece) -> tuple[int, int]:
        """Return the row where a piece begins to be seen, and the character within its line.

        Lines that only one side has are found on that side: an inserted piece stands in the prediction alone.
        """
        places = []
        if piece.kind != "insert":
            places.append(self._oracle.place(piece.oracle.start, self._oracle_runs))
        if piece.kind != "delete":
            places.append(self._prediction.place(piece.prediction.start, self._prediction_runs))
        return min(places)

    def _row(self, row: int, left: int, width: int | None) -> Row:
        run = self._runs[bisect_right(self._first_rows, row) - 1]
        offset = row - run.row
        return Row(
            None if run.oracle is None else self._oracle.line(run.oracle + offset, left, width),
            None if run.prediction is None else self._prediction.line(run.prediction + offset, left, width),
        )


class _Side:
    """One text with its lines and pieces."""

    def __init__(self, text: str, pieces: Sequence[tuple[Kind, Span]]) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        """Where each line begins."""
        self._pieces = pieces
        self._piece_starts = [span.start for _, span in pieces]

    def line_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def place(self, offset: int, runs: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Return row and column of an offset; `runs` holds first line and first row of what is shown in one go."""
        line = self.line_at(offset)
        first_line, first_row = runs[bisect_right(runs, line, key=itemgetter(0)) - 1]
        return first_row + line - first_line, offset - self.starts[line]

    def line(self, index: int, left: int, width: int | None) -> Line:
        """Lay out one line, or `width` characters of it after the first `left`."""
        begin = self.starts[index]
        last = index + 1 == len(self.starts)
        end = len(self.text) if last else self.starts[index + 1] - 1
        start = min(end, begin + left)
        stop = end if width is None else min(end, start + width)
        blanks = begin + len(self.text[begin:end].rstrip(" "))
        segments = [self._segment(kind, span, blanks) for kind, span in self._pieces_in(start, stop)]
        if not last and stop == end:
            segments += [Segment("␊", kind, *span) for kind, span in self._pieces_in(end, end + 1) if kind != "equal"]
        return Line(index + 1, tuple(segments), start - begin, end - stop)

    def _pieces_in(self, start: int, stop: int) -> Iterator[tuple[Kind, Span]]:
        """Yield the pieces of a stretch, cut to it."""
        place = max(0, bisect_right(self._piece_starts, start) - 1)
        while start < stop:
            kind, span = self._pieces[place]
            if span.end > start:
                yield kind, Span(start, min(stop, span.end))
                start = span.end
            place += 1

    def _segment(self, kind: Kind, span: Span, blanks: int) -> Segment:
        """Make one stretch visible; `blanks` is where the spaces at the end of its line begin."""
        raw = self.text[slice(*span)]
        solid = max(0, blanks - span.start) if kind == "equal" or raw.strip(" ") else 0
        shown = visible_line(raw[:solid]) + visible_line(raw[solid:]).replace(" ", "␠")
        # A combining mark is drawn on a circle of its own, else it lands on what stands before the segment.
        on_circle = unicodedata.category(raw[0]).startswith("M") and shown[0] == raw[0]
        return Segment(f"◌{shown}" if on_circle else shown, kind, *span)


# --- which lines belong beside each other --------------------------------------------------------------------------


def _runs(diff: TextDiff, oracle: _Side, prediction: _Side) -> Iterator[_Run]:
    """Pair the lines of both sides: those that end in the same newline, and between these those that share most."""
    row = 0
    for left, right, height in _stretches(diff, oracle, prediction):
        yield _Run(row, left, right, height)
        row += height


_Stretch = tuple[int | None, int | None, int]


def _stretches(diff: TextDiff, oracle: _Side, prediction: _Side) -> Iterator[_Stretch]:
    i = j = 0  # the first lines that have no row yet
    shared: dict[tuple[int, int], int] = {}  # characters that a pair of these lines has in common
    for piece in diff.pieces:
        if piece.kind != "equal":
            continue
        first = oracle.line_at(piece.oracle.start), prediction.line_at(piece.prediction.start)
        newlines = oracle.line_at(piece.oracle.end) - first[0]
        if not newlines:
            shared[first] = shared.get(first, 0) + piece.oracle.end - piece.oracle.start
            continue
        shared[first] = shared.get(first, 0) + oracle.starts[first[0] + 1] - piece.oracle.start
        yield from _group(Span(i, first[0] + 1), Span(j, first[1] + 1), shared)
        i, j = first[0] + newlines, first[1] + newlines
        if newlines > 1:
            yield first[0] + 1, first[1] + 1, newlines - 1
        shared = {(i, j): piece.oracle.end - oracle.starts[i]}
    lines, other_lines = len(oracle.starts), len(prediction.starts)
    if oracle.starts[-1] == len(oracle.text) and prediction.starts[-1] == len(prediction.text):
        last = lines - 1, other_lines - 1  # both texts end in a newline: what follows it belongs together
        shared[last] = shared.get(last, 0) + 1
    yield from _group(Span(i, lines), Span(j, other_lines), shared)


def _group(oracle: Span, prediction: Span, shared: dict[tuple[int, int], int]) -> Iterator[_Stretch]:
    """Pair the lines of one stretch: where two share more than either does with any other, else in order."""
    most_left: dict[int, int] = {}
    most_right: dict[int, int] = {}
    for (left, right), count in shared.items():
        most_left[left] = max(most_left.get(left, 0), count)
        most_right[right] = max(most_right.get(right, 0), count)
    i, j = oracle.start, prediction.start
    for (left, right), count in shared.items():  # in order on both sides, as the pieces are
        if left >= i and right >= j and count and count == most_left[left] == most_right[right]:
            yield from _in_order(Span(i, left), Span(j, right))
            yield left, right, 1
            i, j = left + 1, right + 1
    yield from _in_order(Span(i, oracle.end), Span(j, prediction.end))


def _in_order(oracle: Span, prediction: Span) -> Iterator[_Stretch]:
    both = min(oracle.end - oracle.start, prediction.end - prediction.start)
    if both:
        yield oracle.start, prediction.start, both
    if oracle.start + both < oracle.end:
        yield oracle.start + both, None, oracle.end - oracle.start - both
    if prediction.start + both < prediction.end:
        yield None, prediction.start + both, prediction.end - prediction.start - both
