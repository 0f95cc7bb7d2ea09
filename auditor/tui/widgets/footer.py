"""The last row: the keys that matter here, from the action registry; what cannot be done now is grey."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip

from auditor.tui.actions import TAG, Action, Situation
from auditor.tui.styled import Styled

_MARGIN, _GAP = 1, 2


class Footer(Styled):
    """`1-4 tag  space done  0 none …  q quit  ? help`, the most useful keys in a narrow terminal."""

    DEFAULT_CSS = """
    Footer {
        height: 1;
        background: $panel;
    }
    """

    class Clicked(Message):
        """An entry was clicked."""

        def __init__(self, action: Action) -> None:
            super().__init__()
            self.action = action

    def __init__(self, actions: Sequence[Action], tag_keys: str) -> None:
        super().__init__()
        self._actions = actions
        self._tag_keys = tag_keys
        self._situation = Situation()

    def show_tag_keys(self, tag_keys: str) -> None:
        """Show other keys for the codebook's tags."""
        self._tag_keys = tag_keys
        self.refresh()

    def show_situation(self, situation: Situation) -> None:
        """Show which actions can be done now."""
        if situation != self._situation:
            self._situation = situation
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        at = _MARGIN
        for action in self._shown(self.size.width - _MARGIN):
            end = at + self._cells_of(action)
            if at <= event.x < end and action.keys:
                self.post_message(self.Clicked(action))
            at = end + _GAP

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        segments = [Segment(" " * _MARGIN, base)]
        for action in self._shown(width - _MARGIN):
            off = action.why_not(self._situation) is not None
            key, label = ("off", "off") if off else ("key", "muted")
            segments.append(Segment(self._key_of(action), self.role_style(key)))
            segments.append(Segment(f" {action.label}{' ' * _GAP}", self.role_style(label)))
        return Strip(segments).adjust_cell_length(width, base)

    def _shown(self, room: int) -> list[Action]:
        """Return the actions with a label that fit, in the registry's order."""
        writing = self._situation.writing_note
        candidates = [
            action
            for action in self._actions
            if action.label and action.while_writing == writing and self._key_of(action)
        ]
        chosen: set[str] = set()
        for action in sorted(candidates, key=lambda each: each.rank):
            cells = self._cells_of(action)
            if cells > room:
                break
            room -= cells + _GAP
            chosen.add(action.id)
        return [action for action in candidates if action.id in chosen]

    def _cells_of(self, action: Action) -> int:
        return cell_len(self._key_of(action)) + 1 + cell_len(action.label)

    def _key_of(self, action: Action) -> str:
        return self._tag_keys if action.id == TAG.id else action.shown_key
