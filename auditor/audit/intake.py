"""One source's way into the audit file: what each record becomes, and what is refused and why, batch by batch."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace as with_fields
from typing import Protocol

from auditor.audit.admission import installed_names
from auditor.errors import InputError
from auditor.formats.records import Batch, Columns, Note, Record, Refusal, ResponseRow, RunInfo, Source
from auditor.model import Setting, Study, Task, join_key
from auditor.store.catalog import Catalog
from auditor.store.file import transaction
from auditor.store.responses import NewRow, insert_new_responses, insert_responses, invalid_places, new_row
from auditor.store.tasks import Outcome, load_studies, shown_hash
from auditor.text import visible_line

_TASKS_A_TRANSACTION = 2_000
_ROWS_A_TRANSACTION = 40_000
"""Batches of responses are joined up to so many rows: each commit writes the changed pages of the index again."""

Progress = Callable[[str, int, int], None]
"""Called with a file's name, the bytes done and the bytes in all."""


class Report(Protocol):
    """Where the intake counts what became of the records."""

    tasks: Counter[Outcome]
    responses: Counter[Outcome]
    refusals: list[Refusal]
    notes: list[str]
    studies: list[str]


@dataclass(slots=True)
class _Cell:
    """What the hot loop needs of a study's arm under a setting."""

    setting_id: int
    limit: int
    """Samples that the study declares; beyond any number when it declares none."""
    seen: int = 0
    """One more than the highest sample met."""


_UNLIMITED = 2**63
_TAKEN = "the audit file holds another response under these names; --replace supersedes."
_OTHER_TASK = "the audit file holds another task under its name, which this reply does not answer."
_TAKEN_INVALID = (
    "the audit file holds another response under these names, which is invalid; --recollected lets this one take its"
    " place."
)


