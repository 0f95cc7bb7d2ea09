"""Which predictions are invalid: asked wrongly, so that they count nowhere until they are asked again.

What an annotator says of a prediction is an event like any other mark. Of what several say the latest holds, by time
and then by UUID, as with decisions. Functions that write expect to be inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from auditor.model import ResponseKey
from auditor.store.changes import Validity
from auditor.store.decisions import just_after
from auditor.store.responses import RESPONSE_TABLES, key_from_row
from auditor.store.reveals import ReviewKey
from auditor.text import from_storage, read_extra, to_storage

_IDS_A_QUERY = 5_000
_KEY = "response_id = ? AND codebook_id = ? AND annotator_id = ?"
INVALID_KEY = "invalid"
"""Under which a line of a run directory says why its response is invalid."""
IS_INVALID = "EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r.id)"
"""Whether the response `r` is invalid."""
_SAID_BY = (
    "JOIN events e ON e.id = v.event_id JOIN invalidations i ON i.response_id = v.response_id"
    " AND i.event_id = v.event_id JOIN annotators a ON a.id = e.annotator_id"
)
_SAID = f"invalid_items v {_SAID_BY}"


class Invalid(NamedTuple):
    """Why a prediction counts nowhere, who said so and when."""

    reason: str
    annotator: str
    at: str


# --- rows that the history makes -----------------------------------------------------------------------------------


def read_validity(connection: sqlite3.Connection, key: ReviewKey) -> Validity | None:
    """Read what an annotator said of whether a prediction counts."""
    row = connection.execute(f"SELECT verdict, reason FROM invalidations WHERE {_KEY}", key).fetchone()
    return Validity(row[0], from_storage(row[1]) or "") if row else None


def all_validities(connection: sqlite3.Connection) -> dict[ReviewKey, Validity]:
    """Read what everybody said, by response, codebook and annotator."""
    rows = connection.execute("SELECT response_id, codebook_id, annotator_id, verdict, reason FROM invalidations")
    return {(one, book, who): Validity(verdict, from_storage(text) or "") for one, book, who, verdict, text in rows}


def update_validity(connection: sqlite3.Connection, key: ReviewKey, validity: Validity | None, event_id: int) -> None:
    """Keep what an event made of an annotator's word on a prediction; None = there is none any more."""
    connection.execute(f"DELETE FROM invalidations WHERE {_KEY}", key)
    if validity is not None:
        connection.execute(
            "INSERT INTO invalidations (response_id, codebook_id, annotator_id, verdict, reason, event_id)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (*key, validity.verdict, to_storage(validity.reason), event_id),
        )


def after_other_words(connection: sqlite3.Connection, key: ReviewKey, at: str) -> str:
    """Return when a word on a prediction counts as said: now, but after what others said whose clocks are ahead."""
    sql = (
        "SELECT max(e.at) FROM invalidations i JOIN events e ON e.id = i.event_id"
        " WHERE i.response_id = ? AND (i.codebook_id, i.annotator_id) <> (?, ?)"
    )
    return just_after(connection.execute(sql, key).fetchone()[0], at)


