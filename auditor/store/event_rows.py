"""Events of another file on their way into the history, each at its place between those that are there.

Every function that writes expects to be inside the caller's transaction, with foreign keys off. No event is changed or
taken out: where one has to stand before others of its annotator, these get other row ids, which are for joins only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from auditor.formats.annotation_records import EventRecord
from auditor.store.event_order import Placed, canonical_order


class Incoming(NamedTuple):
    """An event with the row ids of this file."""

    record: EventRecord
    annotator_id: int
    response_id: int
    codebook_id: int
    revision: int


@contextmanager
def history_open(connection: sqlite3.Connection) -> Iterator[None]:
    """Let row ids and revision numbers of events be rewritten inside the block, and nothing after it."""
    sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'events'"
    triggers = connection.execute(sql).fetchall()
    for name, _ in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    yield
    for _, text in triggers:
        connection.execute(text)


def renumber_revisions(connection: sqlite3.Connection, codebook_id: int, numbers: Mapping[int, int]) -> None:
    """Let events name the revisions of a codebook by their new numbers."""
    if not numbers:
        return
    cases = " ".join(f"WHEN {int(old)} THEN {int(new)}" for old, new in numbers.items())
    connection.execute(
        f"UPDATE events SET revision = CASE revision {cases} ELSE revision END WHERE codebook_id = ?", (codebook_id,)
    )


def insert_events(connection: sqlite3.Connection, annotator_id: int, incoming: Sequence[Incoming]) -> None:
    """Put one annotator's new events into the history, and list whose work on what changes or has other row ids."""
    sql = "SELECT id, at, uuid, follows FROM events WHERE annotator_id = ? ORDER BY id"
    there = connection.execute(sql, (annotator_id,)).fetchall()
    ids, moved = _placed(connection, there, incoming)
    if moved:
        _move(connection, moved)
    marks = ", ".join("?" * 16)
    connection.executemany(
        "INSERT INTO events (id, uuid, annotator_id, response_id, codebook_id, revision, action, change, undoes,"
        f" origin, evidence_hash, at, blind, batch, aside, seconds, follows) VALUES (?, {marks})",
        [
            (
                ids[one.record.uuid],
                one.record.uuid,
                annotator_id,
                one.response_id,
                one.codebook_id,
                one.revision,
                one.record.action,
                one.record.change,
                ids.get(one.record.undoes or ""),
                one.record.origin,
                one.record.evidence,
                one.record.at,
                int(one.record.blind),
                one.record.batch,
                int(one.record.aside),
                one.record.seconds,
                ids.get(one.record.follows or ""),
            )
            for one in sorted(incoming, key=lambda one: ids[one.record.uuid])
        ],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO touched VALUES (?, ?)", {(annotator_id, one.response_id) for one in incoming}
    )


def _placed(
    connection: sqlite3.Connection, there: Sequence[tuple[int, str, str, int | None]], incoming: Sequence[Incoming]
) -> tuple[dict[str, int], list[tuple[int, int]]]:
    """Return the row id of each event by its UUID, and the old and new ones from where the order changes."""
    index = {row: number for number, (row, *_) in enumerate(there)}
    by_uuid = {uuid: number for number, (_, _, uuid, _) in enumerate(there)}
    by_uuid |= {one.record.uuid: number for number, one in enumerate(incoming, len(there))}
    events = [Placed(at, uuid, None if follows is None else index[follows]) for _, at, uuid, follows in there]
    events += [Placed(one.record.at, one.record.uuid, by_uuid.get(one.record.follows or "")) for one in incoming]
    order = canonical_order(events)
    same = next((at for at in range(len(there)) if order[at] != at), len(there))
    (highest,) = connection.execute(
        "SELECT max(coalesce(max(id), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE"
        " name = 'events'), 0)) FROM events"
    ).fetchone()
    free = [row for row, *_ in there[same:]] + list(range(highest + 1, highest + 1 + len(incoming)))
    ids = {uuid: row for row, _, uuid, _ in there[:same]}
    ids |= {events[number].uuid: row for number, row in zip(order[same:], free, strict=True)}
    # One that keeps its id may name one that does not.
    return ids, [(row, ids[uuid]) for row, _, uuid, _ in there[same:]]


def _move(connection: sqlite3.Connection, moved: Sequence[tuple[int, int]]) -> None:
    """Give events other row ids, and list whose work on what they are."""
    connection.execute("CREATE TEMP TABLE moved (old INTEGER PRIMARY KEY, new INTEGER)")
    connection.executemany("INSERT INTO moved VALUES (?, ?)", moved)
    connection.execute(
        "INSERT OR IGNORE INTO touched SELECT annotator_id, response_id FROM events WHERE id IN (SELECT old FROM moved)"
    )
    columns = [row[1] for row in connection.execute("PRAGMA table_info(events)")]
    renewed = {"id": "m.new", "undoes": "coalesce(u.new, e.undoes)", "follows": "coalesce(f.new, e.follows)"}
    values = ", ".join(f"{renewed.get(name, f'e.{name}')} AS {name}" for name in columns)
    connection.execute(
        f"CREATE TEMP TABLE renewed AS SELECT {values} FROM moved m JOIN events e ON e.id = m.old"
        " LEFT JOIN moved u ON u.old = e.undoes LEFT JOIN moved f ON f.old = e.follows"
    )
    connection.execute("DELETE FROM events WHERE id IN (SELECT old FROM moved)")
    names = ", ".join(columns)
    connection.execute(f"INSERT INTO events ({names}) SELECT {names} FROM renewed")
    connection.execute("DROP TABLE renewed")
    connection.execute("DROP TABLE moved")
