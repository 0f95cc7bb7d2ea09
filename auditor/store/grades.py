"""Grades: what needs one, and rows in and out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from auditor.model import SUBJECT, Finding, Grade, Span, Status
from auditor.store.file import now
from auditor.text import from_storage, read_extra, to_storage


class ToGrade(NamedTuple):
    """A live response with what a grader needs to know of its row."""

    response_id: int
    task_id: int
    reply: str | None
    finish: str | None
    logged_correct: bool | None
    """The verdict that came with the response; None where none did."""


_TO_GRADE = f"responses r JOIN tasks t ON t.id = r.task_id WHERE r.superseded_at IS NULL AND t.target <> '{SUBJECT}'"


def count_to_grade(connection: sqlite3.Connection) -> int:
    """Count the live responses but subjects."""
    (count,) = connection.execute(f"SELECT count(*) FROM {_TO_GRADE}").fetchone()
    return int(count)


def responses_to_grade(connection: sqlite3.Connection) -> Iterator[ToGrade]:
    """Read all live responses but subjects, those of a task side by side."""
    sql = (
        "SELECT r.id, r.task_id, r.reply, r.finish,"
        " CASE WHEN instr(r.extra, 'logged_correct') THEN r.extra END"
        f" FROM {_TO_GRADE} ORDER BY t.case_id, r.task_id, r.id"
    )
    for response_id, task_id, reply, finish, extra in connection.execute(sql):
        logged = read_extra(from_storage(extra)).get("logged_correct") if extra is not None else None
        verdict = logged if isinstance(logged, bool) else None
        yield ToGrade(response_id, task_id, from_storage(reply), from_storage(finish), verdict)


def put_grades(connection: sqlite3.Connection, grades: Sequence[tuple[int, str, Grade]]) -> None:
    """Write (response id, policy, grade) rows inside the caller's transaction; an earlier grade is replaced."""
    at = now()
    connection.executemany(
        "INSERT OR REPLACE INTO grades (response_id, status, mode, extraction, policy, non_literal, graded_at,"
        " prediction, findings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                response_id,
                grade.status,
                grade.finding.mode,
                grade.extraction,
                policy,
                grade.non_literal,
                at,
                to_storage(grade.prediction),
                json.dumps(
                    {"note": grade.note, "findings": [finding_value(f) for f in (grade.finding, *grade.others)]}
                ),
            )
            for response_id, policy, grade in grades
        ],
    )


def drop_grades(connection: sqlite3.Connection, response_ids: Sequence[int]) -> None:
    """Take out the grades of responses that can no longer be graded."""
    connection.executemany("DELETE FROM grades WHERE response_id = ?", [(row,) for row in response_ids])


GRADE_COLUMNS = "d.status, d.extraction, d.prediction, d.findings, d.non_literal"


def load_grade(connection: sqlite3.Connection, response_id: int) -> tuple[str, Grade] | None:
    """Return the policy and the grade of a response; None when it has none."""
    sql = f"SELECT d.policy, {GRADE_COLUMNS} FROM grades d WHERE d.response_id = ?"
    row = connection.execute(sql, (response_id,)).fetchone()
    grade = None if row is None else grade_from_row(row[1:])
    return None if grade is None else (row[0], grade)


def grade_from_row(row: Sequence[Any]) -> Grade | None:
    """Build a grade from a row of GRADE_COLUMNS; None when there is none."""
    status, extraction, prediction, findings, non_literal = row
    if status is None:
        return None
    value = json.loads(findings)
    first, *others = [finding_from(f) for f in value["findings"]]
    return Grade(
        Status(status),
        extraction,
        from_storage(prediction),
        first,
        tuple(others),
        bool(non_literal),
        value["note"],
    )


def finding_value(finding: Finding) -> dict[str, Any]:
    """Return a finding as a JSON value; absent things are left out."""
    value: dict[str, Any] = {"mode": finding.mode, "evidence": finding.evidence}
    if finding.oracle_span is not None:
        value["oracle_span"] = list(finding.oracle_span)
    if finding.prediction_span is not None:
        value["prediction_span"] = list(finding.prediction_span)
    if finding.detail is not None:
        value["detail"] = finding.detail
    return value


def finding_from(value: dict[str, Any]) -> Finding:
    """Build a finding from what `finding_value` made."""

    def span(name: str) -> Span | None:
        return Span(*value[name]) if name in value else None

    return Finding(value["mode"], value["evidence"], span("oracle_span"), span("prediction_span"), value.get("detail"))
