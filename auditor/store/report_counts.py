"""Counts that a report tells of the whole file: by arm, and by what became of responses."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from auditor.model import SUBJECT
from auditor.store.expr import parse
from auditor.store.filter import CELLS, LIVE, Vocabulary, compile_filter
from auditor.store.response_counts import COUNTED, can_be_summed
from auditor.store.subject_rows import ANSWERING_SETTING
from auditor.text import from_storage


class ArmCount(NamedTuple):
    """One arm in figures."""

    arm: str
    target: str
    """What it asks for; several are joined by commas."""
    tasks: int
    cases: int
    planned: int


class StatusCounts(NamedTuple):
    """What became of the responses that count."""

    silent: int
    """Recorded, without a reply."""
    ungraded: int
    """Replies without a grade."""
    outside: int
    """Graded replies that are not in a valid envelope."""
    unfound: int
    """Graded replies in which no rule found an answer."""
    unconfirmed: int
    """Responses to tasks that were not run here."""
    responses: int
    """All of them."""

    @property
    def replies(self) -> int:
        """Those with a reply."""
        return self.responses - self.silent


def arm_counts(connection: sqlite3.Connection) -> list[ArmCount]:
    """Count tasks, cases and planned responses by arm, in the order of import."""
    sql = (
        "SELECT t.arm, group_concat(DISTINCT t.target), count(*), count(DISTINCT t.case_id), min(t.id) FROM tasks t"
        f" WHERE t.superseded_at IS NULL AND t.target <> '{SUBJECT}' GROUP BY t.arm ORDER BY min(t.id)"
    )
    planned = {
        arm: count for arm, count in connection.execute(f"SELECT t.arm, sum(n.samples) FROM {CELLS} GROUP BY t.arm")
    }
    return [
        ArmCount(from_storage(arm) or "", target.replace(",", ", "), tasks, cases, planned.get(arm, 0))
        for arm, target, tasks, cases, _ in connection.execute(sql).fetchall()
    ]


def status_counts(connection: sqlite3.Connection, where: str = "") -> StatusCounts:
    """Count what became of the live responses that are not invalid; raises InputError for a wrong filter."""
    is_summed = can_be_summed(connection, Vocabulary(connection), parse(where), ())
    condition = compile_filter(connection, where, invalid_too=is_summed)
    tables, responses, replies, unfound = f"{COUNTED} WHERE 1", "d.responses", "d.replies", "d.unfound"
    if not is_summed:
        tables = f"{LIVE} WHERE r.superseded_at IS NULL"
        responses, replies, unfound = "1", "r.reply IS NOT NULL", "(r.reply IS NOT NULL AND d.extraction = 'none')"
    unexecuted = "NOT EXISTS (SELECT 1 FROM task_executions x WHERE x.task_id = t.id)"
    sums = (
        f"sum({responses}) - sum({replies})",
        f"sum(iif(d.status IS NULL, {replies}, 0))",
        f"sum(iif(d.status IN ('correct-invalid', 'wrong-invalid'), {responses}, 0))",
        f"sum({unfound})",
        f"sum(iif({unexecuted}, {responses}, 0))",
        f"sum({responses})",
    )
    sql = f"SELECT {', '.join(f'coalesce({one}, 0)' for one in sums)} FROM {tables} AND {condition.text}"
    return StatusCounts(*connection.execute(sql, condition.params).fetchone())


def setting_counts(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """Count the live responses of each setting, in the order of import."""
    sql = "SELECT setting_id, count(*) FROM responses WHERE superseded_at IS NULL GROUP BY setting_id"
    counts = dict(connection.execute(sql).fetchall())
    rows = connection.execute(f"SELECT g.id, g.name FROM settings g WHERE {ANSWERING_SETTING} ORDER BY g.id")
    return [(from_storage(name) or "", counts.get(row, 0)) for row, name in rows]


def newest_day(connection: sqlite3.Connection) -> str | None:
    """Return the day of the newest import, grade or act in the file; None where there is none."""
    sql = (
        "SELECT max(at) FROM (SELECT max(at) AS at FROM events UNION ALL SELECT max(imported_at) FROM runs"
        " UNION ALL SELECT max(graded_at) FROM grades)"
    )
    (at,) = connection.execute(sql).fetchone()
    return None if at is None else str(at)[:10]


def arms_of_same_cases(connection: sqlite3.Connection) -> list[str]:
    """Return the arms, but for probes, that share cases with another one, in the order of import."""
    others = f"('probe', '{SUBJECT}')"
    sql = (
        f"SELECT t.arm FROM tasks t WHERE t.superseded_at IS NULL AND t.target NOT IN {others} AND EXISTS"
        f" (SELECT 1 FROM tasks u WHERE u.case_id = t.case_id AND u.arm <> t.arm AND u.target NOT IN {others}"
        " AND u.superseded_at IS NULL) GROUP BY t.arm ORDER BY min(t.id)"
    )
    return [from_storage(arm) or "" for (arm,) in connection.execute(sql)]


def has_implementations(connection: sqlite3.Connection) -> bool:
    """Say whether any task is of a problem that has several implementations."""
    sql = (
        "SELECT 1 FROM tasks WHERE superseded_at IS NULL AND problem IS NOT NULL AND implementation IS NOT NULL"
        " GROUP BY problem HAVING count(DISTINCT implementation) > 1 LIMIT 1"
    )
    return connection.execute(sql).fetchone() is not None
