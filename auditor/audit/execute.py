"""`grade --execute`: run what can be run of an audit file, behind a wall, and keep what came of it.

A step collects jobs, has those done that are not kept yet, and keeps what follows from them. Steps of BEFORE_GRADING
give grading what it needs; a step after grading looks into graded responses and keeps findings about them, which the
grades get by grading once more. All is kept by what was run: a step that is repeated runs only what has changed.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice

from auditor.audit.cstar_run import CSTAR_ENGINE, run_cstar, standard_digest
from auditor.audit.not_runnable import NotRunnable
from auditor.audit.questions import Asked, effective_policy, oracle_policy
from auditor.audit.runnable import job_of
from auditor.audit.task_verdicts import SEEDS_AGAIN, judge_task
from auditor.diagnosis.case import Budget
from auditor.execution.engines import engine_of
from auditor.execution.outcome import Ending
from auditor.execution.protection import Protection
from auditor.execution.wall import Wall
from auditor.execution.workers import Done, Job, Workers
from auditor.grading.evaluated import expression_of
from auditor.grading.registry import find_envelope
from auditor.store.executions import (
    Execution,
    TaskExecution,
    drop_task_executions,
    engines_of,
    live_task_rows,
    load_execution,
    put_executions,
    put_task_executions,
)
from auditor.store.file import transaction
from auditor.store.grades import responses_to_grade
from auditor.store.tasks import load_studies
from auditor.text import from_bytes, to_bytes, visible_line

_JOBS_A_BATCH = 50
_COMPILED_A_BATCH = 8
_TASKS_A_TRANSACTION = 2_000
_UNTOLD = frozenset((Ending.SANDBOX_FAILED, Ending.NOT_STARTED, Ending.NO_COMPILER))
"""Endings that say nothing of what was to be run, so that they are not kept."""
VARIES = "varies"
"""In place of an ending: it gives something else each time."""
_RUN_BY_TEXT = ("call-equals", "python-literal")

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class ExecutionReport:
    """What executing found."""

    protection: str = ""
    """What protected this machine, in a sentence."""
    engines: dict[str, str] = field(default_factory=dict)
    """Interpreter and compiler by language."""
    jobs: int = 0
    """What had to be run or evaluated in all."""
    ran: int = 0
    """So many of them now; the others were kept from earlier."""
    tasks: Counter[str] = field(default_factory=Counter)
    """Tasks by verdict: agrees, disputed, failed."""
    failures: Counter[str] = field(default_factory=Counter)
    """How the failed ones ended."""
    not_run: Counter[str] = field(default_factory=Counter)
    """Tasks that are not run here, by the reason."""
    untold: Counter[str] = field(default_factory=Counter)
    """Jobs of which nothing is known, by the reason: the next `--execute` tries them again."""
    disputed: list[str] = field(default_factory=list)
    """Keys of the tasks whose oracle is disputed."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Keys of the failed ones, and how they ended."""


@dataclass(frozen=True, slots=True)
class Executing:
    """How programs are run."""

    unsafe: bool = False
    """Also where no wall keeps them from files, network and processes."""
    workers: int | None = None
    """Sandboxes side by side; None for one a processor."""
    diagnose: Budget | None = None
    """How much is tried to explain each wrong prediction; None to try nothing."""
    walls: Sequence[Wall] | None = None
    """The walls that are tried; None for all."""
    announce: Callable[[Protection], None] | None = None
    """Called with the protection that is in force, before anything is run."""


