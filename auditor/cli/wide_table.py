"""Tables of rates wider than the terminal: intervals below their values, and then columns in several blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from auditor.cli.table import GAP
from auditor.text import visible_line

Lines = list[list[str]]


def fitted(
    columns: Sequence[str], rows: Sequence[Sequence[str]], names: int, width: int | None
) -> Iterator[tuple[list[str], Lines]]:
    """Yield a table, or what it becomes where a line has less than its `width`; None = any width.

    A cell is a value and, behind a blank, what belongs to it; the first `names` columns are names. What belongs to
    values goes to a row below them; where that is not enough, columns go to further tables with the same names.
    """
    lines = [list(row) for row in rows]
    if width is not None and _width(columns, lines) > width:
        lines = [line for row in rows for line in _apart(row, names)]
    sizes = _sizes(columns, lines)
    first = sum(size + len(GAP) for size in sizes[:names])
    block: list[int] = []
    taken = first
    for at in range(names, len(columns)):
        if width is not None and block and taken + sizes[at] > width:
            yield _block(columns, lines, names, block)
            block, taken = [], first
        block.append(at)
        taken += sizes[at] + len(GAP)
    yield _block(columns, lines, names, block)


def _apart(row: Sequence[str], names: int) -> Iterator[list[str]]:
    """Yield a row with its values, and one with what belongs to them."""
    parts = [cell.partition(" ") for cell in row[names:]]
    yield [*row[:names], *(value for value, _, _ in parts)]
    if any(rest for _, _, rest in parts):
        yield [*[""] * names, *(rest for _, _, rest in parts)]


def _block(columns: Sequence[str], lines: Lines, names: int, block: Sequence[int]) -> tuple[list[str], Lines]:
    places = [*range(names), *block]
    return [columns[at] for at in places], [[line[at] for at in places] for line in lines]


def _sizes(columns: Sequence[str], lines: Lines) -> list[int]:
    return [max(map(cell_len, map(visible_line, column))) for column in zip(columns, *lines, strict=True)]


def _width(columns: Sequence[str], lines: Lines) -> int:
    return sum(_sizes(columns, lines)) + len(GAP) * (len(columns) - 1)
