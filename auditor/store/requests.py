"""What is to be asked again, or was never asked: invalid predictions and planned cells without a row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from auditor.store.expr import parse
from auditor.store.filter import ABSENT_SAMPLES, LIVE, Vocabulary, compile_filter
from auditor.store.invalidations import IS_INVALID, all_invalid, any_invalid

ABSENT, INVALID = "absent", "invalid"


class Request(NamedTuple):
    """One sample of one task under one setting, by row ids."""

    task_id: int
    setting_id: int
    sample: int
    why: str
    """ABSENT or INVALID."""
    reason: str
    """Why the prediction is invalid; empty for an absent one."""


def open_requests(connection: sqlite3.Connection, where: str = "") -> list[Request]:
    """List what a filter leaves of what is to be asked, the samples of a task under a setting side by side.

    Absent cells have nothing that only a response has: a filter that speaks of that leaves none of them.
    """
    found = [*_invalid(connection, where)] if any_invalid(connection) else []
    if not Vocabulary(connection).needs_response(parse(where)):
        found += _absent(connection, where)
    return sorted(found)


def _invalid(connection: sqlite3.Connection, where: str) -> Iterator[Request]:
    reasons = all_invalid(connection)
    condition = compile_filter(connection, where, invalid_too=True)
    sql = (
        f"SELECT r.id, t.id, g.id, r.sample FROM {LIVE} WHERE r.superseded_at IS NULL AND {IS_INVALID}"
        f" AND t.superseded_at IS NULL AND {condition.text}"
    )
    for response_id, task, setting, sample in connection.execute(sql, condition.params):
        yield Request(task, setting, sample, INVALID, reasons[response_id].reason)


def _absent(connection: sqlite3.Connection, where: str) -> Iterator[Request]:
    condition = compile_filter(connection, where, invalid_too=True)
    sql = f"SELECT t.id, g.id, r.sample FROM {ABSENT_SAMPLES} WHERE {condition.text}"
    for task, setting, sample in connection.execute(sql, condition.params):
        yield Request(task, setting, sample, ABSENT, "")
