"""A pane: one title row, drawn as a rule, above a view. And the vertical rule between panes."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Container
from textual.strip import Strip
from textual.widget import Widget

from auditor.text import visible_line
from auditor.tui.widgets.line_view import LineView


class PaneTitle(Widget):
    """`─ Source ─ human-042 · python ────────── 1-20 of 31 lines ─`, as much of it as fits."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"pane-title--name", "pane-title--detail"}
    DEFAULT_CSS = """
    PaneTitle {
        height: 1;
        color: $foreground 25%;
        & > .pane-title--name { color: $foreground; text-style: bold; }
        & > .pane-title--detail { color: $muted; }
    }
    Pane:focus-within > PaneTitle {
        & > .pane-title--name { color: $accent; text-style: bold; }
    }
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name_shown = name
        self._detail = ""
        self._extent = ""

    def show(self, *, name: str | None = None, detail: str | None = None, extent: str | None = None) -> None:
        """Change parts of the title; they may hold any text."""
        before = (self._name_shown, self._detail, self._extent)
        self._name_shown = self._name_shown if name is None else visible_line(name)
        self._detail = self._detail if detail is None else visible_line(detail, 400)
        self._extent = self._extent if extent is None else visible_line(extent)
        if (self._name_shown, self._detail, self._extent) != before:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, rule = self.size.width, self.visual_style.rich_style
        name = self.get_component_rich_style("pane-title--name")
        dim = self.get_component_rich_style("pane-title--detail")
        left = [Segment("─ ", rule), Segment(self._name_shown, name), Segment(" ", rule)]
        extent = f" {self._extent} " if self._extent else ""
        room = width - cell_len(self._name_shown) - 4
        if cell_len(extent) > room - 1:
            extent = ""
        room -= cell_len(extent) + 1
        if self._detail and room > 4:
            detail = f" {_fit(self._detail, room - 2)} "
            left += [Segment("─", rule), Segment(detail, dim)]
        used = sum(cell_len(segment.text) for segment in left) + cell_len(extent)
        fill = Segment("─" * max(0, width - used - 1), rule)
        return Strip([*left, fill, Segment(extent, dim), Segment("─", rule)]).adjust_cell_length(width, rule)


class Pane(Container):
    """A view of long text under a title; the title follows the view."""

    DEFAULT_CSS = """
    Pane { layout: vertical; width: 1fr; height: 1fr; }
    """

    def __init__(self, name: str, view: LineView, *below: Widget, id: str) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.title = PaneTitle(name)
        self.view = view
        self._below = below

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.view
        yield from self._below

    def on_line_view_moved(self, message: LineView.Moved) -> None:
        message.stop()
        self.title.show(extent=self.view.extent)


_JOINTS = {(False, False): "│", (True, False): "┤", (False, True): "├", (True, True): "┼"}


class Divider(Widget):
    """A vertical rule that joins the titles left and right of it."""

    DEFAULT_CSS = """
    Divider { width: 1; height: 1fr; color: $foreground 25%; }
    """

    def render_line(self, y: int) -> Strip:
        here = self.region
        titles = [t.region for t in self.screen.query(PaneTitle) if t.region.width and t.region.y == here.y + y]
        left = any(title.right == here.x for title in titles)
        right = any(title.x == here.right for title in titles)
        joint = _JOINTS[left, right]
        if y == 0 and (left or right):
            joint = {"┼": "┬", "┤": "┐", "├": "┌"}[joint]
        return Strip([Segment(joint, self.visual_style.rich_style)], 1)


def _fit(text: str, cells: int) -> str:
    """Cut text to a number of cells, with `…` where something was left out."""
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"
