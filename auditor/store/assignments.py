"""Which clusters are whose to review: the rows of an assignment, in and out."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditor.store.expr import Match, unparse
from auditor.store.file import now
from auditor.store.filter import LIVE, compile_filter
from auditor.text import from_storage, to_storage


class StoredAssignment(NamedTuple):
    """An assignment as it stands in the file."""

    id: int
    where: str
    overlap: int
    """How many annotators each item has."""
    seed: int
    made_at: str


def find_assignment(connection: sqlite3.Connection, codebook_id: int) -> StoredAssignment | None:
    """Return the assignment under a codebook, or None."""
    row = connection.execute(
        "SELECT id, filter, overlap, seed, made_at FROM assignments WHERE codebook_id = ?", (codebook_id,)
    ).fetchone()
    return None if row is None else StoredAssignment(row[0], from_storage(row[1]) or "", *row[2:])


def add_assignment(connection: sqlite3.Connection, codebook_id: int, where: str, overlap: int, seed: int) -> int:
    """Keep a new assignment inside the caller's transaction; return its row id."""
    cursor = connection.execute(
        "INSERT INTO assignments (codebook_id, filter, overlap, seed, made_at) VALUES (?, ?, ?, ?, ?)",
        (codebook_id, to_storage(where), overlap, seed, now()),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def drop_assignment(connection: sqlite3.Connection, assignment_id: int) -> None:
    """Forget an assignment inside the caller's transaction; nobody's marks change."""
    connection.execute("DELETE FROM assigned_clusters WHERE assignment_id = ?", (assignment_id,))
    connection.execute("DELETE FROM assignments WHERE id = ?", (assignment_id,))


def assign_clusters(connection: sqlite3.Connection, assignment_id: int, drawn: Mapping[int, Sequence[int]]) -> None:
    """Give clusters to annotators, by row ids, inside the caller's transaction."""
    connection.executemany(
        "INSERT INTO assigned_clusters (assignment_id, cluster_id, annotator_id) VALUES (?, ?, ?)",
        [(assignment_id, cluster, annotator) for cluster, annotators in drawn.items() for annotator in annotators],
    )


def assigned_clusters(connection: sqlite3.Connection, assignment_id: int) -> dict[int, list[int]]:
    """Return the annotators of each assigned cluster, by row ids."""
    sql = "SELECT cluster_id, annotator_id FROM assigned_clusters WHERE assignment_id = ? ORDER BY annotator_id"
    found: dict[int, list[int]] = {}
    for cluster, annotator in connection.execute(sql, (assignment_id,)):
        found.setdefault(cluster, []).append(annotator)
    return found


def clusters_by_annotator(connection: sqlite3.Connection, assignment_id: int) -> dict[str, list[int]]:
    """Return the assigned clusters, by row ids, of each annotator by name."""
    sql = (
        "SELECT a.name, p.cluster_id FROM assigned_clusters p JOIN annotators a ON a.id = p.annotator_id"
        " WHERE p.assignment_id = ? ORDER BY a.id"
    )
    found: dict[str, list[int]] = {}
    for name, cluster in connection.execute(sql, (assignment_id,)):
        found.setdefault(from_storage(name) or "", []).append(cluster)
    return found


def assigned_items(where: str, annotator: str) -> str:
    """Return the filter of the items that an annotator has under an assignment with a filter."""
    mine = unparse(Match("assigned", (annotator,)))
    return f"({where}) {mine}" if where.strip() else mine


def items_by_cluster(connection: sqlite3.Connection, where: str) -> dict[int, int]:
    """Count the items that a filter leaves, by the row id of their cluster; raises InputError for a wrong filter."""
    condition = compile_filter(connection, where)
    sql = (
        f"SELECT t.cluster_id, count(*) FROM {LIVE} WHERE r.superseded_at IS NULL AND {condition.text}"
        " GROUP BY t.cluster_id ORDER BY t.cluster_id"
    )
    return dict(connection.execute(sql, condition.params))


class Tally(NamedTuple):
    """What an annotator did with some items."""

    reviewed: int
    begun: int
    deferred: int


def count_states(connection: sqlite3.Connection, where: str, annotator_id: int, codebook_id: int) -> Tally:
    """Count an annotator's states over the items that a filter leaves."""
    condition = compile_filter(connection, where)
    sql = (
        f"SELECT w.state, count(*) FROM {LIVE} JOIN reviews w ON w.response_id = r.id"
        f" WHERE w.annotator_id = ? AND w.codebook_id = ? AND r.superseded_at IS NULL AND {condition.text}"
        " GROUP BY w.state"
    )
    counts = dict(connection.execute(sql, (annotator_id, codebook_id, *condition.params)))
    return Tally(counts.get("reviewed", 0), counts.get("in-progress", 0), counts.get("deferred", 0))


def reviews_an_item(connection: sqlite3.Connection, where: str, codebook_id: int) -> dict[int, int]:
    """Return how many items have been reviewed by how many people, by that number; later passes count as nobody."""
    condition = compile_filter(connection, where)
    sql = (
        "SELECT n, count(*) FROM (SELECT (SELECT count(*) FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " AND a.kind = 'person' AND a.pass_of IS NULL WHERE w.response_id = r.id AND w.codebook_id = ?"
        f" AND w.state = 'reviewed') AS n FROM {LIVE} WHERE r.superseded_at IS NULL AND {condition.text})"
        " GROUP BY n ORDER BY n"
    )
    return dict(connection.execute(sql, (codebook_id, *condition.params)))
