"""Judge graded answers by another policy than they were graded by, as far as that can decide their targets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from auditor.audit.admission import check_policy
from auditor.audit.questions import effective_policy
from auditor.errors import InputError
from auditor.grading.question import NeedsExecutionError
from auditor.grading.registry import find_policy
from auditor.model import TEXT_TARGETS, Status
from auditor.store.cells import CORRECT_UNDER
from auditor.text import from_storage

_CORRECT = (Status.CORRECT_VALID.value, Status.CORRECT_INVALID.value)


@contextmanager
def judge_by(connection: sqlite3.Connection, policy: str | None) -> Iterator[None]:
    """Have counts over this connection judged by a policy while the block lasts; None leaves the grades as they are.

    Targets that another policy alone can decide (calls, probes) keep their grades. Raises InputError for an unknown
    policy, and for one that runs answers.
    """
    if policy is None:
        yield
        return
    check_policy(policy)
    if policy == "call-equals":
        raise InputError(f"the policy {policy} needs execution, so nothing can be judged anew by it.")

    def correct(status: str | None, graded_by: str, target: str, oracle: object, prediction: object) -> bool | None:
        if status is None or prediction is None:
            return None if status is None else status in _CORRECT
        other = effective_policy(policy, target)
        if other == graded_by or target not in (*TEXT_TARGETS, "verdict"):
            return status in _CORRECT
        texts = [from_storage(one) if isinstance(one, str | bytes) else None for one in (oracle, prediction)]
        if texts[0] is None or texts[1] is None:
            return status in _CORRECT
        try:
            return find_policy(other).equal(texts[0], texts[1]).correct
        except NeedsExecutionError:
            return status in _CORRECT

    connection.create_function(CORRECT_UNDER, 5, correct)
    try:
        yield
    finally:
        connection.create_function(CORRECT_UNDER, 5, None)
