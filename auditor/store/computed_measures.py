"""Measures that were computed of tasks here: rows in and out. Those that came with a task stand apart and win.

Functions that write expect to be inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from auditor.model import Scalar
from auditor.store.catalog import facet_value
from auditor.store.file import now
from auditor.text import from_storage


class Measured(NamedTuple):
    """What measuring one task gave."""

    task_id: int
    engine: str
    ending: str
    """`measured`, or why its run could not be."""
    values: Mapping[str, Scalar]


def put_measured(connection: sqlite3.Connection, found: Iterable[Measured]) -> None:
    """Keep what was measured, in the place of what was measured of the same tasks before."""
    at = now()
    for one in found:
        connection.execute(
            "INSERT OR REPLACE INTO measured_tasks (task_id, engine, ending, at) VALUES (?, ?, ?, ?)",
            (one.task_id, one.engine, one.ending, at),
        )
        connection.execute("DELETE FROM computed_measures WHERE task_id = ?", (one.task_id,))
        connection.executemany(
            "INSERT INTO computed_measures (task_id, name, value) VALUES (?, ?, ?)",
            [(one.task_id, name, facet_value(value)) for name, value in one.values.items() if value is not None],
        )


def measured_tasks(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the tasks that were measured, with the engine."""
    return dict(connection.execute("SELECT task_id, engine FROM measured_tasks").fetchall())


def computed_names(connection: sqlite3.Connection) -> list[str]:
    """List the names of the computed measures."""
    sql = "SELECT DISTINCT name FROM computed_measures ORDER BY name"
    return [name for (name,) in connection.execute(sql)]


def computed_of(connection: sqlite3.Connection, task_id: int) -> dict[str, Scalar]:
    """Return the computed measures of a task."""
    rows = connection.execute("SELECT name, value FROM computed_measures WHERE task_id = ?", (task_id,))
    return {name: from_storage(value) if isinstance(value, bytes) else value for name, value in rows}


def imported_measures(connection: sqlite3.Connection) -> dict[int, dict[str, Scalar]]:
    """Return what came with the live tasks under the names of measures and facets."""
    sql = (
        "SELECT f.task_id, f.name, f.value FROM facets f JOIN tasks t ON t.id = f.task_id"
        " WHERE t.superseded_at IS NULL ORDER BY f.kind"
    )
    found: dict[int, dict[str, Scalar]] = {}
    for task_id, name, value in connection.execute(sql):
        found.setdefault(task_id, {})[from_storage(name) or ""] = value
    return found
