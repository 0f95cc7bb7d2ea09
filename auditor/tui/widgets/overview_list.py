"""Lines with figures in them, of which one is the one that the keys act on."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip

from auditor.tui.overview_lines import Figure, Line
from auditor.tui.widgets.row_view import CursorView

_MARK = "▸"


class OverviewList(CursorView):
    """Figures are gone through row by row and, in a row, from left to right."""

    class Picked(Message):
        """A figure was clicked."""

        def __init__(self, view: OverviewList, figure: Figure) -> None:
            super().__init__()
            self.view, self.figure = view, figure

    def __init__(self, name: str) -> None:
        super().__init__()
        self.id = name
        self._shown: Sequence[Line] = ()
        self._key = ""
        """Of the figure that the keys act on."""
        self._has_cursor = True
        self._is_moved = False
        """Whether a figure was chosen here; else the first one is, whatever comes before it."""

    @property
    def shown(self) -> Sequence[Line]:
        """Return the lines."""
        return self._shown

    @property
    def figure(self) -> Figure | None:
        """Return the figure that the keys act on; None where the lines have none."""
        return next((one for one in self._figures(self.index) if one.key == self._key), None)

    def show_cursor(self, shown: bool) -> None:
        """Show whether the keys act on this list."""
        self._has_cursor = shown
        self.refresh()

    def show_lines_of(self, lines: Sequence[Line]) -> None:
        """Show other lines; the figure that the keys act on stays, wherever it is now."""
        self._shown = lines
        self._total = len(lines)
        self._set_size()
        self.choose(self._key if self._is_moved else "")

    def pick(self, figure: Figure) -> None:
        """Act on a figure that a person chose."""
        self._is_moved = True
        self.choose(figure.key)

    def choose(self, key: str) -> None:
        """Act on a figure by its key; where it is no more, on the first one."""
        for index in range(self._total):
            if any(one.key == key for one in self._figures(index)):
                self._go(index, key)
                return
        first = next((index for index in range(self._total) if self._figures(index)), None)
        if first is not None:
            self._go(first, self._figures(first)[0].key)
        else:
            self._key = ""
            self.refresh()

    def step(self, how: str) -> bool:
        """Act on another figure; False where there is none in that direction."""
        self._is_moved = True
        if how in ("left", "right"):
            keys = [one.key for one in self._figures(self.index)]
            at = keys.index(self._key) + (1 if how == "right" else -1) if self._key in keys else -1
            if not 0 <= at < len(keys):
                return False
            self._go(self.index, keys[at])
            return True
        rows = [index for index in range(self._total) if self._figures(index)]
        wanted = self.stepped_row(how)
        if how in ("down", "page down", "end"):
            there = [index for index in rows if self.index < index]
            beyond = [index for index in there if index >= wanted][:1] or there[-1:]
        else:
            there = [index for index in rows if index < self.index]
            beyond = [index for index in there if index <= wanted][-1:] or there[:1]
        if beyond:
            self._go_near(beyond[0])
        return bool(beyond)

    def step_section(self, which: str) -> bool:
        """Act on the first figure of the next or the previous section; False where there is none."""
        firsts = []
        heading = False
        for index, line in enumerate(self._shown):
            heading = heading or bool(line and line[0].role == "title")
            if heading and self._figures(index):
                firsts.append(index)
                heading = False
        self._is_moved = True
        if which == "next":
            there = [one for one in firsts if one > self.index][:1]
        else:
            there = [one for one in firsts if one < self.index][-1:]
        if there:
            self._go(there[0], self._figures(there[0])[0].key)
            self._show_section()
        return bool(there)

    def _show_section(self) -> None:
        """Scroll down until the whole section is seen, or its heading is the topmost line."""
        titles = [at for at, line in enumerate(self._shown) if line and line[0].role == "title"]
        top = max((at for at in titles if at <= self.index), default=0)
        end = min((at for at in titles if at > self.index), default=self._total)
        height = max(1, self.scrollable_content_region.height)
        if end - self.scroll_offset.y > height:
            self.jump_to(min(top, end - height))

    def _figures(self, index: int) -> list[Figure]:
        if not 0 <= index < self._total:
            return []
        return [span.figure for span in self._shown[index] if span.figure is not None]

    def _go_near(self, index: int) -> None:
        """Act on the figure of a row that stands nearest to where the chosen one stands."""
        places = self._places(index)
        here = next((end for end, one in self._places(self.index) if one.key == self._key), 0)
        self._go(index, min(places, key=lambda place: abs(place[0] - here))[1].key)

    def _places(self, index: int) -> list[tuple[int, Figure]]:
        """Return where each figure of a row ends."""
        found, at = [], 0
        for span in self._shown[index] if 0 <= index < self._total else ():
            at += cell_len(span.text)
            if span.figure is not None:
                found.append((at, span.figure))
        return found

    def _go(self, index: int, key: str) -> None:
        self._key = key
        self.go_to(index)
        # What stands above the figure up to its heading is seen with it, where there is room.
        top = index
        while top > 0 and self._shown[top] and self._shown[top][0].role != "title":
            top -= 1
        top = 0 if not any(self._figures(one) for one in range(index)) else top
        height = max(1, self.scrollable_content_region.height)
        if top < self.scroll_offset.y and index - top < height:
            self.jump_to(top)

    # --- what is drawn ---------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        if index >= self._total:
            return Strip.blank(width, base)
        segments: list[Segment] = []
        for span in self._shown[index]:
            here = span.figure is not None and self._has_cursor and span.figure.key == self._key
            if here and segments and segments[-1].text.endswith(" "):
                segments[-1] = Segment(segments[-1].text[:-1] + _MARK, segments[-1].style)
            style = self.role_style(span.role)
            segments.append(Segment(span.text, style + self.role_style("here") if here else style))
        return Strip(segments).adjust_cell_length(width, base)

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        index = event.y + self.scroll_offset.y
        at = 0
        for span in self._shown[index] if 0 <= index < self._total else ():
            at += cell_len(span.text)
            if event.x < at:
                if span.figure is not None:
                    self.post_message(self.Picked(self, span.figure))
                return
