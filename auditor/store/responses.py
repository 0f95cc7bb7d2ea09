"""Responses: bulk rows in, single rows and streams out. This is the hot path of an import."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any, TypeAlias

from auditor.errors import AuditFileError
from auditor.model import Response, ResponseKey
from auditor.store.file import now, shell_path
from auditor.store.tasks import HASH_BYTES, Outcome
from auditor.text import from_storage, read_extra, to_bytes, to_storage, visible_line

_ROWS_A_STATEMENT = (200, 20)
"""Rows in one INSERT: fewer calls into SQLite, which halves the time of a bulk insert."""
_KEYS_A_QUERY = 300


Stored: TypeAlias = str | bytes | None
BareRow: TypeAlias = tuple[int, int, int, bytes, Stored, Stored]
"""A response on its way in: task id, setting id, sample, content hash, finish, reply."""
FullRow: TypeAlias = tuple[int, int, int, bytes, Stored, Stored, Stored, Stored, Stored]
"""The same with reasoning, error and extra; plain tuples, since an import makes millions of them."""
NewRow: TypeAlias = BareRow | FullRow
_BARE = "task_id, setting_id, sample, content_hash, finish, reply"
_FULL = f"{_BARE}, reasoning, error, extra"
_BARE_SIZE = 6


def response_hash(reply: str | None, reasoning: str | None, finish: str | None, error: str | None) -> bytes:
    """Hash a response's content; a missing reply differs from an empty one. Usage and the like are no content."""
    if reply is not None and reasoning is None and error is None and "\0" not in reply:
        try:
            data = f"{reply}\0" if finish is None else f"{reply}\0+{finish}"
            return hashlib.sha256(data.encode()).digest()[:HASH_BYTES]
        except UnicodeEncodeError:
            pass  # surrogates and raw bytes are told apart below
    parts = (reply, reasoning, finish, error)
    pieces = (b"-" if p is None else b"%d:" % len(b := to_bytes(p)) + b for p in parts)
    return hashlib.sha256(b"\0\0" + b"".join(pieces)).digest()[:HASH_BYTES]


def new_row(
    task_id: int,
    setting_id: int,
    sample: int,
    reply: str | None,
    reasoning: str | None,
    finish: str | None,
    error: str | None,
    extra: str | None,
) -> NewRow:
    """Build a response on its way in. An import calls this for each of millions of lines."""
    if reply is not None and reasoning is error is extra is None and "\0" not in reply:
        try:
            # As `response_hash` does it; what encodes without an error is also stored as it is.
            data = (f"{reply}\0" if finish is None else f"{reply}\0+{finish}").encode()
        except UnicodeEncodeError:
            pass
        else:
            stored = finish if finish is None or "\0" not in finish else to_storage(finish)
            return task_id, setting_id, sample, hashlib.sha256(data).digest()[:HASH_BYTES], stored, reply
    content = response_hash(reply, reasoning, finish, error)
    bare = (task_id, setting_id, sample, content, to_storage(finish), to_storage(reply))
    if reasoning is error is extra is None:
        return bare
    return (*bare, to_storage(reasoning), to_storage(error), to_storage(extra))


def count_superseded(connection: sqlite3.Connection) -> int:
    """Count the responses that another import replaced."""
    (count,) = connection.execute("SELECT count(*) FROM responses WHERE superseded_at IS NOT NULL").fetchone()
    return int(count)


def insert_new_responses(connection: sqlite3.Connection, rows: Sequence[NewRow]) -> bool:
    """Insert responses whose keys should all be new, inside the caller's savepoint; return whether they all were.

    When one was not, the caller rolls back, and `insert_responses` tells what is the matter.
    """
    before = connection.total_changes
    _insert(connection, rows, " ON CONFLICT DO NOTHING")
    return connection.total_changes - before == len(rows)


