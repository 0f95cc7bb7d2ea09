"""Assignments of two files as one: of two draws the later counts, and clusters of the same draw are put together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from auditor.formats.annotation_records import AssignmentRecord
from auditor.store.assignments import add_assignment, add_to_sample, drop_assignment, find_assignment
from auditor.store.responses import find_response
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

    `row_of` gives an annotator's row id. Clusters and items that the file does not have are left out.
    """
    clusters = {from_storage(name) or "": row for row, name in connection.execute("SELECT id, name FROM clusters")}
    told: list[Told] = []
    for record in records:
        sql = "SELECT id FROM codebooks WHERE name = ?"
        (book,) = connection.execute(sql, (to_storage(record.codebook),)).fetchone()
        words = f"the assignment under the codebook {visible_line(record.codebook)}"
        there = find_assignment(connection, book)
        drawn = (record.made_at, record.where, record.overlap, record.seed, record.draw or ())
        standing = there and (there.made_at, there.where, there.overlap, there.seed, there.draw or ())
        if standing is not None and standing > drawn:
            told.append(Told(f"{words} stays: it was drawn later than that of the other file.", False))
            continue
        if there is not None and standing != drawn:
            drop_assignment(connection, there.id)
        if there is not None and standing == drawn:
            row = there.id
        else:
            how = (record.where, record.overlap, record.seed, record.draw, record.made_at)
            row = add_assignment(connection, book, *how)
        shares = [(row, clusters[cluster], row_of(who)) for cluster, who in record.shares if cluster in clusters]
        before = connection.total_changes
        connection.executemany(
            "INSERT OR IGNORE INTO assigned_clusters (assignment_id, cluster_id, annotator_id) VALUES (?, ?, ?)", shares
        )
        found = (find_response(connection, key) for key in record.items)
        add_to_sample(connection, row, (one for one in found if one is not None))
        if standing is None:
            told.append(Told(f"{words} is new.", True))
        elif standing != drawn:
            told.append(Told(f"{words} is the other file's, which was drawn later.", True))
        elif connection.total_changes > before:
            told.append(Told(f"{words} has items that came with the other file.", True))
    return told
