"""Counts the distinct ways in which items were labelled, so that nothing later depends on the number of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditor.agreement.ratings import Floats, Ints, Ratings

_KEY_LIMIT = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Distinct (cluster, labels by annotator) combinations with the number of items that show each."""

    values: Ints
    """Label codes, shape (m, annotators); -1 = this annotator did not rate."""
    count: Floats
    """Items per pattern, shape (m,); whole numbers."""
    cluster: Ints | None
    """Cluster of each pattern, 0 .. n_clusters - 1; None = not known."""
    n_clusters: int | None

    @property
    def n_items(self) -> int:
        return int(self.count.sum())


def count_patterns(ratings: Ratings, columns: Sequence[Ints], at_least: int) -> Patterns:
    """Count patterns over the columns (label code by item, -1 = none) on items with `at_least` ratings in them."""
    rated = sum((column >= 0).astype(np.int8) for column in columns)
    kept = np.flatnonzero(rated >= at_least)
    parts = [column[kept] + 1 for column in columns]
    sizes = [len(ratings.values) + 1] * len(parts)
    if ratings.cluster is not None:
        parts.insert(0, ratings.cluster[kept])
        sizes.insert(0, int(ratings.cluster.max(initial=0)) + 1)
    weights = None if ratings.count is None else ratings.count[kept].astype(np.float64)
    distinct, count = _count_rows(parts, sizes, weights)
    if ratings.cluster is None:
        return Patterns(distinct - 1, count, None, None)
    names, cluster = np.unique(distinct[:, 0], return_inverse=True)
    return Patterns(distinct[:, 1:] - 1, count, cluster.astype(np.int64), len(names))


def _count_rows(parts: list[Ints], sizes: list[int], weights: Floats | None) -> tuple[Ints, Floats]:
    """Return the distinct rows of the columns `parts` (each below its size), sorted, and their summed weights."""
    space = 1
    for size in sizes:
        space *= size
    if space >= _KEY_LIMIT:
        rows, inverse = np.unique(np.stack(parts, axis=1), axis=0, return_inverse=True)
        return rows, np.bincount(inverse.ravel(), weights=weights, minlength=len(rows)).astype(np.float64)
    key = np.zeros(len(parts[0]), dtype=np.int64)
    for part, size in zip(parts, sizes, strict=True):
        key = key * size + part
    if space <= 4 * len(key) + 4096:
        full = np.bincount(key, weights=weights, minlength=space)
        keys = np.flatnonzero(full)
        count = full[keys]
    else:
        keys, inverse = np.unique(key, return_inverse=True)
        count = np.bincount(inverse, weights=weights, minlength=len(keys))
    columns = []
    for size in reversed(sizes):
        columns.append(keys % size)
        keys = keys // size
    return np.stack(columns[::-1], axis=1), count.astype(np.float64)
