"""What two programs are that stand side by side: a few words a row, above each of them or one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.cells import set_cell_size
from rich.segment import Segment
from textual.strip import Strip

from auditor.tui.short_names import end_cut
from auditor.tui.side_rows import COLUMNS_FROM
from auditor.tui.styled import Styled

_SIGNS = ("< ", "> ")


class SidesHead(Styled):
    """`< loops  this item` and `> while-index`, each with what it is and how it was answered."""

    DEFAULT_CSS = """
    SidesHead { height: 3; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._sides: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._at = 0
        """The cell at which the words of the other program begin."""

    def show_sides(self, left: Sequence[str], right: Sequence[str], at: int) -> None:
        """Show the name of each and what is said of it, visible already; `at` is where the other program begins."""
        self._sides, self._at = (left, right), at
        self.refresh()

    def fit_to(self, width: int, *, answers: bool) -> None:
        """Take the rows that are needed in a screen of a width; `answers` says whether there are any to be told of."""
        rows = 3 if width >= COLUMNS_FROM else 4
        self.styles.height = rows if answers else 2

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        left, right = self._sides
        if width >= COLUMNS_FROM:
            texts = next((row for nth, row in enumerate(zip_longest(left, right, fillvalue="")) if nth == y), ("", ""))
            first = self._segments(0, y, texts[0], self._at - 1)
            return Strip([*first, Segment(" ", base), *self._segments(1, y, texts[1], width - self._at)])
        # The name and what the program is share a row, and how it was answered has one.
        side, nth = divmod(y, max(1, self.size.height // 2))
        words = right if side else left
        text = " · ".join(filter(None, words[:2])) if nth == 0 else "".join(words[2:3])
        return Strip(self._segments(side, nth, text, width))

    def _segments(self, side: int, nth: int, text: str, cells: int) -> list[Segment]:
        sign = _SIGNS[side] if nth == 0 and text else "  "
        room = max(0, cells - len(sign))
        shown = end_cut(text, room)
        style = self.role_style("strong" if nth == 0 else "muted")
        return [Segment(sign, style), Segment(set_cell_size(shown, room), style)]
