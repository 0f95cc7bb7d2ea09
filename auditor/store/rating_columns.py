"""Reviewed items with their tags as columns of numbers: what agreement is measured on, also of a million reviews."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from auditor.store.invalidations import IS_INVALID, any_invalid
from auditor.text import from_storage, to_storage

Ints: TypeAlias = npt.NDArray[np.int64]


class RatingColumns(NamedTuple):
    """Parallel columns, one entry for each item that an annotator has reviewed, in the order of import."""

    item: Ints
    """Row ids of responses, ascending."""
    annotator: Ints
    """Indices into `annotators`."""
    value: Ints
    """Indices into `sets`."""
    cluster: Ints
    """Row ids of the items' clusters."""
    annotators: list[str]
    """Those who have rated, in the order in which they come first."""
    sets: list[frozenset[str]]
    """Each set of tags that occurs, once."""


def rating_columns(
    connection: sqlite3.Connection, codebook: str, annotators: Sequence[str], among: Iterable[int] | None = None
) -> RatingColumns:
    """Read what these annotators have reviewed under a codebook; begun and deferred items are none.

    `among` are the row ids of the responses that count; None = all that are not invalid.
    """
    names = {row: from_storage(name) or "" for row, name in connection.execute("SELECT id, name FROM annotators")}
    wanted = [row for row, name in names.items() if name in set(annotators)]
    reviews = _reviews(connection, codebook, wanted, invalid_too=among is not None)
    if among is not None:
        reviews = reviews[np.isin(reviews[:, 0], np.fromiter(among, dtype=np.int64))]
    item, annotator, cluster = (np.ascontiguousarray(column) for column in reviews.T)
    value, sets = _sets(connection, codebook, wanted, item, annotator)
    rows, first, code = np.unique(annotator, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return RatingColumns(item, place[code], value, cluster, [names[row] for row in rows[order].tolist()], sets)


def _numbers(rows: Iterable[Sequence[int]], width: int) -> Ints:
    """Return rows of numbers as an array, shape (n, width)."""
    return np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, width)


def _reviews(connection: sqlite3.Connection, codebook: str, annotators: Sequence[int], *, invalid_too: bool) -> Ints:
    """Return response, annotator and cluster of each review that counts, by response and annotator."""
    sql = (
        "SELECT w.response_id, w.annotator_id, t.cluster_id FROM reviews w JOIN responses r ON r.id = w.response_id"
        " JOIN tasks t ON t.id = r.task_id WHERE w.codebook_id = (SELECT id FROM codebooks WHERE name = ?)"
        f" AND w.state = 'reviewed' AND r.superseded_at IS NULL AND w.annotator_id IN ({_marks(annotators)})"
    )
    if not invalid_too and any_invalid(connection):
        sql += f" AND NOT {IS_INVALID}"
    rows = _numbers(connection.execute(sql, (to_storage(codebook), *annotators)), 3)
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


def _sets(
    connection: sqlite3.Connection, codebook: str, annotators: Sequence[int], item: Ints, annotator: Ints
) -> tuple[Ints, list[frozenset[str]]]:
    """Return for each review the place of its set of tags, each tag as what it counts as, and the sets."""
    sql = (
        "SELECT response_id, annotator_id, tag_id FROM applied_tags"
        " WHERE codebook_id = (SELECT id FROM codebooks WHERE name = ?)"
        f" AND annotator_id IN ({_marks(annotators)})"
    )
    marks = _numbers(connection.execute(sql, (to_storage(codebook), *annotators)), 3)
    space = max(annotators, default=0) + 1
    review, key = item * space + annotator, marks[:, 0] * space + marks[:, 1]
    at = np.searchsorted(review, key)
    there = np.append(review, -1)[at] == key
    counted = _counted(connection)[marks[there, 2]]
    tags = np.flatnonzero(np.bincount(counted, minlength=1))
    code = np.searchsorted(tags, counted)
    # Once for each review and tag: two tags that count as one are one.
    both = np.sort(at[there] * max(1, len(tags)) + code)
    both = both[np.diff(both, prepend=-1) > 0]
    at, code = np.divmod(both, max(1, len(tags)))
    size = np.bincount(at, minlength=len(item))
    start = np.cumsum(size) - size
    names = _tag_names(connection, tags)
    value = np.zeros(len(item), dtype=np.int64)
    sets: list[frozenset[str]] = []
    for count in np.unique(size).tolist():
        rows = np.flatnonzero(size == count)
        members = code[start[rows][:, None] + np.arange(count)] if count else np.zeros((len(rows), 0), dtype=np.int64)
        distinct, own = _distinct_rows(members, len(tags))
        value[rows] = len(sets) + own
        sets += [frozenset(names[tag] for tag in row) for row in distinct.tolist()]
    return value, sets


def _distinct_rows(members: Ints, base: int) -> tuple[Ints, Ints]:
    """Return the distinct rows, and for each row which of them it is."""
    key = np.zeros(len(members), dtype=np.int64)
    for column in members.T:
        key = key * base + column
        if len(key) and int(key.max()) >= 2**62 // max(1, base):
            key = np.unique(key, return_inverse=True)[1]  # many tags at once: the numbers so far are renumbered
    _, example, own = np.unique(key, return_index=True, return_inverse=True)
    return members[example], own


def _counted(connection: sqlite3.Connection) -> Ints:
    """Return by row id of a tag what it counts as."""
    rows = _numbers(connection.execute("SELECT id, coalesce(counts_as, id) FROM tags"), 2)
    counted = np.zeros(int(rows[:, 0].max(initial=0)) + 1, dtype=np.int64)
    counted[rows[:, 0]] = rows[:, 1]
    return counted


def _tag_names(connection: sqlite3.Connection, tags: Ints) -> list[str]:
    names = dict(connection.execute("SELECT id, name FROM tags").fetchall())
    return [from_storage(names[row]) or "" for row in tags.tolist()]


def _marks(values: Sequence[int]) -> str:
    return ", ".join("?" * len(values))