def insert_responses(
    connection: sqlite3.Connection, rows: Sequence[NewRow], *, replace: bool, recollected: bool = False
) -> list[Outcome]:
    """Insert responses inside the caller's transaction; return what became of each, in order.

    The same key with other content is a conflict unless `replace`: then the old row stays, superseded, with its tags.
    What is `recollected` takes the place of an invalid response, also where the reply is the same again.
    """
    known = _live_hashes(connection, rows)
    invalid = invalid_places(connection) if recollected else set()
    outcomes: list[Outcome] = []
    fresh: list[NewRow] = []
    replaced: list[NewRow] = []
    for row in rows:
        old = known.get(row[:3])
        if old is None:
            outcome = Outcome.NEW
        elif row[:3] in invalid:
            outcome = Outcome.REPLACED
            invalid.discard(row[:3])
        elif old == row[3]:
            outcome = Outcome.UNCHANGED
            if len(row) > _BARE_SIZE and row[-1] is not None:
                _complete_extra(connection, row)
        else:
            outcome = Outcome.REPLACED if replace else Outcome.CONFLICT
        outcomes.append(outcome)
        if outcome in (Outcome.NEW, Outcome.REPLACED):
            known[row[:3]] = row[3]
            (fresh if outcome is Outcome.NEW else replaced).append(row)
    _insert(connection, fresh, "")
    for row in replaced:
        live = "task_id = ? AND setting_id = ? AND sample = ? AND superseded_at IS NULL"
        connection.execute(f"DELETE FROM grades WHERE response_id = (SELECT id FROM responses WHERE {live})", row[:3])
        connection.execute(f"UPDATE responses SET superseded_at = ? WHERE {live}", (now(), *row[:3]))
        _insert(connection, [row], "")
    return outcomes


def invalid_places(connection: sqlite3.Connection) -> set[tuple[int, int, int]]:
    """Return task, setting and sample of the live responses that are invalid."""
    sql = (
        "SELECT r.task_id, r.setting_id, r.sample FROM invalid_items v JOIN responses r ON r.id = v.response_id"
        " WHERE r.superseded_at IS NULL"
    )
    return set(connection.execute(sql))


def _complete_extra(connection: sqlite3.Connection, row: NewRow) -> None:
    """Keep what a second file says beside a reply, such as a logged verdict, where the first said nothing."""
    connection.execute(
        "UPDATE responses SET extra = ? WHERE task_id = ? AND setting_id = ? AND sample = ?"
        " AND superseded_at IS NULL AND extra IS NULL",
        (row[-1], *row[:3]),
    )


def _insert(connection: sqlite3.Connection, rows: Sequence[NewRow], conflict: str) -> None:
    """Insert rows in their order, with as few bound values and statements as their columns allow."""
    for size, run in groupby(rows, len):
        part = list(run)
        one = "(" + ", ".join("?" * size) + ")"
        insert = f"INSERT INTO responses ({_BARE if size == _BARE_SIZE else _FULL}) VALUES "
        at = 0
        for count in _ROWS_A_STATEMENT:
            many = insert + ", ".join([one] * count) + conflict
            while at + count <= len(part):
                connection.execute(many, tuple(chain.from_iterable(part[at : at + count])))
                at += count
        connection.executemany(insert + one + conflict, part[at:])


def _live_hashes(connection: sqlite3.Connection, rows: Sequence[NewRow]) -> dict[tuple[int, int, int], bytes]:
    found: dict[tuple[int, int, int], bytes] = {}
    for at in range(0, len(rows), _KEYS_A_QUERY):
        keys = [row[:3] for row in rows[at : at + _KEYS_A_QUERY]]
        values = ", ".join(["(?, ?, ?)"] * len(keys))
        sql = (
            f"WITH wanted (t, g, n) AS (VALUES {values}) SELECT t, g, n, content_hash FROM wanted"
            " JOIN responses ON task_id = t AND setting_id = g AND sample = n AND superseded_at IS NULL"
        )
        for task, setting, sample, content in connection.execute(sql, tuple(chain.from_iterable(keys))):
            found[task, setting, sample] = content
    return found


# --- rows out ------------------------------------------------------------------------------------------------------

RESPONSE_COLUMNS = "s.name, c.name, t.arm, g.name, r.sample, r.reply, r.reasoning, r.finish, r.error, r.extra"
RESPONSE_TABLES = (
    "responses r JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id"
    " JOIN studies s ON s.id = c.study_id JOIN settings g ON g.id = r.setting_id"
)


