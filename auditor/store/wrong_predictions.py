"""Wrong predictions with their grades, those of a task side by side."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from auditor.model import Grade
from auditor.store.grades import GRADE_COLUMNS, grade_from_row


def wrong_predictions(connection: sqlite3.Connection) -> Iterator[tuple[int, int, str, Grade]]:
    """Yield row id, task's row id, policy and grade of every live response whose prediction is wrong."""
    sql = (
        f"SELECT r.id, r.task_id, d.policy, {GRADE_COLUMNS} FROM grades d JOIN responses r ON r.id = d.response_id"
        " JOIN tasks t ON t.id = r.task_id WHERE r.superseded_at IS NULL AND d.prediction IS NOT NULL"
        " AND d.status IN ('wrong-valid', 'wrong-invalid') ORDER BY t.case_id, r.task_id, r.id"
    )
    for response_id, task_id, policy, *row in connection.execute(sql):
        grade = grade_from_row(row)
        if grade is not None:
            yield response_id, task_id, policy, grade
