"""The annotations of an audit file as names and not as row ids: what a merge reads, and a bundle is written from."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

from auditor.formats.annotation_records import (
    AnnotatorRecord,
    AssignmentRecord,
    EventRecord,
    RevisionGraph,
)
from auditor.model import AnnotatorKind, ResponseKey
from auditor.store.assignments import find_assignment, sampled_keys
from auditor.store.file import file_id
from auditor.store.responses import key_from_row
from auditor.store.revision_graphs import ReadGraph, read_graph
from auditor.store.tasks import HASH_BYTES
from auditor.text import from_storage, to_bytes, to_storage


def item_hash(task: bytes, response: bytes) -> bytes:
    """Hash the contents of an item, from the hashes of its task and of its response."""
    return hashlib.sha256(task + response).digest()[:HASH_BYTES]


class FileSource:
    """The annotations of an open audit file; see `AnnotationSource`."""

    def __init__(self, connection: sqlite3.Connection, label: str) -> None:
        self.label = label
        self.origin: str | None = file_id(connection)
        self._connection = connection
        self._read: dict[str, ReadGraph] = {}
        for row, name in connection.execute("SELECT id, name FROM codebooks ORDER BY id").fetchall():
            self._read[from_storage(name) or ""] = read_graph(connection, row)
        (self.total,) = connection.execute("SELECT count(*) FROM events").fetchone()

    def annotators(self) -> list[AnnotatorRecord]:
        """Return everybody who said anything or has items assigned, in the order of the names."""
        sql = (
            "SELECT name, kind FROM annotators a WHERE EXISTS (SELECT 1 FROM events e WHERE e.annotator_id = a.id)"
            " OR EXISTS (SELECT 1 FROM assigned_clusters p WHERE p.annotator_id = a.id)"
        )
        rows = self._connection.execute(sql).fetchall()
        return sorted(AnnotatorRecord(from_storage(name) or "", AnnotatorKind(kind)) for name, kind in rows)

    def graphs(self) -> dict[str, RevisionGraph]:
        """Return the revisions of the codebooks by name."""
        return {name: read.graph for name, read in self._read.items()}

    def events(self, annotator: str | None = None) -> Iterator[EventRecord]:
        """Yield everybody's events in the order in which they count, or those of one annotator by their UUIDs."""
        sql = (
            "SELECT s.name, c.name, t.arm, g.name, r.sample, t.content_hash, r.content_hash, r.id, a.name, b.name,"
            " e.revision, e.uuid, e.action, e.change, u.uuid, f.uuid, e.batch, e.origin, e.evidence_hash, e.at,"
            " e.blind, e.aside, e.seconds FROM events e JOIN annotators a ON a.id = e.annotator_id"
            " JOIN codebooks b ON b.id = e.codebook_id JOIN responses r ON r.id = e.response_id"
            " JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
            " JOIN settings g ON g.id = r.setting_id"
            " LEFT JOIN events u ON u.id = e.undoes LEFT JOIN events f ON f.id = e.follows"
        )
        if annotator is None:
            rows = self._connection.execute(f"{sql} ORDER BY e.id")
        else:
            rows = self._connection.execute(f"{sql} WHERE a.name = ? ORDER BY e.uuid", (to_storage(annotator),))
        names: dict[object, str] = {}
        items: dict[int, tuple[ResponseKey, bytes]] = {}
        for row in rows:
            (*key, task, response, response_id, who, book, revision, uuid, action, change, undoes, follows) = row[:16]
            batch, origin, evidence, at, blind, aside, seconds = row[16:]
            for stored in (who, book):
                if stored not in names:
                    names[stored] = from_storage(stored) or ""
            item = items.get(response_id)
            if item is None:
                item = items[response_id] = (key_from_row(key), item_hash(task, response))
            yield EventRecord(
                uuid,
                names[who],
                *item,
                names[book],
                self._read[names[book]].numbers.get(revision, revision),
                action,
                change,
                undoes,
                follows,
                batch,
                origin,
                evidence,
                at,
                bool(blind),
                bool(aside),
                seconds,
            )

    def uuids(self) -> set[str]:
        """Return the UUIDs of all events."""
        return {uuid for (uuid,) in self._connection.execute("SELECT uuid FROM events")}

    def assignments(self) -> list[AssignmentRecord]:
        """Return the assignments, in the order of the codebooks' names."""
        found = []
        sql = (
            "SELECT c.name, a.name FROM assigned_clusters p JOIN clusters c ON c.id = p.cluster_id"
            " JOIN annotators a ON a.id = p.annotator_id WHERE p.assignment_id = ?"
        )
        for row, name in self._connection.execute("SELECT id, name FROM codebooks").fetchall():
            there = find_assignment(self._connection, row)
            if there is not None:
                pairs = self._connection.execute(sql, (there.id,))
                shares = frozenset((from_storage(cluster) or "", from_storage(who) or "") for cluster, who in pairs)
                about = (there.where, there.overlap, there.seed, there.made_at, shares, there.draw)
                items = sampled_keys(self._connection, there.id)
                found.append(AssignmentRecord(from_storage(name) or "", *about, items))
        return sorted(found, key=lambda one: one.codebook)

    def studies(self) -> dict[str, set[str]]:
        """Return a hash of the names and contents of the cases of each study that was annotated."""
        sql = (
            "SELECT DISTINCT c.study_id, s.name FROM events e JOIN responses r ON r.id = e.response_id"
            " JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
        )
        annotated = self._connection.execute(sql).fetchall()
        return {from_storage(name) or "": {study_hash(self._connection, row)} for row, name in annotated}


def study_hash(connection: sqlite3.Connection, study_id: int) -> str:
    """Hash the names and contents of a study's live tasks."""
    found = hashlib.sha256()
    sql = (
        "SELECT c.name, t.arm, t.content_hash FROM tasks t JOIN cases c ON c.id = t.case_id"
        " WHERE c.study_id = ? AND t.superseded_at IS NULL ORDER BY c.name, t.arm"
    )
    for case, arm, content in connection.execute(sql, (study_id,)):
        for name in (case, arm):
            data = to_bytes(from_storage(name) or "")
            found.update(b"%d:" % len(data) + data)
        found.update(content)
    return found.hexdigest()[: 2 * HASH_BYTES]
