"""Plots as SVG: text stays text, each has a name and a description, and colours follow the page's theme."""

from __future__ import annotations

from auditor.documents.drawing import DARK, DASHES, MARKS, STYLE, Drawing, text_width, tick_words, ticks
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
    described,
    letter,
)
from auditor.documents.svg_shapes import draw_heat, draw_radar

WIDE, NARROW = 720, 340
"""Pixels: for a page, and for a phone, where labels stand above what they name."""
_ALONE = f"{STYLE}@media (prefers-color-scheme:dark){{:root{{{DARK}}}}}"


def svg_picture(plot: Plot, ident: str, width: int = WIDE, kind: str = "") -> str:
    """Return a plot as an SVG element for a page that has the plots' style; `ident` is unique on the page."""
    drawing = Drawing(width)
    match plot:
        case IntervalPlot():
            _draw_intervals(drawing, plot)
        case BarPlot():
            _draw_bars(drawing, plot)
        case TrendPlot():
            _draw_trend(drawing, plot)
        case RadarPlot():
            draw_radar(drawing, plot)
        case HeatPlot():
            draw_heat(drawing, plot)
    return drawing.written(ident, plot.title, described(plot), kind=kind)


def svg_file(plot: Plot) -> str:
    """Return a plot as an SVG file of its own, in colours for a light and a dark ground."""
    picture = svg_picture(plot, "plot")
    at = picture.index("</desc>") + len("</desc>")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{picture[:at]}\n<style>{_ALONE}</style>{picture[at:]}\n'


# --- intervals -----------------------------------------------------------------------------------------------------


def _draw_intervals(drawing: Drawing, plot: IntervalPlot) -> None:
    rows = [row for group in plot.groups for row in group.rows]
    narrow = drawing.width < WIDE or _are_long([row.label for row in rows])
    right = min(max((text_width(_told(plot.axis, row)) for row in rows), default=0), drawing.width * 0.5)
    labels = min(max((text_width(row.label) for row in rows), default=0), drawing.width * 0.34) + 12
    x0, x1 = (10.0, drawing.width - 12.0) if narrow else (labels + 18, drawing.width - right - 12)
    tall = narrow and any(text_width(row.label + _told(plot.axis, row)) + 24 > drawing.width for row in rows)
    y = 8.0
    heads: list[tuple[float, str]] = []
    places: list[tuple[IntervalRow, float]] = []
    bands: list[tuple[float, float]] = []
    for group in plot.groups:
        if group.label:
            y += 20
            heads.append((y, group.label))
            y += 4
        begun = y
        for row in group.rows:
            y += (52 if tall else 36) if narrow else 21
            places.append((row, y - 4))
        bands.append((begun + 6, y + 6))
        y += 6
    if narrow:
        bands = [(at - 7, at + 7) for _, at in places]
    _draw_axis(drawing, plot.axis, x0, x1, bands, y)
    for at, label in heads:
        drawing.text(0, at, label, kind="head", room=drawing.width)
    for row, at in places:
        told = _told(plot.axis, row)
        if narrow:
            room = drawing.width - (14 if tall else text_width(told) + 14)
            drawing.text(8, at - (28 if tall else 12), row.label, room=room)
            drawing.text(drawing.width - 2, at - 12, told, kind="soft small", anchor="end")
        else:
            drawing.text(labels, at + 4, row.label, anchor="end", room=labels)
            drawing.text(x1 + 12, at + 4, told, kind="soft small", room=right + 24)
        _draw_range(drawing, plot.axis, row, x0, x1, at)


def _are_long(labels: list[str]) -> bool:
    """Say whether labels need the room above what they name also on a page."""
    return max(map(text_width, labels), default=0) > 0.34 * WIDE


def _told(axis: Axis, row: IntervalRow) -> str:
    point = row.point
    value = DASH if point.value is None else axis.shown(point.value)
    interval = (
        "" if point.low is None or point.high is None else f" [{axis.shown(point.low)}, {axis.shown(point.high)}]"
    )
    return f"{value}{interval}{row.beside and '  ' + row.beside}"


def _draw_range(drawing: Drawing, axis: Axis, row: IntervalRow, x0: float, x1: float, y: float) -> None:
    def across(value: float) -> float:
        return x0 + (x1 - x0) * axis.at(value)

    point, which = row.point, row.mark % MARKS
    if point.value is None:
        return
    if point.low is not None and point.high is not None:
        drawing.line(across(point.low), y, across(point.high), y, f"range l{which}")
        for end in (point.low, point.high):
            drawing.line(across(end), y - 4, across(end), y + 4, f"range l{which}")
    drawing.mark(across(point.value), y, which)


def _draw_axis(
    drawing: Drawing, axis: Axis, x0: float, x1: float, bands: list[tuple[float, float]], bottom: float
) -> None:
    """Draw the lines behind rows, in bands that leave labels above them free, the ticks below and what they are of."""
    for value in ticks(axis, 5 if drawing.width < WIDE else 8):
        x = x0 + (x1 - x0) * axis.at(value)
        drawing.verticals(x, bands, "zero" if axis.zero and abs(value) < 1e-9 else "grid")
        drawing.text(x, bottom + 15, tick_words(axis, value), kind="soft small", anchor="middle")
    drawing.text((x0 + x1) / 2, bottom + 33, axis.label, kind="soft", anchor="middle", room=drawing.width)
    drawing.height = bottom + 42


