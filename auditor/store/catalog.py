"""The names in an audit file while records are brought in: studies, settings, cases and tasks go in through here."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from auditor.model import Scalar, Setting, Study, Task, join_key
from auditor.store.file import now
from auditor.store.json_column import dump_json, load_json
from auditor.store.tasks import Outcome, count_lines, digest, oracle_text, shown_hash, task_details, task_hash
from auditor.text import from_storage, to_bytes, to_storage

if TYPE_CHECKING:
    from auditor.formats.records import RunInfo

_CELLS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A live task as the importer remembers it."""

    id: int
    content_hash: bytes
    shown_hash: bytes
    bare: bool
    """Made for responses whose case text nobody had; the first real content fills it in."""


class Catalog:
    """The names in one audit file and their row ids.

    Every method that writes expects to be inside a transaction; after a rollback the catalog must be made anew.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.studies: dict[str, int] = self._names("studies")
        self.settings: dict[str, int] = self._names("settings")
        self._clusters: dict[str, int] = self._names("clusters")
        self._programs: dict[bytes, int] = dict(connection.execute("SELECT sha256, id FROM programs"))
        self._cases: dict[tuple[int, str], int] = {
            (study, _name(name)): row for row, study, name in connection.execute("SELECT id, study_id, name FROM cases")
        }
        self.tasks: dict[tuple[str, str, str], TaskRow] = {}
        bare = "t.oracle IS NULL AND t.details = '{}' AND t.lines = 0 AND t.input = ''"
        sql = (
            f"SELECT s.name, c.name, t.arm, t.id, t.content_hash, t.shown_hash, {bare}"
            " FROM tasks t JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
            " WHERE t.superseded_at IS NULL"
        )
        for study, case, arm, row, content, shown, is_bare in connection.execute(sql):
            self.tasks[_name(study), _name(case), _name(arm)] = TaskRow(row, content, shown, bool(is_bare))

    def _names(self, table: str) -> dict[str, int]:
        return {_name(name): row for name, row in self.connection.execute(f"SELECT name, id FROM {table}")}

    def cases_of(self, study: str) -> set[str]:
        """Return the names of a study's cases; looks through all tasks."""
        return {case for name, case, _ in self.tasks if name == study}

    def has_case(self, study: str, case: str) -> bool:
        """Say whether a study has a case of this name."""
        return (self.studies[study], case) in self._cases

    def has_texts(self, study: str) -> bool:
        """Say whether any task of a study is more than a name; looks through all tasks."""
        return any(key[0] == study and not task.bare for key, task in self.tasks.items())

    # --- studies and settings --------------------------------------------------------------------------------------

    def add_run(self, run: RunInfo) -> None:
        """Keep what a run says about itself; the same name says it anew."""
        extra = dump_json({"run": run.extra, "outside": run.outside})
        self.connection.execute(
            "INSERT INTO runs (name, description, provenance, extra, imported_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET description = excluded.description, provenance = excluded.provenance,"
            " extra = excluded.extra WHERE (description, provenance, extra)"
            " IS NOT (excluded.description, excluded.provenance, excluded.extra)",
            (to_storage(run.name), to_storage(run.description), to_storage(run.provenance), extra, now()),
        )

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

    def add_setting(self, setting: Setting, *, replace: bool = False) -> Outcome:
        """Add a setting, or complete one of which only the name was known; a conflict changes nothing unless `replace`.

        A setting of which nothing but the name is given agrees with any.
        """
        row = self.settings.get(setting.name)
        if row is None:
            cursor = self.connection.execute(
                "INSERT INTO settings (model, mode, prompting, facets, extra, name) VALUES (?, ?, ?, ?, ?, ?)",
                (*_setting_columns(setting), to_storage(setting.name)),
            )
            self.settings[setting.name] = _row(cursor)
            self._index_setting(setting)
            return Outcome.NEW
        sql = "SELECT model, mode, prompting, facets, extra FROM settings WHERE id = ?"
        *names, facets, extra = self.connection.execute(sql, (row,)).fetchone()
        old = digest([*map(from_storage, names), load_json(facets), load_json(extra)])
        if old == _setting_digest(setting) or setting == Setting(setting.name):
            return Outcome.UNCHANGED
        if old != _setting_digest(Setting(setting.name)) and not replace:
            return Outcome.CONFLICT
        self.connection.execute(
            "UPDATE settings SET model = ?, mode = ?, prompting = ?, facets = ?, extra = ? WHERE id = ?",
            (*_setting_columns(setting), row),
        )
        self._index_setting(setting)
        return Outcome.REPLACED

    def _index_setting(self, setting: Setting) -> None:
        row = self.settings[setting.name]
        self.connection.execute("DELETE FROM setting_facets WHERE setting_id = ?", (row,))
        self.connection.executemany(
            "INSERT INTO setting_facets (setting_id, name, value) VALUES (?, ?, ?)",
            [(row, to_storage(name), facet_value(value)) for name, value in setting.facets.items()],
        )

    def plan(self, cells: Iterable[tuple[str, str, str, int, bool]]) -> None:
        """Record that settings were to answer all tasks of arms: study, arm, setting, samples each, whether declared.

        What a study declares stands; what was merely seen never makes the number smaller. There can be as many cells as
        arms times settings.
        """
        sql = (
            "INSERT INTO planned_cells (study_id, arm, setting_id, samples) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
            " SET samples = excluded.samples WHERE CASE WHEN ? THEN samples <> excluded.samples"
            " ELSE samples < excluded.samples END"
        )
        remaining = iter(cells)
        while some := list(islice(remaining, _CELLS_AT_ONCE)):
            for setting in dict.fromkeys(cell[2] for cell in some):
                if setting not in self.settings:
                    self.add_setting(Setting(setting))
            self.connection.executemany(
                sql,
                [
                    (self.studies[study], to_storage(arm), self.settings[setting], samples, declared)
                    for study, arm, setting, samples, declared in some
                ],
            )

    # --- tasks -----------------------------------------------------------------------------------------------------

    def add_task(self, task: Task, cluster_kind: str, *, replace: bool, bare: bool = False) -> Outcome:
        """Add a task, or compare it with the live one of that key.

        Other content is a conflict unless `replace`: then the old row stays, superseded. Its responses move to the
        new row when a model is shown the same as before (only the oracle or a description changed); else they are
        superseded too, since they answer another question.
        """
        content, shown = task_hash(task), shown_hash(task)
        old = self.tasks.get(task.key)
        if old is not None:
            if old.content_hash == content or bare:
                return Outcome.UNCHANGED
            if not (replace or old.bare):
                return Outcome.CONFLICT
            self.connection.execute("UPDATE tasks SET superseded_at = ? WHERE id = ?", (now(), old.id))
        row = self._insert_task(task, cluster_kind, content, shown)
        if old is not None:
            self._move_responses(old, row, same_shown=old.bare or old.shown_hash == shown)
        self.tasks[task.key] = TaskRow(row, content, shown, bare)
        return Outcome.NEW if old is None else Outcome.REPLACED

    def _insert_task(self, task: Task, cluster_kind: str, content: bytes, shown: bytes) -> int:
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
                to_storage(task.language),
                task.target,
                task.clean_source is not None,
                to_storage(task.problem),
                to_storage(task.implementation),
                to_storage(task.test),
                dump_json(task_details(task)),
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


def _setting_columns(setting: Setting) -> tuple[str | bytes | None, ...]:
    names = (setting.model, setting.mode, setting.prompting)
    return (*map(to_storage, names), dump_json(setting.facets), dump_json(setting.extra))


def _setting_digest(setting: Setting) -> bytes:
    return digest([setting.model, setting.mode, setting.prompting, setting.facets, setting.extra])


def _name(value: str | bytes) -> str:
    name = from_storage(value)
    assert name is not None
    return name


def _row(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None
    return cursor.lastrowid
