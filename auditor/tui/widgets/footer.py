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
_MATTERS = 1
"""Actions up to this rank have shorter labels rather than none."""
_SHORT_KEYS = {"Backspace": "Bksp"}


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
        for action, key, label in self._shown(self.size.width - _MARGIN):
            end = at + _cells_of(key, label)
            if at <= event.x < end and action.keys:
                self.post_message(self.Clicked(action))
            at = end + _GAP

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.base_style
        segments = [Segment(" " * _MARGIN, base)]
        for action, key, label in self._shown(width - _MARGIN):
            off = action.why_not(self._situation) is not None
            key_role, role = ("off", "off") if off else ("key", "muted")
            segments.append(Segment(key, self.role_style(key_role)))
            segments.append(Segment(f" {label}{' ' * _GAP}", self.role_style(role)))
        return Strip(segments).adjust_cell_length(width, base)

    def _shown(self, room: int) -> list[tuple[Action, str, str]]:
        """Return the actions with a label that fit, in the registry's order, with their keys and labels.

        These are shorter ones where else one of the actions that matter most would have no room.
        """
        writing = self._situation.writing_note
        entries = [
            (action, self._key_of(action), action.label)
            for action in self._actions
            if action.label and action.while_writing == writing and self._key_of(action) and self._belongs(action)
        ]
        shown = _fitting(entries, room)
        if sum(action.rank <= _MATTERS for action, *_ in shown) == sum(
            action.rank <= _MATTERS for action, *_ in entries
        ):
            return shown
        shorter = [(one, _SHORT_KEYS.get(key, key), one.short_label or label) for one, key, label in entries]
        return _fitting(shorter, room)

    def _belongs(self, action: Action) -> bool:
        return not action.of_some_items or action.why_not(self._situation) is None

    def _key_of(self, action: Action) -> str:
        return self._tag_keys if action.id == TAG.id else action.shown_key


def _cells_of(key: str, label: str) -> int:
    return cell_len(key) + 1 + cell_len(label)


def _fitting(entries: list[tuple[Action, str, str]], room: int) -> list[tuple[Action, str, str]]:
    """Return the entries that fit; those of the lowest rank first have room."""
    chosen: set[str] = set()
    for action, key, label in sorted(entries, key=lambda entry: entry[0].rank):
        if (cells := _cells_of(key, label)) > room:
            break
        room -= cells + _GAP
        chosen.add(action.id)
    return [entry for entry in entries if entry[0].id in chosen]
