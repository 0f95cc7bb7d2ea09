"""The tags with their keys, the note and the state: always on the screen, always at the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip

from auditor.model import FIRST, ReviewState
from auditor.text import counted, visible_line
from auditor.tui.marked_lines import MEMO
from auditor.tui.short_names import end_cut
from auditor.tui.styled import Styled
from auditor.tui.widgets.message_rows import MessageRows, message_lines, message_segments
from auditor.tui.widgets.pane import Divider

STATE_WORDS = {
    ReviewState.NOT_REVIEWED: "· open",
    ReviewState.IN_PROGRESS: "◐ begun",
    ReviewState.REVIEWED: "✓ reviewed",
    ReviewState.DEFERRED: "» deferred",
}
_STATE_CELLS = max(map(cell_len, STATE_WORDS.values()))


class TagLabel(NamedTuple):
    """One tag as the bar shows it."""

    id: str
    key: str
    name: str


class TagBar(Styled):
    """A rule that carries the last message, the tags in as many rows as they need, and a row with state and note."""

    DEFAULT_CSS = """
    TagBar {
        height: 3;
    }
    """

    class Clicked(Message):
        """A tag was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, tags: Sequence[TagLabel]) -> None:
        super().__init__()
        self.rows_above = MessageRows()
        """Where a message goes on that does not fit the rule; the screen has it."""
        self._take(tags)
        self._chips: list[list[tuple[int, int]]] = []
        """Per row: (index of the tag, cell where its chip begins)."""
        self._on: frozenset[str] = frozenset()
        self._state = ReviewState.NOT_REVIEWED
        self._note = ""
        self._first = ""
        self._memos = 0
        self._message = ""
        self._refused = self._brief = False

    def _take(self, tags: Sequence[TagLabel]) -> None:
        shown = [TagLabel(tag.id, visible_line(tag.key), visible_line(tag.name, 60)) for tag in tags]
        self._tags = [tag for tag in shown if tag.key]
        self._without_key = {tag.id: tag.name for tag in shown if not tag.key}
        """Names of retired tags, which are shown only on an item that carries one."""

    def show_tags(self, tags: Sequence[TagLabel]) -> None:
        """Show the tags of another revision of the codebook."""
        self._take(tags)
        self.fit_to(self.size.width)
        self.refresh(layout=True)

    def show_review(
        self, state: ReviewState, tags: Sequence[str], note: str, first_cause: str = "", memos: int = 0
    ) -> None:
        """Show the state, tags and note of an item, which tag came first, and how many memos there are."""
        self._state, self._on, self._note = state, frozenset(tags), note
        self._first, self._memos = first_cause, memos
        self.refresh()

    def show_message(self, message: str, *, refused: bool = False, brief: bool = False) -> None:
        """Show what just happened, or why something did not; an empty message clears it.

        A `brief` one is cut where the rule ends; of others all is shown, over the panes where one row is not enough.
        """
        if message or self._message:
            self._message, self._refused, self._brief = visible_line(message, 2000), refused, brief
            self.fit_message()
        self.refresh()

    @property
    def message(self) -> str:
        """Return the message on the bar."""
        return self._message

    def on_resize(self, event: events.Resize) -> None:
        self.fit_to(event.size.width)
        self.fit_message()

    def fit_message(self) -> None:
        """Give the message the rows that it has now: one while a text is being written above, else all."""
        lines = self._message_lines()
        if self.rows_above.is_attached and (len(lines) > 1 or self.rows_above.display):
            below = self.screen.size.height - self.region.y
            self.rows_above.show_lines(lines[:-1], below, refused=self._refused)

    def _message_lines(self) -> list[str]:
        """Return the rows of the message: one where it is brief, or a text is being written above."""
        width = self.size.width
        one = self._brief or not width or bool(self.screen.query("NoteEditor"))
        return message_lines(self._message, width, most=1 if one else 4)

    def fit_to(self, width: int) -> None:
        """Distribute the tags over rows; the height depends on the codebook and the width, never on the item."""
        rows: list[list[tuple[int, int]]] = [[]]
        x = 1
        for index, tag in enumerate(self._tags):
            cells = min(_chip_cells(tag), width - 2)
            if rows[-1] and x + cells > width - 1:
                rows.append([])
                x = 1
            rows[-1].append((index, x))
            x += cells + 1
        self._chips = rows
        self.styles.height = len(rows) + 2

    def on_click(self, event: events.Click) -> None:
        # A double click is one: the second would take off at once what the first put on.
        row = event.y - 1
        if event.chain == 1 and 0 <= row < len(self._chips):
            for index, x in self._chips[row]:
                if x <= event.x < x + _chip_cells(self._tags[index]):
                    self.post_message(self.Clicked(index))

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        if y == 0:
            segments = self._rule(width)
        elif y <= len(self._chips):
            segments = self._chip_row(self._chips[y - 1])
        else:
            segments = self._state_row(width)
        return Strip(segments).adjust_cell_length(width, base)

    def _rule(self, width: int) -> list[Segment]:
        rule = self.role_style("rule")
        if not self._message:
            dividers = [divider for divider in self.screen.query(Divider) if divider.visible]
            ends = {divider.region.x for divider in dividers if divider.region.bottom == self.region.y}
            return [Segment("".join("┴" if x in ends else "─" for x in range(width)), rule)]
        lines = self._message_lines()
        return message_segments(self, lines[-1], width, refused=self._refused, first=len(lines) == 1)

    def _chip_row(self, chips: Sequence[tuple[int, int]]) -> list[Segment]:
        style = self.role_style
        segments, at = [], 0
        for index, x in chips:
            tag = self._tags[index]
            segments.append(Segment(" " * (x - at), style("")))
            if tag.id in self._on:
                segments.append(Segment(f"[{tag.key} {tag.name}]", style("chip")))
            else:
                segments.append(Segment(f" {tag.key} ", style("key")))
                segments.append(Segment(f"{tag.name} ", style("")))
            at = x + _chip_cells(tag)
            if tag.id == self._first:
                segments.append(Segment(FIRST, style("bookmark")))
                at += 1
        return segments

    def _state_row(self, width: int) -> list[Segment]:
        style = self.role_style
        state = set_cell_size(STATE_WORDS[self._state], _STATE_CELLS)
        known = {tag.id for tag in self._tags}
        retired = [
            f"{self._without_key.get(tag, visible_line(tag, 60))}{FIRST if tag == self._first else ''}"
            for tag in sorted(self._on - known)
        ]
        chips = f"[retired: {', '.join(retired)}]  " if retired else ""
        if cell_len(chips) > width // 2:
            chips = set_cell_size(chips, width // 2 - 3) + "…] "
        segments = [
            Segment(f"  {state}   ", style(self._state.value)),
            Segment(chips, style("off")),
            Segment("note: ", style("muted")),
        ]
        memos = f"  {MEMO} {counted(self._memos, 'memo')} " if self._memos else ""
        room = width - _STATE_CELLS - 12 - cell_len(chips) - cell_len(memos)
        note = end_cut(visible_line(self._note, 2000), room)
        segments.append(Segment(note or "-", style("" if note else "muted")))
        if memos:
            gap = room - cell_len(note or "-")
            segments += [Segment(" " * gap, style("")), Segment(memos, style("memo"))]
        return segments


def _chip_cells(tag: TagLabel) -> int:
    return cell_len(tag.key) + cell_len(tag.name) + 3