def is_overruled(connection: sqlite3.Connection, key: ReviewKey) -> bool:
    """Say whether somebody said something else of a prediction after the annotator did."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM invalidations own JOIN events e ON e.id = own.event_id"
        " JOIN invalidations i ON i.response_id = own.response_id JOIN events f ON f.id = i.event_id"
        " WHERE own.response_id = ? AND own.codebook_id = ? AND own.annotator_id = ?"
        " AND (f.at, f.uuid) > (e.at, e.uuid))"
    )
    return bool(connection.execute(sql, key).fetchone()[0])


def invalid_differences(connection: sqlite3.Connection) -> Iterator[str]:
    """Say where the kept list of invalid predictions is not what the words on them come to."""
    sql = (
        "SELECT response_id, event_id FROM (SELECT i.response_id, i.event_id, i.verdict, row_number() OVER"
        " (PARTITION BY i.response_id ORDER BY e.at DESC, e.uuid DESC) AS place FROM invalidations i"
        " JOIN events e ON e.id = i.event_id) WHERE place = 1 AND verdict = 'invalid'"
    )
    wanted = dict(connection.execute(sql).fetchall())
    kept = dict(connection.execute("SELECT response_id, event_id FROM invalid_items").fetchall())
    for row in sorted(wanted.items() ^ kept.items()):
        yield f"response {row[0]}: the history and the list differ on whether it is invalid"


# --- what is invalid -----------------------------------------------------------------------------------------------


def count_invalid(connection: sqlite3.Connection, *, after_task: int = 0) -> int:
    """Count the live responses that are invalid, all or those of tasks with higher row ids than one."""
    sql = (
        "SELECT count(*) FROM invalid_items v JOIN responses r ON r.id = v.response_id"
        " WHERE r.superseded_at IS NULL AND r.task_id > ?"
    )
    return int(connection.execute(sql, (after_task,)).fetchone()[0])


def any_invalid(connection: sqlite3.Connection) -> bool:
    """Say whether anything at all is invalid, superseded responses included."""
    return connection.execute("SELECT 1 FROM invalid_items LIMIT 1").fetchone() is not None


def why_invalid(connection: sqlite3.Connection, response_id: int) -> Invalid | None:
    """Return why a response counts nowhere; None when it counts."""
    sql = f"SELECT i.reason, a.name, e.at FROM {_SAID} WHERE v.response_id = ?"
    row = connection.execute(sql, (response_id,)).fetchone()
    return Invalid(from_storage(row[0]) or "", from_storage(row[1]) or "", row[2]) if row else None


def all_invalid(connection: sqlite3.Connection) -> dict[int, Invalid]:
    """Return why responses count nowhere, by row id, live ones and superseded ones."""
    rows = connection.execute(f"SELECT v.response_id, i.reason, a.name, e.at FROM {_SAID}")
    return {row: Invalid(from_storage(text) or "", from_storage(name) or "", at) for row, text, name, at in rows}


def invalid_keys(connection: sqlite3.Connection, response_ids: Sequence[int]) -> Iterator[tuple[ResponseKey, Invalid]]:
    """Yield the keys of some invalid responses, in their order, and why they count nowhere."""
    sql = (
        f"SELECT s.name, c.name, t.arm, g.name, r.sample, i.reason, a.name, e.at FROM {RESPONSE_TABLES}"
        f" JOIN invalid_items v ON v.response_id = r.id {_SAID_BY} WHERE r.id = ?"
    )
    for response_id in response_ids:
        row = connection.execute(sql, (response_id,)).fetchone()
        if row is not None:
            yield key_from_row(row[:5]), Invalid(from_storage(row[5]) or "", from_storage(row[6]) or "", row[7])


def is_word(value: object) -> bool:
    """Say whether what stands under INVALID_KEY is the word of an audit: an object with a reason."""
    return isinstance(value, dict) and isinstance(value.get("reason"), str)


def said_invalid(connection: sqlite3.Connection, after: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the responses with higher row ids than one that came with a word on being invalid, and that word."""
    sql = "SELECT id, extra FROM responses WHERE id > ? AND superseded_at IS NULL AND instr(extra, ?)"
    for row, extra in connection.execute(sql, (after, f'"{INVALID_KEY}"')).fetchall():
        value = read_extra(from_storage(extra)).get(INVALID_KEY)
        if isinstance(value, dict) and is_word(value):
            yield row, value


def last_word(connection: sqlite3.Connection, annotator_id: int) -> int | None:
    """Return the event of the last act by which an annotator invalidated or restored predictions; None = no more."""
    sql = (
        "SELECT max(id) FROM events WHERE annotator_id = ?1 AND action IN ('invalidate', 'restore') AND id NOT IN"
        " (SELECT undoes FROM events WHERE annotator_id = ?1 AND action = 'undo' AND undoes IS NOT NULL)"
    )
    (row,) = connection.execute(sql, (annotator_id,)).fetchone()
    return None if row is None else int(row)


def count_behind(connection: sqlite3.Connection, response_ids: Sequence[int]) -> tuple[int, int]:
    """Count the tasks of some responses, and those of the responses that somebody reviewed or has begun."""
    tasks: set[int] = set()
    reviewed = 0
    for start in range(0, len(response_ids), _IDS_A_QUERY):
        ids = response_ids[start : start + _IDS_A_QUERY]
        marks = ", ".join("?" * len(ids))
        tasks.update(row for (row,) in connection.execute(f"SELECT task_id FROM responses WHERE id IN ({marks})", ids))
        sql = (
            "SELECT count(DISTINCT response_id) FROM reviews WHERE state <> 'not-reviewed'"
            f" AND response_id IN ({marks})"
        )
        reviewed += connection.execute(sql, ids).fetchone()[0]
    return len(tasks), reviewed