def key_from_row(row: Sequence[Any]) -> ResponseKey:
    """Build a key from the columns study, case, arm, setting, sample."""
    study, case, arm, setting = (from_storage(name) or "" for name in row[:4])
    return ResponseKey(study, case, arm, setting, row[4])


def response_from_row(row: Sequence[Any]) -> Response:
    """Build a response from a row of RESPONSE_COLUMNS."""
    reply, reasoning, finish, error, extra = row[5:10]
    return Response(
        key=key_from_row(row[:5]),
        text=from_storage(reply),
        reasoning=from_storage(reasoning),
        finish=from_storage(finish),
        error=from_storage(error),
        extra=read_extra(from_storage(extra)),
    )


def load_response(connection: sqlite3.Connection, response_id: int) -> Response:
    """Read one response by its row id."""
    sql = f"SELECT {RESPONSE_COLUMNS} FROM {RESPONSE_TABLES} WHERE r.id = ?"
    return response_from_row(connection.execute(sql, (response_id,)).fetchone())


def key_of_response(connection: sqlite3.Connection, response_id: int) -> ResponseKey:
    """Read the key of one response by its row id."""
    sql = f"SELECT s.name, c.name, t.arm, g.name, r.sample FROM {RESPONSE_TABLES} WHERE r.id = ?"
    return key_from_row(connection.execute(sql, (response_id,)).fetchone())


def task_of(connection: sqlite3.Connection, response_id: int) -> int:
    """Return the row id of a response's task."""
    return int(connection.execute("SELECT task_id FROM responses WHERE id = ?", (response_id,)).fetchone()[0])


def iterate_responses(connection: sqlite3.Connection) -> Iterator[Response]:
    """Read all live responses in the order in which they were brought in."""
    sql = f"SELECT {RESPONSE_COLUMNS} FROM {RESPONSE_TABLES} WHERE r.superseded_at IS NULL ORDER BY r.id"
    return map(response_from_row, connection.execute(sql))


def is_superseded(connection: sqlite3.Connection, response_id: int) -> bool:
    """Say whether other content took the response's key since."""
    sql = "SELECT superseded_at IS NOT NULL FROM responses WHERE id = ?"
    return bool(connection.execute(sql, (response_id,)).fetchone()[0])


def count_reviews_set_aside(connection: sqlite3.Connection, since: str) -> int:
    """Count the items with anybody's work on them whose replies were superseded since a time."""
    sql = (
        "SELECT count(DISTINCT w.response_id) FROM responses r JOIN reviews w ON w.response_id = r.id"
        " WHERE r.superseded_at >= ? AND w.state <> 'not-reviewed'"
    )
    return int(connection.execute(sql, (since,)).fetchone()[0])


def has_response(connection: sqlite3.Connection, response_id: int) -> bool:
    """Say whether there is a response, live or superseded, with this row id."""
    return connection.execute("SELECT 1 FROM responses WHERE id = ?", (response_id,)).fetchone() is not None


def require_responses(connection: sqlite3.Connection, path: Path) -> None:
    """Raise AuditFileError when a file holds no responses, so that an empty table is never printed without a reason."""
    if connection.execute("SELECT 1 FROM responses WHERE superseded_at IS NULL LIMIT 1").fetchone() is None:
        raise AuditFileError(
            f"{visible_line(str(path))} holds no responses yet.",
            f"Bring some in with: auditor import {shell_path(path)} PATH…",
        )


def find_response(connection: sqlite3.Connection, key: ResponseKey) -> int | None:
    """Return the row id of the live response with these names."""
    sql = (
        f"SELECT r.id FROM {RESPONSE_TABLES} WHERE s.name = ? AND c.name = ? AND t.arm = ? AND g.name = ?"
        " AND r.sample = ? AND r.superseded_at IS NULL AND t.superseded_at IS NULL"
    )
    row = connection.execute(sql, (*(to_storage(name) for name in key[:4]), key.sample)).fetchone()
    return row[0] if row else None
