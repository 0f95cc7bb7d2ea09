"""What is in an audit file, and whether it is whole."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auditor.audit.task_verdicts import verdict_differences
from auditor.model import SUBJECT, ReviewState
from auditor.store.cells import absent_cells, count_absent_cells
from auditor.store.codebook_revisions import counting_differences
from auditor.store.executions import executed_tasks
from auditor.store.file import open_for_reading, translate
from auditor.store.invalidations import IS_INVALID, count_invalid
from auditor.store.kept_agreement import kept_differences
from auditor.store.pending import waiting_beside
from auditor.store.replay import replay_differences
from auditor.store.responses import RESPONSE_TABLES, count_superseded, key_from_row, response_hash
from auditor.store.subject_rows import ANSWERED_STUDY, ANSWERING_SETTING, count_subjects
from auditor.store.tasks import iterate_task_rows, task_hash
from auditor.text import from_storage, to_bytes, visible_line

_IDS_A_QUERY = 5_000
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class StudyInfo:
    """One study in figures."""

    name: str
    policy: str
    envelope: str
    codebook: str
    cases: int
    clusters: int
    tasks: int
    responses: int
    graded: int


@dataclass(frozen=True, slots=True)
class AnnotatorInfo:
    """One annotator's work under one codebook in figures."""

    name: str
    kind: str
    codebook: str
    states: dict[str, int]
    tags: int
    last_at: str | None


@dataclass(frozen=True, slots=True)
class AbsentCell:
    """A task and setting of which planned samples have no row."""

    study: str
    case: str
    arm: str
    setting: str
    samples: int
    """How many are absent."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What is in an audit file."""

    path: str
    bytes: int
    version: int
    created_at: str
    created_with: str
    studies: list[StudyInfo]
    settings: list[str]
    annotators: list[AnnotatorInfo]
    codebooks: dict[str, int]
    """Newest revision by name, of those that are kept in the file."""
    events: int
    superseded: int
    subjects: int
    """Programs and probes that people judge: items, but no responses."""
    invalid: int
    """Live responses that are invalid, so that they count nowhere."""
    executed: dict[str, int]
    """Live tasks by what running them gave: agrees, disputed, failed; empty where none was run."""
    waiting: list[str]
    """Names of the files beside it that hold marks which are not in it yet."""
    absent_cells: int
    """Planned cells, one a sample, without a row."""
    absent: list[AbsentCell]
    """The same by task and setting, as many as were asked for."""


def info(path: Path, absent: int = -1) -> FileInfo:
    """Read what is in an audit file; list so many tasks and settings with absent samples, by default all."""
    try:
        with closing(open_for_reading(path)) as connection:
            return _info(connection, path, absent)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _info(connection: sqlite3.Connection, path: Path, absent: int) -> FileInfo:
    def one(sql: str) -> int:
        return int(connection.execute(sql).fetchone()[0])

    facts = dict(connection.execute("SELECT name, value FROM facts"))
    settings = f"SELECT g.name FROM settings g WHERE {ANSWERING_SETTING} ORDER BY g.id"
    return FileInfo(
        path=str(path),
        bytes=path.stat().st_size,
        version=one("PRAGMA user_version"),
        created_at=facts["created_at"],
        created_with=facts["created_with"],
        studies=study_infos(connection),
        settings=[from_storage(name) or "" for (name,) in connection.execute(settings)],
        annotators=annotator_infos(connection),
        codebooks=newest_revisions(connection),
        events=one("SELECT count(*) FROM events"),
        superseded=count_superseded(connection),
        subjects=count_subjects(connection),
        invalid=count_invalid(connection),
        executed=executed_tasks(connection),
        waiting=waiting_beside(path),
        absent_cells=count_absent_cells(connection),
        absent=[AbsentCell(*cell) for cell in absent_cells(connection, absent)],
    )


def study_infos(connection: sqlite3.Connection) -> list[StudyInfo]:
    """Return every study that asks models anything in figures, in the order of import."""
    sql = (
        "SELECT s.name, s.policy, s.envelope, s.codebook, count(DISTINCT c.id), count(DISTINCT t.cluster_id),"
        " count(DISTINCT t.id), count(r.id), count(d.response_id) FROM studies s LEFT JOIN cases c ON c.study_id = s.id"
        f" LEFT JOIN tasks t ON t.case_id = c.id AND t.superseded_at IS NULL AND t.target <> '{SUBJECT}'"
        " LEFT JOIN responses r ON r.task_id = t.id AND r.superseded_at IS NULL"
        f" LEFT JOIN grades d ON d.response_id = r.id WHERE {ANSWERED_STUDY} GROUP BY s.id ORDER BY s.id"
    )
    return [
        StudyInfo(from_storage(name) or "", policy, envelope, from_storage(book) or "", *numbers)
        for name, policy, envelope, book, *numbers in connection.execute(sql)
    ]


