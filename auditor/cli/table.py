"""Tables as plain lines: numbers to the right, columns as narrow as the terminal needs, long cells folded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from auditor.text import visible_line

GAP = "  "
_BREAK = re.compile(r"[^\s/\-]*(?:[/\-]+|\s+|$)")
"""A piece of text up to and with a place where a line may end."""


class Number(str):
    """A formatted number: text that a table aligns as a number."""

    __slots__ = ()


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int | None) -> list[str]:
    """Lay a table out; `width` is the most cells a line may take, None for any.

    A column of numbers is aligned to the right; None is shown as a dash. Text from data is made visible. A table whose
    columns cannot be made narrow enough is wider than `width`, and never loses anything.
    """
    cells = [[_shown(value) for value in row] for row in rows]
    head = [visible_line(column) for column in columns]
    numeric = [
        bool(rows) and all(row[at] is None or isinstance(row[at], int | float | Number) for row in rows)
        for at in range(len(columns))
    ]
    widths = _widths([head, *cells], width)
    lines = [*_folded(head, widths, numeric), GAP.join("─" * size for size in widths)]
    for row in cells:
        lines += _folded(row, widths, numeric)
    return lines


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


def _widths(rows: Sequence[Sequence[str]], limit: int | None) -> list[int]:
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    if limit is None:
        return widths
    # A word of more than 16 cells may be folded inside; shorter ones stay whole.
    least = [max(min(16, cell_len(word)) for text in column for word in _words(text)) for column in columns]
    spare = sum(widths) + len(GAP) * (len(widths) - 1) - limit
    while spare > 0:
        at = max(range(len(widths)), key=lambda i: widths[i] - least[i])
        if widths[at] <= least[at]:
            break
        widths[at] -= 1
        spare -= 1
    return widths


def _words(text: str) -> list[str]:
    return [piece.rstrip() for piece in _BREAK.findall(text) if piece.strip()] or [text]


def _folded(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> list[str]:
    parts = [_fold(text, width) for text, width in zip(cells, widths, strict=True)]
    lines = []
    for at in range(max(map(len, parts))):
        line = []
        for part, width, right in zip(parts, widths, numeric, strict=True):
            text = part[at] if at < len(part) else ""
            pad = " " * (width - cell_len(text))
            line.append(pad + text if right else text + pad)
        lines.append(GAP.join(line).rstrip())
    return lines


def _fold(text: str, width: int) -> list[str]:
    """Break text into lines of at most `width` cells, between words where that is possible."""
    if cell_len(text) <= width:
        return [text]
    lines, line = [], ""
    for piece in _BREAK.findall(text):
        if line and cell_len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        for char in piece:
            if line and cell_len(line + char) > width and not char.isspace():
                lines.append(line)
                line = ""
            line += char
    return [*lines, line.rstrip()] if line.strip() else lines
