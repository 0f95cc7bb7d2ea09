"""What an annotator has done since an event: which items, and how they stand now."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import NamedTuple

from auditor.text import from_storage

_ABOUT_NOTES = "AND json_extract(change, '$.note') IS NOT NULL"


class RecentWork(NamedTuple):
    """The items that an annotator acted on, as they stand now."""

    states: Counter[str]
    """Items by state; an item whose marks were all undone is not among them."""
    tags: Counter[str]
    """Items by tag id."""
    untagged: int
    """Items that are reviewed without any tag."""
    notes: int
    """Items with a note that was written or changed since."""
    memos: int = 0
    """Memos that were written or changed since."""
    probes: int = 0
    """Probes that were written, changed or withdrawn since."""
    seconds: tuple[float, ...] = ()
    """How long the annotator was at each of the items since, where a timer ran."""


def last_event(connection: sqlite3.Connection) -> int:
    """Return the row id of the newest event; 0 when there is none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0])


def recent_work(connection: sqlite3.Connection, annotator_id: int, codebook_id: int, since: int) -> RecentWork:
    """Return an annotator's work under a codebook on what they acted on after the event `since`.

    An act that was undone since is none; an undo or a redo of what was done before is one.
    """
    acted = _acted("")
    own = "annotator_id = ?1 AND codebook_id = ?2"
    params = (annotator_id, codebook_id, since)
    states: dict[int, str] = dict(
        connection.execute(f"SELECT response_id, state FROM reviews WHERE {own} AND response_id IN ({acted})", params)
    )
    sql = (
        "SELECT p.response_id, k.name FROM applied_tags p JOIN tags k ON k.id = p.tag_id"
        f" WHERE p.annotator_id = ?1 AND p.codebook_id = ?2 AND p.response_id IN ({acted})"
    )
    tagged = connection.execute(sql, params).fetchall()
    noted = "SELECT count(*) FROM reviews WHERE " + own + " AND note <> '' AND response_id IN"
    memos = "SELECT count(*) FROM memos WHERE " + own + " AND event_id > ?3"
    probes = "SELECT count(*) FROM own_probes WHERE " + own + " AND event_id > ?3"
    timed = (
        "SELECT sum(seconds) FROM events WHERE annotator_id = ?1 AND codebook_id = ?2 AND id > ?3"
        f" AND response_id IN ({acted}) GROUP BY response_id HAVING sum(seconds) IS NOT NULL"
    )
    notes = f"{noted} ({_acted(_ABOUT_NOTES)})"
    with_tags = {row for row, _ in tagged}
    return RecentWork(
        Counter(state for state in states.values() if state != "not-reviewed"),
        Counter(from_storage(name) or "" for _, name in tagged),
        sum(state == "reviewed" and row not in with_tags for row, state in states.items()),
        connection.execute(notes, params).fetchone()[0],
        connection.execute(memos, params).fetchone()[0],
        connection.execute(probes, params).fetchone()[0],
        tuple(seconds for (seconds,) in connection.execute(timed, params)),
    )


def _acted(only: str) -> str:
    """Return a query for the items that events changed since and left changed.

    Undo and redo name the event that they are about: the two, or an event and its undo, take each other away.
    """
    return (
        "SELECT response_id FROM events WHERE annotator_id = ?1 AND codebook_id = ?2 AND id > ?3 AND NOT aside"
        f" {only} GROUP BY response_id, coalesce(undoes, id) HAVING sum(iif(action = 'undo', -1, 1)) <> 0"
    )