class Intake:
    """Brings one source in; the import as a whole was admitted before."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        source: Source,
        report: Report,
        progress: Progress | None,
        *,
        replace: bool,
        policy: str | None,
        recollected: bool = False,
    ) -> None:
        self.connection = connection
        self.source = source
        self.report = report
        self.progress = progress
        self.replace = replace
        self.recollected = recollected
        self.policy = policy
        self.catalog = Catalog(connection)
        self.studies = {study.name: study for study in load_studies(connection)}
        self.cells: dict[tuple[str, str, str], _Cell] = {}
        """By study, arm and setting."""
        (filled,) = connection.execute("SELECT EXISTS (SELECT 1 FROM responses)").fetchone()
        self.expects_new = not filled
        """Whether the fast way of inserting is tried first, which works when no key of a batch is in the file."""
        self.others: set[tuple[str, str, str]] = set()
        """Tasks of the source under whose names the audit file holds something else that a model was shown."""
        self.bare = False
        """Whether responses of the source get tasks that are mere names."""
        self.places: list[tuple[int, _Cell] | None] = []
        """The task and cell of each place of the source's columns; None = one of them is not there."""

    def run(self, *, named_study: bool) -> None:
        """Read everything: studies, settings and tasks, then responses, then which cells were planned.

        With `named_study` responses to a study of which no case text is known get tasks that are mere names.
        """
        with self.source.reading():
            self._records()
            study = self.source.study or ""
            self.bare = self.source.kind == "responses" and named_study and not self.catalog.has_texts(study)
            self._responses()
            with transaction(self.connection):
                self._plan()

    def _plan(self) -> None:
        def cells() -> Iterator[tuple[str, str, str, int, bool]]:
            for study, arm, setting, declared in self.source.planned():
                if study in self.catalog.studies:
                    met = self.cells.get((study, arm, setting))
                    samples = declared or max(1, met.seen if met else 0)
                    yield study, arm, setting, samples, declared is not None

        self.catalog.plan(cells())

    # --- studies, settings, tasks ----------------------------------------------------------------------------------

    def _records(self) -> None:
        records = self.source.records()
        done = False
        while not done:
            with transaction(self.connection):
                done = True
                for count, record in enumerate(records, 1):
                    self._record(record)
                    if count == _TASKS_A_TRANSACTION:
                        done = False
                        break
        default = self.source.default_study
        if default is not None and default.name not in self.catalog.studies:
            with transaction(self.connection):
                self._study(default)

    def _record(self, record: Record) -> None:
        match record:
            case Refusal():
                self.report.refusals.append(record)
            case Note():
                self.report.notes.append(record.text)
            case RunInfo():
                self.catalog.add_run(record)
            case Study():
                self._study(record)
            case Setting():
                if self.catalog.add_setting(record, replace=self.replace) is Outcome.CONFLICT:
                    self._refuse_record(f"setting {join_key((record.name,))}")
            case Task():
                outcome = self.catalog.add_task(record, self.studies[record.study].cluster, replace=self.replace)
                self.report.tasks[outcome] += 1
                if outcome is Outcome.CONFLICT:
                    self._refuse_record(f"task {join_key(record.key)}")
                    if self.catalog.tasks[record.key].shown_hash != shown_hash(record):
                        self.others.add(record.key)

    def _refuse_record(self, what: str) -> None:
        reason = "the audit file holds other content under this name; --replace supersedes it."
        self.report.refusals.append(Refusal(f"{visible_line(self.source.name)}: {visible_line(what)}", reason))

    def _study(self, study: Study) -> None:
        if self.policy is not None:
            study = with_fields(study, policy=self.policy)
        self.catalog.add_study(study, replace=self.replace)
        self.studies[study.name] = study
        if study.name not in self.report.studies:
            self.report.studies.append(study.name)
            self._keep_codebook(study)

    def _keep_codebook(self, study: Study) -> None:
        """Keep a codebook that only a file on this machine holds; an installed one is kept when it is first used."""
        if study.codebook in installed_names("auditor.codebooks"):
            return
        from auditor.codebook import find_codebook
        from auditor.store.annotators import find_codebook_in_file
        from auditor.store.codebook_revisions import ensure_codebook

        if find_codebook_in_file(self.connection, study.codebook) is not None:
            return
        try:
            ensure_codebook(self.connection, find_codebook(study.codebook))
        except InputError as error:
            self.report.notes.append(f"study {visible_line(study.name)}: {error} Reviewing it needs --codebook.")

    # --- responses -------------------------------------------------------------------------------------------------

    def _responses(self) -> None:
        """Bring the responses in; when interrupted, the batches before the one at hand stay."""
        batches = self.source.responses()
        done = False
        while not done:
            done = True
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                rows = 0
                for batch in batches:
                    self._batch(batch)
                    rows += len(batch.lines) if isinstance(batch, Columns) else len(batch)
                    if rows >= _ROWS_A_TRANSACTION:
                        done = False
                        break
            finally:
                if self.connection.in_transaction:  # SQLite itself ends it when the disk is full
                    self.connection.execute("COMMIT")

    def _batch(self, batch: Batch | Columns) -> None:
        if isinstance(batch, Columns):
            self.report.refusals.extend(batch.refusals)
            if not self._columns(batch):
                self._rows(batch.rows())
        else:
            self.report.refusals.extend(item for item in batch if isinstance(item, Refusal))
            self._rows([item for item in batch if isinstance(item, ResponseRow)])
        if self.progress:
            self.progress(self.source.name, self.source.bytes_done, self.source.bytes_total)

    def _columns(self, batch: Columns) -> bool:
        """Insert a batch in which everything is known and new; return whether it was one, else nothing is done."""
        resolved = self._resolve_columns(batch) if self.expects_new and not self.bare else None
        if resolved is None:
            return False
        with self._savepoint():
            if not self._insert_new(resolved):
                return False
        self.report.responses[Outcome.NEW] += len(resolved)
        return True

    def _resolve_columns(self, batch: Columns) -> list[NewRow] | None:
        """Turn places into row ids; None when a row is to be refused."""
        for study, case, arm, setting in batch.places[len(self.places) :]:
            key = (study, case, arm)
            task = None if key in self.others else self.catalog.tasks.get(key)
            cell = task and (self.cells.get((study, arm, setting)) or self._add_cell(study, arm, setting))
            self.places.append((task.id, cell) if task and cell else None)
        resolved: list[NewRow] = []
        for number, sample, texts in zip(batch.numbers, batch.samples, batch.optional(), strict=True):
            place = self.places[number]
            if place is None:
                return None
            task_id, cell = place
            if sample >= cell.seen:
                if sample >= cell.limit:
                    return None
                cell.seen = sample + 1
            resolved.append(new_row(task_id, cell.setting_id, sample, *texts))
        return resolved

    def _rows(self, rows: list[ResponseRow]) -> None:
        if self.bare:
            self._add_bare_tasks(rows)
        resolved, kept = self._resolve(rows)
        with self._savepoint():
            outcomes = self._insert(resolved, kept)
        self.report.responses.update(outcomes)

    def _add_bare_tasks(self, rows: Sequence[ResponseRow]) -> None:
        """Make tasks without text for responses to a named study whose case texts nobody has."""
        for row in rows:
            if row[:3] in self.catalog.tasks:
                continue
            target = "input" if row.arm == "input" else "output"
            task = Task(row.study, row.case, row.arm, "python", "", "", target, None)
            self.report.tasks[
                self.catalog.add_task(task, self.studies[row.study].cluster, replace=False, bare=True)
            ] += 1

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        self.connection.execute("SAVEPOINT batch")
        try:
            yield
            self.connection.execute("RELEASE batch")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO batch")
            raise

    def _insert_new(self, resolved: Sequence[NewRow]) -> bool:
        """Insert rows inside the savepoint if no key of them is in the file; return whether they were inserted."""
        if insert_new_responses(self.connection, resolved):
            return True
        self.connection.execute("ROLLBACK TO batch")
        return False

    def _insert(self, resolved: Sequence[NewRow], kept: Sequence[ResponseRow]) -> Counter[Outcome]:
        if self.expects_new and self._insert_new(resolved):
            return Counter({Outcome.NEW: len(resolved)})
        how = {"replace": self.replace, "recollected": self.recollected}
        outcomes = insert_responses(self.connection, resolved, **how)
        counts = Counter(outcomes)
        self.expects_new = counts[Outcome.NEW] == len(resolved)
        if counts[Outcome.CONFLICT]:
            invalid = invalid_places(self.connection)
            for row, place, outcome in zip(kept, resolved, outcomes, strict=True):
                if outcome is Outcome.CONFLICT:
                    self._refuse(row, _TAKEN_INVALID if place[:3] in invalid else _TAKEN)
        return counts

    def _resolve(self, rows: Sequence[ResponseRow]) -> tuple[list[NewRow], Sequence[ResponseRow]]:
        """Turn names into row ids, and leave out what belongs nowhere; the hot loop of an import."""
        tasks, cells, others = self.catalog.tasks, self.cells, self.others
        resolved: list[NewRow] = []
        refused: set[int] = set()
        for at, (study, case, arm, setting, sample, text, reasoning, finish, error, extra, _) in enumerate(rows):
            try:
                task = tasks[study, case, arm]
                cell = cells[study, arm, setting]
            except KeyError:
                if (study, case, arm) not in tasks:
                    self._refuse(rows[at], self._why_no_task(study, case, arm))
                    refused.add(at)
                    continue
                task, cell = tasks[study, case, arm], self._add_cell(study, arm, setting)
            if others and (study, case, arm) in others:
                self._refuse(rows[at], _OTHER_TASK)
                refused.add(at)
                continue
            if sample >= cell.seen:
                if sample >= cell.limit:
                    words = f"sample {sample}, but the study declares {cell.limit} (counted from 0)."
                    self._refuse(rows[at], words)
                    refused.add(at)
                    continue
                cell.seen = sample + 1
            resolved.append(new_row(task.id, cell.setting_id, sample, text, reasoning, finish, error, extra))
        return resolved, rows if not refused else [row for at, row in enumerate(rows) if at not in refused]

    def _add_cell(self, study: str, arm: str, setting: str) -> _Cell:
        self.catalog.add_setting(Setting(setting))
        declared = self.studies[study].samples
        cell = _Cell(self.catalog.settings[setting], _UNLIMITED if declared is None else declared)
        self.cells[study, arm, setting] = cell
        return cell

    def _why_no_task(self, study: str, case: str, arm: str) -> str:
        if study not in self.catalog.studies:
            return f"there is no study {visible_line(study, 60)!r}."
        if not self.catalog.has_case(study, case):
            return f"the study {visible_line(study, 60)!r} has no case {visible_line(case, 60)!r}."
        return f"the case {visible_line(case, 60)!r} has no arm {visible_line(arm, 60)!r}."

    def _refuse(self, row: ResponseRow, reason: str) -> None:
        self.report.refusals.append(Refusal(self.source.where(row), reason))
