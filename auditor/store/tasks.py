"""Studies, settings and tasks: what is hashed of them, and rows out of an audit file."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from enum import Enum
from typing import Any

from auditor.model import SUBJECT, TEXT_TARGETS, Checkpoint, JsonValue, Setting, Study, Task, TaskKey
from auditor.store.json_column import dump_json, load_json
from auditor.text import from_bytes, from_json_line, from_storage, json_line, to_bytes

HASH_BYTES = 16
"""Content hashes are the first 16 bytes of a SHA-256."""


class Outcome(Enum):
    """What became of an imported record."""

    NEW = "new"
    UNCHANGED = "unchanged"
    REPLACED = "replaced"
    CONFLICT = "conflict"


def digest(value: Any) -> bytes:
    """Hash a JSON-like value independently of the order of its keys."""
    text = dump_json(value, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).digest()[:HASH_BYTES]


def task_columns(task: Task) -> dict[str, JsonValue]:
    """Return what a task has in columns of its own, its key aside."""
    return {
        "language": task.language,
        "source": task.source,
        "clean_source": task.clean_source,
        "input": task.input,
        "target": task.target,
        "oracle": task.oracle,
        "problem": task.problem,
        "implementation": task.implementation,
        "test": task.test,
    }


def task_hash(task: Task) -> bytes:
    """Hash all that was imported of a task."""
    return digest([task_columns(task), task_details(task)])


def shown_hash(task: Task) -> bytes:
    """Hash what a model is shown of a task."""
    return digest([task.language, task.source, task.input, task.prompt, task.question, task.target])


def count_lines(source: str) -> int:
    """Count the lines of a source as an editor does: a final newline starts none."""
    return source.count("\n") + (0 if source.endswith("\n") or not source else 1)


def oracle_text(target: str, oracle: JsonValue) -> str | None:
    """Return the oracle as text: as it is for text targets, as JSON for verdicts and probes."""
    if oracle is None and target in (*TEXT_TARGETS, SUBJECT):
        return None
    if target in TEXT_TARGETS and isinstance(oracle, str):
        return oracle
    return from_bytes(json_line(oracle))


def task_details(task: Task) -> dict[str, JsonValue]:
    """Return what a task has beside its columns, as one JSON object; absent things are left out."""
    details: dict[str, JsonValue] = {}
    if task.checkpoint:
        c = task.checkpoint
        details["checkpoint"] = {"line": c.line, "when": c.when, "iteration": c.iteration, "fields": list(c.fields)}
        if c.clean_line is not None:
            details["checkpoint"]["clean_line"] = c.clean_line  # type: ignore[index]  # a dict was just put there
    for name in ("prompt", "question", "answer_type"):
        if getattr(task, name) is not None:
            details[name] = getattr(task, name)
    if task.dimensions:
        details["dimensions"] = list(task.dimensions)
    for name in ("measures", "facets", "extra"):
        if getattr(task, name):
            details[name] = dict(getattr(task, name))
    return details


# --- rows out ------------------------------------------------------------------------------------------------------

TASK_COLUMNS = (
    "s.name, c.name, t.arm, t.language, p.source, q.source, t.has_clean_source, t.input, t.target, t.oracle,"
    " t.problem, t.implementation, t.test, t.details"
)
TASK_TABLES = (
    "tasks t JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
    " JOIN programs p ON p.id = t.program_id JOIN programs q ON q.id = t.clean_program_id"
)


def task_from_row(row: tuple[Any, ...]) -> Task:
    """Build a task from a row of TASK_COLUMNS."""
    study, case, arm, language, source, clean, has_clean, given, target, oracle, problem, impl, test, details = row
    more = load_json(details)
    text = from_storage(oracle)
    checkpoint = more.get("checkpoint")
    return Task(
        study=_text(study),
        case=_text(case),
        arm=_text(arm),
        language=_text(language),
        source=_text(source),
        input=_text(given),
        target=target,
        oracle=text if target in TEXT_TARGETS or text is None else from_json_line(to_bytes(text)),
        clean_source=_text(clean) if has_clean else None,
        problem=from_storage(problem),
        implementation=from_storage(impl),
        test=from_storage(test),
        checkpoint=Checkpoint(**{**checkpoint, "fields": tuple(checkpoint["fields"])}) if checkpoint else None,
        prompt=more.get("prompt"),
        question=more.get("question"),
        answer_type=more.get("answer_type"),
        dimensions=tuple(more.get("dimensions", ())),
        measures=more.get("measures", {}),
        facets=more.get("facets", {}),
        extra=more.get("extra", {}),
    )


def load_task(connection: sqlite3.Connection, task_id: int) -> Task:
    """Read one task by its row id."""
    sql = f"SELECT {TASK_COLUMNS} FROM {TASK_TABLES} WHERE t.id = ?"
    return task_from_row(connection.execute(sql, (task_id,)).fetchone())


def iterate_tasks(connection: sqlite3.Connection) -> Iterator[Task]:
    """Read all live tasks in the order in which they were brought in."""
    sql = f"SELECT {TASK_COLUMNS} FROM {TASK_TABLES} WHERE t.superseded_at IS NULL ORDER BY t.id"
    return map(task_from_row, connection.execute(sql))


def iterate_task_rows(connection: sqlite3.Connection) -> Iterator[tuple[int, Task]]:
    """Read all tasks with their row ids, superseded ones too."""
    sql = f"SELECT t.id, {TASK_COLUMNS} FROM {TASK_TABLES} ORDER BY t.id"
    return ((row[0], task_from_row(row[1:])) for row in connection.execute(sql))


def newest_task_id(connection: sqlite3.Connection) -> int:
    """Return the highest row id of a task; 0 where there is none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM tasks").fetchone()[0])


def load_studies(connection: sqlite3.Connection) -> list[Study]:
    """Read all studies in the order in which they were brought in."""
    sql = "SELECT name, policy, envelope, cluster, codebook, samples, extra FROM studies ORDER BY id"
    return [
        Study(_text(name), policy, envelope, cluster, _text(codebook), samples, load_json(extra))
        for name, policy, envelope, cluster, codebook, samples, extra in connection.execute(sql)
    ]


def load_settings(connection: sqlite3.Connection) -> list[Setting]:
    """Read all settings in the order in which they were brought in."""
    sql = "SELECT name, model, mode, prompting, facets, extra FROM settings ORDER BY id"
    return [
        Setting(
            _text(name),
            from_storage(model),
            from_storage(mode),
            from_storage(prompting),
            load_json(facets),
            load_json(extra),
        )
        for name, model, mode, prompting, facets, extra in connection.execute(sql)
    ]


def arm_oracles(connection: sqlite3.Connection, case_id: int) -> dict[str, str]:
    """Return the oracle texts of a case's arms, where known."""
    sql = "SELECT arm, oracle FROM tasks WHERE case_id = ? AND superseded_at IS NULL AND oracle IS NOT NULL ORDER BY id"
    return {_text(arm): _text(oracle) for arm, oracle in connection.execute(sql, (case_id,))}


def task_key(connection: sqlite3.Connection, task_id: int) -> TaskKey:
    """Return the names of a task."""
    sql = (
        "SELECT s.name, c.name, t.arm FROM tasks t JOIN cases c ON c.id = t.case_id"
        " JOIN studies s ON s.id = c.study_id WHERE t.id = ?"
    )
    return TaskKey(*map(_text, connection.execute(sql, (task_id,)).fetchone()))


def _text(value: str | bytes) -> str:
    text = from_storage(value)
    assert text is not None
    return text
