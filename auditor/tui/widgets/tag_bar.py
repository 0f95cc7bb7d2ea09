"""The tags with their keys, the note and the state: always on the screen, always at the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from auditor.model import ReviewState
from auditor.text import visible_line
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


class TagBar(Widget):
    """A rule that carries the last message, the tags in as many rows as they need, and a row with state and note."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "tag-bar--rule",
        "tag-bar--key",
        "tag-bar--name",
        "tag-bar--on",
        "tag-bar--dim",
        *(f"tag-bar--{state.value}" for state in ReviewState),
        "tag-bar--message",
        "tag-bar--refused",
    }
    DEFAULT_CSS = """
    TagBar {
        height: 3;
        & > .tag-bar--rule { color: $foreground 25%; }
        & > .tag-bar--key { color: $tag-key; text-style: bold; }
        & > .tag-bar--name { color: $foreground; }
        & > .tag-bar--on { color: $tag-chip-text; background: $tag-chip; text-style: bold; }
        & > .tag-bar--dim { color: $muted; }
        & > .tag-bar--not-reviewed { color: $muted; }
        & > .tag-bar--in-progress { color: $state-begun; text-style: bold; }
        & > .tag-bar--reviewed { color: $state-reviewed; text-style: bold; }
        & > .tag-bar--deferred { color: $state-deferred; text-style: bold; }
        & > .tag-bar--message { color: $foreground; }
        & > .tag-bar--refused { color: $unsaved; text-style: bold; }
    }
    """

    class Clicked(Message):
        """A tag was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, tags: Sequence[TagLabel]) -> None:
        super().__init__()
        self._tags = [TagLabel(tag.id, visible_line(tag.key), visible_line(tag.name, 60)) for tag in tags]
        self._chips: list[list[tuple[int, int]]] = []
        """Per row: (index of the tag, cell where its chip begins)."""
        self._on: frozenset[str] = frozenset()
        self._state = ReviewState.NOT_REVIEWED
        self._note = ""
        self._message = ""
        self._refused = False

    def show_review(self, state: ReviewState, tags: Sequence[str], note: str) -> None:
        """Show the state, tags and note of an item."""
        self._state, self._on, self._note = state, frozenset(tags), note
        self.refresh()

    def show_message(self, message: str, *, refused: bool = False) -> None:
        """Show what just happened, or why something did not; an empty message clears it."""
        self._message, self._refused = visible_line(message), refused
        self.refresh()

    @property
    def message(self) -> str:
        """Return the message on the bar."""
        return self._message

    def on_resize(self, event: events.Resize) -> None:
        self.fit_to(event.size.width)

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
        row = event.y - 1
        if 0 <= row < len(self._chips):
            for index, x in self._chips[row]:
                if x <= event.x < x + _chip_cells(self._tags[index]):
                    self.post_message(self.Clicked(index))

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.visual_style.rich_style
        if y == 0:
            segments = self._rule(width)
        elif y <= len(self._chips):
            segments = self._chip_row(self._chips[y - 1])
        else:
            segments = self._state_row(width)
        return Strip(segments).adjust_cell_length(width, base)

    def _rule(self, width: int) -> list[Segment]:
        rule = self.get_component_rich_style("tag-bar--rule")
        if not self._message:
            ends = {
                divider.region.x for divider in self.screen.query(Divider) if divider.region.bottom == self.region.y
            }
            return [Segment("".join("┴" if x in ends else "─" for x in range(width)), rule)]
        style = self.get_component_rich_style("tag-bar--refused" if self._refused else "tag-bar--message")
        message = self._message
        if cell_len(message) > width - 5:
            message = set_cell_size(message, width - 6) + "…"
        return [Segment("─ ", rule), Segment(message, style), Segment(" " + "─" * width, rule)]

    def _chip_row(self, chips: Sequence[tuple[int, int]]) -> list[Segment]:
        style = self.get_component_rich_style
        segments, at = [], 0
        for index, x in chips:
            tag = self._tags[index]
            segments.append(Segment(" " * (x - at), style("tag-bar--name")))
            if tag.id in self._on:
                segments.append(Segment(f"[{tag.key} {tag.name}]", style("tag-bar--on")))
            else:
                segments.append(Segment(f" {tag.key} ", style("tag-bar--key")))
                segments.append(Segment(f"{tag.name} ", style("tag-bar--name")))
            at = x + _chip_cells(tag)
        return segments

    def _state_row(self, width: int) -> list[Segment]:
        style = self.get_component_rich_style
        state = set_cell_size(STATE_WORDS[self._state], _STATE_CELLS)
        segments = [
            Segment(f"  {state}   ", style(f"tag-bar--{self._state.value}")),
            Segment("note: ", style("tag-bar--dim")),
        ]
        room = width - _STATE_CELLS - 12
        note = visible_line(self._note, 2000)
        if cell_len(note) > room:
            note = set_cell_size(note, room - 1) + "…"
        segments.append(Segment(note or "-", style("tag-bar--name" if note else "tag-bar--dim")))
        return segments


def _chip_cells(tag: TagLabel) -> int:
    return cell_len(tag.key) + cell_len(tag.name) + 3
