"""Grade all responses of an audit file under their studies' policies, or compare with another policy."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from auditor.audit.admission import check_policy
from auditor.audit.execute import BEFORE_GRADING, Bench, Executing, ExecutionReport
from auditor.audit.explain import explain_wrong_predictions
from auditor.audit.kept_evidence import KeptEvidence
from auditor.audit.questions import Asked, effective_policy
from auditor.errors import InputError
from auditor.execution.workers import Workers
from auditor.grading.grade import grade
from auditor.grading.question import NeedsExecutionError
from auditor.grading.registry import policies
from auditor.model import Grade, ResponseKey, Status
from auditor.store.cells import count_absent_cells
from auditor.store.file import open_file, open_for_reading, transaction, translate
from auditor.store.grades import ToGrade, count_to_grade, drop_grades, put_grades, responses_to_grade
from auditor.store.invalidations import all_invalid
from auditor.store.responses import load_response, require_responses
from auditor.store.tasks import load_studies

_GRADES_A_TRANSACTION = 2_000


class Flip(NamedTuple):
    """A response whose verdict another policy changes."""

    key: ResponseKey
    was_correct: bool


@dataclass(slots=True)
class GradeReport:
    """What grading found."""

    responses: int = 0
    graded: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    modes: Counter[str] = field(default_factory=Counter)
    extractions: Counter[str] = field(default_factory=Counter)
    non_literal: list[int] = field(default_factory=list)
    """Row ids of responses whose prediction is no literal."""
    ungraded: Counter[str] = field(default_factory=Counter)
    """Why responses could not be graded."""
    logged: int = 0
    """Graded replies that came with a verdict; predictions that are no literals are not among them."""
    logged_differs: list[int] = field(default_factory=list)
    """Row ids of those whose logged verdict is another."""
    logged_non_literal: int = 0
    """Replies with a logged verdict whose prediction is no literal, so that the two cannot be compared."""
    absent_cells: int = 0
    settled: Counter[str] = field(default_factory=Counter)
    """How predictions that are no literals were judged once programs were run: `correct` or `wrong` by the value,
    `no value`, `no expression`, `not evaluated`."""
    calls: Counter[str] = field(default_factory=Counter)
    """The same of predicted calls, of which some are `no call`."""
    execution: ExecutionReport | None = None
    """What executing found; None where it was not asked for."""
    invalid: int = 0
    """Responses that are invalid: they are graded too, and in no other count here."""
    flips: list[Flip] = field(default_factory=list)
    compared: int = 0


def grade_file(
    path: Path,
    *,
    policy: str | None = None,
    compare: str | None = None,
    execute: Executing | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> GradeReport:
    """Grade every live response and keep the grades; report counts.

    `policy` overrides the policy of all studies; with `compare` nothing is kept, and the report lists the responses
    whose verdict that policy changes. With `execute` programs and predictions are run first, as far as they are not
    kept from earlier; without it what is kept counts, and nothing is run. Raises InputError for an unknown policy,
    RefusedError where programs cannot be run behind a wall.
    """
    for name in (policy, compare):
        if name is not None:
            check_policy(name)
    writer = open_file(path)
    reader = open_for_reading(path)
    try:
        require_responses(reader, path)
        if execute is None:
            return _grade_all(reader, writer, policy, compare, progress)
        with Workers(execute.workers, unsafe=execute.unsafe, walls=execute.walls) as workers:
            if execute.announce is not None:
                execute.announce(workers.protection)
            bench = Bench(reader, writer, workers, policy=policy, progress=progress)
            for step in BEFORE_GRADING:
                step(bench)
            report = _grade_all(reader, writer, policy, compare, progress)
            if execute.diagnose is not None and compare is None:
                explain_wrong_predictions(execute.diagnose)(bench)
                report = _grade_all(reader, writer, policy, compare, progress)
        report.execution = bench.report
        return report
    except sqlite3.Error as error:
        raise translate(error, path) from error
    finally:
        reader.close()
        writer.close()


def _grade_all(
    reader: sqlite3.Connection,
    writer: sqlite3.Connection,
    policy: str | None,
    compare: str | None,
    progress: Callable[[str, int, int], None] | None,
) -> GradeReport:
    grader = _Grader(reader, policy, compare)
    for batch in _batches(grader.run(progress)):
        if compare is None:
            with transaction(writer):
                put_grades(writer, batch)
    if compare is None:
        with transaction(writer):
            drop_grades(writer, grader.not_gradable)
    grader.report.absent_cells = count_absent_cells(reader)
    return grader.report


def _batches(grades: Iterator[tuple[int, str, Grade]]) -> Iterator[list[tuple[int, str, Grade]]]:
    batch = []
    for one in grades:
        batch.append(one)
        if len(batch) == _GRADES_A_TRANSACTION:
            yield batch
            batch = []
    yield batch


class _Grader:
    """Walks the responses task by task, so that each task is read once."""

    def __init__(self, reader: sqlite3.Connection, policy: str | None, compare: str | None) -> None:
        self.reader = reader
        self.studies = {study.name: study for study in load_studies(reader)}
        self.policy = policy
        self.compare = compare
        self.report = GradeReport()
        self.not_gradable: list[int] = []
        self._asked = Asked(reader)
        self._kept = KeptEvidence(reader)
        self._invalid = set(all_invalid(reader))

    def run(self, progress: Callable[[str, int, int], None] | None) -> Iterator[tuple[int, str, Grade]]:
        """Yield (response id, policy, grade) for every response that can be graded."""
        total = count_to_grade(self.reader)
        for response in responses_to_grade(self.reader):
            self.report.responses += 1
            if self._asked.enter(response.task_id):
                self._kept.enter(self._asked)
            graded = self._grade(response)
            if graded is not None:
                yield response.response_id, graded[0], graded[1]
            if progress and self.report.responses % 200 == 0:
                progress("grading", self.report.responses, total)
        if progress:
            progress("grading", total, total)

    def _grade(self, response: ToGrade) -> tuple[str, Grade] | None:
        task, question = self._asked.task, self._asked.question
        study = self.studies[task.study]
        policy = effective_policy(self.policy or study.policy, task.target)
        if not task.oracle_known and response.reply is not None:
            self._cannot(response, "the case text and its oracle are not in the file")
            return None
        try:
            given = grade(
                question,
                response.reply,
                policy=policy,
                envelope=study.envelope,
                finish=response.finish,
                evaluate=self._kept.evaluator(policy),
            )
        except NeedsExecutionError:
            self._cannot(response, self._kept.why_not_run(policy))
            return None
        judged, given = given, self._kept.with_evidence(response.response_id, given, policy)
        if response.response_id in self._invalid:
            self.report.graded += 1
            self.report.invalid += 1
            return policy, given
        how = self._kept.how_settled(judged, policy)
        if how is not None:
            counts = self.report.calls if policy == "call-equals" else self.report.settled
            counts[how] += 1
        self._count(response, given, how)
        if self.compare is not None:
            self._compare(response, given)
        return policy, given

    def _cannot(self, response: ToGrade, reason: str) -> None:
        self.report.ungraded[reason] += 1
        self.not_gradable.append(response.response_id)

    def _count(self, response: ToGrade, given: Grade, how_settled: str | None) -> None:
        report = self.report
        report.graded += 1
        report.statuses[given.status.value] += 1
        report.modes[given.finding.mode] += 1
        report.extractions[given.extraction] += 1
        if given.non_literal:
            report.non_literal.append(response.response_id)
        if response.logged_correct is None or given.status is Status.NO_RESPONSE:
            return
        if given.non_literal and how_settled in (None, "not evaluated"):
            report.logged_non_literal += 1
            return
        report.logged += 1
        if response.logged_correct != given.status.is_correct:
            report.logged_differs.append(response.response_id)

    def _compare(self, response: ToGrade, given: Grade) -> None:
        """Note when the other policy judges the same extracted prediction otherwise."""
        assert self.compare is not None
        other = effective_policy(self.compare, self._asked.task.target)
        if given.status is Status.NO_RESPONSE:
            return
        self.report.compared += 1
        correct = False
        if given.prediction is not None:
            try:
                correct = policies()[other].equal(self._asked.question.oracle, given.prediction).correct
            except NeedsExecutionError as error:
                raise InputError(f"the policy {other} needs execution, so it cannot be compared.") from error
        if correct != given.status.is_correct:
            key = load_response(self.reader, response.response_id).key
            self.report.flips.append(Flip(key, given.status.is_correct))
