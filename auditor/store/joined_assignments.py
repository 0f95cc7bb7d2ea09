"""Assignments of two files as one: of two draws the later counts, and clusters of the same draw are put together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from auditor.formats.annotation_records import AssignmentRecord
from auditor.store.assignments import drop_assignment, find_assignment
from auditor.text import from_storage, to_storage, visible_line


class Told(NamedTuple):
    """What became of an assignment."""

    words: str
    changed: bool
    """Whether the file's is another than before."""


def join_assignments(
    connection: sqlite3.Connection, records: Sequence[AssignmentRecord], row_of: Callable[[str], int]
) -> list[Told]:
    """Bring assignments in, inside the caller's transaction; return a sentence on each of which there is one to say.

    `row_of` gives an annotator's row id. Clusters that the file does not have are left out.
    """
    clusters = {from_storage(name) or "": row for row, name in connection.execute("SELECT id, name FROM clusters")}
    told: list[Told] = []
    for record in records:
        sql = "SELECT id FROM codebooks WHERE name = ?"
        (book,) = connection.execute(sql, (to_storage(record.codebook),)).fetchone()
        words = f"the assignment under the codebook {visible_line(record.codebook)}"
        there = find_assignment(connection, book)
        drawn = (record.made_at, record.where, record.overlap, record.seed)
        standing = there and (there.made_at, there.where, there.overlap, there.seed)
        if standing is not None and standing > drawn:
            told.append(Told(f"{words} stays: it was drawn later than that of the other file.", False))
            continue
        if there is not None and standing != drawn:
            drop_assignment(connection, there.id)
        row = there.id if there is not None and standing == drawn else _add(connection, book, record)
        shares = [(row, clusters[cluster], row_of(who)) for cluster, who in record.shares if cluster in clusters]
        before = connection.total_changes
        connection.executemany(
            "INSERT OR IGNORE INTO assigned_clusters (assignment_id, cluster_id, annotator_id) VALUES (?, ?, ?)", shares
        )
        if standing is None:
            told.append(Told(f"{words} is new.", True))
        elif standing != drawn:
            told.append(Told(f"{words} is the other file's, which was drawn later.", True))
        elif connection.total_changes > before:
            told.append(Told(f"{words} has clusters that came with the other file.", True))
    return told


def _add(connection: sqlite3.Connection, codebook_id: int, record: AssignmentRecord) -> int:
    cursor = connection.execute(
        "INSERT INTO assignments (codebook_id, filter, overlap, seed, made_at) VALUES (?, ?, ?, ?, ?)",
        (codebook_id, to_storage(record.where), record.overlap, record.seed, record.made_at),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid
