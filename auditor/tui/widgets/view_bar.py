"""The scroll bar of a view: drawn again only when it looks otherwise, which beside a short text it never does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from rich.segment import Segment
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from auditor.tui.styled import Styled


class ViewBar(Styled, ScrollBar):
    """Textual's vertical scroll bar in rows of its own."""

    _cells: Sequence[Segment] = ()
    _looks: tuple[object, ...] = ()
    """What it was drawn from last."""

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        cut = self.window_size < self.window_virtual_size
        where = (self.window_size, self.window_virtual_size, self.position, self.mouse_over, self.grabbed)
        looks = (self.size, *(where if cut else ()))
        if looks == self._looks and not layout:
            return self
        self._looks = looks
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._looks = ()

    def begin_drawing(self) -> None:
        bar = self.render()
        assert isinstance(bar, ScrollBarRender)
        style = self.app.console.get_style(bar.style)
        assert style.color is not None and style.bgcolor is not None
        self._cells = self.renderer.render_bar(
            size=self.size.height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            bar_color=style.color,
            back_color=style.bgcolor,
        ).segments

    def render_line(self, y: int) -> Strip:
        return Strip(self._cells[y : y + 1], 1)
