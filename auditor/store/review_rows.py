"""The current state of one annotator's work on an item: rows that the history makes and that a replay checks.

Every function that writes expects to be inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from auditor.model import ReviewState
from auditor.store.changes import Change, Memo, ReviewView, in_order
from auditor.store.decisions import read_rulings, update_rulings
from auditor.store.invalidations import IS_INVALID, read_validity, update_validity
from auditor.store.own_probes import read_probes, update_probe
from auditor.store.reveals import ReviewKey, is_revealed
from auditor.text import from_storage, to_storage

_KEY = "response_id = ? AND codebook_id = ? AND annotator_id = ?"


def read_view(connection: sqlite3.Connection, key: ReviewKey) -> ReviewView:
    """Read one annotator's work on one item."""
    revealed = is_revealed(connection, key[0], key[2])
    memos, rulings = read_memos(connection, key), read_rulings(connection, key)
    validity, probes = read_validity(connection, key), read_probes(connection, key)
    bookmarked = connection.execute(f"SELECT 1 FROM bookmarks WHERE {_KEY}", key).fetchone() is not None
    sql = (
        "SELECT w.state, w.note, w.updated_at, k.name FROM reviews w LEFT JOIN tags k ON k.id = w.first_cause_id"
        " WHERE w.response_id = ? AND w.codebook_id = ? AND w.annotator_id = ?"
    )
    row = connection.execute(sql, key).fetchone()
    if row is None:
        bare = ReviewView(revealed=revealed, bookmarked=bookmarked, memos=memos, rulings=rulings)
        return replace(bare, validity=validity, probes=probes)
    sql = (
        "SELECT k.name FROM applied_tags p JOIN tags k ON k.id = p.tag_id"
        " WHERE p.response_id = ? AND p.codebook_id = ? AND p.annotator_id = ?"
    )
    tags = tuple(sorted(from_storage(name) or "" for (name,) in connection.execute(sql, key)))
    note, first = from_storage(row[1]) or "", from_storage(row[3]) or ""
    aside = (bookmarked, memos, rulings, validity, probes)
    return ReviewView(ReviewState(row[0]), tags, note, row[2], revealed, first, *aside)


def read_memos(connection: sqlite3.Connection, key: ReviewKey) -> tuple[Memo, ...]:
    """Read one annotator's memos on one item."""
    rows = connection.execute(f"SELECT place, number, quote, text FROM memos WHERE {_KEY}", key)
    return in_order(
        Memo(place, number, from_storage(quote) or "", from_storage(text) or "") for place, number, quote, text in rows
    )


def reviews_in_state(connection: sqlite3.Connection, annotator: str, codebook: str, state: ReviewState) -> list[int]:
    """Return the row ids of the live items that an annotator's review under a codebook leaves in a state, by id."""
    sql = (
        "SELECT w.response_id FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " JOIN codebooks b ON b.id = w.codebook_id JOIN responses r ON r.id = w.response_id"
        f" WHERE a.name = ? AND b.name = ? AND w.state = ? AND r.superseded_at IS NULL AND NOT {IS_INVALID} ORDER BY 1"
    )
    params = (to_storage(annotator), to_storage(codebook), state.value)
    return [row for (row,) in connection.execute(sql, params)]


def update_rows(
    connection: sqlite3.Connection,
    key: ReviewKey,
    change: Change,
    tag_ids: Mapping[str, int],
    at: str | None,
    event_id: int,
) -> None:
    """Apply a change that an event made at a time; without a time the event does not touch the review."""
    if at is not None:
        _update_review(connection, key, change, tag_ids, at, event_id)
    if change.bookmark:
        connection.execute(f"DELETE FROM bookmarks WHERE {_KEY}", key)
        if change.bookmark[1]:
            sql = "INSERT INTO bookmarks (response_id, codebook_id, annotator_id, event_id) VALUES (?, ?, ?, ?)"
            connection.execute(sql, (*key, event_id))
    if change.memo:
        place, number, quote, _, text = change.memo
        connection.execute(f"DELETE FROM memos WHERE {_KEY} AND place = ? AND number = ?", (*key, place, number))
        if text:
            connection.execute(
                "INSERT INTO memos (response_id, codebook_id, annotator_id, place, number, quote, text, event_id)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*key, place, number, to_storage(quote), to_storage(text), event_id),
            )
    update_rulings(connection, key, change.decided, tag_ids, event_id)
    if change.validity:
        update_validity(connection, key, change.validity[1], event_id)
    if change.probe:
        update_probe(connection, key, change.probe, event_id)


def _update_review(
    connection: sqlite3.Connection,
    key: ReviewKey,
    change: Change,
    tag_ids: Mapping[str, int],
    at: str,
    event_id: int,
) -> None:
    connection.execute(
        "INSERT INTO reviews (response_id, codebook_id, annotator_id, state, note, updated_at, event_id)"
        " VALUES (?, ?, ?, 'not-reviewed', '', ?, ?)"
        " ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, event_id = excluded.event_id",
        (*key, at, event_id),
    )
    if change.state:
        connection.execute(f"UPDATE reviews SET state = ? WHERE {_KEY}", (change.state[1], *key))
    if change.note:
        connection.execute(f"UPDATE reviews SET note = ? WHERE {_KEY}", (to_storage(change.note[1]), *key))
    if change.first:
        first = tag_ids[change.first[1]] if change.first[1] else None
        connection.execute(f"UPDATE reviews SET first_cause_id = ? WHERE {_KEY}", (first, *key))
    for tag in change.remove:
        connection.execute(f"DELETE FROM applied_tags WHERE {_KEY} AND tag_id = ?", (*key, tag_ids[tag]))
    for tag in change.add:
        connection.execute(
            "INSERT INTO applied_tags (response_id, codebook_id, annotator_id, tag_id, event_id)"
            " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET event_id = excluded.event_id",
            (*key, tag_ids[tag], event_id),
        )
