"""Measure the tasks of an audit file: what their sources tell, and what running them in the sandbox shows.

A task that was measured by the same interpreter is not measured again, so that an interrupted call goes on.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from auditor.audit.not_runnable import NotRunnable
from auditor.audit.runnable import job_of
from auditor.errors import AuditorError, InputError
from auditor.execution.cpp.tree import NoParserError, Tree
from auditor.execution.cpp.watch import Observed, observe, watched
from auditor.execution.engines import engine_of
from auditor.execution.measures import measure
from auditor.execution.program import Limits, Program
from auditor.execution.protection import Protection
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import TraceDamagedError
from auditor.execution.tracing import trace
from auditor.execution.workers import Job, Workers
from auditor.model import TEXT_TARGETS, Scalar, Task
from auditor.store.computed_measures import Measured, imported_measures, measured_tasks, put_measured
from auditor.store.executions import live_task_rows
from auditor.store.file import open_file, open_for_reading, transaction, translate
from auditor.store.matching_tasks import matching_tasks
from auditor.store.suggestions import hint_for_nothing
from auditor.studies.exact_output.case import LONG, SHORT
from auditor.studies.exact_output.cpp_instrument import writer_of
from auditor.studies.exact_output.cpp_static import cyclomatic_cpp, nesting_cpp
from auditor.studies.exact_output.propose import BUDGET, arcs_of
from auditor.studies.exact_output.static_measures import cyclomatic, nesting
from auditor.text import to_bytes, visible_line

STATIC = ("cyclomatic", "nesting", "answer_length")
DYNAMIC = ("trace_length", "peak_state", "state_load")
BRANCHES = "branches_preserved"
_LONGEST_SOURCE = 1_000_000
_PYTHON, _CPP = ("python", "python3"), ("cpp", "c++")

Progress = Callable[[str, int, int], None]
Arcs = frozenset[tuple[str, int, int]]


class Difference(NamedTuple):
    """A measure that came with a task and is another one here; the one that came is used."""

    task: str
    name: str
    imported: Scalar
    computed: Scalar


@dataclass(slots=True)
class MeasureReport:
    """What became of the tasks."""

    protection: str = ""
    engine: str = ""
    """The interpreter, on whose version trace lengths depend."""
    measured: int = 0
    """Tasks that were measured now."""
    kept: int = 0
    """Tasks that were measured before, or came with all measures."""
    endings: Counter[str] = field(default_factory=Counter)
    """Of those measured now: `measured`, or why their run could not be."""
    compared: int = 0
    """Measures that came with tasks and were computed too."""
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How tasks are measured."""

    everything: bool = False
    """Also the tasks that came with all measures, to compare."""
    again: bool = False
    """Also the tasks that were measured before."""
    where: str = ""
    """Only the tasks that this filter leaves: of which it leaves an answer, or that have none and are so themselves."""
    unsafe: bool = False
    seconds: float = 60.0
    """Time for measuring one run."""
    workers: int | None = None
    announce: Callable[[Protection], None] | None = None
    """Called with the protection that is in force, before anything is run."""


class _Todo(NamedTuple):
    task_id: int
    task: Task
    pair: tuple[Task, Task] | None
    """The tasks with the short and the long input of its case, where these have one source."""


def measure_file(path: Path, options: MeasureOptions, progress: Progress | None = None) -> MeasureReport:
    """Measure the tasks that lack measures, and keep what was found beside what came with them.

    Raises RefusedError where programs cannot be run behind a wall.
    """
    try:
        with closing(open_file(path)) as writer, closing(open_for_reading(path)) as reader:
            todo, report = _todo(reader, options)
            if not todo and not report.kept:
                left = " that the filter leaves" if options.where else ""
                hint = hint_for_nothing(reader, options.where) if options.where else None
                raise InputError(f"there are no tasks{left} whose texts are known, so nothing is measured.", hint=hint)
            imported = imported_measures(reader)
            with Workers(options.workers, unsafe=options.unsafe) as workers:
                report.protection = workers.protection.sentence
                if options.announce is not None and todo:
                    options.announce(workers.protection)
                work = _Work(options)
                for one, found in zip(todo, workers.each(todo, work.measure), strict=True):
                    with transaction(writer):
                        put_measured(writer, [found])
                    _count(report, one.task, found, imported.get(one.task_id, {}))
                    if progress:
                        progress("measuring", report.measured, len(todo))
            return report
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _todo(reader: sqlite3.Connection, options: MeasureOptions) -> tuple[list[_Todo], MeasureReport]:
    tasks = dict(live_task_rows(reader))
    imported, before = imported_measures(reader), measured_tasks(reader)
    finals = {(task.study, task.case, task.arm): task for task in tasks.values() if task.arm in (SHORT, LONG)}
    report, todo = MeasureReport(engine=engine_of("python")), []
    chosen = matching_tasks(reader, options.where)
    for task_id, task in tasks.items():
        if task_id not in chosen or not task.source.strip() or task.target not in TEXT_TARGETS:
            continue
        short, long = (finals.get((task.study, task.case, arm)) for arm in (SHORT, LONG))
        pair = (short, long) if short is not None and long is not None and short.source == long.source else None
        wanted = {*STATIC, *DYNAMIC, *([BRANCHES] if pair else [])}
        has_all = wanted <= imported.get(task_id, {}).keys()
        done = before.get(task_id) == engine_of("python") and not options.again
        if done or (has_all and not options.everything):
            report.kept += 1
            continue
        todo.append(_Todo(task_id, task, pair))
    return todo, report


