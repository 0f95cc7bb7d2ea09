"""Which live responses a filter leaves, and in which order: found a piece at a time, so that nobody waits for all.

The order is made by walking over the tasks in it: what comes first is known long before the rest was looked at.
"""

from __future__ import annotations

import sqlite3
import time
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from auditor.errors import InputError
from auditor.store.filter import ORDERS
from auditor.store.matches import KindsById, Matches, Rows
from auditor.store.name_order import NameOrder
from auditor.store.shuffle import Shuffle
from auditor.store.sql import Sql
from auditor.text import to_storage, visible_line

_NAME_ORDER = "s.id, c.id, t.id, g.id, r.sample, r.id"
_SMALLEST = f"t.lines, {_NAME_ORDER}"
_NAMES = "s.name, c.name, t.arm, g.name, r.sample, r.id"
_TASKS = "SELECT t.id FROM tasks t JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id ORDER BY "

_DISAGREEMENT = Sql(
    "(SELECT count(*) FROM (SELECT 1 FROM counted_tags p JOIN reviews w ON w.response_id = p.response_id"
    " AND w.annotator_id = p.annotator_id AND w.codebook_id = p.codebook_id AND w.state = 'reviewed'"
    " JOIN annotators a ON a.id = w.annotator_id AND a.kind = 'person' AND a.pass_of IS NULL"
    " WHERE p.response_id = r.id GROUP BY p.codebook_id, p.tag_id HAVING count(DISTINCT p.annotator_id) <"
    " (SELECT count(*) FROM reviews v"
    " JOIN annotators b ON b.id = v.annotator_id AND b.kind = 'person' AND b.pass_of IS NULL"
    " WHERE v.response_id = r.id AND v.codebook_id = p.codebook_id AND v.state = 'reviewed')))"
)
"""Tags that some people who reviewed the item under a codebook put on it, and some did not."""

_REVIEWED_BY_SEVERAL = (
    "SELECT DISTINCT response_id FROM (SELECT w.response_id FROM reviews w"
    " JOIN annotators a ON a.id = w.annotator_id AND a.kind = 'person' AND a.pass_of IS NULL"
    " WHERE w.state = 'reviewed' GROUP BY w.response_id, w.codebook_id HAVING count(*) > 1)"
)
_MODE = Sql("d.mode")

_MOST_IN_A_PIECE = 4096
_FIRST_SECONDS = 0.15
_FIRST_ITEMS = 128
_DRAWN_AT_FIRST = 16
"""Of the random order: how long, for how many items and how many at once are looked up one by one."""
_FEW = 2000
"""Responses of a computed mode that are put in order without a walk through the whole file."""


class Selection(NamedTuple):
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
    subjects: bool = False
    """Whether subjects are left too, where the filter does not speak of them."""


class Piece(NamedTuple):
    """The next response ids of a selection, in order, and how much of the file has been looked at."""

    ids: Sequence[int]
    scanned: int
    total: int
    """In the unit of `scanned`, which is tasks or rows."""


def matching_responses(
    connection: sqlite3.Connection,
    where: str = "",
    order: str = "import",
    *,
    seed: int = 0,
    take: int | None = None,
    per: Sequence[str] = (),
    notes: bool = True,
    subjects: bool = False,
) -> list[int]:
    """Return the row ids of the live responses that a filter leaves, in order; see `Selection`.

    Raises InputError for what it does not know.
    """
    found = array("q")
    for piece in Search(connection, Selection(where, order, seed, take, tuple(per), notes, subjects)).pieces():
        found.extend(piece.ids)
    return found.tolist()


