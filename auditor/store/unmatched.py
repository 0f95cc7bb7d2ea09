"""Tasks that some settings answered and others did not, and the largest clusters: what makes rates hard to compare."""

from __future__ import annotations

import sqlite3

from auditor.store.expr import parse
from auditor.store.filter import LIVE, Vocabulary, compile_filter
from auditor.store.invalidations import IS_INVALID
from auditor.store.response_counts import COUNTED, can_be_summed
from auditor.text import from_storage, to_storage

_UNMATCHED = (
    "WITH answered AS MATERIALIZED (SELECT s.id AS study, t.target AS target, t.id AS task, g.id AS setting, {replies}"
    " AS replies FROM {tables} GROUP BY t.id, g.id HAVING {replies} > 0),"
    " asked AS (SELECT study, target, count(DISTINCT setting) AS settings FROM answered GROUP BY study, target),"
    " each AS (SELECT study, target, task, count(*) AS settings, sum(replies) AS replies FROM answered GROUP BY task)"
)
"""Which settings replied to each task, how many settings replied to any task of a study that asks for the same, and how
many did to each of them."""


def count_unmatched(connection: sqlite3.Connection, where: str = "") -> list[tuple[str, int, int, int]]:
    """Count by study the answered tasks that not every setting answered, all answered ones, and replies to the former.

    A setting is held against a study's tasks of one target only where it answered any. Studies without such tasks are
    left out.
    """
    is_summed = can_be_summed(connection, Vocabulary(connection), parse(where), ())
    condition = compile_filter(connection, where, invalid_too=is_summed)
    tables, replies = f"{LIVE} WHERE r.superseded_at IS NULL AND", "count(r.reply)"
    if is_summed:
        tables, replies = f"{COUNTED} WHERE", "sum(d.replies)"
    sql = (
        f"{_UNMATCHED.format(tables=f'{tables} {condition.text}', replies=replies)}"
        " SELECT s.name, sum(k.settings < a.settings) AS few, count(*), sum(iif(k.settings < a.settings, k.replies, 0))"
        " FROM each k JOIN asked a ON a.study = k.study AND a.target IS k.target JOIN studies s ON s.id = k.study"
        " GROUP BY s.id HAVING few > 0 ORDER BY s.id"
    )
    rows = connection.execute(sql, condition.params)
    return [(from_storage(name) or "", few, tasks, count) for name, few, tasks, count in rows]


def unmatched_replies(connection: sqlite3.Connection, study: str) -> list[int]:
    """Return the row ids of a study's replies to tasks that not every setting answered."""
    tables = f"{LIVE} WHERE r.superseded_at IS NULL AND NOT {IS_INVALID} AND s.name = ?"
    sql = (
        f"{_UNMATCHED.format(tables=tables, replies='count(r.reply)')}"
        " SELECT r.id FROM each k JOIN asked a ON a.study = k.study AND a.target IS k.target"
        " JOIN responses r ON r.task_id = k.task WHERE k.settings < a.settings AND r.superseded_at IS NULL"
        f" AND r.reply IS NOT NULL AND NOT {IS_INVALID} ORDER BY r.id"
    )
    return [row for (row,) in connection.execute(sql, (to_storage(study),))]


def largest_cluster_responses(connection: sqlite3.Connection, study: str) -> list[int]:
    """Return the row ids of a study's responses in the cluster that has most of them."""
    counting = f"{LIVE} WHERE r.superseded_at IS NULL AND NOT {IS_INVALID} AND s.name = ?1"
    sql = (
        f"SELECT r.id FROM {counting} AND t.cluster_id = (SELECT t.cluster_id FROM {counting} GROUP BY t.cluster_id"
        " ORDER BY count(*) DESC, t.cluster_id LIMIT 1) ORDER BY r.id"
    )
    return [row for (row,) in connection.execute(sql, (to_storage(study),))]