class Bench:
    """What a step works with: the audit file, sandboxes, and where it reports."""

    def __init__(
        self,
        reader: sqlite3.Connection,
        writer: sqlite3.Connection,
        workers: Workers,
        *,
        policy: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`policy` is that under which the file is graded in place of its studies' own."""
        self.reader, self.writer, self.workers = reader, writer, workers
        self.policy = policy
        self.progress: Progress = progress or (lambda label, done, total: None)
        self.report = ExecutionReport(workers.protection.sentence)

    def engine(self, job: Job) -> str:
        """Return what runs a job, and note it in the report."""
        engine = CSTAR_ENGINE if job.language == "cstar" else engine_of(job.language)
        return self.report.engines.setdefault(job.language, engine)

    def run(self, label: str, jobs: Iterable[Job], workers: Workers | None = None) -> None:
        """Have jobs done that are not kept, or were done by another interpreter or compiler; keep whole batches.

        `workers` are those of the jobs' seed, where that is another one.
        """
        wanted = {job.key: job for job in jobs}
        kept = engines_of(self.writer, list(wanted))
        open_jobs = [job for key, job in wanted.items() if kept.get(key) != self.engine(job)]
        self.report.jobs += len(wanted)
        done = 0
        self.progress(label, done, len(open_jobs))
        inside = [job for job in open_jobs if job.language != "cstar"]
        interpreted = (job for job in open_jobs if job.language == "cstar")
        for results in chain((workers or self.workers).run(_batches(inside)), _interpreted(interpreted)):
            known = [result for result in results if result[1].outcome.ending not in _UNTOLD]
            self.report.untold.update(
                result[1].outcome.sentence for result in results if result[1].outcome.ending in _UNTOLD
            )
            with transaction(self.writer):
                put_executions(self.writer, (self._row(*result) for result in known))
            self.report.ran += len(known)
            done += len(results)
            self.progress(label, done, len(open_jobs))

    def _row(self, job: Job, done: Done) -> Execution:
        return Execution(
            job.key,
            "run" if job.expression is None else "evaluation",
            self.engine(job),
            self.workers.protection.wall,
            done.outcome.ending.value,
            done.outcome.sentence,
            done.type_name,
            done.exact,
            done.seconds,
            None if done.output is None else from_bytes(done.output),
        )


def _interpreted(jobs: Iterable[Job]) -> Iterator[list[tuple[Job, Done]]]:
    """Run C* programs a batch at a time, those side by side that are the same in another notation."""
    ordered = iter(sorted(jobs, key=lambda job: standard_digest(job)))
    while batch := list(islice(ordered, _JOBS_A_BATCH)):
        yield [(job, run_cstar(job)) for job in batch]


def _batches(jobs: Iterable[Job]) -> Iterator[Sequence[Job]]:
    """Put jobs of one program side by side, so that it is compiled once."""
    ordered = sorted(jobs, key=lambda job: (job.language, job.source))
    for language, group in groupby(ordered, key=lambda job: job.language):
        size = _COMPILED_A_BATCH if language == "c++" else _JOBS_A_BATCH
        while batch := list(islice(group, size)):
            yield batch


Step = Callable[[Bench], None]


def run_tasks(bench: Bench) -> None:
    """Run every task that can be run, and say whether that gives its oracle."""

    def jobs() -> Iterator[Job]:
        for _, task in live_task_rows(bench.reader):
            job = job_of(task)
            if isinstance(job, Job):
                yield job

    bench.run("running programs", jobs())
    policies = {study.name: study.policy for study in load_studies(bench.reader)}
    _run_again(bench, policies)
    rows: list[TaskExecution] = []
    gone: list[int] = []
    for task_id, task in live_task_rows(bench.reader):
        job = job_of(task)
        if isinstance(job, NotRunnable):
            bench.report.not_run[job.reason] += 1
            gone.append(task_id)
            continue
        execution = load_execution(bench.writer, job.key)
        if execution is None:
            gone.append(task_id)
            continue
        policy = oracle_policy(policies[task.study], task.target)
        verdict, varies = judge_task(bench.writer, task.oracle, policy, job, execution)
        rows.append(TaskExecution(task_id, job.key, verdict, policy))
        bench.report.tasks[verdict] += 1
        if verdict == "disputed":
            bench.report.disputed.append(str(task.key))
        elif varies:
            bench.report.failures[VARIES] += 1
            bench.report.failed.append((str(task.key), "gives something else when it is run again"))
        elif verdict == "failed":
            bench.report.failures[execution.ending] += 1
            bench.report.failed.append((str(task.key), visible_line(execution.words, 200)))
    for at in range(0, len(rows), _TASKS_A_TRANSACTION):
        with transaction(bench.writer):
            put_task_executions(bench.writer, rows[at : at + _TASKS_A_TRANSACTION])
    with transaction(bench.writer):
        drop_task_executions(bench.writer, gone)


def _run_again(bench: Bench, policies: Mapping[str, str]) -> None:
    """Run what would dispute its oracle once more under each other seed of hashes, as long as it gives the same."""
    for seed in SEEDS_AGAIN:
        doubtful = []
        for _, task in live_task_rows(bench.reader):
            job = job_of(task)
            execution = load_execution(bench.writer, job.key) if isinstance(job, Job) else None
            if execution is None or isinstance(job, NotRunnable) or job.language == "cstar":
                continue  # what C* programs do depends on nothing else
            policy = oracle_policy(policies[task.study], task.target)
            if judge_task(bench.writer, task.oracle, policy, job, execution).verdict == "disputed":
                doubtful.append(replace(job, seed=seed))
        if not doubtful:
            return
        with bench.workers.under(seed) as others:
            bench.run("running again what disputes its oracle", doubtful, others)


def evaluate_predictions(bench: Bench) -> None:
    """Evaluate predicted calls, and answers that are expressions where literals are compared."""
    bench.run("evaluating predictions", _predictions(bench))


def _predictions(bench: Bench) -> Iterator[Job]:
    studies = {study.name: study for study in load_studies(bench.reader)}
    asked = Asked(bench.reader)
    seen: set[str] = set()
    for response in responses_to_grade(bench.reader):
        if asked.enter(response.task_id):
            seen = set()
        study = studies[asked.task.study]
        policy = effective_policy(bench.policy or study.policy, asked.task.target)
        reply = response.reply
        if policy not in _RUN_BY_TEXT or reply is None or not reply.strip() or reply in seen:
            continue
        seen.add(reply)
        found = find_envelope(study.envelope).read(reply, asked.question, response.finish)
        if found.prediction is None or not asked.task.oracle_known:
            continue
        expression = expression_of(policy, found.prediction, asked.question.function)
        if expression is not None:
            yield prediction_job(policy, asked.task.source, expression)


def prediction_job(policy: str, source: str, expression: str) -> Job:
    """Return what evaluating a prediction is: a call in its program, any other expression in an empty module.

    An answer has to name the value by itself: with the program in reach it could let that work it out.
    """
    return Job("python", to_bytes(source) if policy == "call-equals" else b"", b"", expression)


BEFORE_GRADING: tuple[Step, ...] = (run_tasks, evaluate_predictions)
