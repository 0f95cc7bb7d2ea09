"""Plots in characters, for a terminal and for Markdown: the same values as in SVG, a line a row."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from auditor.documents.plots import (
    DASH,
    Axis,
    BarPlot,
    HeatPlot,
    IntervalPlot,
    IntervalRow,
    Plot,
    RadarPlot,
    TrendPlot,
    letter,
)
from auditor.text import visible_line

MARKS = "●■▲◆▼+◀▶"
"""What stands for a value, by the kind of its row."""
_SHADES = " ░▒▓█"
_LEAST_TRACK, _LEAST_LABEL = 16, 12
_WIDEST_LABEL = 40


def plot_lines(plot: Plot, width: int = 96) -> Iterator[str]:
    """Draw a plot in lines of at most about `width` cells; every text from data is made visible."""
    yield visible_line(plot.title)
    yield ""
    match plot:
        case IntervalPlot():
            yield from _intervals(plot, width)
        case BarPlot():
            yield from _bars(plot, width)
        case TrendPlot():
            yield from _trend(plot, width)
        case RadarPlot():
            yield from _radar(plot, width)
        case HeatPlot():
            yield from _heat(plot, width)


def _labels(labels: list[str]) -> int:
    """Return how many cells the column of labels takes."""
    return min(_WIDEST_LABEL, max((cell_len(visible_line(label)) for label in labels), default=0))


def _cell(text: str, width: int, *, right: bool = False) -> str:
    """Return text in exactly so many cells, cut where it is longer: in its middle where there is room."""
    shown = visible_line(text)
    if cell_len(shown) > width:
        # Names of settings differ at their ends as often as at their beginnings; marks are not cut into.
        end = shown[-((width - 1) // 2) :] if width > _LEAST_LABEL and shown == text and text.isascii() else ""
        return set_cell_size(shown, max(0, width - 1 - len(end))) + "…" + end
    pad = " " * (width - cell_len(shown))
    return pad + shown if right else shown + pad


# --- intervals -----------------------------------------------------------------------------------------------------


def _intervals(plot: IntervalPlot, width: int) -> Iterator[str]:
    rows = [row for group in plot.groups for row in group.rows]
    told = max((cell_len(_told_beside(plot.axis, row)) for row in rows), default=0)
    labels = min(_labels([row.label for row in rows]), max(_LEAST_LABEL, width - told - 6 - _LEAST_TRACK))
    track = max(_LEAST_TRACK, width - labels - told - 4)
    for group in plot.groups:
        if group.label:
            yield visible_line(group.label)
        for row in group.rows:
            drawn = _track(plot.axis, row, track)
            yield f"  {_cell(row.label, labels)} {drawn} {_told_beside(plot.axis, row)}"
    yield from _axis(plot.axis, labels + 3, track)


def _told(axis: Axis, row: IntervalRow) -> str:
    point = row.point
    value = DASH if point.value is None else axis.shown(point.value)
    if point.low is None or point.high is None:
        return value
    return f"{value} [{axis.shown(point.low)}, {axis.shown(point.high)}]"


def _told_beside(axis: Axis, row: IntervalRow) -> str:
    return f"{_told(axis, row)}  {visible_line(row.beside)}".rstrip()


def _place(axis: Axis, value: float, track: int) -> int:
    return round(axis.at(value) * (track - 1))


def _track(axis: Axis, row: IntervalRow, track: int) -> str:
    """Draw a value and its interval between the ends of the axis."""
    cells = ["·"] * track
    if axis.zero and axis.low < 0:
        cells[_place(axis, 0.0, track)] = "│"
    point = row.point
    if point.low is not None and point.high is not None:
        first, last = _place(axis, point.low, track), _place(axis, point.high, track)
        cells[first : last + 1] = ["─"] * (last - first + 1)
        cells[first], cells[last] = "├", "┤"
    if point.value is not None:
        cells[_place(axis, point.value, track)] = MARKS[row.mark % len(MARKS)]
    return "".join(cells)


def _axis(axis: Axis, start: int, track: int) -> Iterator[str]:
    low, high = axis.shown(axis.low), axis.shown(axis.high)
    yield " " * start + low + " " * max(1, track - len(low) - len(high)) + high
    yield " " * start + visible_line(axis.label)


# --- bars ----------------------------------------------------------------------------------------------------------


def _bars(plot: BarPlot, width: int) -> Iterator[str]:
    labels = _labels([row.label for row in plot.rows])
    told = max((len(plot.total(row)) for row in plot.rows), default=0)
    track = max(_LEAST_TRACK, width - labels - told - 6)
    for row in plot.rows:
        yield f"  {_cell(row.label, labels)} {_bar(row.counts, track)} {plot.total(row)}"
    yield ""
    for at, part in enumerate(plot.parts):
        count = f"  {sum(row.counts[at] for row in plot.rows):,}" if plot.disjoint else ""
        yield f"  {letter(at)}  {visible_line(part)}{count}"


def _bar(counts: tuple[int, ...], track: int) -> str:
    """Divide a bar into letters: each part ends where its share of the whole ends, so that rounding adds up."""
    total, sum_so_far, drawn = sum(counts), 0, ""
    for at, count in enumerate(counts):
        sum_so_far += count
        end = round(track * sum_so_far / total) if total else 0
        drawn += letter(at) * (end - len(drawn))
    return drawn.ljust(track)


# --- trends, radars, heat maps -------------------------------------------------------------------------------------


def _trend(plot: TrendPlot, width: int) -> Iterator[str]:
    """Draw the places below each other, and in each a row a series: lines of characters cannot cross readably."""
    labels = _labels([series.label for series in plot.series])
    track = max(_LEAST_TRACK, width - labels - 36)
    for place, name in enumerate(plot.places):
        yield f"{visible_line(plot.across)} {visible_line(name)}"
        for at, series in enumerate(plot.series):
            for point in series.points:
                if point.place == place:
                    row = IntervalRow(series.label, point.point, at)
                    drawn = _track(plot.axis, row, track)
                    size = "" if point.size is None else f" n={point.size:,}"
                    yield f"  {_cell(series.label, labels)} {drawn} {_told(plot.axis, row)}{size}"
    yield from _axis(plot.axis, labels + 3, track)


def _radar(plot: RadarPlot, width: int) -> Iterator[str]:
    labels = _labels(list(plot.spokes))
    track = max(_LEAST_TRACK, min(50, width - labels - 12))
    for shape in plot.shapes:
        yield visible_line(shape.label)
        for spoke, value in zip(plot.spokes, shape.values, strict=True):
            filled = 0 if value is None else round(track * plot.axis.at(value))
            shown = DASH if value is None else plot.axis.shown(value)
            yield f"  {_cell(spoke, labels)} {'█' * filled}{'·' * (track - filled)} {shown}"
    yield " " * 3 + visible_line(plot.axis.label)


def _heat(plot: HeatPlot, width: int) -> Iterator[str]:
    labels = min(_labels([row.label for row in plot.rows]), max(_LEAST_LABEL, width - 2 - 8 * len(plot.columns)))
    longest = max([9, *(cell_len(visible_line(column)) for column in plot.columns)])
    size = max(7, min(longest, (width - labels - 2) // max(1, len(plot.columns)) - 1))
    yield " " * (labels + 3) + " ".join(_cell(column, size, right=True) for column in plot.columns)
    for row in plot.rows:
        cells = []
        for value in row.values:
            shade = " " if value is None else _SHADES[min(4, int(5 * plot.axis.at(value)))]
            cells.append(_cell(f"{DASH if value is None else plot.axis.shown(value)} {shade}", size, right=True))
        yield f"  {_cell(row.label, labels)} {' '.join(cells)}"
    yield f"   {visible_line(plot.axis.label)}; rows: {visible_line(plot.down)}, columns: {visible_line(plot.across)}"
