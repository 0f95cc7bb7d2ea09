"""Two programs side by side in rows of a screen: beside each other or, where that has no room, below each other.

Values in, values out, no widget. Both programs are rows of one list, so that they scroll in step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from rich.cells import cell_len

from auditor.audit.implementations import Compared, Implementation, compare
from auditor.compare.program_sides import Kind, Part, SideRow, one_below_another, program_lines
from auditor.text import visible
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.unwrapped import UnwrappedText
from auditor.tui.wrapping import TAB_WIDTH, Row, WrappedText, shown_lines

AROUND = 3
"""Equal lines next to others that are never folded; of those that both programs begin with, the first one."""
_SMALLEST_FOLD = 4
COLUMNS_FROM = 100
"""Cells of a screen from which on the programs stand beside each other."""


class Side(NamedTuple):
    """One of the programs."""

    raw: Sequence[str]
    """Its lines as they are, which parts are counted in."""
    shown: Sequence[str]
    """The same, visible."""
    language: str


class SideTexts(NamedTuple):
    """All that a view of two programs shows."""

    sides: tuple[Side, Side]
    compared: Compared


def side_texts(one: Implementation, other: Implementation) -> SideTexts:
    """Compare two implementations; it takes longer the longer they are, and may be called from any thread."""
    return SideTexts((_side(one), _side(other)), compare(one, other))


def _side(one: Implementation) -> Side:
    return Side(program_lines(one.source), shown_lines(one.source.removesuffix("\n")), one.language)


class Entry(NamedTuple):
    """What takes one row, or several where a line is wrapped."""

    kind: Kind | Literal["fold"]
    left: int | None
    right: int | None
    left_parts: tuple[Part, ...] = ()
    right_parts: tuple[Part, ...] = ()
    folded: int = 1
    """How many equal rows a fold stands for; its lines are the first of them."""


def side_entries(rows: Sequence[SideRow], *, columns: bool, folded: bool) -> list[Entry]:
    """Return the entries that show some rows; `columns` says whether two lines stand in one row."""
    shown = rows if columns else list(one_below_another(rows))
    runs = [[Entry(*row) for row in run] for _, run in groupby(shown, lambda row: row.kind == "equal")]
    found: list[Entry] = []
    for nth, run in enumerate(runs):
        begin, end = AROUND if nth else 1, len(run) - (AROUND if nth + 1 < len(runs) else 0)
        if folded and len(runs) > 1 and run[0].kind == "equal" and end - begin >= _SMALLEST_FOLD:
            found += [*run[:begin], run[begin]._replace(kind="fold", folded=end - begin), *run[end:]]
        else:
            found += run
    return found


def stretches(entries: Sequence[Entry]) -> list[range]:
    """Return the stretches of entries that are neither equal nor alike."""
    found: list[range] = []
    for at, entry in enumerate(entries):
        if entry.kind in ("equal", "alike", "fold"):
            continue
        if found and found[-1].stop == at:
            found[-1] = range(found[-1].start, at + 1)
        else:
            found.append(range(at, at + 1))
    return found


class SideLayout:
    """Entries in rows of a width."""

    def __init__(self, texts: SideTexts, entries: Sequence[Entry], widths: tuple[int, int], *, wraps: bool) -> None:
        """`widths` are the cells of both programs; `wraps` says whether long lines are wrapped."""
        self.entries = entries
        kind = WrappedText if wraps else UnwrappedText
        self.texts = kind(texts.sides[0].shown, widths[0]), kind(texts.sides[1].shown, widths[1])
        """The lines of both programs, laid out."""
        self.widths = widths
        self._first = [0]
        """The first row of each entry; the last one is the number of all rows."""
        for entry in entries:
            height = 1 if entry.kind == "fold" else max(self._rows_of(0, entry.left), self._rows_of(1, entry.right))
            self._first.append(self._first[-1] + height)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return self._first[-1]

    @property
    def widest(self) -> int:
        """Return the cells of the widest line where lines are not wrapped; 0 where they are."""
        return max((side.widest for side in self.texts if isinstance(side, UnwrappedText)), default=0)

    def entry_at(self, y: int) -> tuple[int, int]:
        """Return the number of the entry that a row belongs to, and which of its rows it is."""
        number = bisect_right(self._first, y) - 1
        return number, y - self._first[number]

    def row_of(self, number: int) -> int:
        """Return the first row of an entry."""
        return self._first[number]

    def part_of_line(self, side: int, line: int | None, nth: int) -> Row | None:
        """Return what of a line stands in the nth row of its entry; None where nothing of it does."""
        if line is None or nth >= self._rows_of(side, line):
            return None
        layout = self.texts[side]
        return layout.row(layout.row_at(line, 0) + nth)

    def _rows_of(self, side: int, line: int | None) -> int:
        if line is None:
            return 0
        layout = self.texts[side]
        end = layout.row_at(line + 1, 0) if line + 1 < len(layout.lines) else layout.rows
        return end - layout.row_at(line, 0)


# --- what is marked in a line --------------------------------------------------------------------------------------


def part_spans(raw: str, shown: str, parts: Sequence[Part]) -> list[RoleSpan]:
    """Return the spans that mark the parts of a line which are not the same in the other one."""
    ends = [end for part in parts for end in part[:2]]
    places = iter(ends if raw == shown else [min(place, len(shown)) for place in _shown_places(raw, ends)])
    roles = ("renamed" if part.renamed else "unlike" for part in parts)
    return [RoleSpan(start, end, role) for start, end, role in zip(places, places, roles, strict=True)]


def _shown_places(raw: str, offsets: Sequence[int]) -> Iterator[int]:
    """Yield where characters of a line stand in it as `shown_lines` shows it; the offsets are in order."""
    at = place = column = 0
    for offset in offsets:
        for nth, piece in enumerate(raw[at:offset].split("\t")):
            if nth:
                pad = TAB_WIDTH - column % TAB_WIDTH
                place, column = place + pad, column + pad
            text = visible(piece)
            place, column = place + len(text), column + cell_len(text)
        at = offset
        yield place


def overlaid(under: Sequence[RoleSpan], over: Sequence[RoleSpan]) -> list[RoleSpan]:
    """Return spans in order, those of `over` in the place of what they cover; both are in order without overlaps."""
    return sorted([*over, *_uncovered(under, over)])


def _uncovered(under: Sequence[RoleSpan], over: Sequence[RoleSpan]) -> Iterator[RoleSpan]:
    first = 0
    for span in under:
        start = span.start
        while first < len(over) and over[first].end <= start:
            first += 1
        for cover in over[first:]:
            if cover.start >= span.end:
                break
            if cover.start > start:
                yield span._replace(start=start, end=cover.start)
            start = max(start, cover.end)
        if start < span.end:
            yield span._replace(start=start)
