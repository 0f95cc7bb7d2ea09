"""The rows of the current states, written anew from the history for those reviews that a merge touched.

Every function that writes expects to be inside the caller's transaction; `touched` lists whose work on what it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from auditor.store.changes import Change, ReviewView
from auditor.store.json_column import dump_json
from auditor.store.own_probes import PROBE_COLUMNS, probe_row
from auditor.store.reveals import REVEAL, ReviewKey
from auditor.store.settling import EVENT_COLUMNS, EventRow, RulesByRevision, Settling
from auditor.text import from_storage, to_storage

_STATES = ("applied_tags", "reveals", "bookmarks", "memos", "decisions", "invalidations", "own_probes", "reviews")


def begin_touched(connection: sqlite3.Connection) -> None:
    """Make the list of whose work on which items is written anew."""
    connection.execute(
        "CREATE TEMP TABLE touched (annotator_id INTEGER, response_id INTEGER, PRIMARY KEY (annotator_id, response_id))"
        " WITHOUT ROWID"
    )


def touched_histories(connection: sqlite3.Connection) -> Iterator[list[tuple[EventRow, str]]]:
    """Yield the events, with their UUIDs, of each annotator on each item of the list, in their order."""
    sql = (
        f"SELECT {EVENT_COLUMNS}, e.uuid FROM touched h JOIN events e ON e.response_id = h.response_id"
        " AND e.annotator_id = h.annotator_id ORDER BY h.annotator_id, h.response_id, e.id"
    )
    rows = ((EventRow._make(row), uuid) for *row, uuid in connection.execute(sql))
    for _, events in groupby(rows, lambda pair: (pair[0].annotator_id, pair[0].response_id)):
        yield list(events)


@dataclass(slots=True)
class _Origins:
    """Which events made the parts of a review what they are."""

    tags: dict[str, int] = field(default_factory=dict)
    bookmark: int = 0
    memos: dict[tuple[str, int], int] = field(default_factory=dict)
    rulings: dict[str, int] = field(default_factory=dict)
    validity: int = 0
    probes: dict[str, int] = field(default_factory=dict)
    reveal: int = 0

    def note(self, event: EventRow, change: Change) -> None:
        """Keep what an event changed."""
        if event.action == REVEAL:
            self.reveal = self.reveal or event.id
        for tag in change.add:
            self.tags[tag] = event.id
        if change.bookmark:
            self.bookmark = event.id
        if change.memo:
            self.memos[change.memo[:2]] = event.id
        for decided in change.decided:
            self.rulings[decided.tag] = event.id
        if change.validity:
            self.validity = event.id
        for probe in change.probe or ():
            if probe is not None:
                self.probes[probe.name] = event.id


class SettledRows:
    """Collects what histories come to and puts it in the place of the rows that are there."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.rules = RulesByRevision(connection)
        self._rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in _STATES}
        self._tag_ids: dict[int, dict[str, int]] = {}
        for row, book, name in connection.execute("SELECT id, codebook_id, name FROM tags"):
            self._tag_ids.setdefault(book, {})[from_storage(name) or ""] = row

    def settle(self, events: Sequence[EventRow]) -> dict[int, ReviewView]:
        """Take one annotator's events on one item; return what they come to under each codebook."""
        settling = Settling(self.rules)
        origins: dict[ReviewKey, _Origins] = {}
        for event, change in settling.take(events):
            origins.setdefault(event.key, _Origins()).note(event, change)
        for key, origin in origins.items():
            self._add(key, settling.views.get(key, ReviewView()), settling.latest.get(key), origin)
        return {book: view for (_, book, _), view in settling.views.items()}

    def _add(self, key: ReviewKey, view: ReviewView, latest: int | None, origin: _Origins) -> None:
        tag_ids = self._tag_ids.get(key[1], {})
        if latest is not None:
            first = tag_ids[view.first_cause] if view.first_cause else None
            state = (view.state.value, to_storage(view.note), view.updated_at)
            self._rows["reviews"].append((*key, *state, latest, first))
        self._rows["applied_tags"] += [(*key, tag_ids[tag], origin.tags[tag]) for tag in view.tags]
        if view.bookmarked:
            self._rows["bookmarks"].append((*key, origin.bookmark))
        self._rows["memos"] += [
            (*key, memo.place, memo.number, to_storage(memo.quote), to_storage(memo.text), origin.memos[memo[:2]])
            for memo in view.memos
        ]
        self._rows["decisions"] += [
            (
                *key,
                tag_ids[ruling.tag],
                ruling.verdict,
                to_storage(ruling.note),
                dump_json(dict(ruling.marks)),
                origin.rulings[ruling.tag],
            )
            for ruling in view.rulings
        ]
        if view.validity:
            said = (view.validity.verdict, to_storage(view.validity.reason))
            self._rows["invalidations"].append((*key, *said, origin.validity))
        self._rows["own_probes"] += [probe_row(key, probe, origin.probes[probe.name]) for probe in view.probes]
        if origin.reveal:
            self._rows["reveals"].append((*key, origin.reveal))

    def write(self) -> None:
        """Put the rows in the place of those of the touched reviews."""
        for table in _STATES:
            self._connection.execute(
                f"DELETE FROM {table} WHERE EXISTS (SELECT 1 FROM touched h WHERE h.annotator_id ="
                f" {table}.annotator_id AND h.response_id = {table}.response_id)"
            )
        key = "response_id, codebook_id, annotator_id"
        columns = {
            "reviews": f"{key}, state, note, updated_at, event_id, first_cause_id",
            "applied_tags": f"{key}, tag_id, event_id",
            "reveals": f"{key}, event_id",
            "bookmarks": f"{key}, event_id",
            "memos": f"{key}, place, number, quote, text, event_id",
            "decisions": f"{key}, tag_id, verdict, note, marks, event_id",
            "invalidations": f"{key}, verdict, reason, event_id",
            "own_probes": f"{key}, {PROBE_COLUMNS}, event_id",
        }
        for table, names in columns.items():
            marks = ", ".join("?" * (names.count(",") + 1))
            self._connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", self._rows[table])


def view_of(events: Sequence[EventRow], rules: RulesByRevision) -> dict[int, ReviewView]:
    """Return what some of one annotator's events on one item come to under each codebook."""
    settling = Settling(rules)
    for _ in settling.take(events):
        pass
    return {book: view for (_, book, _), view in settling.views.items()}
