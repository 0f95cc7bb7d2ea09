"""Whether what running a task gave is its oracle, as the policy of its study reads outputs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from auditor.audit.not_runnable import NotRunnable
from auditor.audit.runnable import job_of
from auditor.execution.outcome import LIMIT_ENDINGS, Ending
from auditor.execution.workers import Job
from auditor.grading.evaluated import same_value
from auditor.grading.registry import find_policy
from auditor.model import JsonValue
from auditor.store.executions import Execution, TaskVerdict, load_execution, task_executions
from auditor.store.tasks import load_task

_NO_END = frozenset(ending.value for ending in (*LIMIT_ENDINGS, Ending.COMPILE_ERROR))
"""Endings after which the output is not what the program writes."""


SEEDS_AGAIN = (1, 2, 3)
"""Seeds of Python's hashes under which a task is run once more each before its oracle is disputed."""


def task_verdict(oracle: JsonValue, policy: str, execution: Execution, again: Sequence[Execution] = ()) -> TaskVerdict:
    """Compare what running a task gave with its oracle.

    Only a program that ran to its end with status 0, or a call that returned a value of builtin types, disputes an
    oracle; one that ended otherwise agrees when it wrote the oracle all the same, and has failed else. So has one that
    gave something else when it was run `again`: what depends on hashes, time or chance says nothing of an oracle.
    """
    if execution.output is None or execution.ending in _NO_END:
        return "failed"
    if _is_same(oracle, policy, execution):
        return "agrees"
    return "disputed" if _is_comparable(execution) and not _varies(policy, execution, again) else "failed"


def _varies(policy: str, execution: Execution, again: Sequence[Execution]) -> bool:
    """Say whether running a task again gave another output or value."""
    return any(_is_comparable(other) and not _is_same(execution.output, policy, other) for other in again)


def _is_comparable(execution: Execution) -> bool:
    if execution.output is None:
        return False
    return execution.exact if execution.kind == "evaluation" else execution.ending == Ending.FINISHED.value


def _is_same(wanted: JsonValue, policy: str, execution: Execution) -> bool:
    """Say whether an execution gave what is wanted, as the policy reads outputs; values are compared as such too."""
    given = execution.output or ""
    if execution.kind == "evaluation" and (policy == "call-equals" or same_value(wanted, given).correct):
        return same_value(wanted, given).correct
    return find_policy(policy).equal(wanted, given).correct


class Judged(NamedTuple):
    """A task's verdict with all runs that are kept."""

    verdict: TaskVerdict
    varies: bool
    """Whether it failed because it gives something else each time."""


def judge_task(
    connection: sqlite3.Connection, oracle: JsonValue, policy: str, job: Job, execution: Execution
) -> Judged:
    """Return the verdict on a task of which `execution` is kept, and perhaps more runs."""
    verdict = task_verdict(oracle, policy, execution)
    if verdict != "disputed":
        return Judged(verdict, False)
    kept = (load_execution(connection, replace(job, seed=seed).key) for seed in SEEDS_AGAIN)
    verdict = task_verdict(oracle, policy, execution, [one for one in kept if one is not None])
    return Judged(verdict, verdict == "failed")


def verdict_differences(connection: sqlite3.Connection) -> Iterator[str]:
    """Judge all kept executions of tasks anew, and say where that differs from what is kept."""
    for kept in task_executions(connection):
        task = load_task(connection, kept.task_id)
        job = job_of(task)
        if isinstance(job, NotRunnable) or job.key != kept.key:
            yield f"task {kept.task_id}: what is kept as its execution is one of something else"
            continue
        execution = load_execution(connection, kept.key)
        judged = judge_task(connection, task.oracle, kept.policy, job, execution) if execution is not None else None
        if judged is None or judged.verdict != kept.verdict:
            yield f"task {kept.task_id}: it is kept that its execution {kept.verdict}, which does not follow from it"
