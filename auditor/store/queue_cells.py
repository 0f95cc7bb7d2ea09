"""What a table of responses shows of a few of them: any dimension, each read by the rows' ids."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from auditor.store.filter import LIVE, Vocabulary
from auditor.store.leases import HELD_NOW
from auditor.text import from_storage, to_storage

Cell = str | int | float | None

_MANY = {
    "tag": (
        "SELECT DISTINCT p.response_id, k.name FROM counted_tags p JOIN tags k ON k.id = p.tag_id"
        " WHERE p.response_id IN ({}) ORDER BY k.name"
    ),
    "annotator": (
        "SELECT DISTINCT w.response_id, a.name FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " WHERE w.state <> 'not-reviewed' AND w.response_id IN ({}) ORDER BY a.name"
    ),
    "held": (
        "SELECT DISTINCT l.response_id, a.name FROM leases l JOIN annotators a ON a.id = l.annotator_id"
        f" WHERE {HELD_NOW} AND l.response_id IN ({{}}) ORDER BY a.name"
    ),
}
"""Dimensions of which one response has several values: everybody's."""


def check_cells(vocabulary: Vocabulary, names: Sequence[str]) -> None:
    """Raise InputError for a name that is no column, naming the nearest known one."""
    for name in names:
        if name not in _MANY:
            vocabulary.dimension(name)


def load_cells(
    connection: sqlite3.Connection, vocabulary: Vocabulary, names: Sequence[str], response_ids: Sequence[int]
) -> dict[int, dict[str, Cell]]:
    """Read dimensions of some responses, by row id and name. Raises InputError as `check_cells` does."""
    marks = ", ".join("?" * len(response_ids))
    single = [name for name in names if name not in _MANY]
    dimensions = [vocabulary.dimension(name) for name in single]
    columns = ", ".join(["r.id", *(dimension.text for dimension in dimensions)])
    params = [param for dimension in dimensions for param in dimension.params]
    cells: dict[int, dict[str, Cell]] = {}
    sql = f"SELECT {columns} FROM {LIVE} WHERE r.id IN ({marks})"
    for response_id, *values in connection.execute(sql, (*params, *response_ids)):
        cells[response_id] = dict(zip(single, map(_cell, values), strict=True))
    for name in names:
        if name in _MANY:
            several: dict[int, list[str]] = {}
            for response_id, value in connection.execute(_MANY[name].format(marks), response_ids):
                several.setdefault(response_id, []).append(from_storage(value) or "")
            for response_id, row in cells.items():
                row[name] = ", ".join(several.get(response_id, ())) or None
    return cells


def responses_of_case(connection: sqlite3.Connection, case: str) -> list[int]:
    """Return the row ids of the live responses to the cases of a name."""
    sql = (
        "SELECT r.id FROM cases c JOIN tasks t ON t.case_id = c.id JOIN responses r ON r.task_id = t.id"
        " WHERE c.name = ? AND r.superseded_at IS NULL ORDER BY r.id"
    )
    return [row for (row,) in connection.execute(sql, (to_storage(case),))]


def _cell(value: Any) -> Cell:
    return from_storage(value) if isinstance(value, bytes) else value
