"""What a plot shows, as values: no coordinates, no colours. `svg` and `characters` draw the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

DASH = "\u2013"
"""What stands where there is no value, and between the ends of an interval."""


class Axis(NamedTuple):
    """What values are measured along."""

    label: str
    low: float = 0.0
    high: float = 1.0
    percent: bool = True
    """Whether fractions are written as percentages."""
    zero: bool = False
    """Whether zero is a line of its own, since values lie on both sides of it."""

    def shown(self, value: float) -> str:
        """Return a value as it is written beside its mark."""
        return (f"{100 * value:.1f}" if self.percent else f"{value:.2f}").replace("-", "−")

    def at(self, value: float) -> float:
        """Return where a value lies between the ends, from 0 to 1; what lies outside is put on the end."""
        span = self.high - self.low
        return min(1.0, max(0.0, (value - self.low) / span)) if span else 0.0


class Point(NamedTuple):
    """A value with its interval; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


class IntervalRow(NamedTuple):
    """A labelled value."""

    label: str
    point: Point
    mark: int = 0
    """Which of the marks stands for it: rows of the same kind have the same."""
    beside: str = ""
    """What is told at the end of the row, such as a count."""


class IntervalGroup(NamedTuple):
    """Rows under a heading; an empty one has none."""

    label: str
    rows: tuple[IntervalRow, ...]


@dataclass(frozen=True, slots=True)
class IntervalPlot:
    """Values with intervals on one scale, a row each."""

    title: str
    axis: Axis
    groups: tuple[IntervalGroup, ...]


class BarRow(NamedTuple):
    """What a bar is made of: a count for each part."""

    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BarPlot:
    """Bars of the same length, divided in the shares of their parts."""

    title: str
    parts: tuple[str, ...]
    rows: tuple[BarRow, ...]
    unit: str = "response"
    """What is counted, in the singular."""
    disjoint: bool = True
    """Whether nothing is counted in two bars, so that a part can be summed over them."""

    def total(self, row: BarRow) -> str:
        """Return what a bar is made of in all, as it stands beside it."""
        return _count(sum(row.counts), self.unit)


class TrendPoint(NamedTuple):
    """A value at a place along the axis of a measure."""

    place: int
    """Which of the plot's places, counted from 0."""
    point: Point
    size: int | None = None
    """Of how many it is; None = it is no share of a sample."""


class Series(NamedTuple):
    """What a line of a trend connects."""

    label: str
    points: tuple[TrendPoint, ...]


@dataclass(frozen=True, slots=True)
class TrendPlot:
    """How values go along ordered places, a line a series."""

    title: str
    across: str
    """What the places are of."""
    places: tuple[str, ...]
    axis: Axis
    series: tuple[Series, ...]


class RadarShape(NamedTuple):
    """One of several shapes beside each other: a value for each spoke, None where there is none."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class RadarPlot:
    """Shapes over the same spokes, each drawn apart."""

    title: str
    axis: Axis
    spokes: tuple[str, ...]
    shapes: tuple[RadarShape, ...]


class HeatRow(NamedTuple):
    """A row of a heat map: a value for each column, None where there is none."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class HeatPlot:
    """A table whose cells are shaded by their values."""

    title: str
    axis: Axis
    across: str
    """What the columns are."""
    down: str
    """What the rows are."""
    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]


Plot = IntervalPlot | BarPlot | TrendPlot | RadarPlot | HeatPlot


def described(plot: Plot) -> str:
    """Return what somebody who cannot see a plot is told of it: what is drawn, and where it goes from and to."""
    match plot:
        case IntervalPlot():
            rows = [(group.label, row) for group in plot.groups for row in group.rows if row.point.value is not None]
            return f"{plot.axis.label}: {_count(len(rows), 'value')}. {_ends(plot.axis, _named(rows))}"
        case BarPlot():
            return f"{_count(len(plot.rows), 'bar')}, each divided into {', '.join(plot.parts)}."
        case TrendPlot():
            lines = ", ".join(series.label for series in plot.series)
            return f"{plot.axis.label} along {plot.across}, from {plot.places[0]} to {plot.places[-1]}, for {lines}."
        case RadarPlot():
            values = [
                (f"{shape.label}, {spoke}", value)
                for shape in plot.shapes
                for spoke, value in zip(plot.spokes, shape.values, strict=True)
                if value is not None
            ]
            return f"{plot.axis.label} by {', '.join(plot.spokes)}. {_ends(plot.axis, values)}"
        case HeatPlot():
            values = [
                (f"{row.label}, {column}", value)
                for row in plot.rows
                for column, value in zip(plot.columns, row.values, strict=True)
                if value is not None
            ]
            return f"{plot.axis.label}, rows {plot.down}, columns {plot.across}. {_ends(plot.axis, values)}"


def letter(at: int) -> str:
    """Return the letter of a part: a to z, then A to Z, then a dot."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[at] if at < len(letters) else "·"


def _named(rows: list[tuple[str, IntervalRow]]) -> list[tuple[str, float]]:
    return [
        (", ".join(filter(None, (group, row.label))), row.point.value)
        for group, row in rows
        if row.point.value is not None
    ]


def _ends(axis: Axis, values: list[tuple[str, float]]) -> str:
    if not values:
        return "None is defined."
    least, most = min(values, key=lambda one: one[1]), max(values, key=lambda one: one[1])
    if least[1] == most[1]:
        return f"All are {axis.shown(least[1])}."
    return f"Lowest {axis.shown(least[1])} ({least[0]}), highest {axis.shown(most[1])} ({most[0]})."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
