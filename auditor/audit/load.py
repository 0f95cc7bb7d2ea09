"""Bring files into an audit file: what is read, in which order, and what makes the whole import unusable."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from auditor.audit.admission import admit
from auditor.audit.intake import Intake, Progress
from auditor.audit.invalidate import take_over
from auditor.collector import collector_at_rest
from auditor.errors import InputError, InterruptedWorkError
from auditor.formats import formats, recognise
from auditor.formats.folder import describe_found, is_of_a_format, search_folder
from auditor.formats.records import Refusal, Source
from auditor.store.file import copy_file, now, open_file, translate
from auditor.store.invalidations import count_invalid
from auditor.store.own_probes import count_probes_set_aside
from auditor.store.queue import response_rows
from auditor.store.responses import count_reviews_set_aside
from auditor.store.tasks import Outcome, newest_task_id
from auditor.text import counted, visible_line

_KIND_ORDER = {"cases": 0, "run": 1, "responses": 2}


class LoadOptions(NamedTuple):
    """How to read and what to do with records that are there already."""

    format: str | None = None
    study: str | None = None
    setting: str | None = None
    policy: str | None = None
    replace: bool = False
    dry_run: bool = False
    recollected: bool = False
    """Whether replies take the place of invalid ones, also where they are the same again."""


@dataclass(slots=True)
class LoadReport:
    """What became of the records of an import."""

    tasks: Counter[Outcome] = field(default_factory=Counter)
    responses: Counter[Outcome] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    studies: list[str] = field(default_factory=list)


def load(path: Path, inputs: Sequence[Path], options: LoadOptions, progress: Progress | None = None) -> LoadReport:
    """Bring files or run directories into an audit file, which is made when there is none.

    Cases are read before responses, whatever the order of `inputs`. Whole batches are committed as they are read, so
    an interrupted import goes on when it is repeated. Raises InputError for an unusable input and AuditFileError for
    an unusable file, both before anything is changed; InterruptedWorkError and PartlyDoneError when it has begun.
    """
    report = LoadReport()
    sources = _open_sources(inputs, options, report)
    try:
        with _target(path, options.dry_run) as connection, collector_at_rest():
            admit(connection, sources, path, study=options.study, policy=options.policy, replace=options.replace)
            began, newest_task, newest_response = now(), newest_task_id(connection), response_rows(connection)
            for source in sources:
                how = {"replace": options.replace, "recollected": options.recollected}
                intake = Intake(connection, source, report, progress, policy=options.policy, **how)
                intake.run(named_study=options.study is not None)
            if set_aside := count_reviews_set_aside(connection, began):
                items = "reviewed item was" if set_aside == 1 else "reviewed items were"
                report.notes.append(
                    f"{set_aside:,} {items} replaced; what people put on the old replies stays in the history and no"
                    " longer counts."
                )
            if probes := count_probes_set_aside(connection, began):
                report.notes.append(
                    f"written at items that were replaced: {counted(probes, 'probe')}; `auditor probes list` shows what"
                    " may have to be written anew."
                )
            _take_over_invalid(connection, newest_response, report)
            report.notes += _notes_on_invalid(connection, options, newest_task)
            return report
    except sqlite3.Error as error:
        raise translate(error, path) from error
    except KeyboardInterrupt as interrupt:
        if options.dry_run:
            raise
        raise InterruptedWorkError("interrupted.", "The same command goes on from there.") from interrupt


def _take_over_invalid(connection: sqlite3.Connection, newest_response: int, report: LoadReport) -> None:
    """Invalidate what came as invalid; where that cannot be, the import says so as of a refused record."""
    try:
        taken = take_over(connection, newest_response)
    except InputError as error:
        reason = f"some came as invalid, and count now, since the history cannot say so: {error}"
        report.refusals.append(Refusal("responses", reason))
        return
    if taken:
        came = "response came" if taken == 1 else "responses came"
        report.notes.append(f"{taken:,} {came} as invalid, which the history says now too.")


def _notes_on_invalid(connection: sqlite3.Connection, options: LoadOptions, newest_task: int) -> list[str]:
    """Say what is still invalid after an import that could have changed that."""
    moved = count_invalid(connection, after_task=newest_task)
    if moved:
        which = "invalid response answers a task that was" if moved == 1 else "invalid responses answer tasks that were"
        return [
            f"{moved:,} {which} replaced, by one that asks the same: they stay invalid until `auditor invalidate"
            " --restore` says that they count."
        ]
    left = count_invalid(connection) if options.recollected else 0
    return [f"still invalid: {counted(left, 'response')}; auditor invalidate FILE --list"] if left else []


def _open_sources(inputs: Sequence[Path], options: LoadOptions, report: LoadReport) -> list[Source]:
    sources = []
    for path in inputs:
        if not path.exists():
            raise InputError(f"there is no file or folder {visible_line(str(path))}.")
        if options.format is None:
            if path.is_dir() and not is_of_a_format(path):
                sources += _open_folder(path, options, report)
                continue
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


def _open_folder(folder: Path, options: LoadOptions, report: LoadReport) -> list[Source]:
    """Open the files of known formats in a folder; what cannot be opened is refused, the rest is brought in."""
    found = search_folder(folder)
    sources = []
    for path, chosen in found.files:
        try:
            sources.append(chosen.open(path, study=options.study, setting=options.setting))
        except InputError as error:
            if len(found.files) == 1:
                raise
            report.refusals.append(Refusal(str(path), str(error).removeprefix(f"{path}: ")))
    if not sources:
        raise InputError(report.refusals[0].reason, where=report.refusals[0].where)
    report.notes.append(describe_found(folder, found))
    return sources


@contextmanager
def _target(path: Path, dry_run: bool) -> Iterator[sqlite3.Connection]:
    """Open the audit file for an import; for a dry run a copy of it that is thrown away.

    A file that the import makes is taken away again when it fails before anything is in it.
    """
    if dry_run:
        with TemporaryDirectory(prefix="auditor-") as folder:
            copy = Path(folder) / "dry-run.db"
            copy_file(path, copy)
            with closing(open_file(copy, create=True)) as connection:
                yield connection
        return
    existed = path.exists()
    connection = open_file(path, create=True)
    # A batch that a power failure takes back is read again; what people enter is never written by this command.
    connection.execute("PRAGMA synchronous = NORMAL")
    # Every id that an import writes comes from the catalog of what is in the file, so checking each again is waste.
    connection.execute("PRAGMA foreign_keys = OFF")
    empty = False
    try:
        yield connection
    except BaseException:
        empty = not existed and connection.execute("SELECT 1 FROM studies LIMIT 1").fetchone() is None
        raise
    finally:
        connection.close()
        if empty:
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