def _count(report: MeasureReport, task: Task, found: Measured, imported: dict[str, Scalar]) -> None:
    report.measured += 1
    report.endings[found.ending] += 1
    for name, value in found.values.items():
        if name in imported:
            report.compared += 1
            written = ("true" if value else "false") if isinstance(value, bool) else value
            if imported[name] != written:
                report.differences.append(Difference(str(task.key), name, imported[name], written))


class _Work:
    """Measures tasks, each in a sandbox that it is given; used from several threads."""

    def __init__(self, options: MeasureOptions) -> None:
        self._seconds = options.seconds
        self._limits = Limits(wall=options.seconds, cpu=options.seconds)
        self._arcs: dict[tuple[str, str], Arcs | None] = {}

    def measure(self, sandbox: Sandbox, one: _Todo) -> Measured:
        """Return what a task's source, its oracle and its run tell."""
        task = one.task
        values: dict[str, Scalar] = {}
        if isinstance(task.oracle, str):
            values["answer_length"] = len(task.oracle.rstrip("\n"))
        job = job_of(task)
        language = task.language.lower()
        if language in _CPP:
            values |= static_measures_cpp(task.source)
            ending = self._run_cpp(sandbox, one, values) if isinstance(job, Job) else job.reason
            return Measured(one.task_id, engine_of("python"), ending, values)
        if language not in _PYTHON:
            return Measured(one.task_id, engine_of("python"), "only Python and C++ programs are run for it", values)
        values |= static_measures(task.source)
        ending = self._run(sandbox, job, values) if isinstance(job, Job) else job.reason
        if one.pair is not None:
            preserved = self._preserved(sandbox, one.pair)
            if preserved is not None:
                values[BRANCHES] = preserved
        return Measured(one.task_id, engine_of("python"), ending, values)

    def _run(self, sandbox: Sandbox, job: Job, values: dict[str, Scalar]) -> str:
        program, stdin = program_of(job)
        found = measure(sandbox, program, stdin=stdin, seconds=self._seconds, limits=self._limits)
        if found.trace_length is None or found.peak_state is None or found.state_load is None:
            if found.run.outcome.finished:
                return "the run took too long or hindered the count"
            return f"the run ended otherwise: {visible_line(found.run.outcome.sentence, 200)}"
        values |= {"trace_length": found.trace_length, "peak_state": found.peak_state, "state_load": found.state_load}
        return "measured"

    def _run_cpp(self, sandbox: Sandbox, one: _Todo, values: dict[str, Scalar]) -> str:
        """Count statements and conditions, and compare how these come out with both inputs."""
        try:
            found = counted_cpp(sandbox, one.task, self._limits)
            both = [counted_cpp(sandbox, task, self._limits) for task in one.pair or ()]
        except AuditorError as error:
            return error.message.rstrip(".")
        if all(each.told for each in both) and both:
            values[BRANCHES] = both[0].ways == both[1].ways
        if not found.told:
            return f"the run ended otherwise: {visible_line(found.run.outcome.sentence, 200)}"
        values["trace_length"] = found.steps
        return "all but the state, which C++ programs do not tell"

    def _preserved(self, sandbox: Sandbox, pair: tuple[Task, Task]) -> bool | None:
        """Say whether the same lines follow each other with both inputs; None where a trace was too long to tell."""
        arcs = [self._arcs_of(sandbox, task) for task in pair]
        return None if None in arcs else arcs[0] == arcs[1]

    def _arcs_of(self, sandbox: Sandbox, task: Task) -> Arcs | None:
        key = (task.source, task.input)
        if key not in self._arcs:
            # Two threads may find out the same; none may take it for found out before it is.
            self._arcs[key] = self._find_arcs(sandbox, job_of(task))
        return self._arcs[key]

    def _find_arcs(self, sandbox: Sandbox, job: Job | NotRunnable) -> Arcs | None:
        if isinstance(job, NotRunnable):
            return None
        program, stdin = program_of(job)
        try:
            watched = trace(sandbox, program, stdin=stdin, limits=self._limits, budget=BUDGET)
        except TraceDamagedError:
            return None
        return arcs_of(watched) if watched.run.outcome.finished else None


def counted_cpp(sandbox: Sandbox, task: Task, limits: Limits) -> Observed:
    """Run a C++ task with counters, but for the function that a builder inserts.

    Raises NoParserError and UnreadableError.
    """
    clean = task.clean_source if task.clean_source is not None else task.source
    inserted = writer_of(Tree(clean)) if clean != task.source else None
    return observe(sandbox, watched(Tree(task.source), left_out=inserted), stdin=to_bytes(task.input), limits=limits)


def program_of(job: Job) -> tuple[Program, bytes]:
    """Return the program that a job runs and its standard input; a call stands in the program's last line."""
    if job.expression is None:
        return Program(job.source, "python"), job.stdin
    return Program(job.source + b"\n" + to_bytes(job.expression) + b"\n", "python"), b""


def static_measures(source: str) -> dict[str, Scalar]:
    """Return what a Python source tells; nothing where it is no program that can be parsed."""
    if len(source) > _LONGEST_SOURCE:
        return {}
    try:
        return {"cyclomatic": cyclomatic(source), "nesting": nesting(source)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def static_measures_cpp(source: str) -> dict[str, Scalar]:
    """Return what a C++ source tells, as far as the parser and the analyser are installed and can read it."""
    if len(source) > _LONGEST_SOURCE:
        return {}
    try:
        found = {"cyclomatic": cyclomatic_cpp(source), "nesting": nesting_cpp(Tree(source))}
    except (AuditorError, NoParserError, RecursionError):
        return {}
    return {name: value for name, value in found.items() if value is not None}
