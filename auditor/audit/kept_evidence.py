"""What is kept of executions, as grading takes it: values of predictions, disputed oracles, findings of runs."""

from __future__ import annotations

import hashlib
import sqlite3

from auditor.audit.execute import prediction_job
from auditor.audit.questions import Asked
from auditor.grading.evaluated import (
    Evaluate,
    Evaluated,
    disputed_finding,
    with_disputed_oracle,
    with_findings_of_runs,
)
from auditor.grading.registry import find_policy
from auditor.model import Finding, Grade, Status, Task
from auditor.store.executions import (
    disputed_tasks,
    has_executions,
    has_findings,
    load_execution,
    load_findings,
    task_execution,
)
from auditor.store.tasks import HASH_BYTES, task_hash
from auditor.text import to_bytes, visible_line


def finding_basis(task: Task, prediction: str) -> bytes:
    """Return the hash of what findings about a prediction rest on: all of the task, and the prediction."""
    return hashlib.sha256(task_hash(task) + to_bytes(prediction)).digest()[:HASH_BYTES]


class KeptEvidence:
    """Looks up what is kept for the task that is walked through and the predictions about it."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self._ran = has_executions(reader)
        self._found = has_findings(reader)
        self._disputed = disputed_tasks(reader)
        self._asked: Asked
        self._dispute: Finding | None = None
        self._given = ""
        """What running the task gave, where that disputes its oracle."""
        self._values: dict[tuple[str, str], Evaluated | None] = {}
        self._last: Evaluated | None = None
        self._looked = False

    def enter(self, asked: Asked) -> None:
        """Go to the task that `asked` is at."""
        self._asked, self._dispute = asked, None
        self._values.clear()
        if asked.task_id is not None and asked.task_id in self._disputed:
            self._enter_disputed(asked.task_id)

    def _enter_disputed(self, task_id: int) -> None:
        kept = task_execution(self._reader, task_id)
        if kept is not None:
            policy = "python-literal" if kept.policy == "call-equals" else kept.policy
            self._given = kept.execution.output or ""
            self._dispute = disputed_finding(self._asked.task.oracle, self._given, policy, kept.execution.engine)

    def evaluator(self, policy: str) -> Evaluate | None:
        """Return what looks up the values of predictions under a policy; None where nothing was ever run."""
        self._looked, self._last = False, None
        if not self._ran:
            return None

        def evaluate(expression: str) -> Evaluated | None:
            self._looked = True
            if (policy, expression) not in self._values:
                self._values[policy, expression] = self._value(policy, expression)
            self._last = self._values[policy, expression]
            return self._last

        return evaluate

    def _value(self, policy: str, expression: str) -> Evaluated | None:
        execution = load_execution(self._reader, prediction_job(policy, self._asked.task.source, expression).key)
        if execution is None:
            return None
        if execution.exact:
            return Evaluated(execution.output, "")
        if execution.output is None:
            return Evaluated(None, f"it {visible_line(execution.words, 200)}")
        return Evaluated(None, f"it gives an object of type {visible_line(execution.type_name or '?', 80)}")

    def why_not_run(self, policy: str) -> str:
        """Say why a response has no grade under a policy that runs its prediction."""
        if self._ran and self._asked.question.function is None:
            return f"the policy {policy} calls a function, and which one of the program is not known"
        return f"the policy {policy} needs execution (--execute)"

    def how_settled(self, grade: Grade, policy: str) -> str | None:
        """Say how a prediction was judged that its text alone cannot; None for others, and where nothing was run."""
        if not self._ran or grade.status is Status.NO_RESPONSE or not (grade.non_literal or policy == "call-equals"):
            return None
        if not self._looked:
            return "no call" if policy == "call-equals" else "no expression"
        if self._last is None:
            return "not evaluated"
        if self._last.value is None:
            return "no value"
        return "correct" if grade.status.is_correct else "wrong"

    def with_evidence(self, response_id: int, grade: Grade, policy: str) -> Grade:
        """Put what runs found about a response into its grade, and before all that its task's oracle is disputed."""
        if self._found and grade.prediction is not None:
            basis = finding_basis(self._asked.task, grade.prediction)
            kept = [row for row in load_findings(self._reader, response_id) if row.basis == basis]
            grade = with_findings_of_runs(grade, [finding for row in kept for finding in row.findings])
        if self._dispute is None:
            return grade
        given = grade.prediction is not None and policy != "call-equals"
        as_predicted = given and find_policy(policy).equal(self._given, grade.prediction or "").correct
        return with_disputed_oracle(grade, self._dispute, as_predicted=as_predicted)
