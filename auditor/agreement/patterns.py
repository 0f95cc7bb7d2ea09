"""Counts the distinct ways in which items were labelled, so that nothing later depends on the number of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor.agreement.rare_tags import rare_tag_warning
from auditor.agreement.ratings import Bools, Floats, Ints, Ratings

_KEY_LIMIT = 2**62
_FEW_COLUMNS = 8
_EVERY_COLUMN = slice(None)


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Distinct (cluster, labels by annotator) combinations with the number of items that show each.

    They are sorted by cluster, then by the labels' names.
    """

    values: Ints
    """Label codes, shape (m, annotators); -1 = this annotator did not rate."""
    key: Ints
    """Equal for equal rows of `values`, and ordered by the labels' names, not by the order of rows in a file."""
    count: Floats
    """Items per pattern, shape (m,); whole numbers."""
    cluster: Ints | None
    """Cluster of each pattern, 0 .. n_clusters - 1; None = not known."""
    n_clusters: int | None

    @property
    def n_items(self) -> int:
        return int(self.count.sum())

    @property
    def paired(self) -> Bools:
        """Whether at least two annotators rated the items of each pattern, shape (m,)."""
        return np.asarray((self.values >= 0).sum(axis=1) >= 2)

    def taken(self, rows: Bools, columns: slice = _EVERY_COLUMN) -> Patterns:
        """Return some of the patterns, with the labels of some of the annotators; rows may come to be alike."""
        cluster = None if self.cluster is None else self.cluster[rows]
        n_clusters = None if cluster is None else _count_sorted(cluster)
        return Patterns(self.values[rows][:, columns], self.key[rows], self.count[rows], cluster, n_clusters)

    def clusters_with(self, measured: Bools) -> int | None:
        """Count the clusters that hold a pattern of those; None when the clusters are not known."""
        return None if self.cluster is None else _count_sorted(self.cluster[measured])

    def units_with(self, measured: Bools) -> int:
        """Count the clusters that hold a pattern of those, or its items where the clusters are not known."""
        clusters = self.clusters_with(measured)
        return int(self.count @ measured) if clusters is None else clusters

    def rare_tag(self, tag: str, having: Bools, lacking: Bools) -> str | None:
        """Warn of a tag that is too rare for an interval, by the patterns in which somebody put it, or did not."""
        what = "item" if self.cluster is None else "cluster"
        return rare_tag_warning(tag, self.units_with(having), self.units_with(lacking), what)


def _count_sorted(codes: Ints) -> int:
    """Count the distinct of some sorted codes."""
    return int(np.count_nonzero(np.diff(codes, prepend=-1)))


def count_patterns(ratings: Ratings, columns: Sequence[Ints], at_least: int) -> Patterns:
    """Count patterns over the columns (label code by item, -1 = none) on items with `at_least` ratings in them."""
    rated = sum((column >= 0).astype(np.int8) for column in columns)
    kept = np.flatnonzero(rated >= at_least)
    rows = list(columns) if len(kept) == ratings.n_items else [column.take(kept) for column in columns]
    key, space = _label_keys(ratings, rows)
    if ratings.cluster is not None:
        clusters = int(ratings.cluster.max(initial=0)) + 1
        if clusters * space >= _KEY_LIMIT:
            distinct, key = np.unique(key, return_inverse=True)
            space = max(1, len(distinct))
        key = ratings.cluster[kept] * space + key
    weights = None if ratings.count is None else ratings.count[kept].astype(np.float64)
    keys, example, count = _count_keys(key, weights)
    values = np.stack([row[example] for row in rows], axis=1)
    if ratings.cluster is None:
        return Patterns(values, keys, count, None, None)
    names, cluster = np.unique(keys // space, return_inverse=True)
    return Patterns(values, keys % space, count, cluster.astype(np.int64), len(names))


def without_persons(ratings: Ratings, columns: Sequence[Ints]) -> list[Ints]:
    """Return columns with the same labels of each item, in the order of the labels' names, whoever gave them."""
    rank = _ranks(ratings)
    ranked = [rank[column] for column in columns]
    if len(ranked) > _FEW_COLUMNS:
        ranked = list(np.sort(np.stack(ranked), axis=0))
    for end in range(len(ranked) - 1, 0, -1):  # few columns: neighbours exchanged, whole columns at a time
        if len(ranked) > _FEW_COLUMNS:
            break
        for at in range(end):
            one, other = ranked[at], ranked[at + 1]
            ranked[at], ranked[at + 1] = np.minimum(one, other), np.maximum(one, other)
    code = np.empty(len(rank), dtype=np.int64)
    code[rank] = np.arange(len(rank))
    code[0] = -1
    return [code[column] for column in ranked]


def _ranks(ratings: Ratings) -> Ints:
    """Return the rank of each label code by the label's name, from 1; code -1 takes the last entry, which is 0."""
    names = [(label,) if isinstance(label, str) else tuple(sorted(label)) for label in ratings.values]
    rank = np.zeros(len(names) + 1, dtype=np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(1, len(names) + 1)
    return rank


def _label_keys(ratings: Ratings, rows: list[Ints]) -> tuple[Ints, int]:
    """Return a number for each item that is equal for equal labels and ordered by their names, and an upper bound."""
    rank = _ranks(ratings)
    size = len(rank)
    if size ** len(rows) >= _KEY_LIMIT:
        distinct, inverse = np.unique(np.stack([rank[row] for row in rows], axis=1), axis=0, return_inverse=True)
        return inverse.ravel().astype(np.int64), max(1, len(distinct))
    key = np.zeros(len(rows[0]), dtype=np.int64)
    for row in rows:
        key *= size
        key += rank[row]
    return key, size ** len(rows)


def _count_keys(key: Ints, weights: Floats | None) -> tuple[Ints, Ints, Floats]:
    """Return the distinct keys, sorted, the place of an example of each, and their summed weights."""
    space = int(key.max(initial=-1)) + 1
    if space <= 4 * len(key) + 4096:
        full = np.bincount(key, weights=weights, minlength=space)
        keys = np.flatnonzero(full)
        example = np.zeros(space, dtype=np.int64)
        example[key] = np.arange(len(key))
        return keys, example[keys], full[keys].astype(np.float64)
    keys, example, inverse = np.unique(key, return_index=True, return_inverse=True)
    return keys, example, np.bincount(inverse, weights=weights, minlength=len(keys)).astype(np.float64)