# --- bars ----------------------------------------------------------------------------------------------------------


def _draw_bars(drawing: Drawing, plot: BarPlot) -> None:
    narrow = drawing.width < WIDE or _are_long([row.label for row in plot.rows])
    labels = min(max((text_width(row.label) for row in plot.rows), default=0), drawing.width * 0.34) + 12
    totals = max((text_width(plot.total(row)) for row in plot.rows), default=0) + 10
    x0, x1 = (0.0 if narrow else labels + 8), drawing.width - totals
    y = 4.0
    for row in plot.rows:
        if narrow:
            y += 16
            drawing.text(0, y, row.label, room=drawing.width)
            y += 5
        else:
            drawing.text(labels, y + 16, row.label, anchor="end", room=labels)
        _draw_bar(drawing, row.counts, x0, x1, y)
        drawing.text(drawing.width, y + 16, plot.total(row), kind="soft small", anchor="end")
        y += 30
    drawing.height = _draw_letters(drawing, plot.parts, y + 12) + 6


def _draw_bar(drawing: Drawing, counts: tuple[int, ...], x0: float, x1: float, y: float) -> None:
    total, x = sum(counts), x0
    for at, count in enumerate(counts):
        width = (x1 - x0) * count / total if total else 0
        if count:
            drawing.box(x, y, width, 22, _part(at))
        if width >= 14:
            drawing.text(x + width / 2, y + 16, letter(at), kind=_inside(at), anchor="middle")
        x += width


def _part(at: int) -> str:
    """Return the class of a part of a bar; where there are more parts than colours, these return fainter."""
    return f"part f{at % MARKS}" + (" faint" if at >= MARKS else "")


def _inside(at: int) -> str:
    return "inside" + (" deep" if at >= MARKS else "")


def _draw_letters(drawing: Drawing, parts: tuple[str, ...], y: float) -> float:
    """Name the parts by their letters, as many beside each other as there is room; return where they end."""
    x = 0.0
    for at, part in enumerate(parts):
        width = text_width(part) + 34
        if x and x + width > drawing.width:
            x, y = 0.0, y + 22
        drawing.box(x, y, 18, 18, _part(at))
        drawing.text(x + 9, y + 13.5, letter(at), kind=f"{_inside(at)} small", anchor="middle")
        drawing.text(x + 23, y + 14, part, room=drawing.width - 24)
        x += width + 8
    return y + 22


# --- trends --------------------------------------------------------------------------------------------------------


def _draw_trend(drawing: Drawing, plot: TrendPlot) -> None:
    x0, x1, top, bottom = 44.0, drawing.width - 14.0, 30.0, 30.0 + (240 if drawing.width >= WIDE else 200)
    axis = plot.axis

    def down(value: float) -> float:
        return bottom - (bottom - top) * axis.at(value)

    for value in ticks(axis, 6):
        drawing.line(x0, down(value), x1, down(value), "grid")
        drawing.text(x0 - 7, down(value) + 4, tick_words(axis, value), kind="soft small", anchor="end")
    step = (x1 - x0) / len(plot.places)
    lower = 15 if max(map(text_width, plot.places)) > step - 4 else 0
    for place, label in enumerate(plot.places):
        level, half = bottom + 17 + lower * (place % 2), text_width(label) / 2
        middle = min(max(x0 + step * (place + 0.5), half), drawing.width - half)
        drawing.text(middle, level, label, kind="soft small", anchor="middle", room=2 * step)
    spread = min(12.0, 0.6 * step / max(1, len(plot.series)))
    for at, series in enumerate(plot.series):
        shift = spread * (at - (len(plot.series) - 1) / 2)
        points = [
            (x0 + step * (one.place + 0.5) + shift, one.point) for one in series.points if one.point.value is not None
        ]
        places = [(x, down(point.value or 0)) for x, point in points]
        drawing.curve(places, f"line l{at % MARKS}", dash=DASHES[at % MARKS])
        for (x, y), (_, point) in zip(places, points, strict=True):
            if point.low is not None and point.high is not None:
                drawing.line(x, down(point.low), x, down(point.high), f"range l{at % MARKS}")
            drawing.mark(x, y, at, 4.5)
    drawing.text((x0 + x1) / 2, bottom + 36 + lower, plot.across, kind="soft", anchor="middle", room=drawing.width)
    drawing.text(0, top - 16, axis.label, kind="soft small")
    drawing.height = _draw_marks(drawing, [series.label for series in plot.series], bottom + 50 + lower) + 4


def _draw_marks(drawing: Drawing, labels: list[str], y: float) -> float:
    """Name the marks, as many beside each other as there is room; return where they end."""
    x = 0.0
    for at, label in enumerate(labels):
        width = text_width(label) + 46
        if x and x + width > drawing.width:
            x, y = 0.0, y + 20
        drawing.curve([(x, y + 6), (x + 28, y + 6)], f"line l{at % MARKS}", dash=DASHES[at % MARKS])
        drawing.mark(x + 14, y + 6, at, 4.5)
        drawing.text(x + 34, y + 10, label, room=drawing.width - 36)
        x += width + 6
    return y + 20
