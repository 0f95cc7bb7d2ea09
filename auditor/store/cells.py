"""Counts over planned cells and responses, by dimensions and clusters: what tables and transitions are made of."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from auditor.store.clusters import cluster_places
from auditor.store.expr import parse
from auditor.store.filter import ABSENT_SAMPLES, CELLS, LIVE, Vocabulary, compile_filter
from auditor.store.response_counts import COUNTED, can_be_summed
from auditor.store.sql import Sql
from auditor.text import from_storage

_LARGE = re.compile(r"-?[0-9]{19,300}")
Group = tuple[Any, ...]
"""Values of the grouping dimensions, in their order; None where a row has none."""


class ClusterCounts(NamedTuple):
    """What one cluster contributes to one group."""

    group: Group
    cluster: int
    """Its place among the names of all."""
    correct: int
    completed: int
    """Responses with a reply."""
    planned: int
    ungraded: int
    """Replies without a grade."""


CORRECT_UNDER = "correct_under"
"""An SQL function of status, policy, target, oracle and prediction that says what another policy makes of an answer."""
_CORRECT = "d.status IN ('correct-valid', 'correct-invalid')"
_JUDGED = f"{CORRECT_UNDER}(d.status, d.policy, t.target, t.oracle, d.prediction)"
_REST = "sum(r.reply IS NOT NULL), sum(r.reply IS NOT NULL AND d.status IS NULL), count(*)"
_SUMMED = (
    f"sum(iif({_CORRECT}, d.responses, 0)), sum(d.replies), sum(iif(d.status IS NULL, d.replies, 0)), sum(d.responses)"
)
"""The same of responses that are counted already."""


def correct_sql(judged: bool) -> str:
    """Return the condition over LIVE that an answer is right: as graded, or by the function CORRECT_UNDER."""
    return _JUDGED if judged else _CORRECT


def count_absent_cells(connection: sqlite3.Connection) -> int:
    """Count the planned cells without a row."""
    (planned,) = connection.execute(f"SELECT coalesce(sum(n.samples), 0) FROM {CELLS}").fetchone()
    (present,) = connection.execute(
        f"SELECT count(*) FROM {CELLS} JOIN responses r ON r.task_id = t.id AND r.setting_id = g.id"
        " AND r.sample < n.samples AND r.superseded_at IS NULL"
    ).fetchone()
    return int(planned - present)


def absent_cells(connection: sqlite3.Connection, limit: int) -> list[tuple[str, str, str, str, int]]:
    """List planned cells without a row: study, case, arm, setting and how many of its samples are absent."""
    sql = (
        f"SELECT s.name, c.name, t.arm, g.name, n.samples - (SELECT count(*) FROM responses r WHERE r.task_id = t.id"
        " AND r.setting_id = g.id AND r.sample < n.samples AND r.superseded_at IS NULL) AS absent"
        f" FROM {CELLS} WHERE absent > 0 ORDER BY s.id, g.id, c.id, t.id LIMIT ?"
    )
    return [
        (*(from_storage(name) or "" for name in names), absent) for *names, absent in connection.execute(sql, (limit,))
    ]


def cluster_counts(
    connection: sqlite3.Connection, dimensions: Sequence[str], where: str, *, judged: bool = False
) -> list[ClusterCounts]:
    """Count correct, completed and planned per group and cluster.

    Planned cells without a row count as planned, unless the filter or a dimension speaks of what only a response
    has (status, tag …). Invalid responses are left out, and with them the cells that they were planned for.
    Correct is what was graded so; with `judged`, what the connection's function CORRECT_UNDER says.
    Raises InputError for unknown dimensions.
    """
    found = _counts(connection, dimensions, where, (), judged=judged)
    return [ClusterCounts(group, cluster, *numbers) for (group, cluster), numbers in found.items()]


def session_counts(
    connection: sqlite3.Connection, dimensions: Sequence[str], where: str, *, judged: bool = False
) -> tuple[list[ClusterCounts], list[int]]:
    """Count the sessions (samples) of each task under each setting, as `cluster_counts` does of clusters.

    The `cluster` of a count is here the place of its task and setting in the list that comes beside, of
    clusters.
    """
    found = _counts(connection, dimensions, where, (Sql("t.id"), Sql("g.id")), judged=judged)
    clusters = [cluster for _, cluster in found]
    return [
        ClusterCounts(group[: len(dimensions)], place, *numbers)
        for place, ((group, _), numbers) in enumerate(found.items())
    ], clusters


def _counts(
    connection: sqlite3.Connection, dimensions: Sequence[str], where: str, further: Sequence[Sql], *, judged: bool
) -> dict[tuple[Group, int], list[int]]:
    """Count correct, completed, planned and ungraded by dimensions, further columns and cluster."""
    vocabulary = Vocabulary(connection)
    expr = parse(where)
    outcome = f"sum({_JUDGED if judged else _CORRECT}), {_REST}"
    groups = [*(vocabulary.dimension(name) for name in dimensions), *further]
    tables, fixed = LIVE, "r.superseded_at IS NULL"
    is_summed = not judged and not further and can_be_summed(connection, vocabulary, expr, dimensions)
    if is_summed:
        tables, fixed, outcome = COUNTED, "1", _SUMMED
    condition = compile_filter(connection, where, invalid_too=is_summed or "invalid" in dimensions)
    counts: dict[tuple[Group, int], list[int]] = {}
    for row in _grouped(connection, tables, fixed, groups, condition, outcome):
        group, cluster, (correct, completed, ungraded, present) = row
        counts[group, cluster] = [correct or 0, completed or 0, present, ungraded or 0]
    if not vocabulary.needs_response(expr) and not any(map(vocabulary.speaks_of_response, dimensions)):
        tables, absent = (
            CELLS,
            (
                "sum(n.samples - (SELECT count(*) FROM responses r WHERE r.task_id = t.id AND r.setting_id = g.id"
                " AND r.sample < n.samples AND r.superseded_at IS NULL))"
            ),
        )
        if "sample" in {*dimensions, *vocabulary.mentioned(expr)}:
            tables, absent = ABSENT_SAMPLES, "count(*)"
        # There is no response here that could be invalid.
        condition = compile_filter(connection, where, invalid_too=True)
        for group, cluster, (missing,) in _grouped(connection, tables, "1", groups, condition, absent):
            counts.setdefault((group, cluster), [0, 0, 0, 0])[2] += missing
    return counts


class Unsettled(NamedTuple):
    """How many answers only running something could judge, and nothing was run for them yet."""

    calls: int
    """Predicted calls, which have no grade."""
    non_literal: int
    """Answers that are no literal, which count as wrong."""


def count_unsettled(connection: sqlite3.Connection, where: str) -> Unsettled:
    """Count the answers of a filter that wait for being run; raises InputError for a wrong filter."""
    is_summed = can_be_summed(connection, Vocabulary(connection), parse(where), ())
    condition = compile_filter(connection, where, invalid_too=is_summed)
    tables = f"{COUNTED} WHERE 1" if is_summed else f"{LIVE} WHERE r.superseded_at IS NULL"
    each = "d.responses" if is_summed else "1"
    sql = (
        f"SELECT coalesce(sum(iif(d.status IS NULL AND t.target = 'input', {each}, 0)), 0),"
        " coalesce(sum(iif(d.non_literal = 1"
        f" AND NOT EXISTS (SELECT 1 FROM task_executions x WHERE x.task_id = t.id), {each}, 0)), 0)"
        f" FROM {tables} AND {condition.text}"
    )
    return Unsettled(*connection.execute(sql, condition.params).fetchone())


def in_order(connection: sqlite3.Connection, dimensions: Sequence[str], groups: Iterable[Group]) -> list[Group]:
    """Put the groups in order: numbers by size, other values as they were brought in, whatever a filter leaves."""
    vocabulary = Vocabulary(connection)
    found = list(dict.fromkeys(groups))
    ranks = [
        _ranks(connection, vocabulary, name, dict.fromkeys(group[at] for group in found))
        for at, name in enumerate(dimensions)
    ]
    return sorted(found, key=lambda group: [rank[value] for rank, value in zip(ranks, group, strict=True)])


def _ranks(connection: sqlite3.Connection, vocabulary: Vocabulary, name: str, values: Iterable[Any]) -> dict[Any, int]:
    """Give each of a dimension's values its place among all of them; None comes last."""
    there = [value for value in values if value is not None]
    numbers = [_number(value) for value in there]
    if None not in numbers:
        order = [value for _, value in sorted(zip(numbers, there, strict=True), key=lambda pair: pair[0] or 0)]
    elif vocabulary.speaks_of_response(name):
        order = there
    else:
        dimension = vocabulary.dimension(name)
        tables = vocabulary.tables_of(name)
        age = "min(g.id)" if tables == "settings g" else "min(s.id), min(t.id)"
        sql = f"SELECT {dimension.text} FROM {tables} GROUP BY 1 ORDER BY {age}"
        order = [_value(value) for (value,) in connection.execute(sql, dimension.params) if value is not None]
    return {value: place for place, value in enumerate([*order, None])}


