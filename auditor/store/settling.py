"""What the events of the history come to, one after the other: the fold that the check and a merge share.

Histories that one annotator wrote on two computers stand in one order after a merge (see `event_order`). An event that
comes right after the one that it was written after applies as it is; another one was written beside those that come
between, and applies as `Change.joined` says.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from auditor.store.annotators import parsed
from auditor.store.changes import Change, ReviewView, TagRules
from auditor.store.reveals import REVEAL, ReviewKey
from auditor.text import from_storage


class EventRow(NamedTuple):
    """What the fold needs to know of an event."""

    id: int
    response_id: int
    codebook_id: int
    annotator_id: int
    revision: int
    action: str
    change: str
    at: str
    aside: bool
    follows: int | None

    @property
    def key(self) -> ReviewKey:
        """Return the review that the event belongs to."""
        return self.response_id, self.codebook_id, self.annotator_id


EVENT_COLUMNS = (
    "e.id, e.response_id, e.codebook_id, e.annotator_id, e.revision, e.action, e.change, e.at, e.aside, e.follows"
)


_change = lru_cache(maxsize=8192)(Change.from_json)
"""Most events say what many others say, and a merge folds some of them three times."""


class RulesByRevision:
    """The rules of the codebooks that events were written under, each read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rules: dict[tuple[int, int], TagRules] = {}

    def of(self, codebook_id: int, revision: int) -> TagRules:
        """Return the rules of a revision; none of one that the file does not hold."""
        key = (codebook_id, revision)
        if key not in self._rules:
            sql = "SELECT text FROM codebook_revisions WHERE codebook_id = ? AND revision = ?"
            row = self._connection.execute(sql, key).fetchone()
            book = parsed(from_storage(row[0]) or "", f"codebook {codebook_id} revision {revision}") if row else None
            self._rules[key] = TagRules(book.replacements, book.counts_as) if book else TagRules()
        return self._rules[key]


class Settling:
    """Takes the events of some reviews in their order; `views` and `latest` are what they have come to so far."""

    def __init__(self, rules: RulesByRevision) -> None:
        self._rules = rules
        self._last: dict[tuple[int, int], int] = {}
        """The last event by annotator and item, whatever it did and under whichever codebook."""
        self.views: dict[ReviewKey, ReviewView] = {}
        self.latest: dict[ReviewKey, int] = {}
        """The last event that touched the review."""

    def take(self, events: Iterable[EventRow]) -> Iterator[tuple[EventRow, Change]]:
        """Apply events, and yield each with what it changed; a reveal changes nothing."""
        for event in events:
            chain = (event.annotator_id, event.response_id)
            beside = self._last.get(chain) != event.follows
            self._last[chain] = event.id
            if event.action == REVEAL:
                yield event, Change()
                continue
            key = event.key
            view = self.views.get(key, ReviewView())
            change = _change(event.change)
            if beside:
                rules = self._rules.of(event.codebook_id, event.revision)
                change = change.joined(view, rules, none=event.action == "nothing")
            self.views[key] = change.apply(view, None if event.aside else event.at)
            if not event.aside:
                self.latest[key] = event.id
            yield event, change
