"""What a table of responses shows of a few of them: any dimension, each read by the rows' ids."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from auditor.model import ResponseKey
from auditor.store.decisions import states_of
from auditor.store.filter import ITEMS, Vocabulary
from auditor.store.leases import HELD_NOW
from auditor.store.responses import key_from_row
from auditor.store.sql import Sql
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
_ITEM, _DECISION = "item", "decision"
_SHOWN_TEXT = 200
"""Characters of a text that a cell has: a cut one ends in `…`."""
_READ_UNITS = 4 * _SHOWN_TEXT + 4
"""Characters, or bytes of a text that is kept as such, that are read of one: enough for one more than is shown."""
_TEXTS = {
    "prediction": f"substr(d.prediction, 1, {_READ_UNITS})",
    "oracle": f"substr(t.oracle, 1, {_READ_UNITS})",
}
NO_DIMENSIONS = (_ITEM, *_TEXTS)
"""Columns that are no dimensions of the filter language: the item's key, and the beginnings of texts."""


def check_cells(vocabulary: Vocabulary, names: Sequence[str]) -> None:
    """Raise InputError for a name that is no column, naming the nearest known one."""
    for name in names:
        if name not in _MANY and name not in (*NO_DIMENSIONS, _DECISION):
            vocabulary.dimension(name)


def several_valued(connection: sqlite3.Connection) -> dict[str, bool]:
    """Say of `arm`, `setting` and `sample` whether the file has more than one; no response is looked at for it.

    Where nothing was planned, there may be several arms and settings.
    """
    sql = "SELECT count(DISTINCT arm), count(DISTINCT setting_id), coalesce(max(samples), 1) FROM planned_cells"
    arms, settings, samples = connection.execute(sql).fetchone()
    return {"arm": arms != 1, "setting": settings != 1, "sample": samples > 1}


def load_cells(
    connection: sqlite3.Connection, vocabulary: Vocabulary, names: Sequence[str], response_ids: Sequence[int]
) -> dict[int, dict[str, Cell]]:
    """Read dimensions of some responses, by row id and name. Raises InputError as `check_cells` does."""
    marks = ", ".join("?" * len(response_ids))
    single = [name for name in names if name not in _MANY and name not in (_ITEM, _DECISION)]
    dimensions = [Sql(_TEXTS[name]) if name in _TEXTS else vocabulary.dimension(name) for name in single]
    columns = ", ".join(["r.id", *(dimension.text for dimension in dimensions)])
    params = [param for dimension in dimensions for param in dimension.params]
    cells: dict[int, dict[str, Cell]] = {}
    sql = f"SELECT {columns} FROM {ITEMS} WHERE r.id IN ({marks})"
    for response_id, *values in connection.execute(sql, (*params, *response_ids)):
        cells[response_id] = dict(zip(single, map(_cell, values), strict=True))
        for name in _TEXTS.keys() & cells[response_id].keys():
            cells[response_id][name] = _beginning(cells[response_id][name])
    if _ITEM in names:
        sql = f"SELECT r.id, s.name, c.name, t.arm, g.name, r.sample FROM {ITEMS} WHERE r.id IN ({marks})"
        for response_id, *key in connection.execute(sql, response_ids):
            cells[response_id][_ITEM] = str(key_from_row(key))
    if _DECISION in names:
        states = states_of(connection, response_ids)
        for response_id, row in cells.items():
            row[_DECISION] = ", ".join(states.get(response_id, ())) or None
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


_LONGEST_PATTERN = 10_000
"""Bytes; SQLite refuses a pattern of more than 50,000, and no name is as long as what was pasted by mistake."""


def cases_like(connection: sqlite3.Connection, begun: str, most: int) -> list[str]:
    """Return names of cases that begin with a text, in whatever case, the shortest first; then those that hold it."""
    sql = (
        "SELECT name FROM (SELECT DISTINCT name, name NOT LIKE ?1 || '%' ESCAPE '!' AS inside FROM cases"
        " WHERE name LIKE '%' || ?1 || '%' ESCAPE '!') ORDER BY inside, length(name), name LIMIT ?2"
    )
    escaped = re.sub("[!%_]", r"!\g<0>", begun)
    if len(escaped.encode("utf-8", "surrogatepass")) > _LONGEST_PATTERN:
        return []
    return [from_storage(name) or "" for (name,) in connection.execute(sql, (to_storage(escaped), most))]


def items_like(connection: sqlite3.Connection, parts: Sequence[str], most: int) -> list[ResponseKey]:
    """Return the keys of live responses that have these parts one after the other; a case is looked for first.

    `parts` are some of study, case, arm, setting and sample, in this order.
    """
    columns = ("s.name", "c.name", "t.arm", "g.name", "r.sample")
    stored = [int(part) if part.isascii() and part.isdigit() and len(part) < 10 else None for part in parts]
    for first in (1, 0, 2, 3):
        wanted = columns[first : first + len(parts)]
        if len(wanted) < len(parts):
            continue
        values = [
            number if column == "r.sample" else to_storage(part)
            for column, part, number in zip(wanted, parts, stored, strict=True)
        ]
        sql = (
            f"SELECT {', '.join(columns)} FROM {ITEMS} WHERE r.superseded_at IS NULL AND"
            f" {' AND '.join(f'{column} = ?' for column in wanted)}"
            " ORDER BY s.id, c.id, t.id, g.id, r.sample LIMIT ?"
        )
        if found := connection.execute(sql, (*values, most)).fetchall():
            return [key_from_row(row) for row in found]
    return []


def _beginning(value: Cell) -> Cell:
    if not isinstance(value, str) or len(value) <= _SHOWN_TEXT:
        return value
    return value[: _SHOWN_TEXT - 1] + "…"


def _cell(value: Any) -> Cell:
    return from_storage(value) if isinstance(value, bytes) else value
