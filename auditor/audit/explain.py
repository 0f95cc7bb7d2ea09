"""`grade --execute --diagnose`: look for what would explain wrong predictions, and keep what is found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from auditor.audit.execute import Bench
from auditor.audit.kept_evidence import finding_basis
from auditor.audit.not_runnable import NotRunnable
from auditor.audit.questions import Asked
from auditor.audit.runnable import called_function, job_of
from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.findings import fault_finding, iteration_finding, stale_finding, update_finding
from auditor.diagnosis.iterations import States, other_iteration, stale_fields, states_of
from auditor.diagnosis.search import search_all
from auditor.diagnosis.updates import Updates, stale_updates, updates_of
from auditor.execution.cpp.tree import has_parser
from auditor.execution.engines import engine_of
from auditor.execution.sandbox import Sandbox
from auditor.grading.policies import oracle_text
from auditor.grading.registry import find_policy
from auditor.model import Finding, Task
from auditor.store.executions import KeptFindings, findings_bases, put_findings
from auditor.store.file import transaction
from auditor.store.wrong_predictions import wrong_predictions

STEP = "diagnosis"
"""The name by which findings are kept."""
_SETTLED = frozenset(("empty", "malformed", "formatting_only", "oracle_disputed"))
"""Modes that no fault of a program explains."""


class Predicted(NamedTuple):
    """A wrong prediction to explain, with the responses that make it."""

    case: Case
    basis: bytes
    response_ids: tuple[int, ...]


class Wanted(NamedTuple):
    """The wrong predictions to explain of one task."""

    task: Task
    predicted: tuple[Predicted, ...]


def explain_wrong_predictions(budget: Budget) -> Callable[[Bench], None]:
    """Return the step that searches, within a budget for each task, for what explains the wrong predictions of a file.

    A prediction that was searched for with the same budget and interpreter (or compiler) is not searched for again.
    What a task's programs give is the same whatever else is searched for, so neither the order nor other tasks matter.
    """

    def step(bench: Bench) -> None:
        kept = findings_bases(bench.reader, STEP)
        wanted = []
        for task, predicted in _wanted(bench.reader):
            made_by = _made_by(predicted[0].case, budget)
            left = [each for each in predicted if any(kept.get(n) != (each.basis, made_by) for n in each.response_ids)]
            wanted += [Wanted(task, tuple(left))] if left else []
        total, done = sum(len(each.predicted) for each in wanted), 0
        bench.progress("explaining", done, total)

        def explain(sandbox: Sandbox, each: Wanted) -> tuple[Wanted, list[tuple[Finding, ...]]]:
            return each, findings_of(sandbox, each, budget)

        for each, findings in bench.workers.each(wanted, explain):
            with transaction(bench.writer):
                put_findings(
                    bench.writer,
                    [
                        KeptFindings(number, STEP, one.basis, _made_by(one.case, budget), found)
                        for one, found in zip(each.predicted, findings, strict=True)
                        for number in one.response_ids
                    ],
                )
            done += len(each.predicted)
            bench.progress("explaining", done, total)

    return step


def _made_by(case: Case, budget: Budget) -> str:
    """Name all that what is found depends on besides the task and the prediction."""
    parser = "" if case.language == "python" or has_parser() else " without tree-sitter"
    return f"{engine_of(case.language)}{parser}, up to {budget.programs:,} faults or {budget.seconds:g} seconds"


def findings_of(sandbox: Sandbox, wanted: Wanted, budget: Budget) -> list[tuple[Finding, ...]]:
    """Return what explains each wrong prediction of a task, the most specific first."""
    cases = [each.case for each in wanted.predicted]
    of_states = _of_states(sandbox, wanted.task, cases)
    found = []
    for case, searched, others in zip(cases, search_all(sandbox, cases, budget), of_states, strict=True):
        fault = fault_finding(searched, case.prediction)
        found.append((*others, fault) if fault is not None else others)
    return found


def _of_states(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> list[tuple[Finding, ...]]:
    """Return what states of other iterations, and values before updates, explain of each prediction of a state."""
    point = task.checkpoint
    if task.target != "state" or point is None:
        return [() for _ in cases]
    states = None
    if point.when in ("before-iteration", "after-loop"):
        states = states_of(sandbox, cases[0], line=point.line, after_loop=point.when == "after-loop")
    found = [_by_iterations(states, case) if states is not None else () for case in cases]
    if all(found):
        return found
    updates = updates_of(sandbox, cases[0], point)
    return [
        one or (_by_updates(updates, case) if updates is not None else ())
        for one, case in zip(found, cases, strict=True)
    ]


def _by_iterations(states: States, case: Case) -> tuple[Finding, ...]:
    other = other_iteration(states, case)
    if other is not None:
        return (iteration_finding(other, states, case.prediction),)
    stale = stale_fields(states, case)
    return (stale_finding(stale, case.prediction),) if stale else ()


def _by_updates(updates: Updates, case: Case) -> tuple[Finding, ...]:
    stale = stale_updates(updates, case)
    return (update_finding(stale, case.prediction),) if stale else ()


def _wanted(reader: sqlite3.Connection) -> Iterator[Wanted]:
    """Yield the different wrong predictions of each task that runs here."""
    asked = Asked(reader)
    rows: dict[tuple[str, str], list[int]] = {}
    for response_id, task_id, policy, grade in wrong_predictions(reader):
        if task_id != asked.task_id:
            if asked.task_id is not None:
                yield from _of_task(asked.task, rows)
            asked.enter(task_id)
            rows = {}
        if grade.finding.mode not in _SETTLED and grade.prediction is not None:
            rows.setdefault((policy, grade.prediction), []).append(response_id)
    if asked.task_id is not None:
        yield from _of_task(asked.task, rows)


def _of_task(task: Task, rows: dict[tuple[str, str], list[int]]) -> Iterator[Wanted]:
    job = job_of(task) if rows and task.target in ("output", "state") else None
    if job is None or isinstance(job, NotRunnable) or job.language == "cstar":
        return
    function = called_function(task) if job.expression is not None else None
    given = task.input
    if function is not None and task.input.strip() == job.expression:
        given = _arguments(job.expression, function)
    predicted = []
    for (policy, prediction), response_ids in rows.items():
        case = Case(task.source, given, oracle_text(task.oracle), prediction, _equality(policy), function, job.language)
        predicted.append(Predicted(case, finding_basis(task, prediction), tuple(response_ids)))
    yield Wanted(task, tuple(predicted))


def _arguments(call: str, function: str) -> str:
    """Return what stands between the parentheses of a call."""
    return call[call.index("(", len(function)) + 1 : call.rindex(")")]


def _equality(policy: str) -> Callable[[str, str], bool]:
    judge = find_policy(policy)

    def equal(given: str, prediction: str) -> bool:
        return judge.equal(given, prediction).correct

    return equal
