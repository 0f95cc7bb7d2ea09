"""What belongs to a response: the other arms of its case, and its task under the other settings and samples.

All of it is found from the response on, through indexes: nothing here looks at the responses of another case.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from auditor.model import Grade, ResponseKey, Status
from auditor.store.grades import GRADE_COLUMNS, grade_from_row
from auditor.store.responses import RESPONSE_TABLES, key_from_row
from auditor.text import from_storage


class ArmResponse(NamedTuple):
    """An arm of a case, and the response to it under one setting and sample."""

    arm: str
    task_id: int
    response_id: int | None
    """None = the file has none."""
    status: Status | None
    """None = not graded, or no response."""


class Answer(NamedTuple):
    """One answer to a task."""

    response_id: int
    setting: str
    sample: int
    grade: Grade | None


def response_key(connection: sqlite3.Connection, response_id: int) -> ResponseKey:
    """Return the names of a response, live or superseded."""
    sql = f"SELECT s.name, c.name, t.arm, g.name, r.sample FROM {RESPONSE_TABLES} WHERE r.id = ?"
    return key_from_row(connection.execute(sql, (response_id,)).fetchone())


def arms_of_case(connection: sqlite3.Connection, response_id: int) -> list[ArmResponse]:
    """Return the arms of a response's case in the order in which they were brought in, each with its response under
    the same setting and sample.

    A response that an import replaced stands in the place of the one that took its key.
    """
    head = (
        "SELECT t.case_id, r.setting_id, r.sample, t.arm, t.id, r.id, d.status FROM responses r"
        " JOIN tasks t ON t.id = r.task_id LEFT JOIN grades d ON d.response_id = r.id WHERE r.id = ?"
    )
    case_id, setting_id, sample, *own_row = connection.execute(head, (response_id,)).fetchone()
    own = _arm(own_row)
    sql = (
        "SELECT t.arm, t.id, r.id, d.status FROM tasks t LEFT JOIN responses r"
        " ON r.task_id = t.id AND r.setting_id = ? AND r.sample = ? AND r.superseded_at IS NULL"
        " LEFT JOIN grades d ON d.response_id = r.id"
        " WHERE t.case_id = ? AND t.superseded_at IS NULL ORDER BY t.id"
    )
    arms = [_arm(row) for row in connection.execute(sql, (setting_id, sample, case_id))]
    if all(one.arm != own.arm for one in arms):
        arms.append(own)
    return [own if one.arm == own.arm else one for one in arms]


def _arm(row: Sequence[Any]) -> ArmResponse:
    arm, task_id, response_id, status = row
    return ArmResponse(from_storage(arm) or "", task_id, response_id, Status(status) if status else None)


def answers_to_task(connection: sqlite3.Connection, response_id: int) -> tuple[int, list[int]]:
    """Return a response's task and all answers to it as row ids: by setting's name, those of a setting by sample.

    A response that an import replaced stands before the one that took its key.
    """
    head = "SELECT task_id, setting_id, sample, superseded_at FROM responses WHERE id = ?"
    task_id, own_setting, own_sample, superseded_at = connection.execute(head, (response_id,)).fetchone()
    sql = (
        "SELECT r.setting_id, r.sample, r.id FROM responses r WHERE r.task_id = ? AND r.superseded_at IS NULL"
        " ORDER BY r.setting_id, r.sample"
    )
    by_setting: dict[int, list[int]] = {}
    waits = superseded_at is not None
    for setting_id, sample, row in connection.execute(sql, (task_id,)):
        rows = by_setting.setdefault(setting_id, [])
        if waits and setting_id == own_setting and sample >= own_sample:
            rows.append(response_id)
            waits = False
        rows.append(row)
    if waits:
        by_setting.setdefault(own_setting, []).append(response_id)
    names = {row: from_storage(name) or "" for row, name in connection.execute("SELECT id, name FROM settings")}
    return task_id, [row for one in sorted(by_setting, key=names.__getitem__) for row in by_setting[one]]


def revealed_answers(connection: sqlite3.Connection, task_id: int, annotator_id: int) -> set[int]:
    """Return which live answers to a task an annotator had shown in full."""
    sql = (
        "SELECT r.id FROM responses r JOIN reveals v ON v.response_id = r.id"
        " WHERE r.task_id = ? AND r.superseded_at IS NULL AND v.annotator_id = ?"
    )
    return {row for (row,) in connection.execute(sql, (task_id, annotator_id))}


def equal_predictions(connection: sqlite3.Connection, response_ids: Sequence[int]) -> dict[int, list[int]]:
    """Return for each of some responses those with the same prediction, itself among them, in their order.

    What has no prediction is left out. Only one prediction is held at a time, however long they are.
    """
    alike: dict[tuple[type, int, bytes], list[int]] = {}
    found: dict[int, list[int]] = {}
    sql = "SELECT prediction FROM grades WHERE response_id = ? AND prediction IS NOT NULL"
    for one in response_ids:
        row = connection.execute(sql, (one,)).fetchone()
        if row is not None:
            # Two texts are the same when they are stored as the same, be it as text or, where that cannot be, as bytes.
            stored = row[0] if isinstance(row[0], bytes) else str(row[0]).encode("utf-8", "surrogatepass")
            group = alike.setdefault((type(row[0]), len(stored), hashlib.sha256(stored).digest()), [])
            group.append(one)
            found[one] = group
    return found


def load_answers(connection: sqlite3.Connection, response_ids: Sequence[int]) -> list[Answer]:
    """Read some answers, in their order; the replies themselves are not read."""
    sql = (
        f"SELECT r.id, g.name, r.sample, {GRADE_COLUMNS} FROM responses r JOIN settings g ON g.id = r.setting_id"
        f" LEFT JOIN grades d ON d.response_id = r.id WHERE r.id IN ({', '.join('?' * len(response_ids))})"
    )
    found = {
        row: Answer(row, from_storage(setting) or "", sample, grade_from_row(grade))
        for row, setting, sample, *grade in connection.execute(sql, response_ids)
    }
    return [found[row] for row in response_ids]
