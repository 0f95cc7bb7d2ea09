"""Which clusters are whose to review: the rows of an assignment, in and out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from auditor.formats.annotation_records import SampleDraw
from auditor.model import SUBJECT, ResponseKey
from auditor.store.expr import Match, unparse
from auditor.store.file import now
from auditor.store.filter import ITEMS, compile_filter
from auditor.store.responses import key_from_row
from auditor.store.selection import Search, Selection
from auditor.store.subject_rows import codebooks_of_subjects
from auditor.text import from_storage, to_storage


class StoredAssignment(NamedTuple):
    """An assignment as it stands in the file."""

    id: int
    where: str
    overlap: int
    """How many annotators each item has."""
    seed: int
    made_at: str
    draw: SampleDraw | None = None
    """How its items were drawn; None = they are all items of the filter."""


def find_assignment(connection: sqlite3.Connection, codebook_id: int) -> StoredAssignment | None:
    """Return the assignment under a codebook, or None."""
    sql = "SELECT id, filter, overlap, seed, made_at, take, per, ordering FROM assignments WHERE codebook_id = ?"
    row = connection.execute(sql, (codebook_id,)).fetchone()
    if row is None:
        return None
    row_id, where, overlap, seed, made_at, take, per, order = row
    draw = None if take is None else SampleDraw(take, tuple(json.loads(per)), order)
    return StoredAssignment(row_id, from_storage(where) or "", overlap, seed, made_at, draw)


def add_assignment(
    connection: sqlite3.Connection,
    codebook_id: int,
    where: str,
    overlap: int,
    seed: int,
    draw: SampleDraw | None = None,
    made_at: str | None = None,
) -> int:
    """Keep a new assignment inside the caller's transaction; return its row id."""
    cursor = connection.execute(
        "INSERT INTO assignments (codebook_id, filter, overlap, seed, made_at) VALUES (?, ?, ?, ?, ?)",
        (codebook_id, to_storage(where), overlap, seed, made_at or now()),
    )
    if draw is not None and cursor.lastrowid is not None:
        keep_draw(connection, cursor.lastrowid, draw)
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def keep_draw(connection: sqlite3.Connection, assignment_id: int, draw: SampleDraw) -> None:
    """Keep how the items of an assignment are drawn, inside the caller's transaction."""
    sql = "UPDATE assignments SET take = ?, per = ?, ordering = ? WHERE id = ?"
    connection.execute(sql, (draw.take, json.dumps(draw.per), draw.order, assignment_id))


def draw_sample(
    connection: sqlite3.Connection, where: str, seed: int, draw: SampleDraw, kept: Sequence[int] = ()
) -> list[int]:
    """Return so many responses of each group of what a filter leaves, by row id; those `kept` count among them.

    Raises InputError for a filter, an order or a group that the file does not know.
    """
    selection = Selection(where, draw.order, seed, draw.take, draw.per, notes=False)
    return [response_id for piece in Search(connection, selection, kept).pieces() for response_id in piece.ids]


def add_to_sample(connection: sqlite3.Connection, assignment_id: int, response_ids: Iterable[int]) -> None:
    """Put responses into the sample of an assignment, inside the caller's transaction."""
    connection.executemany(
        "INSERT OR IGNORE INTO sampled_items (assignment_id, case_id, arm, setting_id, sample)"
        " SELECT ?, t.case_id, t.arm, r.setting_id, r.sample FROM responses r JOIN tasks t ON t.id = r.task_id"
        " WHERE r.id = ?",
        [(assignment_id, response_id) for response_id in response_ids],
    )


_SAMPLED = (
    "SELECT {0} FROM sampled_items q JOIN cases c ON c.id = q.case_id JOIN studies s ON s.id = c.study_id"
    " JOIN settings g ON g.id = q.setting_id JOIN tasks t ON t.case_id = q.case_id AND t.arm = q.arm"
    " AND t.superseded_at IS NULL JOIN responses r ON r.task_id = t.id AND r.setting_id = q.setting_id"
    " AND r.sample = q.sample AND r.superseded_at IS NULL WHERE q.assignment_id = ?"
)


def sampled_responses(connection: sqlite3.Connection, assignment_id: int) -> list[int]:
    """Return the live responses of the items in the sample of an assignment, by row id."""
    return [row for (row,) in connection.execute(_SAMPLED.format("r.id"), (assignment_id,))]


