"""Reviews that a reader has to know of: of what was changed or replaced since, shown in full before, or never made."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from auditor.model import Status
from auditor.store.annotators import find_annotator, find_codebook_in_file
from auditor.store.filter import ITEMS, LIVE, compile_filter
from auditor.store.invalidations import IS_INVALID
from auditor.store.reveals import REVEALED_BEFORE
from auditor.store.tasks import HASH_BYTES
from auditor.text import from_storage, to_storage

_WRONG = f"('{Status.WRONG_VALID.value}', '{Status.WRONG_INVALID.value}')"


class Whose(NamedTuple):
    """Items of an annotator under a codebook."""

    codebook: str
    annotator: str
    items: int


_ON_OLD = (
    "reviews rv JOIN responses o ON o.id = rv.response_id AND o.superseded_at IS NOT NULL"
    " JOIN tasks ot ON ot.id = o.task_id"
    " JOIN tasks t ON t.case_id = ot.case_id AND t.arm = ot.arm AND t.superseded_at IS NULL"
    " JOIN responses r ON r.task_id = t.id AND r.setting_id = o.setting_id AND r.sample = o.sample"
    f" AND r.superseded_at IS NULL AND NOT {IS_INVALID}"
    " JOIN annotators a ON a.id = rv.annotator_id JOIN codebooks b ON b.id = rv.codebook_id"
    " WHERE rv.state = 'reviewed' AND NOT EXISTS (SELECT 1 FROM reviews w WHERE w.response_id = r.id"
    " AND w.codebook_id = rv.codebook_id AND w.annotator_id = rv.annotator_id AND w.state <> 'not-reviewed')"
)
"""Responses that took the place of reviewed ones, of those whose annotators have not reviewed them again."""


def replaced_since(connection: sqlite3.Connection) -> list[Whose]:
    """Count by codebook and annotator the responses of which the one before was reviewed, and this one is not."""
    sql = f"SELECT b.name, a.name, count(DISTINCT r.id) FROM {_ON_OLD} GROUP BY b.id, a.id ORDER BY b.id, a.id"
    return [Whose(_text(book), _text(who), items) for book, who, items in connection.execute(sql)]


def replacing_responses(connection: sqlite3.Connection, codebook: str, annotator: str) -> list[int]:
    """Return their row ids."""
    sql = f"SELECT DISTINCT r.id FROM {_ON_OLD} AND b.name = ? AND a.name = ? ORDER BY r.id"
    return [row for (row,) in connection.execute(sql, (to_storage(codebook), to_storage(annotator)))]


def changed_since(connection: sqlite3.Connection) -> list[Whose]:
    """Count by codebook and annotator the reviewed items of which task or oracle changed since the last mark."""
    found: dict[tuple[int, int], int] = {}
    for codebook, annotator, _ in _changed(connection):
        found[codebook, annotator] = found.get((codebook, annotator), 0) + 1
    sql = "SELECT (SELECT name FROM codebooks WHERE id = ?), (SELECT name FROM annotators WHERE id = ?)"
    names = {key: connection.execute(sql, key).fetchone() for key in sorted(found)}
    return [Whose(_text(book), _text(who), found[key]) for key, (book, who) in names.items()]


def changed_items(connection: sqlite3.Connection, codebook: str, annotator: str) -> list[int]:
    """Return the row ids of these items of an annotator."""
    book, who = find_codebook_in_file(connection, codebook), find_annotator(connection, annotator)
    key = (None if book is None else book.id, who)
    return sorted(
        item for codebook_id, annotator_id, item in _changed(connection) if (codebook_id, annotator_id) == key
    )


def _changed(connection: sqlite3.Connection) -> Iterator[tuple[int, int, int]]:
    """Yield codebook, annotator and item of the reviews that were made of other evidence than there is now."""
    sql = (
        "SELECT rv.codebook_id, rv.annotator_id, r.id, e.evidence_hash, t.content_hash, r.content_hash"
        " FROM reviews rv JOIN events e ON e.id = rv.event_id JOIN responses r ON r.id = rv.response_id"
        " JOIN tasks t ON t.id = r.task_id"
        f" WHERE rv.state = 'reviewed' AND r.superseded_at IS NULL AND NOT {IS_INVALID}"
    )
    for codebook, annotator, item, shown, task, response in connection.execute(sql):
        if hashlib.sha256(task + response).digest()[:HASH_BYTES] != shown:
            yield codebook, annotator, item


def count_revealed(connection: sqlite3.Connection, where: str = "") -> int:
    """Count the live items that somebody had shown in full before the last mark; raises InputError for a bad filter."""
    if connection.execute("SELECT 1 FROM reveals LIMIT 1").fetchone() is None:
        return 0
    condition = compile_filter(connection, where)
    sql = (
        "SELECT count(*) FROM (SELECT DISTINCT rv.response_id AS id FROM reviews rv"
        f" WHERE {REVEALED_BEFORE}) x JOIN {ITEMS.replace('responses r', 'responses r ON r.id = x.id', 1)}"
        f" WHERE r.superseded_at IS NULL AND {condition.text}"
    )
    return int(connection.execute(sql, condition.params).fetchone()[0])


def count_wrong_unseen(connection: sqlite3.Connection, where: str = "") -> tuple[int, int]:
    """Count the wrong responses that nobody has begun to review, and all wrong ones.

    A later pass over own items is nobody's first look.
    """
    condition = compile_filter(connection, where)
    wrong = f"FROM {LIVE} WHERE r.superseded_at IS NULL AND d.status IN {_WRONG} AND {condition.text}"
    if where:
        (total,) = connection.execute(f"SELECT count(*) {wrong}", condition.params).fetchone()
    else:
        # Grades of what was superseded are not kept, so that the index alone can be counted.
        invalid = "SELECT count(*) FROM invalid_items v JOIN grades d ON d.response_id = v.response_id"
        sql = f"SELECT count(*) - ({invalid} WHERE d.status IN {_WRONG}) FROM grades WHERE status IN {_WRONG}"
        (total,) = connection.execute(sql).fetchone()
    begun = (
        "SELECT w.response_id FROM reviews w JOIN annotators z ON z.id = w.annotator_id AND z.pass_of IS NULL"
        " WHERE w.state <> 'not-reviewed'"
    )
    (seen,) = connection.execute(f"SELECT count(*) {wrong} AND r.id IN ({begun})", condition.params).fetchone()
    return total - seen, total


def common_items(connection: sqlite3.Connection, codebook: str, first: str, second: str) -> list[int]:
    """Return the row ids of the live items that two annotators both reviewed under a codebook."""
    theirs = (
        "SELECT w.response_id FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " JOIN codebooks b ON b.id = w.codebook_id WHERE w.state = 'reviewed' AND b.name = ? AND a.name = ?"
    )
    sql = (
        f"SELECT r.id FROM responses r WHERE r.superseded_at IS NULL AND NOT {IS_INVALID}"
        f" AND r.id IN ({theirs}) AND r.id IN ({theirs}) ORDER BY r.id"
    )
    book = to_storage(codebook)
    return [row for (row,) in connection.execute(sql, (book, to_storage(first), book, to_storage(second)))]


def _text(value: str | bytes) -> str:
    return from_storage(value) or ""
