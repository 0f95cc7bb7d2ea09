"""The overview as lines of text and figures; each figure says what it counts and what it opens. No widget, no file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from auditor.audit.core_overview import CoreItems
from auditor.audit.flags.flag import FlagItems
from auditor.audit.overview import InState, Tagged
from auditor.store.expr import And, Match, unparse
from auditor.text import visible_line
from auditor.tui.short_names import middle_cut

_WIDEST_LABEL, _LEAST_LABEL, _WIDEST_HEAD = 32, 12, 14
_MOST_NAME = 200
"""Characters of a name that are looked at; more never fit."""
MOST_ROWS = 60
"""Rows of a table on the screen; the commands have all of them."""


class Filtered(NamedTuple):
    """The items of a filter."""

    where: str


class OtherScreen(NamedTuple):
    """`queue`, `agreement`, `codebook` or `core`."""

    name: str


class Closed(NamedTuple):
    """Nothing that could be shown."""

    why: str


Behind = InState | Tagged | FlagItems | CoreItems
"""Items that no filter says."""
Opens = Filtered | Behind | OtherScreen | Closed


class Figure(NamedTuple):
    """A number that can be chosen."""

    key: str
    """Stays the same when the number changes."""
    text: str
    opens: Opens
    words: str
    """What it counts, as a sentence; names in it are visible already."""
    items: int | None = None
    """How many items it opens; None = not as many as it counts."""


class Span(NamedTuple):
    """A piece of a line."""

    text: str
    """Visible already."""
    role: str = ""
    figure: Figure | None = None


Line = tuple[Span, ...]


class Section(NamedTuple):
    """Lines under a heading."""

    title: str
    lines: Sequence[Line]
    detail: str = ""


class Row(NamedTuple):
    """A row of a table."""

    name: str
    """Any text."""
    cells: Sequence[Figure | str]


def matching(*parts: tuple[str, object]) -> Filtered:
    """Return what opens the items that have these values of dimensions."""
    matches = tuple(Match(name, (str(value),)) for name, value in parts)
    return Filtered(unparse(matches[0] if len(matches) == 1 else And(matches)))


def shown(name: str, cells: int = 60) -> str:
    """Return a name in a sentence."""
    return middle_cut(visible_line(name, _MOST_NAME), cells)


def said(text: str, role: str = "muted") -> Line:
    """Return a line of nothing but words."""
    return (Span(f"  {text}", role),)


def told(figure: Figure, role: str = "") -> Line:
    """Return a line that is one figure."""
    return (Span("  "), Span(figure.text, role, figure))


def laid_out(sections: Sequence[Section], width: int) -> list[Line]:
    """Return the lines of sections under each other."""
    lines: list[Line] = []
    for section in sections:
        if lines:
            lines.append(())
        detail = (Span(f"  {section.detail}", "muted"),) if section.detail else ()
        lines += [(Span(section.title, "title"), *detail), *section.lines]
    return lines


def table(heads: Sequence[str], rows: Sequence[Row], width: int, more: str = "") -> list[Line]:
    """Return a table whose columns go on below where they have no room beside each other.

    `more` says where the rest is, where there are more rows than the screen shows.
    """
    if not rows:
        return []
    some = rows[:MOST_ROWS]
    label = min(_WIDEST_LABEL, max(cell_len(visible_line(row.name, _MOST_NAME)) for row in some))
    label = max(_LEAST_LABEL, label)
    names = [middle_cut(visible_line(head, _MOST_NAME), _WIDEST_HEAD) for head in heads]
    widths = [max(cell_len(name), *(cell_len(_text(row.cells[at])) for row in some)) for at, name in enumerate(names)]
    lines: list[Line] = []
    start = 0
    while start < len(names):
        stop, used = start, 2 + label
        while stop < len(names) and (stop == start or used + 2 + widths[stop] <= width):
            used += 2 + widths[stop]
            stop += 1
        places = range(start, stop)
        head = "".join(f"  {_right(names[at], widths[at])}" for at in places)
        lines.append((Span(" " * (2 + label) + head, "muted"),))
        lines += [_row(row, label, places, widths) for row in some]
        start = stop
    if len(rows) > len(some):
        lines.append(said(f"… and {len(rows) - len(some):,} more rows; {more}"))
    return lines


def _row(row: Row, label: int, places: Sequence[int], widths: Sequence[int]) -> Line:
    name = middle_cut(visible_line(row.name, _MOST_NAME), label)
    spans = [Span(f"  {set_cell_size(name, label)}")]
    for at in places:
        cell = row.cells[at]
        text = _text(cell)
        spans.append(Span(" " * (2 + widths[at] - cell_len(text))))
        spans.append(Span(text, "", cell) if isinstance(cell, Figure) else Span(text, "muted"))
    return tuple(spans)


def _text(cell: Figure | str) -> str:
    return cell.text if isinstance(cell, Figure) else cell


def _right(text: str, cells: int) -> str:
    return " " * max(0, cells - cell_len(text)) + text
