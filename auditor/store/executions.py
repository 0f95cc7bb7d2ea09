"""What running programs and evaluating expressions gave, kept by the hash of what was run; and what follows from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from auditor.model import Finding, Task
from auditor.store.file import now
from auditor.store.grades import finding_from, finding_value
from auditor.store.tasks import TASK_COLUMNS, TASK_TABLES, task_from_row
from auditor.text import from_storage, to_storage

Kind = Literal["run", "evaluation"]
TaskVerdict = Literal["agrees", "disputed", "failed"]
"""Whether running a task gives its oracle, gives another output, or came to no output that can be compared."""
_KEYS_A_QUERY = 2_000


class Execution(NamedTuple):
    """A row of `executions`."""

    key: bytes
    kind: Kind
    engine: str
    """The interpreter or compiler with its version."""
    wall: str
    ending: str
    words: str
    """How it ended, in a sentence."""
    type_name: str | None
    exact: bool
    seconds: float
    output: str | None
    """What it wrote, or the value as Python writes it."""


_COLUMNS = "key, kind, engine, wall, ending, words, type_name, exact, seconds, output"


def put_executions(connection: sqlite3.Connection, rows: Iterable[Execution]) -> None:
    """Write executions inside the caller's transaction; one of the same key is replaced."""
    at = now()
    connection.executemany(
        f"INSERT INTO executions ({_COLUMNS}, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (key) DO UPDATE SET engine = excluded.engine, wall = excluded.wall, ending = excluded.ending,"
        " words = excluded.words, type_name = excluded.type_name, exact = excluded.exact,"
        " seconds = excluded.seconds, output = excluded.output, at = excluded.at",
        [
            (*row[:5], to_storage(row.words), to_storage(row.type_name), *row[7:9], to_storage(row.output), at)
            for row in rows
        ],
    )


def load_execution(connection: sqlite3.Connection, key: bytes) -> Execution | None:
    """Read the execution of a key; None where there is none."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM executions WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    key, kind, engine, wall, ending, words, type_name, exact, seconds, output = row
    told, value = from_storage(words) or "", from_storage(output)
    return Execution(key, kind, engine, wall, ending, told, from_storage(type_name), bool(exact), seconds, value)


def engines_of(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, str]:
    """Return which engine the kept executions of these keys are of."""
    found: dict[bytes, str] = {}
    for at in range(0, len(keys), _KEYS_A_QUERY):
        some = keys[at : at + _KEYS_A_QUERY]
        marks = ", ".join("?" * len(some))
        found.update(connection.execute(f"SELECT key, engine FROM executions WHERE key IN ({marks})", some))
    return found


def has_executions(connection: sqlite3.Connection) -> bool:
    """Say whether anything was ever run for this file."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM executions)").fetchone()[0])


# --- tasks ---------------------------------------------------------------------------------------------------------


class TaskExecution(NamedTuple):
    """Whether running a task gives its oracle."""

    task_id: int
    key: bytes
    verdict: TaskVerdict
    policy: str
    """By which output and oracle were compared."""


def live_task_rows(connection: sqlite3.Connection) -> Iterator[tuple[int, Task]]:
    """Read all live tasks with their row ids."""
    sql = f"SELECT t.id, {TASK_COLUMNS} FROM {TASK_TABLES} WHERE t.superseded_at IS NULL ORDER BY t.id"
    return ((row[0], task_from_row(row[1:])) for row in connection.execute(sql))


def put_task_executions(connection: sqlite3.Connection, rows: Iterable[TaskExecution]) -> None:
    """Write what running tasks gave inside the caller's transaction; an earlier word on a task is replaced."""
    connection.executemany(
        "INSERT OR REPLACE INTO task_executions (task_id, execution_id, verdict, policy)"
        " VALUES (?, (SELECT id FROM executions WHERE key = ?), ?, ?)",
        rows,
    )


def drop_task_executions(connection: sqlite3.Connection, task_ids: Iterable[int]) -> None:
    """Take out what is said of tasks that can no longer be run."""
    connection.executemany("DELETE FROM task_executions WHERE task_id = ?", ((one,) for one in task_ids))


def task_executions(connection: sqlite3.Connection) -> list[TaskExecution]:
    """Read what running gave of all tasks, superseded ones too."""
    sql = (
        "SELECT x.task_id, e.key, x.verdict, x.policy FROM task_executions x"
        " JOIN executions e ON e.id = x.execution_id ORDER BY x.task_id"
    )
    return [TaskExecution(*row) for row in connection.execute(sql)]


class RunTask(NamedTuple):
    """A task's verdict with the execution that it follows from."""

    verdict: TaskVerdict
    policy: str
    execution: Execution


def task_execution(connection: sqlite3.Connection, task_id: int) -> RunTask | None:
    """Read what running a task gave; None where it was not run."""
    sql = (
        "SELECT x.verdict, x.policy, e.key FROM task_executions x JOIN executions e ON e.id = x.execution_id"
        " WHERE x.task_id = ?"
    )
    row = connection.execute(sql, (task_id,)).fetchone()
    execution = load_execution(connection, row[2]) if row else None
    return RunTask(row[0], row[1], execution) if execution else None


def executed_tasks(connection: sqlite3.Connection) -> dict[str, int]:
    """Count the live tasks by what running them gave; those that were not run are left out."""
    sql = (
        "SELECT x.verdict, count(*) FROM task_executions x JOIN tasks t ON t.id = x.task_id"
        " WHERE t.superseded_at IS NULL GROUP BY 1 ORDER BY 1"
    )
    return dict(connection.execute(sql))


def disputed_tasks(connection: sqlite3.Connection) -> frozenset[int]:
    """Return the tasks whose oracles are disputed."""
    return frozenset(
        task for (task,) in connection.execute("SELECT task_id FROM task_executions WHERE verdict = 'disputed'")
    )


# --- findings about responses --------------------------------------------------------------------------------------


class KeptFindings(NamedTuple):
    """What a step that runs programs found about a response; nothing found is kept too."""

    response_id: int
    step: str
    basis: bytes
    """Hash of all that was looked at: while it is the same, nothing is looked for again."""
    engine: str
    findings: tuple[Finding, ...]


def put_findings(connection: sqlite3.Connection, rows: Iterable[KeptFindings]) -> None:
    """Write what a step found inside the caller's transaction; what it found before is replaced."""
    at = now()
    connection.executemany(
        "INSERT OR REPLACE INTO execution_findings (response_id, step, basis, engine, at, findings)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            (row.response_id, row.step, row.basis, row.engine, at, json.dumps([finding_value(f) for f in row.findings]))
            for row in rows
        ],
    )


def has_findings(connection: sqlite3.Connection) -> bool:
    """Say whether any step ever looked into a response of this file."""
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM execution_findings)").fetchone()[0])


def findings_bases(connection: sqlite3.Connection, step: str) -> dict[int, tuple[bytes, str]]:
    """Return basis and engine of what a step found, by response."""
    sql = "SELECT response_id, basis, engine FROM execution_findings WHERE step = ?"
    return {response: (basis, engine) for response, basis, engine in connection.execute(sql, (step,))}


def load_findings(connection: sqlite3.Connection, response_id: int) -> list[KeptFindings]:
    """Read what all steps found about a response."""
    sql = "SELECT step, basis, engine, findings FROM execution_findings WHERE response_id = ? ORDER BY step"
    return [
        KeptFindings(response_id, step, basis, engine, tuple(map(finding_from, json.loads(findings))))
        for step, basis, engine, findings in connection.execute(sql, (response_id,))
    ]
