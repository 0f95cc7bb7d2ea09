"""Long text with one row a line: which characters of a line stand in which columns. No widget.

Where every character takes one cell nothing is counted; of other lines every few characters' columns are kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from auditor.tui.cell_widths import cell_widths
from auditor.tui.wrapping import Row, WrappedText

_MARKED_EVERY = 64
"""Characters between two columns that are kept, and those that combine with the last of them."""
_MEASURED_AT_ONCE = 4_000
"""Longer lines are measured when they are laid out, which may be beside the event loop, and not when they are drawn."""
_NOT_ONE_CELL = re.compile("[^\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2026\u2400-\u2426\u2500-\u25fc]")
"""Characters that may take no cell, or two: all but those of which it is known that they take one."""


class Window(NamedTuple):
    """What of a line stands in some columns."""

    start: int
    end: int
    pad: int
    """Empty cells at its left, where a wide character is cut."""


class _Columns(NamedTuple):
    """Characters of a line and the columns where they stand, in order; the last ones are behind the line."""

    characters: list[int]
    columns: list[int]


class UnwrappedText(WrappedText):
    """Shown lines, each one row, however wide it is."""

    def __init__(self, lines: Sequence[str], width: int) -> None:
        super().__init__((), width)
        self.lines = lines
        self.widest = 0
        """Cells of the widest line."""
        self._columns: dict[int, _Columns] = {}
        self._uneven: set[int] = set()
        """Lines with characters that may not take one cell."""
        for number, line in enumerate(lines):
            cells = len(line)
            if cells and not line.isascii() and _NOT_ONE_CELL.search(line):
                self._uneven.add(number)
                cells = self._measured(number).columns[-1] if cells > _MEASURED_AT_ONCE else cell_len(line)
            if cells > self.widest:
                self.widest = cells

    @property
    def rows(self) -> int:
        return len(self.lines)

    def row(self, y: int) -> Row:
        return Row(y, 0, len(self.lines[y]))

    def row_at(self, line: int, offset: int) -> int:
        return line

    def column_of(self, line: int, offset: int) -> int:
        """Return the column of a character, counted from 0."""
        columns = self._columns_of(line)
        if columns is None:
            return min(offset, len(self.lines[line]))
        at = max(0, bisect_right(columns.characters, offset) - 1)
        return columns.columns[at] + cell_len(self.lines[line][columns.characters[at] : offset])

    def cells_of(self, line: int) -> int:
        """Return how many cells a line takes."""
        return self.column_of(line, len(self.lines[line]))

    def window(self, line: int, left: int, cells: int) -> Window:
        """Return the characters that stand wholly in some columns from `left` on."""
        text = self.lines[line]
        columns = self._columns_of(line)
        if columns is None:
            return Window(min(left, len(text)), min(left + cells, len(text)), 0)
        at = max(0, bisect_right(columns.columns, left) - 1)
        last = min(bisect_right(columns.columns, left + cells), len(columns.characters) - 1)
        first, column = columns.characters[at], columns.columns[at]
        start = end = None
        pad = 0
        for begin, stop, width in split_graphemes(text[first : columns.characters[last]])[0]:
            if start is None and column >= left:
                start, end, pad = first + begin, first + begin, column - left
            if start is not None:
                if column + width > left + cells:
                    break
                end = first + stop
            column += width
        return Window(len(text), len(text), 0) if start is None or end is None else Window(start, end, pad)

    def _columns_of(self, line: int) -> _Columns | None:
        """Return the columns of a line; None where each character takes one cell."""
        if line not in self._uneven:
            return None
        return self._columns.get(line) or self._measured(line)

    def _measured(self, line: int) -> _Columns:
        cells = cell_widths(self.lines[line])
        characters, columns = [0], [0]
        while (at := characters[-1]) < len(cells):
            end = min(len(cells), at + _MARKED_EVERY)
            while end < len(cells) and not cells[end]:
                end += 1
            characters.append(end)
            columns.append(columns[-1] + sum(cells[at:end]))
        found = self._columns[line] = _Columns(characters, columns)
        return found
