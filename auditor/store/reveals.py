"""Which items an annotator had shown in full during a blind review: kept by the history, never undone.

Every function that writes expects to be inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

REVEAL = "reveal"
"""The action of the event. It changes no review, so undo, redo and a review's last event pass over it."""

REVEALED_BEFORE = (
    "EXISTS (SELECT 1 FROM reveals rl WHERE rl.response_id = rv.response_id AND rl.annotator_id = rv.annotator_id"
    " AND rl.event_id < rv.event_id)"
)
"""Whether the annotator of a review `rv` had the item shown in full before the last thing done to the review."""
REVEALED = (
    f"CASE WHEN {REVEALED_BEFORE} THEN 'before' WHEN EXISTS (SELECT 1 FROM reveals rl"
    " WHERE rl.response_id = rv.response_id AND rl.annotator_id = rv.annotator_id) THEN 'after' END"
)
"""The same with what came after it apart: `before`, `after`, or NULL where nothing was revealed."""

BLIND = (
    "NOT EXISTS (SELECT 1 FROM events bl WHERE bl.response_id = rv.response_id AND bl.annotator_id = rv.annotator_id"
    f" AND bl.codebook_id = rv.codebook_id AND bl.action <> '{REVEAL}' AND NOT bl.aside AND NOT bl.blind)"
)
"""Whether all that the annotator of a review `rv` did was done while a blind review hid what it hides."""

ReviewKey = tuple[int, int, int]
"""Row ids of response, codebook and annotator."""


def is_revealed(connection: sqlite3.Connection, response_id: int, annotator_id: int) -> bool:
    """Say whether an annotator had an item shown in full, under whichever codebook."""
    sql = "SELECT EXISTS (SELECT 1 FROM reveals WHERE response_id = ? AND annotator_id = ?)"
    return bool(connection.execute(sql, (response_id, annotator_id)).fetchone()[0])


def record_reveal(connection: sqlite3.Connection, key: ReviewKey, event_id: int) -> None:
    """Keep that an event revealed an item."""
    sql = "INSERT INTO reveals (response_id, codebook_id, annotator_id, event_id) VALUES (?, ?, ?, ?)"
    connection.execute(sql, (*key, event_id))


def reveal_differences(connection: sqlite3.Connection) -> Iterator[str]:
    """Replay the reveals of the history and yield where the file's differ."""
    key = "response_id, codebook_id, annotator_id"
    history = _by_key(connection, f"SELECT {key}, min(id) FROM events WHERE action = '{REVEAL}' GROUP BY {key}")
    stored = _by_key(connection, f"SELECT {key}, event_id FROM reveals")
    for names in sorted(history.keys() | stored.keys()):
        if history.get(names) != stored.get(names):
            response, codebook, annotator = names
            yield (
                f"response {response}, codebook {codebook}, annotator {annotator}: the history has"
                f" {_words(history.get(names))}, the file holds {_words(stored.get(names))}"
            )


def _by_key(connection: sqlite3.Connection, sql: str) -> dict[ReviewKey, int]:
    return {(response, codebook, annotator): event for response, codebook, annotator, event in connection.execute(sql)}


def _words(event: int | None) -> str:
    return "no reveal" if event is None else f"a reveal by event {event}"