class Search:
    """One run over an audit file for a selection. Whoever uses it holds a transaction where others may write."""

    def __init__(self, connection: sqlite3.Connection, selection: Selection, kept: Sequence[int] = ()) -> None:
        """Compile the filter; raises InputError for what it does not know.

        Responses that are `kept` count among those that are taken of each group, and are not found once more.
        """
        if selection.order not in ORDERS:
            shown = visible_line(selection.order)
            raise InputError(f"there is no order {shown!r}.", hint=f"Orders: {', '.join(ORDERS)}.")
        self._connection = connection
        self._selection = selection
        notes, subjects = selection.notes, selection.subjects
        self._matches = Matches(connection, selection.where, selection.per, notes=notes, subjects=subjects)
        self._taken: list[int] = []
        """By group number: how many were kept."""
        self._kept = self._matches.among(kept)
        for kind in self._kept.values():
            self._take_one(self._matches.groups[kind])

    def pieces(self) -> Iterator[Piece]:
        """Find the responses; a piece may be empty, and only says how far it is then."""
        for rows in self._in_order():
            for start in range(0, len(rows.ids) or 1, _MOST_IN_A_PIECE):
                part = slice(start, start + _MOST_IN_A_PIECE)
                yield Piece(self._first_of_each(rows.ids[part], rows.kinds[part]), rows.scanned, rows.total)
            if self._has_taken_all:
                break

    def matches(self, response_id: int) -> bool:
        """Say whether the filter leaves one response, whatever is taken of each group."""
        return self._matches.has("r.id = ?", response_id)

    def reaches_codebook(self, name: str) -> bool:
        """Say whether the filter leaves a response of a study that declares this codebook."""
        return self._matches.has("s.codebook = ?", to_storage(name))

    # --- orders ----------------------------------------------------------------------------------------------------

    def _in_order(self) -> Iterator[Rows]:
        match self._selection.order:
            case "import":
                return self._matches.by_id()
            case "smallest":
                return self._matches.by_task(self._tasks(_SMALLEST), _SMALLEST)
            case "random":
                return self._shuffled()
            case "computed":
                return self._by_mode()
            case _:
                return self._disputed_first()

    def _shuffled(self) -> Iterator[Rows]:
        """Find the live responses of the file in a random order, whatever the filter leaves: it moves no item.

        The first are looked up one by one, the others when the whole file has been looked through.
        """
        matches = self._matches
        names = NameOrder(self._connection, self._tasks(_NAMES))
        shuffle = Shuffle(len(names), self._selection.seed)
        ended, found = time.monotonic() + _FIRST_SECONDS, 0
        while len(shuffle) and found < _FIRST_ITEMS and time.monotonic() < ended:
            ids = [names.response_at(place) for place in shuffle.draw(_DRAWN_AT_FIRST)]
            kind_of = matches.among(ids)
            found += len(kind_of)
            left = [one for one in ids if one in kind_of]
            yield Rows(left, [kind_of[one] for one in left])
        if not len(shuffle):
            return
        kinds, last = KindsById(), 0
        for rows in matches.by_id():
            kinds.keep(rows)
            last = rows.total
            yield Rows((), (), rows.scanned, 2 * last)
        by_name = array("q")
        for some, done in matches.live_of(names.tasks, _NAMES):
            by_name.extend(some)
            yield Rows((), (), last + last * done // len(names.tasks), 2 * last)
        while len(shuffle):
            drawn = kinds.those_found([by_name[place] for place in shuffle.draw(_MOST_IN_A_PIECE)])
            yield Rows(drawn, kinds.of(drawn), 2 * last, 2 * last)

    def _by_mode(self) -> Iterator[Rows]:
        """Look through the whole file, then find each mode's responses, the smallest program first.

        The first modes are put in order by themselves as long as they are rare; all others together.
        """
        matches, tasks = self._matches, self._tasks(_SMALLEST)
        kinds, total = KindsById(), 0
        counts = Counter[int]()
        for rows in matches.by_id(_MODE):
            kinds.keep(rows)
            counts.update(rows.kinds)
            total = rows.total
            yield Rows((), (), rows.scanned, 2 * total)
        kinds_of: dict[str | None, list[int]] = {}
        for kind in counts:
            kinds_of.setdefault(matches.keys[kind], []).append(kind)
        modes = sorted(kinds_of, key=lambda mode: (mode is not None, mode))
        while modes and sum(counts[kind] for kind in kinds_of[modes[0]]) <= _FEW:
            found = self._smallest_first(tasks, set(kinds.ids_of(kinds_of[modes.pop(0)])))
            yield Rows(found, kinds.of(found), total, 2 * total)
        waiting = {mode: array("q") for mode in modes}
        columns = [waiting.get(key) for key in matches.keys]
        for ids, done in matches.live_of(tasks, _SMALLEST) if modes else ():
            for response_id in kinds.those_found(ids):
                if (column := columns[kinds[response_id]]) is not None:
                    column.append(response_id)
            found = waiting[modes[0]][:]
            del waiting[modes[0]][:]
            yield Rows(found, kinds.of(found), total + total * done // len(tasks), 2 * total)
        for mode in modes:
            found = waiting.pop(mode)
            yield Rows(found, kinds.of(found), 2 * total, 2 * total)

    def _disputed_first(self) -> Iterator[Rows]:
        """Find what people dispute, most tags first; then the rest, the smallest program first."""
        matches, tasks = self._matches, self._tasks(_SMALLEST)
        by_several = array("q", (row[0] for row in self._connection.execute(_REVIEWED_BY_SEVERAL)))
        disputed = {one: kind for one, kind in matches.among(by_several, _DISAGREEMENT).items() if matches.keys[kind]}
        # Sorting keeps the order of those that have as many disputed tags.
        found = sorted(self._smallest_first(tasks, disputed), key=lambda one: -matches.keys[disputed[one]])
        yield Rows(found, [disputed[one] for one in found])
        for rows in matches.by_task(tasks, _SMALLEST):
            if disputed:
                left = [at for at, one in enumerate(rows.ids) if one not in disputed]
                rows = rows._replace(ids=[rows.ids[at] for at in left], kinds=[rows.kinds[at] for at in left])
            yield rows

    # --- tasks -----------------------------------------------------------------------------------------------------

    def _tasks(self, order: str) -> array[int]:
        """Return all tasks in an order of responses, which must begin with what orders tasks."""
        task_order, _, _ = order.partition(", g.")
        return array("q", (row[0] for row in self._connection.execute(f"{_TASKS}{task_order}, t.id")))

    def _smallest_first(self, tasks: array[int], wanted: Collection[int]) -> array[int]:
        """Return some responses in order; `tasks` are all tasks in theirs."""
        sql = "SELECT task_id FROM responses WHERE id = ?"
        theirs = {self._connection.execute(sql, (one,)).fetchone()[0] for one in wanted}
        some = array("q", (task for task in tasks if task in theirs))
        return array("q", (one for ids, _ in self._matches.live_of(some, _SMALLEST) for one in ids if one in wanted))

    # --- taking some -----------------------------------------------------------------------------------------------

    @property
    def _has_taken_all(self) -> bool:
        take = self._selection.take
        return take is not None and not self._selection.per and self._taken[:1] >= [take]

    def _first_of_each(self, ids: Sequence[int], kinds: Sequence[int]) -> Sequence[int]:
        """Keep as many of each group as are to be taken, those of earlier pieces counted."""
        take = self._selection.take
        if take is None:
            return ids
        groups = self._matches.groups
        self._taken += [0] * (1 + max(groups, default=0) - len(self._taken))
        left = []
        for response_id, kind in zip(ids, kinds, strict=True):
            if self._taken[groups[kind]] < take and response_id not in self._kept:
                self._take_one(groups[kind])
                left.append(response_id)
        return left

    def _take_one(self, group: int) -> None:
        self._taken += [0] * (1 + group - len(self._taken))
        self._taken[group] += 1
