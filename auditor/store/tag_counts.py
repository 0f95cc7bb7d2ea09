"""How often each tag was put, by whom, over how many clusters, and with whom they agree: counts for the taxonomy.

Only reviewed items count: a tag on an item that is still in progress is not final.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from auditor.model import join_key
from auditor.store.filter import ITEMS, compile_filter
from auditor.store.invalidations import IS_INVALID
from auditor.store.reveals import BLIND
from auditor.text import from_storage, to_storage


class Reviewer(NamedTuple):
    """An annotator under a codebook."""

    codebook: str
    annotator: str
    kind: str
    reviewed: int
    """Items that the annotator reviewed."""


class TagUse(NamedTuple):
    """How often an annotator put a tag."""

    items: int
    clusters: int
    blind: int = 0
    """Of the items, those on which all was done while a blind review hid what it hides."""
    first: int = 0
    """Of the items, those on which the annotator marked the tag as the one that came first."""


class Exemplar(NamedTuple):
    """An item that shows what a tag is."""

    item: str
    lines: int
    task_id: int
    response_id: int
    agreed: bool = False
    """Whether at least two people reviewed it and all of them put the tag on it."""
    notes: tuple[tuple[str, str], ...] = ()
    """What those who put the tag on it noted: annotator and note."""


_REVIEWS = (
    f"{ITEMS} JOIN reviews rv ON rv.response_id = r.id JOIN annotators an ON an.id = rv.annotator_id"
    " JOIN codebooks cb ON cb.id = rv.codebook_id"
)
_TAGS = (
    "JOIN (SELECT DISTINCT response_id, codebook_id, annotator_id, tag_id FROM counted_tags) ap"
    " ON ap.response_id = rv.response_id AND ap.codebook_id = rv.codebook_id"
    " AND ap.annotator_id = rv.annotator_id JOIN tags tg ON tg.id = ap.tag_id"
    " LEFT JOIN tags fc ON fc.id = rv.first_cause_id"
)


_PEOPLE = "count(DISTINCT coalesce(an.pass_of, an.id))"
"""Annotators; two passes of one person are one."""


class Chosen:
    """The reviewed items that a filter leaves, of some annotators, or of all in their first pass."""

    def __init__(self, connection: sqlite3.Connection, where: str = "", annotators: Sequence[str] = ()) -> None:
        self._connection = connection
        condition = compile_filter(connection, where)
        self._where = f"WHERE r.superseded_at IS NULL AND {condition.text} AND rv.state = 'reviewed'"
        self._params = condition.params
        if annotators:
            self._where += f" AND an.name IN ({', '.join('?' * len(annotators))})"
            self._params = (*self._params, *map(to_storage, annotators))
        else:
            self._where += " AND an.pass_of IS NULL"

    def _reviews(self) -> str:
        return f"{_REVIEWS} {self._where}"

    def _tagged(self) -> str:
        return f"{_REVIEWS} {_TAGS} {self._where}"

    def reviewers(self) -> list[Reviewer]:
        """Count the items that each annotator reviewed under each codebook, by codebook, kind and name."""
        sql = (
            f"SELECT cb.name, an.name, an.kind, count(*) FROM {self._reviews()} GROUP BY cb.id, an.id"
            " ORDER BY cb.id, an.kind = 'computed', an.kind = 'model', an.name"
        )
        return [
            Reviewer(from_storage(book) or "", from_storage(name) or "", kind, count)
            for book, name, kind, count in self._connection.execute(sql, self._params)
        ]

    def uses(self) -> dict[tuple[str, str, str], TagUse]:
        """Count items and clusters by codebook, tag and annotator."""
        sql = (
            f"SELECT cb.name, tg.name, an.name, count(*), count(DISTINCT t.cluster_id), sum({BLIND}),"
            " sum(coalesce(tg.id = coalesce(fc.counts_as, fc.id), 0))"
            f" FROM {self._tagged()} GROUP BY cb.id, tg.id, an.id"
        )
        rows = self._connection.execute(sql, self._params)
        return {_names(row[:3]): TagUse(*row[3:]) for row in rows}

    def items_under(self, book: str) -> list[int]:
        """Return the row ids of the items under a codebook."""
        sql = f"SELECT DISTINCT r.id FROM {self._reviews()} AND cb.name = ? ORDER BY r.id"
        return [row for (row,) in self._connection.execute(sql, (*self._params, to_storage(book)))]

    def items_with(self, book: str, tag: str) -> list[int]:
        """Return the row ids of the items that have a tag under a codebook."""
        sql = f"SELECT DISTINCT r.id FROM {self._tagged()} AND cb.name = ? AND tg.name = ? ORDER BY r.id"
        rows = self._connection.execute(sql, (*self._params, to_storage(book), to_storage(tag)))
        return [row for (row,) in rows]

    def several(self) -> dict[tuple[str, str], int]:
        """Count the items that at least two annotators of a kind reviewed, by codebook and kind."""
        sql = (
            "SELECT book, kind, count(*) FROM (SELECT cb.name AS book, an.kind AS kind"
            f" FROM {self._reviews()} GROUP BY r.id, cb.id, an.kind HAVING {_PEOPLE} >= 2) GROUP BY book, kind"
        )
        rows = self._connection.execute(sql, self._params)
        return {(from_storage(book) or "", kind): count for book, kind, count in rows}

    def agreed(self) -> dict[tuple[str, str, str], int]:
        """Count the items that at least two of a kind reviewed and all of them tagged so, by codebook, tag and kind."""
        sql = (
            "WITH reviewed AS MATERIALIZED (SELECT r.id AS response, cb.id AS book, an.kind AS kind, count(*) AS n"
            f" FROM {self._reviews()} GROUP BY r.id, cb.id, an.kind HAVING {_PEOPLE} >= 2),"
            " tagged AS MATERIALIZED (SELECT r.id AS response, cb.id AS book, cb.name AS book_name, tg.name AS tag,"
            f" an.kind AS kind, count(*) AS n FROM {self._tagged()} GROUP BY r.id, cb.id, tg.id, an.kind)"
            " SELECT tagged.book_name, tagged.tag, tagged.kind, count(*) FROM tagged"
            " JOIN reviewed USING (response, book, kind, n) GROUP BY tagged.book, tagged.tag, tagged.kind"
        )
        rows = self._connection.execute(sql, (*self._params, *self._params))
        return {_names(names): count for *names, count in rows}

    def exemplars(self) -> dict[tuple[str, str], Exemplar]:
        """Find an item to show for each tag, by codebook and tag.

        What people tagged comes first, of that what they agree on, of that what has a note, of that what is smallest.
        """
        sql = (
            "WITH reviewed AS MATERIALIZED (SELECT r.id AS response, cb.id AS book, count(*) AS n"
            f" FROM {self._reviews()} AND an.kind = 'person' GROUP BY r.id, cb.id HAVING {_PEOPLE} >= 2),"
            " tagged AS MATERIALIZED (SELECT r.id AS response, r.sample AS sample, cb.id AS book, cb.name AS book_name,"
            " tg.id AS tag, tg.name AS tag_name, s.name AS study, c.name AS case_name, t.arm AS arm,"
            " g.name AS setting, t.lines AS lines, t.id AS task, max(an.kind = 'person') AS by_person,"
            " max(rv.note <> '') AS noted, sum(an.kind = 'person') AS n"
            f" FROM {self._tagged()} GROUP BY r.id, cb.id, tg.id)"
            " SELECT book_name, tag_name, study, case_name, arm, setting, sample, lines, task, response, agreed FROM"
            " (SELECT *, row_number() OVER (PARTITION BY book, tag ORDER BY by_person DESC, agreed DESC, noted DESC,"
            " lines, study, case_name, arm, setting, sample) AS place FROM (SELECT tagged.*,"
            " coalesce(reviewed.n = tagged.n, 0) AS agreed FROM tagged"
            " LEFT JOIN reviewed ON reviewed.response = tagged.response AND reviewed.book = tagged.book))"
            " WHERE place = 1"
        )
        found = {}
        rows = self._connection.execute(sql, (*self._params, *self._params)).fetchall()
        for book, tag, *names, sample, lines, task, response, agreed in rows:
            key = join_key([*(from_storage(name) or "" for name in names), sample])
            notes = self._notes(response, book, tag)
            exemplar = Exemplar(key, lines, task, response, bool(agreed), notes)
            found[from_storage(book) or "", from_storage(tag) or ""] = exemplar
        return found

    def _notes(self, response: int, book: str | bytes, tag: str | bytes) -> tuple[tuple[str, str], ...]:
        """Return who noted what on an item that they gave a tag, people first."""
        sql = (
            f"SELECT an.name, rv.note FROM {self._tagged()} AND r.id = ? AND cb.name = ? AND tg.name = ?"
            " AND rv.note <> '' ORDER BY an.kind <> 'person', an.name"
        )
        rows = self._connection.execute(sql, (*self._params, response, book, tag))
        return tuple((from_storage(name) or "", from_storage(note) or "") for name, note in rows)

    def begun(self) -> int:
        """Count the reviews of live items of the whole file that are in progress or deferred."""
        sql = (
            "SELECT count(*) FROM reviews rv JOIN responses r ON r.id = rv.response_id"
            f" WHERE rv.state IN ('in-progress', 'deferred') AND r.superseded_at IS NULL AND NOT {IS_INVALID}"
        )
        return int(self._connection.execute(sql).fetchone()[0])


def _names(names: Sequence[str | bytes]) -> tuple[str, str, str]:
    one, two, three = (from_storage(name) or "" for name in names)
    return one, two, three