def sampled_keys(connection: sqlite3.Connection, assignment_id: int) -> frozenset[ResponseKey]:
    """Return the names of the items in the sample of an assignment."""
    sql = _SAMPLED.format("s.name, c.name, q.arm, g.name, q.sample")
    return frozenset(key_from_row(row) for row in connection.execute(sql, (assignment_id,)))


def drop_assignment(connection: sqlite3.Connection, assignment_id: int) -> None:
    """Forget an assignment inside the caller's transaction; nobody's marks change."""
    connection.execute("DELETE FROM assigned_clusters WHERE assignment_id = ?", (assignment_id,))
    connection.execute("DELETE FROM sampled_items WHERE assignment_id = ?", (assignment_id,))
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


def assigned_items(where: str, annotator: str, codebook: str | None = None) -> str:
    """Return the filter of the items that an annotator has under an assignment with a filter.

    A `codebook` is named where the annotator has assignments under several.
    """
    mine = unparse(Match("assigned", (annotator if codebook is None else f"{codebook}/{annotator}",)))
    return f"({where}) {mine}" if where.strip() else mine


def items_by_cluster(connection: sqlite3.Connection, where: str, sampled_by: int | None = None) -> dict[int, int]:
    """Count the items that a filter leaves, by the row id of their cluster; raises InputError for a wrong filter.

    Of an assignment that is a sample, `sampled_by`, only its items are counted.
    """
    condition = compile_filter(connection, where)
    sampled = f" AND r.id IN ({_SAMPLED.format('r.id')})" if sampled_by is not None else ""
    sql = (
        f"SELECT t.cluster_id, count(*) FROM {ITEMS} WHERE r.superseded_at IS NULL AND {condition.text}{sampled}"
        " GROUP BY t.cluster_id ORDER BY t.cluster_id"
    )
    return dict(connection.execute(sql, (*condition.params, *([sampled_by] if sampled else []))))


def items_of_assignment(connection: sqlite3.Connection, assignment: StoredAssignment) -> dict[int, int]:
    """Count the items that an assignment is of, by the row id of their cluster."""
    return items_by_cluster(connection, assignment.where, assignment.id if assignment.draw is not None else None)


class Tally(NamedTuple):
    """What an annotator did with some items."""

    reviewed: int
    begun: int
    deferred: int


def count_states(connection: sqlite3.Connection, where: str, annotator_id: int, codebook_id: int) -> Tally:
    """Count an annotator's states over the items that a filter leaves."""
    condition = compile_filter(connection, where)
    sql = (
        f"SELECT w.state, count(*) FROM {ITEMS} JOIN reviews w ON w.response_id = r.id"
        f" WHERE w.annotator_id = ? AND w.codebook_id = ? AND r.superseded_at IS NULL AND {condition.text}"
        " GROUP BY w.state"
    )
    counts = dict(connection.execute(sql, (annotator_id, codebook_id, *condition.params)))
    return Tally(counts.get("reviewed", 0), counts.get("in-progress", 0), counts.get("deferred", 0))


def reviews_an_item(connection: sqlite3.Connection, where: str, codebook: str, codebook_id: int) -> dict[int, int]:
    """Return how many items have been reviewed by how many people, by that number; later passes count as nobody.

    What nobody reviewed counts under the codebooks that are meant for it: of what people judge itself that of its
    study, of answers those that are not only for such studies.
    """
    for_answers = codebook not in codebooks_of_subjects(connection)
    condition = compile_filter(connection, where)
    sql = (
        "SELECT n, count(*) FROM (SELECT (SELECT count(*) FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " AND a.kind = 'person' AND a.pass_of IS NULL WHERE w.response_id = r.id AND w.codebook_id = ?"
        f" AND w.state = 'reviewed') AS n, CASE t.target WHEN '{SUBJECT}' THEN s.codebook = ? ELSE ? END AS is_meant"
        f" FROM {ITEMS} WHERE r.superseded_at IS NULL AND {condition.text}) WHERE n > 0 OR is_meant"
        " GROUP BY n ORDER BY n"
    )
    return dict(connection.execute(sql, (codebook_id, to_storage(codebook), for_answers, *condition.params)))
