"""Grade all responses of an audit file under their studies' policies, or compare with another policy."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from auditor.audit.admission import check_policy
from auditor.errors import InputError
from auditor.grading.grade import grade
from auditor.grading.question import NeedsExecutionError, Question
from auditor.grading.registry import policies
from auditor.model import Grade, ResponseKey, Status, Task
from auditor.store.cells import count_absent_cells
from auditor.store.file import open_file, open_for_reading, transaction, translate
from auditor.store.grades import ToGrade, drop_grades, put_grades, responses_to_grade
from auditor.store.responses import load_response, require_responses
from auditor.store.tasks import arm_oracles, load_studies, load_task

_GRADES_A_TRANSACTION = 2_000
POLICY_OF_TARGET = {"verdict": "verdict", "probe": "probe", "input": "call-equals"}
"""Targets that only one policy can decide, whatever the study declares for its outputs."""


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
    flips: list[Flip] = field(default_factory=list)
    compared: int = 0


def effective_policy(policy: str, target: str) -> str:
    """Return the policy that decides tasks of a target in a study declared with `policy`."""
    return POLICY_OF_TARGET.get(target, policy)


def question_of(task: Task, siblings: dict[str, str]) -> Question:
    """Build what a grader needs of a task; `siblings` are the oracle texts of the other arms of its case."""
    call = None
    if task.target == "output" and task.language == "python" and isinstance(task.extra.get("entry_point"), str):
        call = f"{task.extra['entry_point']}({task.input})"
    return Question(
        target=task.target,
        oracle=task.oracle,
        input=task.input,
        source=task.source,
        language=task.language,
        answer_type=task.answer_type,
        siblings={arm: text for arm, text in siblings.items() if arm != task.arm},
        call=call,
    )


def grade_file(
    path: Path,
    *,
    policy: str | None = None,
    compare: str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> GradeReport:
    """Grade every live response and keep the grades; report counts.

    `policy` overrides the policy of all studies; with `compare` nothing is kept, and the report lists the responses
    whose verdict that policy changes. Raises InputError for an unknown policy.
    """
    for name in (policy, compare):
        if name is not None:
            check_policy(name)
    writer = open_file(path)
    reader = open_for_reading(path)
    try:
        require_responses(reader, path)
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
    except sqlite3.Error as error:
        raise translate(error, path) from error
    finally:
        reader.close()
        writer.close()


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
        self._task_id: int | None = None
        self._case_id: int | None = None
        self._oracles: dict[str, str] = {}
        self._task: Task
        self._question: Question

    def run(self, progress: Callable[[str, int, int], None] | None) -> Iterator[tuple[int, str, Grade]]:
        """Yield (response id, policy, grade) for every response that can be graded."""
        (total,) = self.reader.execute("SELECT count(*) FROM responses WHERE superseded_at IS NULL").fetchone()
        for response in responses_to_grade(self.reader):
            self.report.responses += 1
            self._enter(response.task_id)
            graded = self._grade(response)
            if graded is not None:
                yield response.response_id, graded[0], graded[1]
            if progress and self.report.responses % 200 == 0:
                progress("grading", self.report.responses, total)
        if progress:
            progress("grading", total, total)

    def _enter(self, task_id: int) -> None:
        if task_id == self._task_id:
            return
        self._task_id = task_id
        self._task = load_task(self.reader, task_id)
        (case_id,) = self.reader.execute("SELECT case_id FROM tasks WHERE id = ?", (task_id,)).fetchone()
        if case_id != self._case_id:
            self._case_id, self._oracles = case_id, arm_oracles(self.reader, case_id)
        self._question = question_of(self._task, self._oracles)

    def _grade(self, response: ToGrade) -> tuple[str, Grade] | None:
        study = self.studies[self._task.study]
        policy = effective_policy(self.policy or study.policy, self._task.target)
        if not self._task.oracle_known and response.reply is not None:
            self._cannot(response, "the case text and its oracle are not in the file")
            return None
        try:
            given = grade(
                self._question, response.reply, policy=policy, envelope=study.envelope, finish=response.finish
            )
        except NeedsExecutionError:
            self._cannot(response, f"the policy {policy} needs execution")
            return None
        self._count(response, given)
        if self.compare is not None:
            self._compare(response, given)
        return policy, given

    def _cannot(self, response: ToGrade, reason: str) -> None:
        self.report.ungraded[reason] += 1
        self.not_gradable.append(response.response_id)

    def _count(self, response: ToGrade, given: Grade) -> None:
        report = self.report
        report.graded += 1
        report.statuses[given.status.value] += 1
        report.modes[given.finding.mode] += 1
        report.extractions[given.extraction] += 1
        if given.non_literal:
            report.non_literal.append(response.response_id)
        if response.logged_correct is None or given.status is Status.NO_RESPONSE:
            return
        if given.non_literal:
            report.logged_non_literal += 1
            return
        report.logged += 1
        if response.logged_correct != given.status.is_correct:
            report.logged_differs.append(response.response_id)

    def _compare(self, response: ToGrade, given: Grade) -> None:
        """Note when the other policy judges the same extracted prediction otherwise."""
        assert self.compare is not None
        other = effective_policy(self.compare, self._task.target)
        if given.status is Status.NO_RESPONSE:
            return
        self.report.compared += 1
        correct = False
        if given.prediction is not None:
            try:
                correct = policies()[other].equal(self._question.oracle, given.prediction).correct
            except NeedsExecutionError as error:
                raise InputError(f"the policy {other} needs execution, so it cannot be compared.") from error
        if correct != given.status.is_correct:
            key = load_response(self.reader, response.response_id).key
            self.report.flips.append(Flip(key, given.status.is_correct))
