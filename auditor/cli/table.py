"""Tables as plain lines: numbers to the right, columns as narrow as the terminal needs, long cells folded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len

from auditor.text import visible_line

GAP = "  "
_FOLDS = " /-"
"""After which characters a line may end, where a column does not say otherwise."""
_LONG_WORD = 16
"""Cells of the longest word that stays whole; where a column says where it folds, _LONG_PIECE."""
_LONG_PIECE = 40
_WIDEST = 200
"""Cells of the widest column where lines are not folded: one huge cell must not pad every other row."""


class Number(str):
    """A formatted number: text that a table aligns as a number."""

    __slots__ = ()


class _Column(NamedTuple):
    """How a column folds."""

    pieces: re.Pattern[str]
    """Finds a piece of text up to and with a place where a line may end."""
    longest: int
    """Cells of the longest piece that stays whole."""


def table_lines(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    width: int | None,
    folds: Mapping[str, str] | None = None,
) -> list[str]:
    """Lay a table out; `width` is the most cells a line may take, None for any.

    `folds` names for a column the characters after which a line may end, instead of blank, slash and hyphen.

    A column of numbers is aligned to the right; None is shown as a dash. Text from data is made visible. A table whose
    columns cannot be made narrow enough is wider than `width`, and never loses anything.
    """
    cells = [[_shown(value) for value in row] for row in rows]
    head = [visible_line(column) for column in columns]
    numeric = [
        bool(rows) and all(row[at] is None or isinstance(row[at], int | float | Number) for row in rows)
        for at in range(len(columns))
    ]
    ways = [_column((folds or {}).get(column)) for column in columns]
    widths = _widths([head, *cells], ways, width)
    rows_of = [
        [[text] if width is None else _fold(text, size, way) for text, size, way in zip(row, widths, ways, strict=True)]
        for row in [head, *cells]
    ]
    first, *others = (_beside(parts, widths, numeric) for parts in rows_of)
    return [*first, GAP.join("─" * size for size in widths), *(line for lines in others for line in lines)]


def _column(folds: str | None) -> _Column:
    ends = re.escape(_FOLDS if folds is None else folds)
    pieces = re.compile(f"[^{ends}]*(?:[{ends}]+|$)" if ends else ".+")
    return _Column(pieces, _LONG_WORD if folds is None else _LONG_PIECE)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int):
        return f"{value:,}"
    return visible_line(str(value))


def _widths(rows: Sequence[Sequence[str]], ways: Sequence[_Column], limit: int | None) -> list[int]:
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    if limit is None:
        return [min(size, _WIDEST) for size in widths]
    least = [
        max(min(way.longest, cell_len(word)) for text in column for word in _words(text, way))
        for column, way in zip(columns, ways, strict=True)
    ]
    spare = sum(widths) + len(GAP) * (len(widths) - 1) - limit
    while spare > 0:
        loose = [size - smallest for size, smallest in zip(widths, least, strict=True)]
        *_, second, most = sorted([0, *loose])
        if not most:
            break
        # The loosest column alone, down to the next one; then one cell of each in turn.
        by = min(spare, max(1, most - second))
        widths[loose.index(most)] -= by
        spare -= by
    return widths


def _words(text: str, way: _Column) -> list[str]:
    return [piece.rstrip() for piece in way.pieces.findall(text) if piece.strip()] or [text]


def _beside(parts: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]) -> list[str]:
    """Put the lines of a row's cells beside each other; a line wider than its column moves what is right of it."""
    lines = []
    for at in range(max(map(len, parts))):
        line = []
        for part, width, right in zip(parts, widths, numeric, strict=True):
            text = part[at] if at < len(part) else ""
            pad = " " * (width - cell_len(text))
            line.append(pad + text if right else text + pad)
        lines.append(GAP.join(line).rstrip())
    return lines


def _fold(text: str, width: int, way: _Column) -> list[str]:
    """Break text into lines of at most `width` cells, between words where that is possible."""
    if cell_len(text) <= width:
        return [text]
    lines, line = [], ""
    for piece in way.pieces.findall(text):
        if line and cell_len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        for char in piece:
            if line and cell_len(line + char) > width and not char.isspace():
                lines.append(line)
                line = ""
            line += char
    return [*lines, line.rstrip()] if line.strip() else lines


def wrapped(line: str, width: int) -> list[str]:
    """Break a line between words; what goes on is indented as the line is, and a longer word stays whole."""
    if cell_len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip(" "))]
    lines, begun = [], ""
    for word in line.strip(" ").split(" "):
        longer = f"{begun} {word}" if begun else indent + word
        if begun and cell_len(longer) > width:
            lines.append(begun)
            longer = indent + word
        begun = longer
    return [*lines, begun]
