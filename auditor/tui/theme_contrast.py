"""Which texts of a theme are hard to read on the grounds that they stand on."""

from __future__ import annotations

from typing import NamedTuple

from textual.color import Color
from textual.theme import Theme

from auditor.tui.colors import contrast
from auditor.tui.themes import THEME_VARIABLES, theme_variable_defaults

LEAST_CONTRAST = 4.5
"""What WCAG 2.2 asks for text of normal size."""
_GROUNDS = ("background", "surface", "panel")
_TEXTS = ("foreground", "accent", "success", "warning", "error")


class Pair(NamedTuple):
    """A text on a ground."""

    text: str
    text_color: str
    ground: str
    ground_color: str
    contrast: float


def weak_pairs(theme: Theme, least: float = LEAST_CONTRAST) -> list[Pair]:
    """Return the texts with less contrast than `least`, the weakest first; a terminal's own colours are left out."""
    generated = theme.to_color_system().generate()
    colors = {name: Color.parse(generated[name]) for name in (*_GROUNDS, *_TEXTS)}
    variables = theme_variable_defaults(theme.dark) | {
        name: value for name, value in theme.variables.items() if name in theme_variable_defaults(theme.dark)
    }
    colors |= {name: Color.parse(value) for name, value in variables.items()}
    grounds = {variable.name: variable.carries for variable in THEME_VARIABLES if variable.carries}
    carried_only = {text for texts in grounds.values() for text in texts if text.endswith("-text")}
    texts = [*_TEXTS, *(name for name in variables if name not in grounds and name not in carried_only)]
    found = [(text, ground) for text in texts for ground in _GROUNDS]
    found += [(text, ground) for ground, carried in grounds.items() for text in carried]
    pairs = [_pair(text, ground, colors) for text, ground in found if colors[text].ansi is colors[ground].ansi is None]
    return sorted((pair for pair in pairs if pair.contrast < least), key=lambda pair: pair.contrast)


def _pair(text: str, ground: str, colors: dict[str, Color]) -> Pair:
    under = _over(colors[ground], colors["background"])
    over = _over(colors[text], under)
    return Pair(text, over.hex, ground, under.hex, contrast(over.rgb, under.rgb))


def _over(color: Color, under: Color) -> Color:
    return color if color.a == 1 else under + color
