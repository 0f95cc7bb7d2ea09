"""Some items by their ids: filtered, sorted and named for adjudication. The whole file is never walked."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from auditor.model import ResponseKey
from auditor.store.filter import ITEMS, compile_filter
from auditor.store.responses import key_from_row

_IDS_A_QUERY = 5_000


def chosen_items(connection: sqlite3.Connection, response_ids: Sequence[int], where: str = "") -> list[int]:
    """Return those of some live items that a filter leaves, the smallest program first, then by their names' age.

    Raises InputError for a filter that cannot be used.
    """
    condition = compile_filter(connection, where)
    found = []
    for ids in _in_parts(response_ids):
        sql = (
            f"SELECT r.id, t.lines, s.id, c.id, t.id, g.id, r.sample FROM {ITEMS}"
            f" WHERE r.id IN ({', '.join('?' * len(ids))}) AND r.superseded_at IS NULL AND {condition.text}"
        )
        found += connection.execute(sql, (*ids, *condition.params)).fetchall()
    found.sort(key=lambda row: (*row[1:], row[0]))
    return [row[0] for row in found]


class ItemFacts(NamedTuple):
    """What a table of decisions says of an item."""

    key: ResponseKey
    cluster: int
    lines: int
    """Of the clean source."""
    task_id: int


def item_facts(connection: sqlite3.Connection, response_ids: Sequence[int]) -> dict[int, ItemFacts]:
    """Return the names and what is counted of some items, by row id."""
    found = {}
    for ids in _in_parts(response_ids):
        columns, marks = "s.name, c.name, t.arm, g.name, r.sample, r.id, t.cluster_id, t.lines, t.id", "?, " * len(ids)
        sql = f"SELECT {columns} FROM {ITEMS} WHERE r.id IN ({marks.removesuffix(', ')})"
        for *names, response_id, cluster, lines, task_id in connection.execute(sql, ids):
            found[response_id] = ItemFacts(key_from_row(names), cluster, lines, task_id)
    return found


def _in_parts(response_ids: Sequence[int]) -> list[Sequence[int]]:
    return [response_ids[start : start + _IDS_A_QUERY] for start in range(0, len(response_ids), _IDS_A_QUERY)]
