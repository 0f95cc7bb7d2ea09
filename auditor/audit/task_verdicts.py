"""Whether what running a task gave is its oracle, as the policy of its study reads outputs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from auditor.audit.runnable import NotRunnable, job_of
from auditor.execution.outcome import LIMIT_ENDINGS, Ending
from auditor.grading.evaluated import same_value
from auditor.grading.registry import find_policy
from auditor.model import JsonValue
from auditor.store.executions import Execution, TaskVerdict, load_execution, task_executions
from auditor.store.tasks import load_task

_NO_END = frozenset(ending.value for ending in (*LIMIT_ENDINGS, Ending.COMPILE_ERROR))
"""Endings after which the output is not what the program writes."""


def task_verdict(oracle: JsonValue, policy: str, execution: Execution) -> TaskVerdict:
    """Compare what running a task gave with its oracle.

    Only a program that ran to its end with status 0, or a call that returned a value of builtin types, disputes an
    oracle; one that ended otherwise agrees when it wrote the oracle all the same, and has failed else.
    """
    if execution.output is None or execution.ending in _NO_END:
        return "failed"
    if execution.kind == "evaluation":
        same = same_value(oracle, execution.output).correct
        if not same and policy != "call-equals":
            same = find_policy(policy).equal(oracle, execution.output).correct
        comparable = execution.exact
    else:
        same = find_policy(policy).equal(oracle, execution.output).correct
        comparable = execution.ending == Ending.FINISHED.value
    if same:
        return "agrees"
    return "disputed" if comparable else "failed"


def verdict_differences(connection: sqlite3.Connection) -> Iterator[str]:
    """Judge all kept executions of tasks anew, and say where that differs from what is kept."""
    for kept in task_executions(connection):
        task = load_task(connection, kept.task_id)
        job = job_of(task)
        if isinstance(job, NotRunnable) or job.key != kept.key:
            yield f"task {kept.task_id}: what is kept as its execution is one of something else"
            continue
        execution = load_execution(connection, kept.key)
        if execution is None or task_verdict(task.oracle, kept.policy, execution) != kept.verdict:
            yield f"task {kept.task_id}: it is kept that its execution {kept.verdict}, which does not follow from it"
