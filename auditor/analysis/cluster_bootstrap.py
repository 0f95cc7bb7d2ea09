"""Bootstrap of whole clusters for ratios of sums: accuracies, and paired differences between two systems.

Clusters are drawn as `numpy.random.default_rng(seed).integers(0, G, (replicates, G))`, so that anybody can repeat it.
A seed draws the same ones only from the same order, so callers give clusters in the order of their names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

GENERATOR = f"numpy {np.__version__} PCG64"
"""What draws: the same seed gives the same numbers under the same version of it."""
_CHUNK_DRAWS = 4_000_000
_ROUNDING = 1e-12
"""Replicates of a sum of fractions differ by less than this, relatively, where nothing but the order of adding does."""

NOTHING_VARIES = "There is no interval: every replicate gives the same value."
"""An interval of one point says more than is known."""
ONE_POINT = "There is no interval: both of its ends are the same value."
_SAME_DIFFERENCE = "There is no interval: every replicate gives the same difference."


class Resampling(NamedTuple):
    """How intervals are made: so many replicates of whole clusters, drawn from a seed."""

    replicates: int = 10_000
    seed: int = 0
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class RatioInterval:
    """A ratio of sums with its percentile interval; what is undefined is None and `reason` says why."""

    value: float | None
    se: float | None
    """Standard deviation of the defined replicates."""
    low: float | None
    high: float | None
    n_clusters: int
    """Clusters that have a denominator."""
    replicates: int | None
    """None when nothing was resampled."""
    replicates_undefined: int | None
    """Replicates whose denominator was 0; they are dropped."""
    seed: int | None
    confidence: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RatioDifference:
    """One ratio of sums less another over the same clusters; what is undefined is None and `reason` says why."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    """Two-sided, of no difference: 2 (1 + the lesser number of replicates on one side of 0) / (replicates + 1)."""
    n_clusters: int
    """Clusters that have a denominator on either side."""
    replicates_undefined: int | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of a - b over complete pairs, and its cluster bootstrap."""

    difference: RatioInterval
    n_items: int
    """Complete pairs."""
    n_dropped: int
    """Items for which a or b is missing."""


