"""What the screen shows while the audit file cannot be written: the file's state with the unsaved actions on top."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from auditor.store.history import (
    Actor,
    EventHead,
    Recorded,
    confirms,
    load_event,
    load_view,
    own_events,
    redo_target,
    undo_target,
)
from auditor.store.reveals import REVEAL
from auditor.store.reviews import Change, Intent, Redo, Reveal, ReviewView, Undo, decide


class _Entry(NamedTuple):
    head: EventHead
    response_id: int
    action: str
    change: Change


class UnsavedLedger:
    """Applies actions in memory exactly as the history will when they are written; its events have negative ids."""

    def __init__(self, reader: sqlite3.Connection, actor: Actor) -> None:
        self._reader = reader
        self._actor = actor
        self._entries: list[_Entry] = []
        self.views: dict[int, ReviewView] = {}
        """Reviews that the unsaved actions changed, by response id."""

    def follow(self, actor: Actor) -> None:
        """Go on under another revision of the codebook."""
        self._actor = actor

    def view(self, response_id: int) -> ReviewView:
        """Return the review as it will be."""
        return self.views.get(response_id) or load_view(self._reader, self._actor, response_id)

    def record(self, response_id: int, intent: Intent, at: str) -> Recorded | None:
        """Apply an action; None when there is nothing to do. Raises KeyError for an unknown tag."""
        if isinstance(intent, Undo | Redo):
            return self._step(intent, at)
        if isinstance(intent, Reveal):
            return self._reveal(response_id)
        action, change = decide(self.view(response_id), intent, self._actor.rules)
        if change.empty and not confirms(self._reader, self._actor, response_id, intent):
            return None
        return self._keep(response_id, action, action, change, None, at)

    def clear(self) -> None:
        """Forget everything: it is in the file."""
        self._entries.clear()
        self.views.clear()

    def _reveal(self, response_id: int) -> Recorded | None:
        """Note that an item was revealed: that is no entry, because nothing undoes it."""
        view = self.view(response_id)
        if view.revealed:
            return None
        self.views[response_id] = replace(view, revealed=True)
        return Recorded(response_id, REVEAL, REVEAL, Change(), self.views[response_id])

    def _step(self, intent: Undo | Redo, at: str) -> Recorded | None:
        unsaved = (entry.head for entry in reversed(self._entries))
        heads = chain(unsaved, own_events(self._reader, self._actor))
        target = undo_target(heads) if isinstance(intent, Undo) else redo_target(heads)
        if target is None:
            return None
        if target < 0:
            _, response_id, of, change = self._entries[-target - 1]
        else:
            response_id, of, change, _ = load_event(self._reader, target)
        undo = isinstance(intent, Undo)
        return self._keep(response_id, "undo" if undo else "redo", of, change.inverse() if undo else change, target, at)

    def _keep(self, response_id: int, action: str, of: str, change: Change, undoes: int | None, at: str) -> Recorded:
        view = change.apply(self.view(response_id), at)
        head = EventHead(-len(self._entries) - 1, action, undoes)
        self._entries.append(_Entry(head, response_id, action, change))
        self.views[response_id] = view
        return Recorded(response_id, action, of, change, view)
