"""Radars and heat maps as SVG."""

from __future__ import annotations

from math import cos, pi, sin

from auditor.documents.drawing import MARKS, Drawing, text_width, tick_words
from auditor.documents.plots import DASH, HeatPlot, RadarPlot

_RADIUS = 74
_CELL_HEIGHT = 26


def draw_radar(drawing: Drawing, plot: RadarPlot) -> None:
    """Draw each shape over its own spokes, some beside each other; spokes have numbers, which a list below names."""
    across = 1 if drawing.width < 400 else 3
    room = drawing.width / across
    height = 2 * _RADIUS + 66
    for at, shape in enumerate(plot.shapes):
        x, y = room * (at % across + 0.5), height * (at // across) + _RADIUS + 22
        _draw_spokes(drawing, plot, x, y)
        corners = [
            _place(x, y, _RADIUS * plot.axis.at(value), spoke, len(plot.spokes))
            for spoke, value in enumerate(shape.values)
            if value is not None
        ]
        drawing.curve(corners, f"area f{at % MARKS} l{at % MARKS}", closed=True)
        for corner_x, corner_y in corners:
            drawing.mark(corner_x, corner_y, at, 3.5)
        drawing.text(x, y + _RADIUS + 34, shape.label, kind="head", anchor="middle", room=room)
    y = height * -(-len(plot.shapes) // across) + 14
    for at, spoke in enumerate(plot.spokes, 1):
        drawing.text(0, y, f"{at}: {spoke}", room=drawing.width)
        y += 18
    ends = f"centre {tick_words(plot.axis, plot.axis.low)}, rim {tick_words(plot.axis, plot.axis.high)}"
    drawing.text(0, y + 2, f"{plot.axis.label}: {ends}", kind="soft small", room=drawing.width)
    drawing.height = y + 10


def _draw_spokes(drawing: Drawing, plot: RadarPlot, x: float, y: float) -> None:
    count = len(plot.spokes)
    for share in (0.5, 1.0):
        drawing.curve([_place(x, y, _RADIUS * share, at, count) for at in range(count)], "spoke", closed=True)
    for at in range(count):
        end = _place(x, y, _RADIUS, at, count)
        drawing.line(x, y, *end, "grid")
        label = _place(x, y + 4, _RADIUS + 11, at, count)
        drawing.text(*label, str(at + 1), kind="soft small", anchor="middle")


def _place(x: float, y: float, radius: float, at: int, count: int) -> tuple[float, float]:
    angle = 2 * pi * at / count - pi / 2
    return x + radius * cos(angle), y + radius * sin(angle)


def draw_heat(drawing: Drawing, plot: HeatPlot) -> None:
    """Draw a cell a value, in the fuller colour where it is higher, with its value; long names become numbers."""
    labels = min(max((text_width(row.label) for row in plot.rows), default=0), drawing.width * 0.36) + 10
    step = (drawing.width - labels) / max(1, len(plot.columns))
    numbered = any(text_width(column) > step for column in plot.columns)
    drawing.text(labels, 13, plot.across, kind="soft small")
    for at, column in enumerate(plot.columns):
        head = str(at + 1) if numbered else column
        drawing.text(labels + step * (at + 0.5), 32, head, kind="small", anchor="middle", room=step + 12)
    y = 40.0
    for row in plot.rows:
        drawing.text(labels - 6, y + 17, row.label, anchor="end", room=labels)
        for at, value in enumerate(row.values):
            x = labels + step * at
            if value is not None:
                # Never so dark that the number on it cannot be read in either theme.
                drawing.box(x + 1, y + 1, step - 2, _CELL_HEIGHT - 2, "cell", 0.08 + 0.42 * plot.axis.at(value))
            drawing.box(x + 1, y + 1, step - 2, _CELL_HEIGHT - 2, "frame")
            shown = DASH if value is None else plot.axis.shown(value)
            drawing.text(x + step / 2, y + 17, shown, kind="over small", anchor="middle", room=step + 14)
        y += _CELL_HEIGHT
    if numbered:
        y += 8
        for at, column in enumerate(plot.columns, 1):
            y += 18
            drawing.text(0, y, f"{at}: {column}", room=drawing.width)
    drawing.text(0, y + 22, f"{plot.axis.label}; rows: {plot.down}", kind="soft small", room=drawing.width)
    drawing.height = y + 30