def cluster_bootstrap_ratio(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    replicates: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> RatioInterval:
    """Return sum(numerators) / sum(denominators), one entry a cluster, with a percentile interval (linear quantiles).

    Clusters without a denominator are drawn too, but there is no interval unless two others are left. Raises
    ValueError for unequal lengths, negative denominators, fewer than two replicates, or a confidence outside (0, 1).
    """
    top, bottom = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    if top.shape != bottom.shape or top.ndim != 1:
        raise ValueError("numerators and denominators must be one-dimensional and of equal length")
    if (bottom < 0).any():
        raise ValueError("a denominator is negative")
    if replicates < 2 or not 0 < confidence < 1:
        raise ValueError("a bootstrap needs at least 2 replicates and a confidence between 0 and 1")
    clusters = int((bottom > 0).sum())
    total = float(bottom.sum())
    if total == 0:
        reason = "There is nothing to divide by: 0 items."
        return RatioInterval(None, None, None, None, clusters, None, None, None, confidence, reason)
    value = float(top.sum()) / total
    if clusters < 2:
        reason = "There is no interval: all items come from one cluster, and a bootstrap needs at least two."
        return RatioInterval(value, None, None, None, clusters, None, None, None, confidence, reason)
    ratios = _resampled_ratios(top, bottom, replicates, seed)
    undefined = replicates - len(ratios)
    if len(ratios) < 2:
        reason = "There is no interval: all but at most one replicate held 0 items."
        return RatioInterval(value, None, None, None, clusters, replicates, undefined, seed, confidence, reason)
    if nothing_varies(ratios):
        return RatioInterval(value, None, None, None, clusters, replicates, undefined, seed, confidence, NOTHING_VARIES)
    se = float(ratios.std(ddof=1))
    ends = percentiles(ratios, confidence)
    if ends is None:
        return RatioInterval(value, se, None, None, clusters, replicates, undefined, seed, confidence, ONE_POINT)
    return RatioInterval(value, se, *ends, clusters, replicates, undefined, seed, confidence)


def nothing_varies(replicates: Floats, scale: float = 0.0) -> bool:
    """Say whether all replicates are the same number: an interval of them would be one point.

    `scale` is the size of what they are differences of, whose rounding is not theirs.
    """
    least, most = float(replicates.min()), float(replicates.max())
    return most - least <= _ROUNDING * max(abs(least), abs(most), scale)


def percentiles(replicates: Floats, confidence: float) -> tuple[float, float] | None:
    """Return the linear quantiles that leave as many replicates out on either side; None where both are one point."""
    tail = (1 - confidence) / 2
    low, high = (float(limit) for limit in np.quantile(replicates, [tail, 1 - tail]))
    return (low, high) if high - low > _ROUNDING * max(abs(low), abs(high)) else None


def cluster_bootstrap_difference(
    first: tuple[Sequence[float] | Floats, Sequence[float] | Floats],
    second: tuple[Sequence[float] | Floats, Sequence[float] | Floats],
    replicates: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> RatioDifference:
    """Return one ratio of sums less another, each given as numerators and denominators by cluster, in one order.

    Both are resampled with the same clusters, so that what they share counts once; percentile interval, and the
    two-sided p that inverts it. Raises ValueError as `cluster_bootstrap_ratio` does.
    """
    whole = [cluster_bootstrap_ratio(*side, replicates=2, confidence=confidence) for side in (first, second)]
    if replicates < 2 or len(first[0]) != len(second[0]):
        raise ValueError("both ratios need the same clusters, and at least 2 replicates")
    tops, bottoms = ([np.asarray(side[at], dtype=np.float64) for side in (first, second)] for at in (0, 1))
    clusters = int(((bottoms[0] > 0) | (bottoms[1] > 0)).sum())
    if whole[0].value is None or whole[1].value is None:
        return RatioDifference(None, None, None, None, clusters, None, "One of the two has nothing to divide by.")
    one, other, under_one, under_other = (float(part.sum()) for part in (*tops, *bottoms))
    # From the sums, so that a tie at the last printed digit is the tie that it is.
    value = (one * under_other - other * under_one) / (under_one * under_other)
    if clusters < 2:
        reason = "There is no interval: all items come from one cluster, and a bootstrap needs at least two."
        return RatioDifference(value, None, None, None, clusters, None, reason)
    parts = []
    for chosen in _draws(len(tops[0]), replicates, seed):
        below = [bottom.take(chosen).sum(axis=1) for bottom in bottoms]
        defined = (below[0] > 0) & (below[1] > 0)
        ratios = [
            (top.take(chosen).sum(axis=1)[defined] / under[defined]) for top, under in zip(tops, below, strict=True)
        ]
        parts.append(ratios[0] - ratios[1])
    drawn = np.concatenate(parts)
    undefined = replicates - len(drawn)
    size = max(abs(whole[0].value), abs(whole[1].value))
    if len(drawn) < 2 or nothing_varies(drawn, size):
        return RatioDifference(value, None, None, None, clusters, undefined, _SAME_DIFFERENCE)
    # What differs from 0 by no more than the order of adding is 0.
    drawn = np.where(np.abs(drawn) <= _ROUNDING * size, 0.0, drawn)
    ends = percentiles(drawn, confidence)
    if ends is None:
        return RatioDifference(value, None, None, None, clusters, undefined, ONE_POINT)
    aside = 1 + min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    return RatioDifference(value, *ends, min(1.0, 2 * aside / (len(drawn) + 1)), clusters, undefined)


def paired_difference(
    a: Sequence[float | None] | Floats,
    b: Sequence[float | None] | Floats,
    clusters: Sequence[Hashable],
    replicates: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedDifference:
    """Return the mean of a - b over items that have both, resampling whole clusters of them.

    A missing value is None or NaN; its item is dropped and counted, never taken for 0.
    Raises ValueError for unequal lengths (and see `cluster_bootstrap_ratio`).
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or len(clusters) != len(first):
        raise ValueError("a, b and clusters must be one-dimensional and of equal length")
    complete = ~(np.isnan(first) | np.isnan(second))
    codes: dict[Hashable, int] = {}
    kept = [codes.setdefault(clusters[i], len(codes)) for i in np.flatnonzero(complete).tolist()]
    cluster = np.array(kept, dtype=np.int64)
    sums = np.zeros(len(codes))
    sizes = np.zeros(len(codes))
    np.add.at(sums, cluster, (first - second)[complete])
    np.add.at(sizes, cluster, 1)
    found = cluster_bootstrap_ratio(sums, sizes, replicates, seed, confidence)
    return PairedDifference(found, int(complete.sum()), int((~complete).sum()))


def _resampled_ratios(top: Floats, bottom: Floats, replicates: int, seed: int) -> Floats:
    """Return the defined ratios of the replicates."""
    ratios = []
    for chosen in _draws(len(top), replicates, seed):
        below = bottom.take(chosen).sum(axis=1)
        above = top.take(chosen).sum(axis=1)
        ratios.append(above[below > 0] / below[below > 0])
    return np.concatenate(ratios)


def _draws(clusters: int, replicates: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Draw the clusters of the replicates, a block of them at a time, each of shape (block, clusters)."""
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK_DRAWS // clusters)
    for start in range(0, replicates, step):
        yield rng.integers(0, clusters, (min(step, replicates - start), clusters))
