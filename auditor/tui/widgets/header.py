"""The first row: which file, where in the queue, whose work, and whether it is saved."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.text import visible_line
from auditor.tui.styled import Styled

SAVED = "saved ✓"


class SaveState(NamedTuple):
    """What the header says about the work: saved, waiting for the file, or a sentence about what failed."""

    words: str = SAVED
    level: str = "saved"
    """The role of the words: `saved`, `warning` (they wait beside the file) or `failed`."""


class Header(Styled):
    """`prex-demo.db  12 of 214  status:wrong · smallest        lm · codebook prex r3 · saved ✓`."""

    DEFAULT_CSS = """
    Header {
        height: 1;
        background: $panel;
        color: $foreground;
    }
    """

    def __init__(self, file_name: str, description: str, whose: str) -> None:
        super().__init__()
        self._file = visible_line(file_name)
        self._description = visible_line(description)
        self._whose = visible_line(whose)
        self._position = ""
        self._state = SaveState()

    def show_position(self, index: int | None, total: int) -> None:
        """Show `12 of 214`; `index` counts from 0, None = an item outside the queue."""
        digits = len(str(total))
        here = "-" if index is None else str(index + 1)
        self._position = f"{here.rjust(digits)} of {total}"
        self.refresh()

    def show_state(self, state: SaveState) -> None:
        """Show whether the work is saved."""
        if state != self._state:
            self._state = state
            self.refresh()

    @property
    def state(self) -> SaveState:
        """Return what the header says about the work."""
        return self._state

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        style = self.role_style
        position = f"{self._position}  "
        state = Segment(_cut(f" {self._state.words} ", width - cell_len(position)), style(self._state.level))
        room = width - cell_len(state.text)
        left = [
            (f" {self._file}  ", style("muted"), 3),
            (position, style("strong"), 0),
            (self._description, style("muted"), 2),
        ]
        right = [(f" {self._whose} ·", style("muted"), 1)]
        shown = _that_fit(left + right, room)
        left_shown, right_shown = shown[:3], shown[3:]
        used = sum(cell_len(text) for text, _ in shown)
        segments = [Segment(text, each) for text, each in left_shown]
        segments.append(Segment(" " * max(0, room - used), base))
        segments += [Segment(text, each) for text, each in right_shown]
        return Strip([*segments, state]).adjust_cell_length(width, base)


def _that_fit(parts: list[tuple[str, Style, int]], room: int) -> list[tuple[str, Style]]:
    """Cut the parts of the highest rank until all fit into `room` cells."""
    texts = [text for text, _, _ in parts]
    for index in sorted(range(len(parts)), key=lambda i: -parts[i][2]):
        over = sum(map(cell_len, texts)) - room
        if over <= 0:
            break
        cells = cell_len(texts[index]) - over
        texts[index] = _cut(texts[index], cells) if cells > 3 else ""
    return [(text, style) for text, (_, style, _) in zip(texts, parts, strict=True)]


def _cut(text: str, cells: int) -> str:
    return text if cell_len(text) <= cells else set_cell_size(text, max(0, cells - 1)) + "…"
