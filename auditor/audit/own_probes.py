"""Probes that annotators wrote: list them, write one, take one back. The answer comes from running the program."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from auditor.audit.item_names import Books, find_item
from auditor.errors import InputError
from auditor.formats.json_text import UnusableError
from auditor.formats.row_file import parse_item
from auditor.model import AnnotatorKind, ResponseKey, Task, join_key, split_key
from auditor.store.annotators import annotator_kind, ensure_annotator, require_annotators
from auditor.store.changes import OwnProbe
from auditor.store.file import now, open_file, open_for_reading, transaction, translate
from auditor.store.history import Actor, Recorded, act, load_view, uuid7
from auditor.store.own_probes import (
    ProbeRecord,
    item_of_run,
    iterate_own_probes,
    own_place,
    replaced_probes,
    runs_with_items,
    why_twice,
)
from auditor.store.responses import key_of_response, task_of
from auditor.store.reviews import WriteProbe
from auditor.store.tasks import load_task
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.probe_runs import CaseRuns, ProbeCase, Wanted

__all__ = ["ProbeRecord", "WrittenHere", "list_probes", "propose_probes", "withdraw_probe", "write_probe"]

_RUNS_SHOWN = 6


class WrittenHere(NamedTuple):
    """What became of a probe that was to be written."""

    probe: OwnProbe
    run: str
    """Problem, implementation and test."""
    item: str
    done: Recorded | None
    """None where it was so already."""


def list_probes(connection: sqlite3.Connection, where: str = "", annotator: str | None = None) -> Iterator[ProbeRecord]:
    """Read the probes that people wrote; without a filter also those whose items were replaced, behind the others.

    Raises InputError for an unknown annotator and for a bad filter.
    """
    annotators = () if annotator is None else (annotator,)
    require_annotators(connection, annotators)
    yield from iterate_own_probes(connection, where, annotators)
    if not where.strip():
        yield from replaced_probes(connection, annotators)


def propose_probes(path: Path, about: str, *, unsafe: bool = False) -> tuple[ProbeCase, list[OwnProbe]]:
    """Run the call that an item, or a run, is about; return what can be proposed, the deepest first.

    Raises InputError where nothing can be asked about it.
    """
    from auditor.audit.probe_runs import CaseRuns, case_to_ask

    with closing(open_for_reading(path)) as connection:
        _, _, task = _found(connection, about)
    case = case_to_ask(task)
    with CaseRuns(unsafe=unsafe) as runs:
        return case, runs.run_of(case).proposals()


def write_probe(
    path: Path,
    annotator: str,
    about: str,
    wanted: Wanted,
    *,
    question: str | None = None,
    dimensions: Sequence[str] = (),
    codebook: str | None = None,
    unsafe: bool = False,
    runs: CaseRuns | None = None,
) -> WrittenHere:
    """Write a probe of the run of an item, named by its key or as problem/implementation/test, or change its words.

    What is not given stays as it is written, or is what our rules give. Raises InputError where the run gives no
    answer, and where the run is asked the same already. Who writes many gives the `runs`, which says whether they are
    `unsafe`.
    """
    from auditor.audit.probe_runs import CaseRuns, case_to_ask

    try:
        with closing(open_file(path)) as connection:
            response_id, key, task = _found(connection, about)
            case = case_to_ask(task)
            with nullcontext(runs) if runs is not None else CaseRuns(unsafe=unsafe) as used:
                probe = used.run_of(case).answered(wanted, question or "", dimensions)
            with transaction(connection):
                actor = _actor(connection, annotator, key, codebook)
                response_id = own_place(connection, actor, response_id, probe.name)
                there = load_view(connection, actor, response_id).probe_named(probe.name)
                if there is not None and not question:
                    probe = probe._replace(question=there.question)
                if there is not None and not dimensions:
                    probe = probe._replace(dimensions=there.dimensions)
                if (why := why_twice(connection, actor, response_id, probe)) is not None:
                    raise InputError(why)
                intent = WriteProbe(probe)
                done = act(connection, actor, response_id, intent, uuid=uuid7(), at=now(), origin="command")
            return WrittenHere(probe, case.name, str(key_of_response(connection, response_id)), done)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def withdraw_probe(
    path: Path, annotator: str, about: str, name: str, *, back: bool = False, codebook: str | None = None
) -> WrittenHere:
    """Take a probe back that an annotator wrote, or with `back` take it up again.

    Raises InputError where they wrote none of that name about the run.
    """
    try:
        with closing(open_file(path)) as connection, transaction(connection):
            response_id, key, task = _found(connection, about)
            actor = _actor(connection, annotator, key, codebook)
            own = [
                one
                for one in iterate_own_probes(connection, annotators=[annotator])
                if one.name == name and one.run == _run_of(task)
            ]
            if not own:
                hint = "See: auditor probes list FILE"
                told = f"{visible_line(annotator, 60)} wrote no probe {visible_line(name, 100)!r} about this run."
                raise InputError(told, hint=hint)
            (record, *_) = sorted(own, key=lambda one: one.response_id != response_id)
            probe = record.probe._replace(withdrawn=not back)
            if record.codebook != actor.book.codebook.name:
                actor = _actor(connection, annotator, key, record.codebook)
            if (why := why_twice(connection, actor, record.response_id, probe)) is not None:
                raise InputError(why)
            intent = WriteProbe(probe)
            done = act(connection, actor, record.response_id, intent, uuid=uuid7(), at=now(), origin="command")
            return WrittenHere(probe, join_key(_run_of(task)), record.item, done)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _run_of(task: Task) -> tuple[str, str, str]:
    return task.problem or "", task.implementation or "", task.test or ""


def _actor(connection: sqlite3.Connection, annotator: str, key: ResponseKey, codebook: str | None) -> Actor:
    try:
        book = Books(connection, codebook).of(key, None)
    except UnusableError as error:
        raise InputError(str(error)) from error
    kind = annotator_kind(connection, annotator) or AnnotatorKind.PERSON
    return Actor(ensure_annotator(connection, annotator, kind), book)


def _found(connection: sqlite3.Connection, about: str) -> tuple[int, ResponseKey, Task]:
    """Return the item of a key, or the first one about a run, with its task."""
    try:
        parts = split_key(about)
    except ValueError:
        parts = []
    if len(parts) == 3:
        row = item_of_run(connection, *parts)
        if row is None:
            raise InputError(
                f"no item here is about the run {visible_line(about, 120)}.",
                hint=f"{_other_runs(connection, *parts[:2])}Probes are written at items: responses, or what `auditor"
                " subjects` adds.",
            )
        key = key_of_response(connection, row)
    else:
        try:
            row, key = find_item(connection, parse_item(about))
        except UnusableError as error:
            hint = "An item is study/case/arm/setting/sample, a run is problem/implementation/test."
            raise InputError(str(error), hint=hint) from error
    return row, key, load_task(connection, task_of(connection, row))


def _other_runs(connection: sqlite3.Connection, problem: str, implementation: str) -> str:
    """Say which runs of a problem have items, those of an implementation first; empty where none has."""
    runs = runs_with_items(connection, problem)
    runs.sort(key=lambda run: not run.startswith(f"{implementation}/"))
    shown = [visible_line(run, 60) for run in runs[:_RUNS_SHOWN]] + (["…"] if len(runs) > _RUNS_SHOWN else [])
    return f"Of this problem these runs have items: {', '.join(shown)}. " if runs else ""
