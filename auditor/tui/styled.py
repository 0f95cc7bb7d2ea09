"""How each role of text looks: colours from the theme's variables, made once per theme instead of once per CSS update.

Component classes would do the same, but Textual restyles each of them for each widget whenever a class changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from rich.style import Style
from textual.color import Color
from textual.widget import Widget


class Look(NamedTuple):
    """Theme variables and attributes of a role."""

    color: str | None = None
    ground: str | None = None
    attributes: str = ""
    """Rich's names, e.g. `bold underline`."""
    strength: float = 1.0
    """Share of the colour in a mix with the background."""
    colorless: str = ""
    """Attributes in place of the colour, where there are no colours, for what the colour alone would tell."""


LOOKS: dict[str, Look] = {
    "rule": Look("foreground", strength=0.25),
    "title": Look("foreground", attributes="bold"),
    "title-focused": Look("accent", attributes="bold", colorless="reverse"),
    "muted": Look("muted"),
    "off": Look("muted", strength=0.5, colorless="dim"),
    "strong": Look("foreground", attributes="bold"),
    "gutter": Look("line-number"),
    "equal": Look("diff-equal"),
    "oracle": Look("oracle"),
    "oracle-changed": Look("oracle", "diff-oracle", "bold underline"),
    "prediction": Look("prediction"),
    "prediction-changed": Look("prediction", "diff-prediction", "bold underline"),
    "oracle-here": Look("oracle", "diff-oracle", "bold underline reverse"),
    "prediction-here": Look("prediction", "diff-prediction", "bold underline reverse"),
    "spelled": Look("muted", attributes="italic", colorless="dim"),
    "computed": Look("computed", attributes="italic"),
    "warning": Look("unsaved", attributes="bold"),
    "saved": Look("saved"),
    "failed": Look("background", "error", "bold"),
    "bookmark": Look("accent", attributes="bold"),
    "memo": Look("accent", attributes="italic"),
    "checkpoint": Look("checkpoint", attributes="bold"),
    "key": Look("tag-key", attributes="bold"),
    "chip": Look("tag-chip-text", "tag-chip", "bold"),
    "here": Look(ground="cursor-line", attributes="bold"),
    "verdict-ok": Look("verdict-ok"),
    "verdict-bad": Look("verdict-bad"),
    "verdict-none": Look("verdict-none"),
    "not-reviewed": Look("muted"),
    "in-progress": Look("state-begun", attributes="bold"),
    "reviewed": Look("state-reviewed", attributes="bold"),
    "deferred": Look("state-deferred", attributes="bold"),
    "keyword": Look("syntax-keyword"),
    "string": Look("syntax-string"),
    "number": Look("syntax-number"),
    "comment": Look("syntax-comment", attributes="italic"),
    "definition": Look("syntax-definition"),
}
"""All roles; the last ones are those of program tokens."""


_VARIABLES = ("background", *{name for look in LOOKS.values() for name in (look.color, look.ground) if name})


def role_styles(variables: Mapping[str, str], colorless: bool = False) -> Mapping[str, Style]:
    """Return the style of every role under a theme's variables; `colorless` where no colour will be shown."""
    return _role_styles(tuple(variables[name] for name in _VARIABLES), colorless)


@lru_cache(maxsize=8)
def _role_styles(colors: tuple[str, ...], colorless: bool) -> Mapping[str, Style]:
    variables = dict(zip(_VARIABLES, colors, strict=True))
    background = Color.parse(variables["background"])
    styles = {}
    for role, look in LOOKS.items():
        color = None
        if look.color is not None:
            color = background.blend(Color.parse(variables[look.color]), look.strength).rich_color
        ground = Color.parse(variables[look.ground]).rich_color if look.ground is not None else None
        attributes = f"{look.attributes} {look.colorless if colorless else ''}".strip()
        styles[role] = Style.parse(attributes or "none") + Style(color=color, bgcolor=ground)
    return styles


class Styled(Widget):
    """A widget that draws its lines itself, in the styles of roles on its own ground."""

    _styles: dict[str, Style] | None = None
    _base: Style | None = None

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles = self._base = None

    @property
    def base_style(self) -> Style:
        """Return the style of plain text on this widget's ground."""
        if self._base is None:
            self._base = self.visual_style.rich_style
        return self._base

    def role_style(self, role: str) -> Style:
        """Return the style of a role on this widget's ground; the role "" is plain text."""
        if self._styles is None:
            base = self.base_style
            roles = role_styles(self.app.theme_variables, self.app.no_color)
            self._styles = {role: base + style for role, style in roles.items()}
            self._styles[""] = base
        return self._styles[role]
