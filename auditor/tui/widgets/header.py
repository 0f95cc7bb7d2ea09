"""The first row: which file, where in the queue, how much is done, whose work, and whether it is saved."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from auditor.audit.review_answers import BOOKMARK
from auditor.text import visible_line
from auditor.tui.short_names import end_cut
from auditor.tui.styled import Styled

SAVED = "saved ✓"
_GAP = "  "


class SaveState(NamedTuple):
    """What the header says about the work: saved, waiting for the file, or a sentence about what failed."""

    words: str = SAVED
    level: str = "saved"
    """The role of the words: `saved`, `warning` (they wait beside the file) or `failed`."""


_LEFT = (
    ("file", "muted"),
    ("position", "strong"),
    ("time", "muted"),
    ("done", ""),
    ("again", "warning"),
    ("description", "muted"),
)
"""The parts at the left, and the roles that they are drawn in."""
_GIVEN_UP = (
    ("description", 16),
    ("codebook", 0),
    ("file", 12),
    ("description", 0),
    ("annotator", 10),
    ("file", 0),
    ("time", 0),
    ("again", 0),
    ("done", 0),
    ("annotator", 0),
)
"""What gives way in a narrow terminal, first to last: a part, and to how many cells; 0 = it is left out."""


class Header(Styled):
    """`prex-demo.db  12 of 214  38 done  status:wrong · smallest      lm  codebook prex r3  saved ✓`."""

    DEFAULT_CSS = """
    Header {
        height: 1;
        background: $panel;
        color: $foreground;
    }
    """

    def __init__(self, file_name: str, description: str, annotator: str, codebook: str) -> None:
        super().__init__()
        self._fixed = {
            "file": visible_line(file_name),
            "description": visible_line(description),
            "annotator": visible_line(annotator),
            "codebook": visible_line(codebook),
        }
        self._position = ""
        self._done = ""
        self._bookmark = " "
        self._time = ""
        self._again = ""
        self._state = SaveState()

    def show_position(self, index: int | None, total: str, done: int) -> None:
        """Show `12 of 214  38 done`; `index` counts from 0, None = an item outside the queue."""
        cells = len(total.rstrip("+"))
        here = "-" if index is None else f"{index + 1:,}"
        position, finished = f"{here.rjust(cells)} of {total}", f"{f'{done:,}'.rjust(cells)} done"
        if (position, finished) != (self._position, self._done):
            self._position, self._done = position, finished
            self.refresh()

    def show_bookmark(self, bookmarked: bool) -> None:
        """Show whether the item has a bookmark."""
        self._bookmark = BOOKMARK if bookmarked else " "
        self.refresh()

    def show_again(self, items: int) -> None:
        """Show how many of the annotator's items need another look since the codebook changed; 0 = no word of it."""
        again = f"{items:,} again" if items else ""
        if again != self._again:
            self._again = again
            self.refresh()

    def show_time(self, time: str) -> None:
        """Show how long the person has been at the item."""
        if time != self._time:
            self._time = time
            self.refresh()

    def show_codebook(self, codebook: str) -> None:
        """Show which revision of which codebook is used now."""
        self._fixed["codebook"] = visible_line(codebook)
        self.refresh()

    def show_description(self, description: str) -> None:
        """Show which items the queue has."""
        self._fixed["description"] = visible_line(description)
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
        segments = [Segment(text, self.role_style(role)) for text, role in self.row(self.size.width)]
        return Strip(segments).adjust_cell_length(self.size.width, self.base_style)

    def row(self, width: int) -> list[tuple[str, str]]:
        """Lay the row out for a number of cells: texts and the roles that they are drawn in."""
        state = f"{end_cut(self._state.words, width - cell_len(self._position) - 4)} "
        parts = {
            "position": self._position,
            "time": self._time,
            "done": self._done,
            "again": self._again,
            **self._fixed,
        }
        room = width - cell_len(state) - 1
        for name, least in _GIVEN_UP:
            if (over := _cells(parts) - room) > 0:
                parts[name] = end_cut(parts[name], max(least, cell_len(parts[name]) - over)) if least else ""
        for name in ("description", "file", "annotator"):  # what was cut first has the room that others left
            if parts[name] and (spare := room - _cells(parts)) > 0:
                parts[name] = end_cut(self._fixed[name], cell_len(parts[name]) + spare)
        row = [(self._bookmark, "bookmark")]
        for name, role in _LEFT:
            if parts[name]:
                row.append((parts[name] + _GAP, role))
        right = "".join(f"{parts[name]}{_GAP}" for name in ("annotator", "codebook") if parts[name])
        used = sum(cell_len(text) for text, _ in row) + cell_len(right)
        row.append((" " * (width - used - cell_len(state)), ""))
        return [*row, (right, "muted"), (state, self._state.level)]


def _cells(parts: dict[str, str]) -> int:
    return sum(cell_len(text) + len(_GAP) for text in parts.values() if text)
