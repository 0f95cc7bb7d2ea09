"""How each role of text looks: colours from the theme's variables, made once per theme instead of once per CSS update.

Component classes would do the same, but Textual restyles each of them for each widget whenever a class changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Self

from rich.style import Style
from textual.color import Color
from textual.geometry import Region, Size
from textual.strip import Strip
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
    "construct": Look("accent", attributes="bold underline"),
    "unlike": Look("accent", "cursor-line", "bold", colorless="reverse"),
    "renamed": Look("accent", attributes="italic"),
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
    """A widget that draws its lines itself, in the styles of roles on its own ground.

    It has no border and no padding. A row is drawn when it is painted, and of what is to be painted again only the rows
    that are not as they were.
    """

    _styles: dict[str, Style] | None = None
    _base: Style | None = None
    _ground: Color | None = None
    _blank: Strip | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._drawn: dict[int, Strip] = {}
        """Rows as they are now, as far as they are drawn."""
        self._drawn_size = Size(0, 0)
        self._painted: dict[int, Strip] = {}
        """Rows as the screen shows them, as far as that is known."""
        super().__init__(*args, **kwargs)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles = self._base = self._ground = self._blank = None
        self._drawn.clear()
        self._painted.clear()

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

    def blank_row(self, width: int) -> Strip:
        """Return a row of nothing but the ground."""
        if self._blank is None or self._blank.cell_length != width:
            self._blank = Strip.blank(width, self.base_style)
        return self._blank

    # --- rows ------------------------------------------------------------------------------------------------------

    def begin_drawing(self) -> None:
        """Make ready what the rows need; is called before some are drawn."""

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        if repaint and not regions:
            self._drawn.clear()
        elif repaint:
            for region in regions:
                for y in region.line_range:
                    self._drawn.pop(y, None)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = self._draw_rows(crop.line_range)
        for y, strip in zip(crop.line_range, strips, strict=True):
            # Not all that Textual asks for is painted: whether the screen shows another row by now is not known.
            if self._painted.get(y) is not strip:
                self._painted.pop(y, None)
        if self._ground is None:
            self._ground = self.background_colors[1]
        for one in self.get_line_filters():
            strips = [strip.apply_filter(one, self._ground) for strip in strips]
        if crop.column_span != (0, self._drawn_size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _draw_rows(self, rows: Sequence[int]) -> list[Strip]:
        """Return rows, drawn where they are not; one that looks as it did is the same object."""
        size = self.outer_size
        if size != self._drawn_size:
            self._drawn_size = size
            self._drawn.clear()
            self._painted.clear()
        drawn = self._drawn
        if any(y not in drawn for y in rows):
            self.begin_drawing()
        for y in rows:
            if y not in drawn:
                strip = self.render_line(y).adjust_cell_length(size.width, self.base_style)
                before = self._painted.get(y)
                drawn[y] = before if before is not None and strip == before else strip
        return [drawn[y] for y in rows]

    def _exchange_repaint_regions(self) -> Collection[Region]:
        """Leave out of what Textual is about to paint again the rows that the screen shows already."""
        regions = super()._exchange_repaint_regions()
        size = self.outer_size
        # What is laid out anew may be drawn otherwise; that is not known before.
        if not regions or not size.area or self.screen._layout_required:
            self._painted.clear()
            return regions
        rows = sorted({y for region in regions for y in region.line_range if 0 <= y < size.height})
        changed: list[Region] = []
        for y, strip in zip(rows, self._draw_rows(rows), strict=True):
            if self._painted.get(y) is strip:
                continue
            self._painted[y] = strip
            if changed and changed[-1].bottom == y:
                changed[-1] = changed[-1].grow((0, 0, 1, 0))
            else:
                changed.append(Region(0, y, size.width, 1))
        return changed
