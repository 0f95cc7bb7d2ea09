"""A pane: one title row, drawn as a rule, above a view. And the vertical rule between panes."""

from __future__ import annotations

from collections.abc import Collection

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from auditor.text import visible_line, visible_name
from auditor.tui.styled import Styled
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.line_view import LineView


class PaneTitle(Styled):
    """`─ Source ─ human-042 · python ────────── 1-20 of 31 lines ─`, as much of it as fits."""

    DEFAULT_CSS = """
    PaneTitle {
        height: 1;
    }
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name_shown = name
        self._detail = ""
        self._kept = ""
        self._extent = ""
        self._across = ""
        self._focused = False

    def show_focus(self, focused: bool) -> None:
        """Show whether the pane has the focus."""
        self._focused = focused
        self.refresh()

    def show(
        self,
        *,
        name: str | None = None,
        detail: str | None = None,
        kept: str | None = None,
        extent: str | None = None,
        across: str | None = None,
    ) -> None:
        """Change parts of the title; they may hold any text.

        `kept` ends the detail, which is cut before it; `across` says which columns are on the screen.
        """
        before = (self._name_shown, self._detail, self._kept, self._extent, self._across)
        self._name_shown = self._name_shown if name is None else visible_name(name)
        self._detail = self._detail if detail is None else visible_name(detail, 400)
        self._kept = self._kept if kept is None else visible_line(kept, 40)
        self._extent = self._extent if extent is None else visible_line(extent)
        self._across = self._across if across is None else visible_line(across)
        if (self._name_shown, self._detail, self._kept, self._extent, self._across) != before:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, rule = self.size.width, self.role_style("rule")
        name = self.role_style("title-focused" if self._focused else "title")
        dim = self.role_style("muted")
        left = [Segment("─ ", rule), Segment(self._name_shown, name), Segment(" ", rule)]
        room = width - cell_len(self._name_shown) - 4
        extent = self._extent_for(room - 1 - (cell_len(self._kept) + 3 if self._kept else 0))
        room -= cell_len(extent) + 1
        if (self._detail or self._kept) and room > 4:
            detail = f" {self._detail_for(room - 2)} "
            left += [Segment("─", rule), Segment(detail, dim)]
        used = sum(cell_len(segment.text) for segment in left) + cell_len(extent)
        fill = Segment("─" * max(0, width - used - 1), rule)
        return Strip([*left, fill, Segment(extent, dim), Segment("─", rule)]).adjust_cell_length(width, rule)

    def _detail_for(self, room: int) -> str:
        """Return as much of the detail as fits, with the end that is kept."""
        whole = " · ".join(filter(None, (self._detail, self._kept)))
        left = room - cell_len(self._kept) - 3
        if not self._kept or cell_len(whole) <= room:
            return _fit(whole, room)
        return f"{_fit(self._detail, left)} · {self._kept}" if left > 1 else _fit(self._kept, room)

    def _extent_for(self, room: int) -> str:
        """Return as much of how much is shown as fits; which columns these are is told nowhere else."""
        whole = " · ".join(filter(None, (self._extent, self._across)))
        fitting = (f" {text} " for text in (whole, self._across or self._extent) if text)
        return next((text for text in fitting if cell_len(text) <= room), "")


class Pane(Box):
    """A view of long text under a title, with a head between them when it has one; the title follows the view."""

    DEFAULT_CSS = """
    Pane { layout: vertical; width: 1fr; height: 1fr; }
    """

    def __init__(
        self,
        name: str,
        view: LineView,
        *below: Widget,
        id: str | None = None,  # noqa: A002 (Textual's name)
        head: Widget | None = None,
    ) -> None:
        super().__init__(id=id)
        self.title = PaneTitle(name)
        self.view = view
        self._head = head
        self._below = below

    def compose(self) -> ComposeResult:
        yield self.title
        if self._head is not None:
            yield self._head
        yield self.view
        yield from self._below

    def on_descendant_focus(self) -> None:
        self.title.show_focus(True)

    def on_descendant_blur(self) -> None:
        self.title.show_focus(False)

    def on_line_view_moved(self, message: LineView.Moved) -> None:
        message.stop()
        self.follow()

    def follow(self) -> None:
        """Let the title say what the view shows now."""
        self.title.show(extent=self.view.extent, across=self.view.across)


_JOINTS = {(False, False): "│", (True, False): "┤", (False, True): "├", (True, True): "┼"}


class Divider(Styled):
    """A vertical rule that joins the titles left and right of it."""

    _left: Collection[int] = ()
    _right: Collection[int] = ()
    """Rows in which a title ends at the left or begins at the right of the rule."""

    DEFAULT_CSS = """
    Divider { width: 1; height: 1fr; }
    """

    def begin_drawing(self) -> None:
        titles = [title.region for title in self.screen.query(PaneTitle) if title.region.area]
        here = self.region
        self._left = {title.y - here.y for title in titles if title.right == here.x}
        self._right = {title.y - here.y for title in titles if title.x == here.right}

    def render_line(self, y: int) -> Strip:
        left, right = y in self._left, y in self._right
        joint = _JOINTS[left, right]
        if y == 0 and (left or right):
            joint = {"┼": "┬", "┤": "┐", "├": "┌"}[joint]
        return Strip([Segment(joint, self.role_style("rule"))], 1)


def _fit(text: str, cells: int) -> str:
    """Cut text to a number of cells, with `…` where something was left out."""
    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"
