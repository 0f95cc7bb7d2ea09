"""Bring files into an audit file: what each record becomes, what is refused and why, batch by batch."""

from __future__ import annotations

import gc
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from auditor.codebook import find_codebook
from auditor.errors import AuditFileError, InputError
from auditor.formats import formats, recognise
from auditor.formats.records import Refusal, ResponseRow, RunInfo, Source
from auditor.grading import envelopes, policies
from auditor.model import Setting, Study, Task, join_key
from auditor.store.annotators import ensure_codebook, find_codebook_in_file
from auditor.store.file import now, open_file, transaction, translate
from auditor.store.responses import NewRow, insert_new_responses, insert_responses, response_hash
from auditor.store.tasks import Catalog, Outcome
from auditor.text import to_storage, visible_line

_TASKS_A_TRANSACTION = 2_000
_KIND_ORDER = {"cases": 0, "run": 1, "responses": 2}

Progress = Callable[[str, int, int], None]
"""Called with a file's name, the bytes done and the bytes in all."""


class LoadOptions(NamedTuple):
    """How to read and what to do with records that are there already."""

    format: str | None = None
    study: str | None = None
    setting: str | None = None
    policy: str | None = None
    replace: bool = False
    dry_run: bool = False


@dataclass(slots=True)
class LoadReport:
    """What became of the records of an import."""

    tasks: Counter[Outcome] = field(default_factory=Counter)
    responses: Counter[Outcome] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    studies: list[str] = field(default_factory=list)
    settings: set[str] = field(default_factory=set)


def load(path: Path, inputs: Sequence[Path], options: LoadOptions, progress: Progress | None = None) -> LoadReport:
    """Bring files or run directories into an audit file, which is made when there is none.

    Cases are read before responses, whatever the order of `inputs`. Whole batches are committed as they are read, so
    an interrupted import goes on when it is repeated. Raises InputError for an unusable input, AuditFileError for an
    unusable file.
    """
    sources = _open_sources(inputs, options)
    existed = path.exists()
    try:
        with _target(path, options.dry_run) as connection, _no_garbage_collection():
            report = LoadReport()
            for source in sources:
                _Loader(connection, source, options, report, progress).run()
            return report
    except sqlite3.Error as error:
        raise translate(error, path) from error
    except InputError:
        _remove_if_empty(path, existed)
        raise


def _open_sources(inputs: Sequence[Path], options: LoadOptions) -> list[Source]:
    sources = []
    for path in inputs:
        if not path.exists():
            raise InputError(f"there is no file or folder {visible_line(str(path))}.")
        if options.format is None:
            chosen = recognise(path)
        else:
            known = formats()
            if options.format not in known:
                raise InputError(
                    f"there is no format {visible_line(options.format)!r}.", hint=f"Formats: {', '.join(known)}."
                )
            chosen = known[options.format]
        sources.append(chosen.open(path, study=options.study, setting=options.setting))
    return sorted(sources, key=lambda source: _KIND_ORDER[source.kind])


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Keep the collector from walking millions of short-lived tuples that hold no cycles: a third of an import."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _target(path: Path, dry_run: bool) -> Iterator[sqlite3.Connection]:
    """Open the audit file; for a dry run a copy of it that is thrown away."""
    if not dry_run:
        connection = open_file(path, create=True)
        # A batch that a power failure takes back is read again; what people enter is never written by this command.
        connection.execute("PRAGMA synchronous = NORMAL")
        try:
            yield connection
        finally:
            connection.close()
        return
    with TemporaryDirectory(prefix="auditor-") as folder:
        copy = Path(folder) / "dry-run.db"
        if path.exists():
            original = open_file(path)
            with sqlite3.connect(copy) as target:
                original.backup(target)
            target.close()
            original.close()
        connection = open_file(copy, create=True)
        try:
            yield connection
        finally:
            connection.close()


def _remove_if_empty(path: Path, existed: bool) -> None:
    """Take away a file that this import made and then had nothing to put into."""
    if existed or not path.exists():
        return
    connection = open_file(path)
    (studies,) = connection.execute("SELECT count(*) FROM studies").fetchone()
    connection.close()
    if not studies:
        for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            name.unlink(missing_ok=True)


@dataclass(slots=True)
class _Cell:
    """What the hot loop needs of a study's arm under a setting."""

    setting_id: int
    declared: int | None
    """Samples that the study declares."""
    seen: int = 0
    """One more than the highest sample met."""


