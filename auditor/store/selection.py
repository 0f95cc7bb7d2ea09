"""Which live responses a filter leaves, and in which order: found a piece at a time, so that nobody waits for all.

The order is made by walking over the tasks in it: what comes first is known long before the rest was looked at.
"""

from __future__ import annotations

import random
import sqlite3
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from auditor.errors import InputError
from auditor.store.filter import LIVE, ORDERS, Sql, Vocabulary, compile_filter
from auditor.text import to_storage, visible_line

_NAME_ORDER = "s.id, c.id, t.id, g.id, r.sample, r.id"
_SMALLEST = f"t.lines, {_NAME_ORDER}"
_NAMES = "s.name, c.name, t.arm, g.name, r.sample, r.id"
_TASKS = "SELECT t.id FROM tasks t JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id ORDER BY "

_DISAGREEMENT = (
    "(SELECT count(*) FROM (SELECT 1 FROM counted_tags p JOIN reviews w ON w.response_id = p.response_id"
    " AND w.annotator_id = p.annotator_id AND w.codebook_id = p.codebook_id AND w.state = 'reviewed'"
    " JOIN annotators a ON a.id = w.annotator_id AND a.kind = 'person' AND a.pass_of IS NULL"
    " WHERE p.response_id = r.id GROUP BY p.codebook_id, p.tag_id HAVING count(DISTINCT p.annotator_id) <"
    " (SELECT count(*) FROM reviews v"
    " JOIN annotators b ON b.id = v.annotator_id AND b.kind = 'person' AND b.pass_of IS NULL"
    " WHERE v.response_id = r.id AND v.codebook_id = p.codebook_id AND v.state = 'reviewed')))"
)
"""Tags that some people who reviewed the item under a codebook put on it, and some did not."""

