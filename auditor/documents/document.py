"""What a report says, as values: sections of paragraphs, tables, listings, figures. Texts are plain, never markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from auditor.documents.plots import (
    DASH,
    Axis,
    BarPlot,
    BarRow,
    HeatPlot,
    IntervalPlot,
    IntervalRow,
    Plot,
    RadarPlot,
    TrendPlot,
    TrendPoint,
)
from auditor.model import Span


class Code(NamedTuple):
    """A name, a filter or a command within a sentence."""

    text: str


class Link(NamedTuple):
    """A place of the same document within a sentence."""

    text: str
    section: str
    """The id of the section."""


Words = str | Sequence[str | Code | Link]
"""A sentence or some."""

Kind = Literal["text", "lead", "note", "warning"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; a `lead` is what to read first, a `note` what to know, a `warning` what to doubt."""

    words: Words
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: Sequence[Words]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names, each with what there is to say of it."""

    rows: Sequence[tuple[str, Words]]


class Column(NamedTuple):
    """A column of a table."""

    name: str
    number: bool = True
    """Whether its cells are numbers, which stand to the right."""


class Cell(NamedTuple):
    """What stands in a cell, and smaller below or after it its interval or count."""

    text: str
    detail: str = ""

    @property
    def beside(self) -> str:
        """Return the detail as it stands in one line with the text: what is no interval and no count in parentheses."""
        return self.detail if not self.detail or self.detail.startswith(("[", "n=")) else f"({self.detail})"


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first cells name their rows."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell | str]]
    notes: Sequence[Words] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A text from data, exactly as it is but for what does not show."""

    label: str
    text: str
    language: str = ""
    length: int | None = None
    """Characters of the whole text, of which `text` is the beginning; None = it is the whole."""
    marks: Sequence[Span] = ()
    """Characters that differ from what they are compared with, in order."""
    removed: bool = False
    """Whether the marked ones are what the other text lacks, else what it has not got."""
    spelled: Sequence[Span] = ()
    """Characters that differ and are the same value, which do not count."""
    numbered: bool = False
    """Whether it is a program, whose lines have numbers where there is room for them."""
    line: int | None = None
    """The line to point at, counted from 1."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot, what to see in it, and how it was made."""

    id: str
    plot: Plot
    notes: Sequence[Words] = ()
    folded: Table | None = None
    """The numbers, where the plot puts some of them together; None = as the plot has them."""
    below: bool = False
    """Whether a table below says all that the plot shows, so that it needs none of its own."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What few readers need, behind its summary where that can be."""

    summary: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part; `id` is unique in the document and made of letters, digits and hyphens."""

    id: str
    title: str
    blocks: Sequence[Block | Section]


Block = Paragraph | Bullets | Facts | Table | Listing | Figure | Folded


@dataclass(frozen=True, slots=True)
class Document:
    """A report."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    date: str | None = None
    made_with: str = ""


def plain(words: Words) -> str:
    """Return a sentence without its marks."""
    if isinstance(words, str):
        return words
    return "".join(piece if isinstance(piece, str) else piece.text for piece in words)


def table_of(plot: Plot) -> Table:
    """Return the numbers of a plot as a table, which says all that the plot shows."""
    match plot:
        case IntervalPlot():
            return _interval_table(plot)
        case BarPlot():
            columns = [Column("", False), *(Column(part) for part in plot.parts), Column("all")]
            return Table(plot.title, columns, [_bar_cells(row) for row in plot.rows])
        case TrendPlot():
            columns = [Column("", False), *(Column(place) for place in plot.places)]
            return Table(plot.title, columns, [_trend_row(plot, at) for at in range(len(plot.series))])
        case RadarPlot():
            columns = [Column("", False), *(Column(spoke) for spoke in plot.spokes)]
            radar = [[shape.label, *(_value(plot.axis, value) for value in shape.values)] for shape in plot.shapes]
            return Table(plot.title, columns, radar)
        case HeatPlot():
            columns = [Column("", False), *(Column(column) for column in plot.columns)]
            heat = [[row.label, *(_value(plot.axis, value) for value in row.values)] for row in plot.rows]
            return Table(plot.title, columns, heat)


def _interval_table(plot: IntervalPlot) -> Table:
    grouped = any(group.label for group in plot.groups)
    heads = [Column("", False)] * (2 if grouped else 1)
    columns = [*heads, Column(plot.axis.label), Column("interval")]
    told = any(row.beside for group in plot.groups for row in group.rows)
    rows = []
    for group in plot.groups:
        for row in group.rows:
            start = [group.label, row.label] if grouped else [row.label]
            value = _value(plot.axis, row.point.value)
            rows.append([*start, value, interval_words(plot, row), *([row.beside] if told else [])])
    return Table(plot.title, [*columns, *([Column("")] if told else [])], rows)


def interval_words(plot: IntervalPlot, row: IntervalRow) -> str:
    """Return the interval of a row in brackets; a dash where there is none."""
    low, high = row.point.low, row.point.high
    return DASH if low is None or high is None else f"[{plot.axis.shown(low)}, {plot.axis.shown(high)}]"


def _trend_row(plot: TrendPlot, at: int) -> list[Cell | str]:
    series = plot.series[at]
    by_place = {point.place: point for point in series.points}
    cells: list[Cell | str] = [series.label]
    for place in range(len(plot.places)):
        found = by_place.get(place)
        if found is None:
            cells.append(DASH)
            continue
        low, high = found.point.low, found.point.high
        shown = "" if low is None or high is None else f"[{plot.axis.shown(low)}, {plot.axis.shown(high)}] "
        cells.append(Cell(_value(plot.axis, found.point.value), shown + _size(found)))
    return cells


def _size(point: TrendPoint) -> str:
    return "" if point.size is None else f"n={point.size:,}"


def _value(axis: Axis, value: float | None) -> str:
    return DASH if value is None else axis.shown(value)


def _bar_cells(row: BarRow) -> list[Cell | str]:
    total = sum(row.counts)
    return [row.label, *(_with_share(count, total) for count in row.counts), f"{total:,}"]


def _with_share(count: int, total: int) -> Cell:
    return Cell(f"{count:,}", f"{100 * count / total:.1f} %" if total else "")
