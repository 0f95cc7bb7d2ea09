"""Completed responses with dimensions and conditions as columns: the rows of a regression or a rank test."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from auditor.model import Scalar, Status
from auditor.store.clusters import cluster_places
from auditor.store.expr import Expr
from auditor.store.filter import LIVE, Vocabulary, compile_filter
from auditor.text import from_storage

_CORRECT = (Status.CORRECT_VALID.value, Status.CORRECT_INVALID.value)


class Observation(NamedTuple):
    """One response with a reply."""

    response_id: int
    cluster: int
    """Its place among the names of all."""
    correct: bool | None
    """None = it is not graded."""
    values: tuple[Scalar, ...]
    """Of the dimensions, in their order; None where it has none."""
    holds: tuple[bool, ...]
    """Which of the conditions hold."""


def observations(
    connection: sqlite3.Connection, dimensions: Sequence[str], where: str, conditions: Sequence[Expr] = ()
) -> list[Observation]:
    """Read the completed responses that a filter leaves, in the order of their names.

    It hangs on nothing but what they are, so that sums of fractions do not either. Invalid ones are left out unless the
    filter speaks of them. Raises InputError for unknown names.
    """
    condition = compile_filter(connection, where)
    vocabulary = Vocabulary(connection)
    columns = [vocabulary.dimension(name) for name in dimensions]
    asked = [vocabulary.condition(one) for one in conditions]
    parts = ["r.id", "t.cluster_id", "d.status", *(one.text for one in columns)]
    parts += [f"coalesce({one.text}, 0)" for one in asked]
    sql = (
        f"SELECT {', '.join(parts)} FROM {LIVE} WHERE r.superseded_at IS NULL AND r.reply IS NOT NULL"
        f" AND {condition.text} ORDER BY s.name, c.name, t.arm, g.name, r.sample, r.id"
    )
    params = [param for one in (*columns, *asked, condition) for param in one.params]
    places = cluster_places(connection)
    found, ends = [], 3 + len(columns)
    for row in connection.execute(sql, params):
        values = tuple(from_storage(value) if isinstance(value, bytes) else value for value in row[3:ends])
        correct = None if row[2] is None else row[2] in _CORRECT
        found.append(Observation(row[0], places[row[1]], correct, values, tuple(map(bool, row[ends:]))))
    return found
