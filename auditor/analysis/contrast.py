"""A weighted sum of means over the same clusters, such as the mean of some cells minus the mean of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from auditor.analysis.cluster_bootstrap import NOTHING_VARIES, ONE_POINT, RatioInterval, nothing_varies, percentiles

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_CHUNK_DRAWS = 4_000_000


def cluster_bootstrap_contrast(
    values: Sequence[Sequence[float | None]],
    weights: Sequence[float],
    replicates: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> RatioInterval:
    """Return the sum of each column's weight times its mean over the clusters that have a value, with an interval.

    `values` has a row a cluster; None is no value. Every replicate draws whole clusters as `cluster_bootstrap_ratio`
    does and computes all means anew; one in which a column has no value is dropped and counted. Raises ValueError for
    rows of other lengths than the weights, fewer than two replicates, or a confidence outside (0, 1).
    """
    if any(len(row) != len(weights) for row in values):
        raise ValueError("every cluster needs a value or None for every weight")
    if replicates < 2 or not 0 < confidence < 1:
        raise ValueError("a bootstrap needs at least 2 replicates and a confidence between 0 and 1")
    table = np.array(values, dtype=np.float64).reshape(len(values), len(weights))
    known = ~np.isnan(table)
    filled = np.where(known, table, 0.0)
    clusters = int(known.any(axis=1).sum())
    if not weights or not known.any(axis=0).all():
        reason = "One of the means to be compared has no value."
        return RatioInterval(None, None, None, None, clusters, None, None, None, confidence, reason)
    factors = np.asarray(weights, dtype=np.float64)
    value = float((filled.sum(axis=0) / known.sum(axis=0)) @ factors)
    if clusters < 2:
        reason = "There is no interval: all items come from one cluster, and a bootstrap needs at least two."
        return RatioInterval(value, None, None, None, clusters, None, None, None, confidence, reason)
    found = _resampled(filled, known.astype(np.float64), factors, replicates, seed)
    undefined = replicates - len(found)
    if len(found) < 2:
        reason = "There is no interval: all but at most one replicate had a mean without a value."
        return RatioInterval(value, None, None, None, clusters, replicates, undefined, seed, confidence, reason)
    size = float(np.abs(factors) @ (np.abs(filled).sum(axis=0) / known.sum(axis=0)))
    if nothing_varies(found, size):
        return RatioInterval(value, None, None, None, clusters, replicates, undefined, seed, confidence, NOTHING_VARIES)
    ends, se = percentiles(found, confidence), float(found.std(ddof=1))
    if ends is None:
        return RatioInterval(value, se, None, None, clusters, replicates, undefined, seed, confidence, ONE_POINT)
    return RatioInterval(value, se, *ends, clusters, replicates, undefined, seed, confidence)


def _resampled(filled: Floats, known: Floats, factors: Floats, replicates: int, seed: int) -> Floats:
    """Return the contrasts of the replicates in which every mean is defined."""
    rng = np.random.default_rng(seed)
    clusters = len(filled)
    step = max(1, _CHUNK_DRAWS // clusters)
    found = []
    for start in range(0, replicates, step):
        size = min(step, replicates - start)
        chosen = rng.integers(0, clusters, (size, clusters)) + clusters * np.arange(size)[:, None]
        times = np.bincount(chosen.ravel(), minlength=size * clusters).reshape(size, clusters).astype(np.float64)
        above, below = times @ filled, times @ known
        whole = (below > 0).all(axis=1)
        found.append((above[whole] / below[whole]) @ factors)
    return np.concatenate(found)
