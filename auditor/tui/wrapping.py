"""Lay long text out in rows of terminal cells: values in, values out, no widget.

A row is a slice of a shown line; the slices of a line join to the line. Plain ASCII costs nothing per character.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from auditor.text import visible
from auditor.tui.cell_widths import cell_widths

TAB_WIDTH = 4
TAB_MARK = "␉"
WORD_WRAP_LIMIT = 4000
"""Lines longer than this many characters are cut at the width, not between words."""


class Row(NamedTuple):
    """One row on the screen: characters `start:end` of a shown line."""

    line: int
    start: int
    end: int


def shown_lines(text: str) -> list[str]:
    """Split text at newlines only, with controls made visible and tabs shown as a mark up to the next stop."""
    shown = visible(text)
    lines = shown.split("\n")
    return [expand_tabs(line) for line in lines] if "\t" in shown else lines


def expand_tabs(line: str) -> str:
    """Replace each tab by its mark and spaces up to the next multiple of TAB_WIDTH cells."""
    if "\t" not in line:
        return line
    pieces = line.split("\t")
    out, column = [pieces[0]], cell_len(pieces[0])
    for piece in pieces[1:]:
        pad = TAB_WIDTH - column % TAB_WIDTH
        out += [TAB_MARK, " " * (pad - 1), piece]
        column += pad + cell_len(piece)
    return "".join(out)


class WrappedText:
    """Shown lines wrapped to a width in cells."""

    def __init__(self, lines: Sequence[str], width: int) -> None:
        self.lines = lines
        self.width = max(2, width)
        """Cells in a row; at least 2, so that a wide character fits."""
        self._starts: dict[int, list[int]] = {}
        """Row starts of the lines whose rows are not simply `width` characters each."""
        self._first: list[int] = [0]
        """Number of rows before each line; the last entry is the number of all rows."""
        total, limit = 0, self.width
        for number, line in enumerate(lines):
            total += 1 if len(line) <= limit and line.isascii() else self._rows_of(number, line)
            self._first.append(total)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return self._first[-1]

    def row(self, y: int) -> Row:
        """Return row `y`, counted from 0."""
        line = bisect_right(self._first, y) - 1
        nth = y - self._first[line]
        length = len(self.lines[line])
        starts = self._starts.get(line)
        if starts is None:
            start = nth * self.width
            return Row(line, start, min(length, start + self.width))
        return Row(line, starts[nth], starts[nth + 1] if nth + 1 < len(starts) else length)

    def row_at(self, line: int, offset: int) -> int:
        """Return the row that shows character `offset` of a line."""
        starts = self._starts.get(line)
        nth = offset // self.width if starts is None else bisect_right(starts, offset) - 1
        last = self._first[line + 1] - 1
        return min(last, self._first[line] + max(0, nth))

    def _rows_of(self, number: int, line: str) -> int:
        if line.isascii():
            if len(line) > WORD_WRAP_LIMIT:
                return -(-len(line) // self.width)
            starts = _word_starts(line, self.width)
        else:
            starts = _cell_starts(line, self.width)
        self._starts[number] = starts
        return len(starts)


def _word_starts(line: str, width: int) -> list[int]:
    """Break a plain line after spaces, or at the width where a word is longer than it."""
    starts, start = [0], 0
    while len(line) - start > width:
        space = line.rfind(" ", start, start + width)
        if space > start and line[space - 1].isdigit() and line.startswith("%", space + 1):
            space = line.rfind(" ", start, space)  # a number and its percent sign stay together
        # A break in the first third would leave a hole; long tokens are better cut.
        start = space + 1 if space - start >= width // 3 else start + width
        starts.append(start)
    return starts


def _cell_starts(line: str, width: int) -> list[int]:
    """Break a line so that no row is wider than `width` cells, and not before a character that joins the one before."""
    cells = cell_widths(line)
    starts, start, length = [0], 0, len(line)
    word_wrap = length <= WORD_WRAP_LIMIT
    while (end := _row_end(cells, start, width)) < length:
        if word_wrap:
            space = line.rfind(" ", start, end)
            while space >= start and not cells[space + 1]:
                space = line.rfind(" ", start, space)  # one that carries an accent is none
            # As between plain words.
            if space >= start and sum(cells[start : space + 1]) >= width // 3:
                end = space + 1
        start = end
        starts.append(start)
    return starts


def _row_end(cells: bytes, start: int, width: int) -> int:
    """Return where the longest row ends that begins at a character."""
    end, free = start, width
    while free > 0 and end < len(cells):
        # Half of what is free surely fits, since no character is wider than two cells.
        step = max(1, free // 2)
        used = sum(cells[end : end + step])
        if used > free:
            break
        end, free = end + step, free - used
    end = min(end, len(cells))
    while end < len(cells) and not cells[end]:
        end += 1
    return end