def newest_revisions(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the newest revision of each codebook that is kept in the file, by name."""
    sql = (
        "SELECT b.name, max(v.revision) FROM codebooks b JOIN codebook_revisions v ON v.codebook_id = b.id"
        " GROUP BY b.id"
    )
    return {from_storage(name) or "": revision for name, revision in connection.execute(sql)}


def annotator_infos(connection: sqlite3.Connection) -> list[AnnotatorInfo]:
    """Return everybody's work under each codebook in figures, of the items that count.

    What is superseded or invalid is in no queue and no table; whoever reviewed nothing else is there with zeros.
    """
    sql = (
        "SELECT a.name, a.kind, b.name, w.state, coalesce(sum(w.counts), 0), max(w.updated_at),"
        " coalesce(sum((SELECT count(DISTINCT p.tag_id) FROM counted_tags p WHERE p.response_id = w.response_id"
        " AND p.codebook_id = w.codebook_id AND p.annotator_id = w.annotator_id)) FILTER (WHERE w.counts), 0)"
        f" FROM (SELECT rv.*, r.superseded_at IS NULL AND NOT {IS_INVALID} AS counts"
        " FROM reviews rv JOIN responses r ON r.id = rv.response_id) w"
        " JOIN annotators a ON a.id = w.annotator_id JOIN codebooks b ON b.id = w.codebook_id"
        " GROUP BY a.id, b.id, w.state ORDER BY a.id, b.id"
    )
    found: dict[tuple[str, str, str], AnnotatorInfo] = {}
    for name, kind, book, state, count, last, tags in connection.execute(sql):
        key = (from_storage(name) or "", kind, from_storage(book) or "")
        old = found.get(key) or AnnotatorInfo(*key, {s.value: 0 for s in ReviewState}, 0, None)
        found[key] = AnnotatorInfo(
            *key, {**old.states, state: count}, old.tags + tags, max(filter(None, (old.last_at, last)))
        )
    return list(found.values())


def item_keys(path: Path, response_ids: Sequence[int]) -> list[str]:
    """Return the keys of some responses, in their order."""
    keys: dict[int, str] = {}
    with closing(open_for_reading(path)) as connection:
        for at in range(0, len(response_ids), _IDS_A_QUERY):
            ids = response_ids[at : at + _IDS_A_QUERY]
            sql = (
                f"SELECT r.id, s.name, c.name, t.arm, g.name, r.sample FROM {RESPONSE_TABLES}"
                f" WHERE r.id IN ({', '.join('?' * len(ids))})"
            )
            for row, *names in connection.execute(sql, ids):
                keys[row] = str(key_from_row(names))
    return [keys[row] for row in response_ids]


# --- verify --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """One check and what it found; no problem = it held."""

    name: str
    checked: int
    problems: list[str]


class _Problems:
    """Counts what was checked and keeps the first problems."""

    def __init__(self) -> None:
        self.checked = 0
        self._first: list[str] = []
        self._more = 0

    def check(self, holds: bool, problem: str) -> None:
        self.checked += 1
        if holds:
            return
        if len(self._first) < _SHOWN:
            self._first.append(problem)
        else:
            self._more += 1

    def shown(self) -> list[str]:
        return [*self._first, *([f"and {self._more:,} more"] if self._more else [])]


def verify(path: Path) -> list[Check]:
    """Check an audit file: SQLite's integrity, references, hashes, and that the history gives the current states."""
    try:
        with closing(open_for_reading(path)) as connection:
            return [
                _integrity(connection),
                _references(connection),
                _program_hashes(connection),
                _task_hashes(connection),
                _response_hashes(connection),
                _history(connection),
                _counting(connection),
                _agreement(connection),
                _executions(connection),
            ]
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _integrity(connection: sqlite3.Connection) -> Check:
    lines = [visible_line(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    return Check("the database is whole", 1, [line for line in lines if line != "ok"])


def _references(connection: sqlite3.Connection) -> Check:
    found = _Problems()
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        which = "a row" if row is None else f"row {row}"
        found.check(False, f"{which} of {table} names something that {parent} does not hold")
    return Check("every reference leads somewhere", 1, found.shown())


def _program_hashes(connection: sqlite3.Connection) -> Check:
    found = _Problems()
    for row, sha, source in connection.execute("SELECT id, sha256, source FROM programs"):
        holds = hashlib.sha256(to_bytes(from_storage(source) or "")).digest() == sha
        found.check(holds, f"program {row} does not have the SHA-256 that is stored with it")
    return Check("programs have their SHA-256", found.checked, found.shown())


def _task_hashes(connection: sqlite3.Connection) -> Check:
    found = _Problems()
    hashes = dict(connection.execute("SELECT id, content_hash FROM tasks"))
    for row, task in iterate_task_rows(connection):
        found.check(task_hash(task) == hashes[row], f"task {row} does not have the hash that is stored with it")
    return Check("tasks have their hashes", found.checked, found.shown())


def _response_hashes(connection: sqlite3.Connection) -> Check:
    found = _Problems()
    sql = "SELECT id, content_hash, reply, reasoning, finish, error FROM responses"
    for row, stored, *parts in connection.execute(sql):
        holds = response_hash(*map(from_storage, parts)) == stored
        found.check(holds, f"response {row} does not have the hash that is stored with it")
    return Check("responses have their hashes", found.checked, found.shown())


def _history(connection: sqlite3.Connection) -> Check:
    (events,) = connection.execute("SELECT count(*) FROM events").fetchone()
    return Check("the history gives the current states", events, replay_differences(connection, _SHOWN))


def _agreement(connection: sqlite3.Connection) -> Check:
    (kept,) = connection.execute("SELECT count(*) FROM agreement_tags").fetchone()
    return Check("kept counts of agreement are those of the reviews", kept, kept_differences(connection)[:_SHOWN])


def _executions(connection: sqlite3.Connection) -> Check:
    (kept,) = connection.execute("SELECT count(*) FROM task_executions").fetchone()
    found = list(islice(verdict_differences(connection), _SHOWN))
    return Check("what is said of executed tasks follows from their executions", kept, found)


def _counting(connection: sqlite3.Connection) -> Check:
    (tags,) = connection.execute("SELECT count(*) FROM tags").fetchone()
    return Check("tags count as their codebooks say", tags, counting_differences(connection)[:_SHOWN])