class _Loader:
    """Brings one source in."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        source: Source,
        options: LoadOptions,
        report: LoadReport,
        progress: Progress | None,
    ) -> None:
        self.connection = connection
        self.source = source
        self.options = options
        self.report = report
        self.progress = progress
        self.catalog = Catalog(connection)
        self.declared: dict[str, int | None] = {}
        self.cells: dict[tuple[str, str, str], _Cell] = {}
        """By study, arm and setting."""
        self.codebooks: set[str] = set()
        self.all_new = True
        """No key of this source was in the file so far, so the fast way of inserting is tried first."""

    def run(self) -> None:
        """Read everything: studies, settings and tasks, then responses, then which cells were planned."""
        if self.source.kind == "responses":
            self._check_cases()
        self._records()
        self._responses()
        with transaction(self.connection):
            for cell in self.source.planned():
                if cell.study in self.catalog.studies:
                    met = self.cells.get((cell.study, cell.arm, cell.setting))
                    samples = cell.samples or max(1, met.seen if met else 0)
                    self.catalog.plan(cell.study, cell.arm, cell.setting, samples)

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

    def _record(self, record: RunInfo | Study | Task | Setting | Refusal) -> None:
        match record:
            case Refusal():
                self.report.refusals.append(record)
            case RunInfo():
                self._run(record)
            case Study():
                self._study(record)
            case Setting():
                self.catalog.add_setting(record, declared=True)
            case Task():
                self._task(record)

    def _run(self, run: RunInfo) -> None:
        self.connection.execute(
            "INSERT INTO runs (name, description, provenance, extra, imported_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET description = excluded.description, provenance = excluded.provenance,"
            " extra = excluded.extra",
            (
                to_storage(run.name),
                to_storage(run.description),
                to_storage(run.provenance),
                json.dumps({"run": run.extra, "outside": run.outside}),
                now(),
            ),
        )

    def _study(self, study: Study) -> None:
        if self.options.policy is not None:
            study = replace(study, policy=self.options.policy)
        check_policy_and_envelope(study.policy, study.envelope)
        outcome = self.catalog.add_study(study, replace=self.options.replace)
        if outcome is Outcome.CONFLICT:
            raise InputError(
                f"the file holds a study {visible_line(study.name)!r} that is declared otherwise"
                " (policy, envelope, cluster, codebook or samples differ).",
                hint="Use --study NAME for another study, or --replace to take the new declaration.",
            )
        self.declared[study.name] = study.samples
        if study.name not in self.report.studies:
            self.report.studies.append(study.name)
        if study.codebook not in self.codebooks:
            self.codebooks.add(study.codebook)
            self._codebook(study)

    def _codebook(self, study: Study) -> None:
        """Keep the study's codebook in the file, unless somebody has worked on it there already."""
        if find_codebook_in_file(self.connection, study.codebook) is not None:
            return
        try:
            ensure_codebook(self.connection, find_codebook(study.codebook))
        except InputError as error:
            self.report.notes.append(f"study {visible_line(study.name)}: {error} Reviewing it needs --codebook.")

    def _task(self, task: Task) -> None:
        cluster = self._cluster_kind(task.study)
        outcome = self.catalog.add_task(task, cluster, replace=self.options.replace)
        self.report.tasks[outcome] += 1
        if outcome is Outcome.CONFLICT:
            self.report.refusals.append(
                Refusal(
                    f"{self.source.name}: task {join_key(task.key)}",
                    "the file holds other content under these names; --replace supersedes it.",
                )
            )

    def _cluster_kind(self, study: str) -> str:
        sql = "SELECT cluster FROM studies WHERE id = ?"
        (kind,) = self.connection.execute(sql, (self.catalog.studies[study],)).fetchone()
        return str(kind)

    # --- responses to cases that came earlier ----------------------------------------------------------------------

    def _check_cases(self) -> None:
        """Refuse a file whose cases are not those of its study, since many benchmarks number theirs alike."""
        study = self.source.study
        assert study is not None
        shown = visible_line(study)
        ids = set(self.source.ids)
        cases = self.catalog.cases_of(study)
        if self.options.study is None and not cases:
            raise InputError(
                f"the audit file holds no cases of the study {shown!r} that these responses could belong to.",
                where=self.source.name,
                hint="Import the cases too, or name the study with --study (without case texts nothing can be graded).",
            )
        if self.options.study is None and ids < cases:
            raise InputError(
                f"its {len(ids)} cases are only a part of the {len(cases)} of the study {shown!r}, so it may be"
                " about another benchmark that numbers its cases alike.",
                where=self.source.name,
                hint=f"Name the study with --study, e.g. --study {shown}.",
            )

    def _add_bare_tasks(self, rows: Sequence[ResponseRow]) -> None:
        """Make tasks without text for responses to a named study whose case texts nobody has."""
        for row in rows:
            if row[:3] in self.catalog.tasks or row.study not in self.catalog.studies:
                continue
            target = "input" if row.arm == "input" else "output"
            task = Task(row.study, row.case, row.arm, "python", "", "", target, None)
            self.catalog.add_task(task, self._cluster_kind(row.study), replace=False, bare=True)
            self.report.tasks[Outcome.NEW] += 1

    def _responses(self) -> None:
        bare = self.source.kind == "responses" and self.options.study is not None
        for batch in self.source.responses():
            rows = [row for row in batch if isinstance(row, ResponseRow)]
            self.report.refusals.extend(item for item in batch if isinstance(item, Refusal))
            with transaction(self.connection):
                if bare and not self.catalog.cases_of(self.source.study or ""):
                    self._add_bare_tasks(rows)
                outcomes = self._insert(rows)
            self.report.responses.update(outcomes)
            if self.progress:
                self.progress(self.source.name, self.source.bytes_done, self.source.bytes_total)

    def _insert(self, rows: Sequence[ResponseRow]) -> Counter[Outcome]:
        resolved, kept = self._resolve(rows)
        if self.all_new and insert_new_responses(self.connection, resolved):
            return Counter({Outcome.NEW: len(resolved)})
        self.all_new = False
        outcomes = insert_responses(self.connection, resolved, replace=self.options.replace)
        for row, outcome in zip(kept, outcomes, strict=True):
            if outcome is Outcome.CONFLICT:
                self._refuse(row, "the file holds another response under these names; --replace supersedes it.")
        return Counter(outcomes)

    def _resolve(self, rows: Sequence[ResponseRow]) -> tuple[list[NewRow], list[ResponseRow]]:
        """Turn names into row ids; the hot loop of an import."""
        tasks, cells = self.catalog.tasks, self.cells
        resolved: list[NewRow] = []
        kept: list[ResponseRow] = []
        for row in rows:
            study, case, arm, setting, sample, text, reasoning, finish, error, extra, _ = row
            task = tasks.get((study, case, arm))
            if task is None:
                self._refuse(row, self._why_no_task(row))
                continue
            cell = cells.get((study, arm, setting))
            if cell is None:
                cell = cells[study, arm, setting] = self._cell(study, setting)
            if sample >= cell.seen:
                if cell.declared is not None and sample >= cell.declared:
                    self._refuse(row, f"sample {sample}, but the study declares {cell.declared} (counted from 0).")
                    continue
                cell.seen = sample + 1
            content = response_hash(text, reasoning, finish, error)
            bare = (task.id, cell.setting_id, sample, content, to_storage(finish), to_storage(text))
            if reasoning is error is extra is None:
                resolved.append(bare)
            else:
                resolved.append((*bare, to_storage(reasoning), to_storage(error), to_storage(extra)))
            kept.append(row)
        return resolved, kept

    def _cell(self, study: str, setting: str) -> _Cell:
        setting_id = self.catalog.settings.get(setting)
        if setting_id is None:
            setting_id = self.catalog.add_setting(Setting(setting), declared=False)
        return _Cell(setting_id, self.declared.get(study))

    def _why_no_task(self, row: ResponseRow) -> str:
        if row.study not in self.catalog.studies:
            return f"there is no study {visible_line(row.study)!r}."
        if row.case not in self.catalog.cases_of(row.study):
            return f"the study {visible_line(row.study)!r} has no case {visible_line(row.case)!r}."
        return f"the case {visible_line(row.case)!r} has no arm {visible_line(row.arm)!r}."

    def _refuse(self, row: ResponseRow, reason: str) -> None:
        self.report.refusals.append(Refusal(self.source.where(row), reason))


def check_policy_and_envelope(policy: str, envelope: str) -> None:
    """Raise InputError when there is no such grading policy or envelope."""
    for kind, name, known in (("policy", policy, policies()), ("envelope", envelope, envelopes())):
        if name not in known:
            raise InputError(f"there is no {kind} {visible_line(name)!r}.", hint=f"Known: {', '.join(sorted(known))}.")


def require_responses(connection: sqlite3.Connection, path: Path) -> None:
    """Raise AuditFileError when a file holds no responses, so that an empty table is never printed without a reason."""
    if connection.execute("SELECT 1 FROM responses WHERE superseded_at IS NULL LIMIT 1").fetchone() is None:
        raise AuditFileError(
            f"{visible_line(str(path))} holds no responses yet.", "Bring some in with: auditor import FILE PATH…"
        )
