"""A container that its children cover."""

from __future__ import annotations

from rich.style import Style
from textual.containers import Container
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class Covered(Widget):
    """A widget of nothing but its ground: one row of it is all that is made, where Textual would make each."""

    _blank: tuple[tuple[int, Style], Strip] | None = None

    def render_lines(self, crop: Region) -> list[Strip]:
        wanted = (crop.width, self.visual_style.rich_style)
        if self._blank is None or self._blank[0] != wanted:
            strip = Strip.blank(*wanted)
            for one in self.get_line_filters():
                strip = strip.apply_filter(one, self.background_colors[1])
            self._blank = (wanted, strip)
        return [self._blank[1]] * crop.height


class Box(Covered, Container):
    """A container for other widgets."""
