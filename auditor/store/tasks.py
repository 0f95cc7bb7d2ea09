"""Studies, settings, cases and tasks: rows in and rows out of an audit file, by their names."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from auditor.model import TEXT_TARGETS, Checkpoint, JsonValue, Scalar, Setting, Study, Task, TaskKey, join_key
from auditor.store.file import now
from auditor.store.json_column import dump_json, load_json
from auditor.text import from_bytes, from_json_line, from_storage, json_line, to_bytes, to_storage

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


def count_lines(source: str) -> int:
    """Count the lines of a source as an editor does: a final newline starts none."""
    return source.count("\n") + (0 if source.endswith("\n") or not source else 1)


def oracle_text(target: str, oracle: JsonValue) -> str | None:
    """Return the oracle as text: as it is for text targets, as JSON for verdicts and probes."""
    if oracle is None and target in TEXT_TARGETS:
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


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A live task as the importer remembers it."""

    id: int
    content_hash: bytes
    shown_hash: bytes
    bare: bool
    """Made for responses whose case text nobody had; the first real content fills it in."""


class Catalog:
    """The names in one audit file and their row ids, kept while records are brought in.

    Every method that writes expects to be inside a transaction; after a rollback the catalog must be made anew.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.studies: dict[str, int] = self._names("studies")
        self.settings: dict[str, int] = self._names("settings")
        self._clusters: dict[str, int] = self._names("clusters")
        self._programs: dict[bytes, int] = dict(connection.execute("SELECT sha256, id FROM programs"))
        self._cases: dict[tuple[int, str], int] = {
            (study, _text(name)): row for row, study, name in connection.execute("SELECT id, study_id, name FROM cases")
        }
        self.tasks: dict[tuple[str, str, str], TaskRow] = {}
        sql = (
            "SELECT s.name, c.name, t.arm, t.id, t.content_hash, t.shown_hash, t.oracle IS NULL AND t.details = '{}'"
            " FROM tasks t JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
            " WHERE t.superseded_at IS NULL"
        )
        for study, case, arm, row, content, shown, bare in connection.execute(sql):
            self.tasks[_text(study), _text(case), _text(arm)] = TaskRow(row, content, shown, bool(bare))

    def _names(self, table: str) -> dict[str, int]:
        return {_text(name): row for name, row in self.connection.execute(f"SELECT name, id FROM {table}")}

    def arms(self, study: str) -> set[str]:
        """Return the arms of a study's tasks."""
        return {arm for name, _, arm in self.tasks if name == study}

    def cases_of(self, study: str) -> set[str]:
        """Return the names of a study's cases."""
        return {case for name, case, _ in self.tasks if name == study}

    def add_study(self, study: Study, *, replace: bool) -> Outcome:
        """Add a study, or compare it with the one of that name; a conflict changes nothing unless `replace`."""
        columns = (study.policy, study.envelope, study.cluster, to_storage(study.codebook), study.samples)
        if study.name not in self.studies:
            cursor = self.connection.execute(
                "INSERT INTO studies (policy, envelope, cluster, codebook, samples, extra, name)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*columns, dump_json(study.extra), to_storage(study.name)),
            )
            self.studies[study.name] = _row(cursor)
            return Outcome.NEW
        row = self.studies[study.name]
        sql = "SELECT policy, envelope, cluster, codebook, samples FROM studies WHERE id = ?"
        if self.connection.execute(sql, (row,)).fetchone() == columns:
            return Outcome.UNCHANGED
        if not replace:
            return Outcome.CONFLICT
        self.connection.execute(
            "UPDATE studies SET policy = ?, envelope = ?, cluster = ?, codebook = ?, samples = ?, extra = ?"
            " WHERE id = ?",
            (*columns, dump_json(study.extra), row),
        )
        return Outcome.REPLACED

    def add_setting(self, setting: Setting, *, declared: bool) -> int:
        """Add a setting, or complete the one of that name with what is declared; return its row id."""
        row = self.settings.get(setting.name)
        columns = (
            to_storage(setting.model),
            to_storage(setting.mode),
            to_storage(setting.prompting),
            dump_json(setting.facets),
            dump_json(setting.extra),
        )
        if row is None:
            cursor = self.connection.execute(
                "INSERT INTO settings (model, mode, prompting, facets, extra, name) VALUES (?, ?, ?, ?, ?, ?)",
                (*columns, to_storage(setting.name)),
            )
            row = self.settings[setting.name] = _row(cursor)
        elif declared:
            self.connection.execute(
                "UPDATE settings SET model = ?, mode = ?, prompting = ?, facets = ?, extra = ? WHERE id = ?",
                (*columns, row),
            )
        return row

    def add_task(self, task: Task, cluster_kind: str, *, replace: bool, bare: bool = False) -> Outcome:
        """Add a task, or compare it with the live one of that key.

        Other content is a conflict unless `replace`: then the old row stays, superseded. Its responses move to the
        new row when a model is shown the same as before (only the oracle or a description changed); else they are
        superseded too, since they answer another question.
        """
        details = task_details(task)
        columns: dict[str, JsonValue] = {
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
        content = digest([columns, details])
        shown = digest([task.language, task.source, task.input, details.get("prompt"), task.question, task.target])
        old = self.tasks.get(task.key)
        if old is not None:
            if old.content_hash == content or bare:
                return Outcome.UNCHANGED
            if not (replace or old.bare):
                return Outcome.CONFLICT
            self.connection.execute("UPDATE tasks SET superseded_at = ? WHERE id = ?", (now(), old.id))
        row = self._insert_task(task, cluster_kind, details, content, shown)
        if old is not None:
            self._move_responses(old, row, same_shown=old.bare or old.shown_hash == shown)
        self.tasks[task.key] = TaskRow(row, content, shown, bare)
        return Outcome.NEW if old is None else Outcome.REPLACED

    def _insert_task(
        self, task: Task, cluster_kind: str, details: Mapping[str, JsonValue], content: bytes, shown: bytes
    ) -> int:
        program = self._program(task.source)
        clean_source = task.source if task.clean_source is None else task.clean_source
        clean = self._program(clean_source)
        if cluster_kind == "problem":
            cluster = join_key((task.study, task.problem if task.problem is not None else task.case))
        else:
            cluster = hashlib.sha256(to_bytes(clean_source)).hexdigest()
        cursor = self.connection.execute(
            "INSERT INTO tasks (case_id, arm, cluster_id, program_id, clean_program_id, lines, content_hash,"
            " shown_hash, language, target, has_clean_source, problem, implementation, test, details, input, oracle)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._case(task.study, task.case),
                to_storage(task.arm),
                self._cluster(cluster),
                program,
                clean,
                count_lines(clean_source),
                content,
                shown,
                task.language,
                task.target,
                task.clean_source is not None,
                to_storage(task.problem),
                to_storage(task.implementation),
                to_storage(task.test),
                dump_json(details),
                to_storage(task.input),
                to_storage(oracle_text(task.target, task.oracle)),
            ),
        )
        row = _row(cursor)
        values = [("facet", *pair) for pair in task.facets.items()] + [("measure", *p) for p in task.measures.items()]
        self.connection.executemany(
            "INSERT INTO facets (task_id, kind, name, value) VALUES (?, ?, ?, ?)",
            [(row, kind, to_storage(name), facet_value(value)) for kind, name, value in values],
        )
        return row

    def _move_responses(self, old: TaskRow, row: int, *, same_shown: bool) -> None:
        live = "task_id = ? AND superseded_at IS NULL"
        self.connection.execute(
            f"DELETE FROM grades WHERE response_id IN (SELECT id FROM responses WHERE {live})", (old.id,)
        )
        if same_shown:
            self.connection.execute(f"UPDATE responses SET task_id = ? WHERE {live}", (row, old.id))
        else:
            self.connection.execute(f"UPDATE responses SET superseded_at = ? WHERE {live}", (now(), old.id))

    def plan(self, study: str, arm: str, setting: str, samples: int) -> None:
        """Record that a setting was to answer all tasks of a study's arm, so many samples each."""
        setting_id = self.settings.get(setting) or self.add_setting(Setting(setting), declared=False)
        self.connection.execute(
            "INSERT INTO planned_cells VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET samples = max(samples, excluded.samples)",
            (self.studies[study], to_storage(arm), setting_id, samples),
        )

    def _case(self, study: str, name: str) -> int:
        key = (self.studies[study], name)
        if key not in self._cases:
            cursor = self.connection.execute(
                "INSERT INTO cases (study_id, name) VALUES (?, ?)", (key[0], to_storage(name))
            )
            self._cases[key] = _row(cursor)
        return self._cases[key]

    def _cluster(self, name: str) -> int:
        if name not in self._clusters:
            cursor = self.connection.execute("INSERT INTO clusters (name) VALUES (?)", (to_storage(name),))
            self._clusters[name] = _row(cursor)
        return self._clusters[name]

    def _program(self, source: str) -> int:
        sha = hashlib.sha256(to_bytes(source)).digest()
        if sha not in self._programs:
            cursor = self.connection.execute(
                "INSERT INTO programs (sha256, source, lines) VALUES (?, ?, ?)",
                (sha, to_storage(source), count_lines(source)),
            )
            self._programs[sha] = _row(cursor)
        return self._programs[sha]


def facet_value(value: Scalar) -> str | bytes | int | float | None:
    """Return a facet as a column holds it: `true` and `false` as words, integers beyond 64 bits as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return to_storage(value) if isinstance(value, str) else value


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
        language=language,
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


def _row(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None
    return cursor.lastrowid
