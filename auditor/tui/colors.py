"""Colours that a terminal or a person does without: NO_COLOR, and terminals of 16 colours."""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

SIXTEEN_COLORS_THEME = "auditor-16"
"""The theme for terminals of 16 colours: in it nothing gets unreadable when each colour becomes the nearest of them."""

_STANDS_OUT = 1.25
"""Contrast between two grounds from which on one of them is there to be seen, and not only to group."""


class NoColors(LineFilter):
    """Leave colours out; what stood on a ground of its own, as a cursor does, is shown in reverse."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and _without_colors(style, background.rgb), control)
            for text, style, control in segments
        ]


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """Return the contrast ratio of WCAG 2.2 between two colours, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: tuple[int, int, int]) -> float:
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (value / 255 for value in color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(2048)
def _without_colors(style: Style, background: tuple[int, int, int]) -> Style:
    ground = style.bgcolor
    reverse = ground is not None and contrast(_rgb(ground), background) >= _STANDS_OUT
    plain = Style.from_color(RichColor.default(), RichColor.default())
    return style + plain + Style(reverse=True) if reverse else style + plain


def _rgb(color: RichColor) -> tuple[int, int, int]:
    red, green, blue = color.get_truecolor()
    return red, green, blue
