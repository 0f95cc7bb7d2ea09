"""The bootstrap: whole clusters (or items) resampled by weights, on sums that are additive over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from auditor.agreement.ratings import Floats, Ints
from auditor.errors import InputError

_CHUNK_CELLS = 4_000_000
_MAX_CELLS = 100_000_000
"""Largest table of patterns by features that is held in memory."""


class Units(NamedTuple):
    """What is resampled: distinct rows of sums, and how many clusters (or items) have each."""

    sums: Floats
    """Shape (u, k)."""
    multiplicity: Ints
    """Shape (u,)."""


def refuse_too_large(patterns: int, width: int) -> None:
    """Raise InputError when a table of patterns by features would not fit into memory."""
    if patterns * width > _MAX_CELLS:
        raise InputError(
            f"{patterns} different combinations of labels by {width} columns are too many to count.",
            hint="Is the label column the right one?",
        )


def units_of(features: Floats, count: Floats, cluster: Ints | None) -> Units:
    """Gather features (m, k) of patterns into sums by cluster, or by item where `cluster` is None.

    Units with equal sums are merged and sorted: the draw depends on what was rated, not on the order of rows.
    """
    if cluster is None:
        distinct, inverse = np.unique(features, axis=0, return_inverse=True)
        multiplicity = np.bincount(inverse.ravel(), weights=count, minlength=len(distinct))
        return Units(distinct, multiplicity.astype(np.int64))
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    sums = np.add.reduceat(features[order] * count[order, None], starts, axis=0)
    distinct, multiplicity = np.unique(sums, axis=0, return_counts=True)
    return Units(distinct, multiplicity.astype(np.int64))


def resampled_sums(units: Units, replicates: int, seed: int) -> Floats:
    """Return the summed features of each resample of as many units as there are; shape (replicates, k)."""
    rng = np.random.default_rng(seed)
    u, k = units.sums.shape
    out = np.empty((replicates, k))
    step = max(1, _CHUNK_CELLS // max(u, 1))
    for start in range(0, replicates, step):
        stop = min(replicates, start + step)
        out[start:stop] = _draw(rng, units.multiplicity, stop - start) @ units.sums
    return out


def _draw(rng: np.random.Generator, multiplicity: Ints, replicates: int) -> Floats:
    """Draw multinomial weights, shape (replicates, u); both ways below have the same distribution."""
    total, u = int(multiplicity.sum()), len(multiplicity)
    if total > 4 * u:
        return rng.multinomial(total, multiplicity / total, size=replicates).astype(np.float64)
    kind = np.repeat(np.arange(u), multiplicity)
    chosen = kind[rng.integers(0, total, size=(replicates, total))]
    chosen += np.arange(replicates)[:, None] * u
    return np.bincount(chosen.ravel(), minlength=replicates * u).reshape(replicates, u).astype(np.float64)


class BootstrapInterval(NamedTuple):
    """Percentile interval over the defined replicates; None where fewer than two are defined."""

    se: float | None
    low: float | None
    high: float | None
    undefined: int
    differing: bool
    """Whether the defined replicates differ at all."""


def percentile_interval(values: Floats, confidence: float) -> BootstrapInterval:
    """Drop and count undefined (NaN) replicates; quantiles are interpolated linearly."""
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if len(defined) < 2:
        return BootstrapInterval(None, None, None, undefined, False)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    differing = bool(defined.max() > defined.min())
    return BootstrapInterval(float(defined.std(ddof=1)), float(low), float(high), undefined, differing)
