"""The live responses that a filter leaves, read in parts of the file: by row id, by task, or among some of them."""

from __future__ import annotations

import sqlite3
import time
from array import array
from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

from auditor.model import SUBJECT
from auditor.store.expr import parse
from auditor.store.filter import ITEMS, Vocabulary, compile_filter
from auditor.store.sql import Sql

_LEAST_SECONDS, _MOST_SECONDS = 0.004, 0.012
"""A part that took less is followed by one of twice its size, one that took more by one of half of it."""
_FIRST_SECONDS = 0.15
"""How long responses are read in the order of the tasks before the rest is read in the order of the file.

The grades of a task's responses lie all over a large file: one by one they cost several times as much as in a row.
"""
_MOST_AT_ONCE = 256
"""Tasks or ids that one query names."""


_SPEAK_OF_SUBJECTS = frozenset({"target", "assigned"})


class Rows(NamedTuple):
    """What one part of the file has: row ids, and the number of the kind of each."""

    ids: Sequence[int]
    kinds: Sequence[int]
    scanned: int = 0
    total: int = 0
    """How much of the work is done, in the unit of `scanned`."""


class Matches:
    """Reads with one compiled filter. A response's *kind* is a number for its sort key and its group together."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        where: str,
        per: Sequence[str] = (),
        *,
        notes: bool = True,
        subjects: bool = False,
    ) -> None:
        """Compile filter and groups; raises InputError for what the file does not know.

        Subjects are left out, unless they are wanted, or the filter speaks of the target or of whom items are given to.
        """
        self._connection = connection
        self._condition = compile_filter(connection, where, notes=notes)
        vocabulary = Vocabulary(connection)
        if not (subjects or _SPEAK_OF_SUBJECTS & vocabulary.mentioned(parse(where))):
            self._condition = Sql(f"({self._condition.text} AND t.target <> '{SUBJECT}')", self._condition.params)
        self._per = [vocabulary.dimension(name) for name in per]
        self._kinds: dict[tuple[Any, ...], int] = {}
        self._groups: dict[tuple[Any, ...], int] = {}
        self.keys: list[Any] = []
        """The sort key of each kind; None where none was asked for."""
        self.groups: list[int] = []
        """The number of the group of each kind."""

    def has(self, part: str, param: int | str | bytes | None) -> bool:
        """Say whether the filter leaves a response of a part of the file."""
        sql = f"SELECT 1 FROM {ITEMS} WHERE r.superseded_at IS NULL AND {part} AND {self._condition.text} LIMIT 1"
        return self._connection.execute(sql, (param, *self._condition.params)).fetchone() is not None

    def among(self, response_ids: Sequence[int], key: Sql | None = None) -> dict[int, int]:
        """Return the kinds of those of some responses that the filter leaves, by row id."""
        found: dict[int, int] = {}
        for start in range(0, len(response_ids), _MOST_AT_ONCE):
            some = response_ids[start : start + _MOST_AT_ONCE]
            ids, kinds = self._read(f"r.id IN ({_marks(some)})", some, "r.id", key)
            found.update(zip(ids, kinds, strict=True))
        return found

    def by_id(self, key: Sql | None = None) -> Iterator[Rows]:
        """Read all, by row id."""
        (last,) = self._connection.execute("SELECT max(id) FROM responses").fetchone()
        size, at = 64, 0
        while last is not None and at < last:
            began = time.monotonic()
            until = min(at + size, last)
            # Without an index the rows of the range are looked at, and no others.
            ids, kinds = self._read("r.id > ? AND r.id <= ?", (at, until), "r.id", key)
            yield Rows(ids, kinds, until, last)
            at, size = until, _next_size(size, began)

    def by_task(self, tasks: Sequence[int], order: str) -> Iterator[Rows]:
        """Read the responses of tasks that are in order; `order` must begin with what orders them.

        The first tasks are read at once; then the whole file is looked through, which yields no rows, and then come
        the responses of the other tasks.
        """
        ended = time.monotonic() + _FIRST_SECONDS
        size, at = 1, 0
        while at < len(tasks) and time.monotonic() < ended:
            began = time.monotonic()
            some = tasks[at : at + size]
            ids, kinds = self._read(f"t.id IN ({_marks(some)})", some, order)
            at, size = at + len(some), min(_MOST_AT_ONCE, _next_size(size, began))
            yield Rows(ids, kinds, at, len(tasks))
        if at < len(tasks):
            yield from self._found_before(tasks[at:], order)

    def live_of(self, tasks: Sequence[int], order: str) -> Iterator[tuple[array[int], int]]:
        """Read all live responses of tasks in order, whatever the filter leaves; with how many tasks are done."""
        size, at = 1, 0
        while at < len(tasks):
            began = time.monotonic()
            some = tasks[at : at + size]
            sql = (
                "SELECT r.id FROM responses r JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id"
                " JOIN studies s ON s.id = c.study_id JOIN settings g ON g.id = r.setting_id"
                f" WHERE r.superseded_at IS NULL AND t.id IN ({_marks(some)}) ORDER BY {order}"
            )
            ids = array("q", (row[0] for row in self._connection.execute(sql, some)))
            at, size = at + len(some), min(_MOST_AT_ONCE, _next_size(size, began))
            yield ids, at

    def _found_before(self, tasks: Sequence[int], order: str) -> Iterator[Rows]:
        """Look through the whole file first, and then put in order what was found."""
        kind_of = KindsById()
        last = 0
        for rows in self.by_id():
            kind_of.keep(rows)
            last = rows.total
            yield Rows((), (), rows.scanned, 2 * rows.total)
        for ids, done in self.live_of(tasks, order):
            found = kind_of.those_found(ids)
            yield Rows(found, kind_of.of(found), last + last * done // len(tasks), 2 * last)

    def _read(
        self, part: str, params: Sequence[int], order: str, key: Sql | None = None
    ) -> tuple[array[int], array[int]]:
        """Read the matching responses of a part of the file: ids and kinds."""
        live = ITEMS if order != "r.id" else ITEMS.replace("responses r", "responses r NOT INDEXED", 1)
        columns = [key or Sql("NULL"), *self._per]
        sql = (
            f"SELECT r.id, {', '.join(column.text for column in columns)} FROM {live}"
            f" WHERE r.superseded_at IS NULL AND {part} AND {self._condition.text} ORDER BY {order}"
        )
        column_params = [param for column in columns for param in column.params]
        cursor = self._connection.execute(sql, (*column_params, *params, *self._condition.params))
        ids, kinds = array("q"), array("i")
        if not key and not self._per:
            ids.extend(row[0] for row in cursor)
            return ids, array("i", [self._kind((None,))]) * len(ids)
        known = self._kinds
        for row in cursor:
            values = row[1:]
            ids.append(row[0])
            kinds.append(known[values] if values in known else self._kind(values))
        return ids, kinds

    def _kind(self, values: tuple[Any, ...]) -> int:
        """Return the number of a key and the values of a group."""
        if values not in self._kinds:
            self._kinds[values] = len(self._kinds)
            self.keys.append(values[0])
            self.groups.append(self._groups.setdefault(values[1:], len(self._groups)))
        return self._kinds[values]


class KindsById:
    """Which responses a filter leaves, and the kind of each, by row id."""

    def __init__(self) -> None:
        self._kinds = array("i")
        """-1 = the filter does not leave it."""

    def keep(self, rows: Rows) -> None:
        """Keep what a part of the file has; parts come by row id."""
        if len(rows.ids):
            kinds = self._kinds
            kinds.extend(array("i", [-1]) * (rows.ids[-1] + 1 - len(kinds)))
            for response_id, kind in zip(rows.ids, rows.kinds, strict=True):
                kinds[response_id] = kind

    def those_found(self, ids: Sequence[int]) -> array[int]:
        """Return those of some responses that the filter leaves, in their order."""
        kinds, known = self._kinds, len(self._kinds)
        return array("q", [one for one in ids if one < known and kinds[one] >= 0])

    def __getitem__(self, response_id: int) -> int:
        return self._kinds[response_id]

    def ids_of(self, wanted: Container[int]) -> array[int]:
        """Return all responses of some kinds, by row id."""
        return array("q", (response_id for response_id, kind in enumerate(self._kinds) if kind in wanted))

    def of(self, ids: Sequence[int]) -> array[int]:
        """Return the kinds of responses that the filter leaves."""
        kinds = self._kinds
        return array("i", [kinds[one] for one in ids])


def _marks(values: Sequence[int]) -> str:
    return ", ".join("?" * len(values))


def _next_size(size: int, began: float) -> int:
    seconds = time.monotonic() - began
    if seconds < _LEAST_SECONDS:
        return size * 2
    return max(1, size // 2) if seconds > _MOST_SECONDS else size
