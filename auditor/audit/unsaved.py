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
    as_one_act,
    confirms,
    events_of_act,
    load_event,
    load_view,
    own_events,
    redo_target,
    touching,
    undo_target,
)
from auditor.store.reveals import REVEAL
from auditor.store.reviews import Change, Intent, MarkAll, Redo, Reveal, ReviewView, Undo, decide


class _Entry(NamedTuple):
    head: EventHead
    action: str
    changes: tuple[tuple[int, Change], ...]
    """By response id: of an act on several items more than one."""


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

    def record(self, response_id: int, intent: Intent, at: str, *, waited: bool = False) -> Recorded | None:
        """Apply an action; None when there is nothing to do. Raises KeyError for an unknown tag.

        `waited` is as for the history: what an earlier session did is an entry also where nothing is left to do.
        """
        if isinstance(intent, Undo | Redo):
            return self._step(intent, at)
        if isinstance(intent, Reveal):
            return self._reveal(response_id)
        if isinstance(intent, MarkAll):
            return self._mark_all(intent, at, waited=waited)
        action, change = decide(self.view(response_id), intent, self._actor.rules)
        if change.empty and not (waited or confirms(self._reader, self._actor, response_id, intent)):
            return None
        return self._keep(((response_id, change),), action, action, None, at)

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
            _, of, changes = self._entries[-target - 1]
        else:
            events = [load_event(self._reader, event) for event in events_of_act(self._reader, target)]
            of, changes = events[0].action, tuple((event.response_id, event.change) for event in events)
        undo = isinstance(intent, Undo)
        wanted = tuple((row, change.inverse() if undo else change) for row, change in changes)
        return self._keep(wanted, "undo" if undo else "redo", of, target, at)

    def _mark_all(self, intent: MarkAll, at: str, *, waited: bool) -> Recorded | None:
        changes = []
        of = ""
        for response_id in intent.response_ids:
            view = self.view(response_id)
            one = intent.for_one(view, self._actor.rules)
            if one is None:
                continue
            action, change = decide(view, one, self._actor.rules)
            if not change.empty or confirms(self._reader, self._actor, response_id, one):
                of = action
                changes.append((response_id, change))
        if waited and not changes and intent.response_ids:
            of, changes = intent.action, [(intent.response_ids[0], Change())]
        return self._keep(tuple(changes), of, of, None, at) if changes else None

    def _keep(
        self, changes: tuple[tuple[int, Change], ...], action: str, of: str, undoes: int | None, at: str
    ) -> Recorded | None:
        self._entries.append(_Entry(EventHead(-len(self._entries) - 1, action, undoes), action, changes))
        done = []
        for response_id, change in changes:
            view = self.views[response_id] = change.apply(self.view(response_id), touching(of, at))
            done.append(Recorded(response_id, action, of, change, view))
        return as_one_act(done)