def _number(value: Any) -> int | float | None:
    """Return a dimension's value as a number; None for text, but not for the digits of an integer beyond 64 bits."""
    if isinstance(value, int | float):
        return value
    return int(value) if isinstance(value, str) and _LARGE.fullmatch(value) else None


def _grouped(
    connection: sqlite3.Connection, tables: str, fixed: str, groups: Sequence[Sql], condition: Sql, sums: str
) -> list[tuple[Group, int, tuple[int, ...]]]:
    names = "".join(f"{group.text}, " for group in groups)
    marks = ", ".join(str(number) for number in range(1, len(groups) + 2))
    sql = (
        f"SELECT {names}t.cluster_id, {sums}, min(s.id), min(t.id), min(g.id) FROM {tables}"
        f" WHERE {fixed} AND {condition.text} GROUP BY {marks} ORDER BY min(s.id), min(t.id), min(g.id)"
    )
    params = [param for group in groups for param in group.params] + list(condition.params)
    size = len(groups)
    found = connection.execute(sql, params).fetchall()
    places = cluster_places(connection)
    return [(tuple(map(_value, row[:size])), places[row[size]], row[size + 1 : -3]) for row in found]


def _value(value: Any) -> Any:
    return from_storage(value) if isinstance(value, bytes) else value


class Outcome(NamedTuple):
    """One response as one side of a pair."""

    pair: Group
    """What both sides of a pair share."""
    cluster: int
    """Its place among the names of all."""
    correct: bool | None
    """None = no reply."""
    graded: bool


def outcomes(connection: sqlite3.Connection, pair_columns: Sequence[str], where: Sequence[str]) -> list[Outcome]:
    """Read the responses that all filters leave, with what they are paired by."""
    conditions = [compile_filter(connection, one) for one in where]
    columns = ", ".join(pair_columns)
    sql = (
        f"SELECT {columns}, t.cluster_id, r.reply IS NULL, d.status FROM {LIVE}"
        f" WHERE r.superseded_at IS NULL AND {' AND '.join(c.text for c in conditions)} ORDER BY r.id"
    )
    params = [param for condition in conditions for param in condition.params]
    places = cluster_places(connection)
    found = []
    for *pair, cluster, missing, status in connection.execute(sql, params):
        correct = None if missing else status in ("correct-valid", "correct-invalid")
        found.append(Outcome(tuple(pair), places[cluster], correct, bool(missing) or status is not None))
    return found
