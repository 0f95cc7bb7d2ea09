"""The queue as a column: only the rows on the screen are read, the current one is marked and kept in sight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from auditor.audit.review_answers import BOOKMARK
from auditor.model import ReviewState
from auditor.text import visible_line
from auditor.tui.row_windows import RowWindows
from auditor.tui.short_names import NearCuts, ShortNames, middle_cut
from auditor.tui.styled import role_styles
from auditor.tui.widgets.row_view import RowView

if TYPE_CHECKING:
    from auditor.audit.review import QueueRow

STATE_MARKS = {
    ReviewState.NOT_REVIEWED: "·",
    ReviewState.IN_PROGRESS: "◐",
    ReviewState.REVIEWED: "✓",
    ReviewState.DEFERRED: "»",
}

RowReader = Callable[[int, int], "Sequence[QueueRow]"]
NameReader = Callable[[], tuple[Sequence[str], Sequence[str]]]
"""Returns all arms and all settings."""
_ARM_CELLS, _SETTING_CELLS, _SAMPLE_CELLS, _TAG_CELLS = 11, 13, 3, 6


class QueueColumn(RowView, can_focus=False):
    """One row an item: state, case, arm, setting, sample, and the keys of its tags.

    Arm, setting or sample are left out where the file has only one.
    """

    def __init__(
        self,
        total: int,
        read: RowReader,
        names: NameReader,
        has_samples: Callable[[], bool],
        cases_beside: Callable[[str], Sequence[str]],
        tag_keys: Mapping[str, str],
    ) -> None:
        super().__init__(total)
        self._cases = NearCuts(cases_beside)
        self._rows = RowWindows(read)
        self._read_names, self._has_samples = names, has_samples
        self._tag_keys = {tag: visible_line(key) for tag, key in tag_keys.items()}
        self._columns: tuple[ShortNames | None, ShortNames | None, bool] | None = None
        self._here: int | None = None
        self._counts = ""

    def show_tag_keys(self, tag_keys: Mapping[str, str]) -> None:
        """Show tags with other keys, by their ids."""
        self._tag_keys = {tag: visible_line(key) for tag, key in tag_keys.items()}
        self.refresh()

    def follow_size(self) -> None:
        self._set_size()
        self._keep_in_sight()

    def show_position(self, index: int | None, counts: str) -> None:
        """Mark the row of an item; rows are read again, since a mark may have changed them."""
        self._rows.forget()
        self._here, self._counts = index, counts
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved())

    def show_total(self, total: int) -> None:
        """Show a queue of so many items."""
        self._rows.forget()
        self._total = total
        self._set_size()
        self.refresh()

    def grow_to(self, total: int, counts: str) -> None:
        """Follow a queue that grows: what is on the screen stays where it is."""
        self._counts = counts
        if total != self._total:
            self._rows.forget_unfilled()
            self._total = total
            self._set_size()
            self.refresh()
            self.post_message(self.Moved())

    @property
    def extent(self) -> str:
        return self._counts

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        row = self._rows.row(index) if index < self._total else None
        if row is None:
            return Strip.blank(width, base)
        here = index == self._here
        ground = role_styles(self.app.theme_variables, self.app.no_color)["here"] if here else Style.null()
        style = self.role_style
        mark = f"{'▸' if here else ' '}{STATE_MARKS[row.state]}{BOOKMARK if row.bookmarked else ' '}"
        arms, settings, samples = self._shown_columns()
        parts = [
            (names.of(name), names.cells, role)
            for names, name, role in ((arms, row.arm, "muted"), (settings, row.setting, ""))
            if names is not None
        ]
        if samples:
            parts.append((f"{row.sample}".rjust(_SAMPLE_CELLS), _SAMPLE_CELLS, "muted"))
        tags = middle_cut(" ".join(self._tag_keys.get(tag) or "?" for tag in row.tags), _TAG_CELLS - 2)
        tags = f"[{tags}]" if tags else ""
        room = max(1, width - cell_len(mark) - sum(cells + 1 for _, cells, _ in parts) - _TAG_CELLS - 1)
        segments = [
            Segment(mark, style(row.state.value) + ground),
            Segment(f"{_filled(self._cases.cut(row.case, room), room)} ", base + ground),
            *(
                Segment(f"{_filled(text, cells)} ", (style(role) if role else base) + ground)
                for text, cells, role in parts
            ),
            Segment(tags, style("chip")),
        ]
        return Strip(segments).adjust_cell_length(width, base + ground)

    def _shown_columns(self) -> tuple[ShortNames | None, ShortNames | None, bool]:
        if self._columns is None:
            arms, settings = self._read_names()
            # Either has the room of the other where that is left out.
            alone = _ARM_CELLS + 1 + _SETTING_CELLS
            self._columns = (
                ShortNames(arms, _ARM_CELLS if len(settings) > 1 else alone) if len(arms) > 1 else None,
                ShortNames(settings, _SETTING_CELLS if len(arms) > 1 else alone) if len(settings) > 1 else None,
                self._has_samples(),
            )
        return self._columns

    def _set_size(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, self._total)

    def _keep_in_sight(self) -> None:
        height = self.scrollable_content_region.height
        if self._here is None or height <= 0:
            return
        margin = min(3, height // 4)
        top = self.scroll_offset.y
        if not top + margin <= self._here < top + height - margin:
            self.jump_to(max(0, self._here - height // 3))


def _filled(text: str, cells: int) -> str:
    return text + " " * (cells - cell_len(text))


def count_words(counts: Mapping[ReviewState, int]) -> str:
    """Return `✓ 38  ◐ 2  » 5  · 169`."""
    order = (ReviewState.REVIEWED, ReviewState.IN_PROGRESS, ReviewState.DEFERRED, ReviewState.NOT_REVIEWED)
    return "  ".join(f"{STATE_MARKS[state]} {counts.get(state, 0):,}" for state in order)
