"""The last row: the keys that matter here, from the action registry; what cannot be done now is grey."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from auditor.tui.actions import Action, Situation
from auditor.tui.styled import Styled


class Footer(Styled):
    """`1-4 tag  space done+next  0 none …  ? help`, the most useful keys in a narrow terminal."""

    DEFAULT_CSS = """
    Footer {
        height: 1;
        background: $panel;
    }
    """

    def __init__(self, actions: Sequence[Action], tag_keys: str) -> None:
        super().__init__()
        self._actions = actions
        self._tag_keys = tag_keys
        self._situation = Situation()

    def show_situation(self, situation: Situation) -> None:
        """Show which actions can be done now."""
        if situation != self._situation:
            self._situation = situation
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        segments = [Segment(" ", base)]
        for action in self._shown(width - 1):
            off = not self._situation.writing_note and action.why_not(self._situation) is not None
            key, label = ("off", "off") if off else ("key", "muted")
            segments.append(Segment(self._key_of(action), self.role_style(key)))
            segments.append(Segment(f" {action.label}  ", self.role_style(label)))
        return Strip(segments).adjust_cell_length(width, base)

    def _shown(self, room: int) -> list[Action]:
        """Return the actions with a label that fit, in the registry's order."""
        writing = self._situation.writing_note
        candidates = [action for action in self._actions if action.label and action.while_writing == writing]
        chosen: set[str] = set()
        for action in sorted(candidates, key=lambda each: each.rank):
            cells = cell_len(self._key_of(action)) + cell_len(action.label) + 3
            if cells <= room + 2:
                room -= cells
                chosen.add(action.id)
            else:
                break
        return [action for action in candidates if action.id in chosen]

    def _key_of(self, action: Action) -> str:
        return action.shown_key if action.keys else self._tag_keys
