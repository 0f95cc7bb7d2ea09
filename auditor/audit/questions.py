"""What a grader is asked of a task, and by which policy it is decided."""

from __future__ import annotations

import sqlite3

from auditor.audit.runnable import called_function
from auditor.grading.cstar_rules import formalism_of
from auditor.grading.question import Question
from auditor.model import Task
from auditor.store.tasks import arm_oracles, load_task

POLICY_OF_TARGET = {"verdict": "verdict", "probe": "probe", "input": "call-equals"}
"""Targets that only one policy can decide, whatever the study declares for its outputs."""
POLICIES_OF_VERDICTS = ("verdict", "verdict-only")
"""Policies that only verdicts can be decided by: outputs and states of such a study are compared as values."""


def effective_policy(policy: str, target: str) -> str:
    """Return the policy that decides tasks of a target in a study declared with `policy`."""
    if policy in POLICIES_OF_VERDICTS:
        return policy if target == "verdict" else POLICY_OF_TARGET.get(target, "json-or-tokens")
    return POLICY_OF_TARGET.get(target, policy)


def oracle_policy(policy: str, target: str) -> str:
    """Return the policy that says whether a run gives a task's oracle, all of it: a verdict with its rule."""
    return "verdict" if target == "verdict" else effective_policy(policy, target)


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
        function=called_function(task) if task.target == "input" else None,
        formalism=formalism_of(task.facets) if task.target == "verdict" else None,
    )


class Asked:
    """A task whose responses are walked through, with its question; the next one is read when it is entered."""

    def __init__(self, reader: sqlite3.Connection) -> None:
        self._reader = reader
        self._case_id: int | None = None
        self._oracles: dict[str, str] = {}
        self.task_id: int | None = None
        self.task: Task
        self.question: Question

    def enter(self, task_id: int) -> bool:
        """Go to a task; say whether it is another one than before."""
        if task_id == self.task_id:
            return False
        self.task_id = task_id
        self.task = load_task(self._reader, task_id)
        (case_id,) = self._reader.execute("SELECT case_id FROM tasks WHERE id = ?", (task_id,)).fetchone()
        if case_id != self._case_id:
            self._case_id, self._oracles = case_id, arm_oracles(self._reader, case_id)
        self.question = question_of(self.task, self._oracles)
        return True