_LEAST_SECONDS, _MOST_SECONDS = 0.02, 0.08
"""A piece that took less is followed by one of twice its tasks, one that took more by one of half of them."""
_MOST_TASKS = 256


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter, an order, and how many of each group."""

    where: str = ""
    order: str = "import"
    seed: int = 0
    """Of the random order: the same for the same names, whatever the order of import."""
    take: int | None = None
    """Keeps so many of each group of the `per` dimensions, or of all without `per`."""
    per: tuple[str, ...] = ()
    notes: bool = True
    """Whether words are searched in notes too."""


class Piece(NamedTuple):
    """The next response ids of a selection, in order, and how much of the file has been looked at."""

    ids: Sequence[int]
    scanned: int
    total: int
    """In the unit of `scanned`, which is tasks or rows."""


class _Rows(NamedTuple):
    """What one query found: a column of ids, of sort keys and of group numbers."""

    ids: list[int]
    keys: list[Any]
    groups: list[int]
    scanned: int
    total: int


def matching_responses(
    connection: sqlite3.Connection,
    where: str = "",
    order: str = "import",
    *,
    seed: int = 0,
    take: int | None = None,
    per: Sequence[str] = (),
    notes: bool = True,
) -> list[int]:
    """Return the row ids of the live responses that a filter leaves, in order; see `Selection`.

    Raises InputError for what it does not know.
    """
    found = array("q")
    for piece in Search(connection, Selection(where, order, seed, take, tuple(per), notes)).pieces():
        found.extend(piece.ids)
    return found.tolist()


class Search:
    """One run over an audit file for a selection. Whoever uses it holds a transaction where others may write."""

    def __init__(self, connection: sqlite3.Connection, selection: Selection) -> None:
        """Compile the filter; raises InputError for what it does not know."""
        if selection.order not in ORDERS:
            shown = visible_line(selection.order)
            raise InputError(f"there is no order {shown!r}.", hint=f"Orders: {', '.join(ORDERS)}.")
        self._connection = connection
        self._selection = selection
        self._condition = compile_filter(connection, selection.where, notes=selection.notes)
        vocabulary = Vocabulary(connection)
        self._per = [vocabulary.dimension(name) for name in selection.per]
        self._group_numbers: dict[tuple[Any, ...], int] = {}
        self._taken: list[int] = []
        """By group number: how many were kept."""

    def pieces(self) -> Iterator[Piece]:
        """Find the responses; a piece may be empty, and only says how far it is then."""
        match self._selection.order:
            case "import":
                yield from self._as_found(self._by_id())
            case "smallest":
                yield from self._as_found(self._by_task(_SMALLEST))
            case "random":
                yield from self._shuffled()
            case "computed":
                yield from self._sorted_by(Sql("d.mode"), descending=False)
            case _:
                yield from self._sorted_by(Sql(_DISAGREEMENT), descending=True)

    def matches(self, response_id: int) -> bool:
        """Say whether the filter leaves one response, whatever is taken of each group."""
        return self._has("r.id = ?", response_id)

    def reaches_codebook(self, name: str) -> bool:
        """Say whether the filter leaves a response of a study that declares this codebook."""
        sql = (
            f"SELECT 1 FROM {LIVE} WHERE r.superseded_at IS NULL AND s.codebook = ? AND {self._condition.text} LIMIT 1"
        )
        return self._connection.execute(sql, (to_storage(name), *self._condition.params)).fetchone() is not None

    # --- orders ----------------------------------------------------------------------------------------------------

    def _as_found(self, found: Iterator[_Rows]) -> Iterator[Piece]:
        for rows in found:
            yield Piece(self._first_of_each(rows.ids, rows.groups), rows.scanned, rows.total)
            if self._selection.take is not None and not self._per and self._taken[:1] == [self._selection.take]:
                yield Piece((), rows.total, rows.total)
                return

    def _shuffled(self) -> Iterator[Piece]:
        ids, groups = array("q"), array("l")
        scanned = total = 0
        for rows in self._by_task(_NAMES):
            ids.extend(rows.ids)
            groups.extend(rows.groups)
            scanned, total = rows.scanned, rows.total
            yield Piece((), scanned, total)
        # The same seed moves both columns alike.
        for column in (ids, groups):
            random.Random(self._selection.seed).shuffle(column)
        yield Piece(self._first_of_each(ids, groups), total, total)

    def _sorted_by(self, key: Sql, *, descending: bool) -> Iterator[Piece]:
        """Find the smallest programs first, and order by a key of few values: each value's responses are in order."""
        ids_of: dict[Any, tuple[array[int], array[int]]] = {}
        total = 0
        for rows in self._by_task(_SMALLEST, key):
            columns = zip(rows.ids, rows.keys, rows.groups or [0] * len(rows.ids), strict=True)
            for response_id, value, group in columns:
                ids, groups = ids_of.setdefault(value, (array("q"), array("l")))
                ids.append(response_id)
                groups.append(group)
            total = rows.total
            yield Piece((), rows.scanned, total)
        # NULL comes first, as in SQLite.
        for value in sorted(ids_of, key=lambda one: (one is not None, one), reverse=descending):
            ids, groups = ids_of.pop(value)
            yield Piece(self._first_of_each(ids, groups), total, total)

    def _has(self, part: str, param: int | str | bytes | None) -> bool:
        sql = f"SELECT 1 FROM {LIVE} WHERE r.superseded_at IS NULL AND {part} AND {self._condition.text} LIMIT 1"
        return self._connection.execute(sql, (param, *self._condition.params)).fetchone() is not None

    # --- reading ---------------------------------------------------------------------------------------------------

    def _by_id(self) -> Iterator[_Rows]:
        (last,) = self._connection.execute("SELECT max(id) FROM responses").fetchone()
        size, at = 64, 0
        while last is not None and at < last:
            began = time.monotonic()
            until = min(at + size, last)
            # Without an index the rows of the range are looked at, and no others.
            yield self._read("r.id > ? AND r.id <= ?", (at, until), "r.id", None, until, last)
            at, size = until, _next_size(size, began)

    def _by_task(self, order: str, key: Sql | None = None) -> Iterator[_Rows]:
        """Read the responses of a few tasks after the other. The order must begin with what orders tasks."""
        task_order, _, _ = order.partition(", g.")
        tasks = array("q", (row[0] for row in self._connection.execute(f"{_TASKS}{task_order}, t.id")))
        size, at = 1, 0
        while at < len(tasks):
            began = time.monotonic()
            some = tasks[at : at + size]
            at += len(some)
            marks = ", ".join("?" * len(some))
            yield self._read(f"t.id IN ({marks})", some, order, key, at, len(tasks))
            size = min(_MOST_TASKS, _next_size(size, began))

    def _read(self, part: str, params: Sequence[int], order: str, key: Sql | None, scanned: int, total: int) -> _Rows:
        """Read the matching responses of a part of the file."""
        live = LIVE if order != "r.id" else LIVE.replace("responses r", "responses r NOT INDEXED", 1)
        columns = ["r.id", *([key.text] if key else []), *(one.text for one in self._per)]
        sql = (
            f"SELECT {', '.join(columns)} FROM {live} WHERE r.superseded_at IS NULL AND {part}"
            f" AND {self._condition.text} ORDER BY {order}"
        )
        group_params = [param for one in self._per for param in one.params]
        cursor = self._connection.execute(sql, (*group_params, *params, *self._condition.params))
        if len(columns) == 1:
            return _Rows([row[0] for row in cursor], [], [], scanned, total)
        rows = _Rows([], [], [], scanned, total)
        for row in cursor:
            rows.ids.append(row[0])
            if key:
                rows.keys.append(row[1])
            if self._per:
                group = row[2 if key else 1 :]
                rows.groups.append(self._group_numbers.setdefault(group, len(self._group_numbers)))
        return rows

    def _first_of_each(self, ids: Sequence[int], groups: Sequence[int]) -> Sequence[int]:
        """Keep as many of each group as are to be taken, those of earlier pieces counted."""
        take = self._selection.take
        if take is None:
            return ids
        self._taken += [0] * (max(1, len(self._group_numbers)) - len(self._taken))
        if not self._per:
            kept = ids[: take - self._taken[0]]
            self._taken[0] += len(kept)
            return kept
        left = []
        for response_id, group in zip(ids, groups, strict=True):
            self._taken[group] += 1
            if self._taken[group] <= take:
                left.append(response_id)
        return left


def _next_size(size: int, began: float) -> int:
    seconds = time.monotonic() - began
    if seconds < _LEAST_SECONDS:
        return size * 2
    return max(1, size // 2) if seconds > _MOST_SECONDS else size
