"""The bootstrap: whole clusters (or items) resampled by multinomial weights on sums that are additive over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from auditor.agreement.coefficient import ROUNDING
from auditor.agreement.patterns import Patterns
from auditor.agreement.ratings import Bools, Floats, Ints
from auditor.errors import InputError

_CHUNK_CELLS = 4_000_000
_KEPT_CELLS = 16_000_000
"""Weights up to this many cells are drawn once and kept; larger ones are drawn again for each table."""
_MAX_COLUMNS = 1_000
"""Most columns of features that are summed at once."""
_MAX_CELLS = 100_000_000
"""Largest table of patterns by features that is held in memory."""


def refuse_too_large(patterns: int, width: int) -> None:
    """Raise InputError when a table of patterns by features would not fit into memory."""
    if patterns * width > _MAX_CELLS:
        raise InputError(
            f"{patterns} different combinations of labels by {width} columns are too many to count.",
            hint="Is the label column the right one?",
        )


class Later:
    """Features of units that wait to be summed over the resamples."""

    def __init__(self, resampler: Resampler, by_unit: Floats) -> None:
        self._resampler = resampler
        self.by_unit = by_unit
        self.width = by_unit.shape[1]
        self._sums: Floats | None = None

    @property
    def sums(self) -> Floats:
        """The summed features by replicate, shape (replicates, k)."""
        if self._sums is None:
            self._resampler.sum_waiting()
        assert self._sums is not None
        return self._sums

    def keep(self, sums: Floats) -> None:
        """Keep the sums, and the features no longer."""
        self._sums, self.by_unit = sums, np.empty((0, self.width))


class Resampler:
    """Resamples the clusters (or items) of patterns; every table over them sees the same draws.

    Units that were labelled alike are merged and sorted by their labels, so a seed gives the same draws whatever the
    order of rows, items or clusters.
    """

    def __init__(self, patterns: Patterns, *, by_cluster: bool, replicates: int, seed: int) -> None:
        self.replicates = replicates
        self.seed = seed
        self._count = patterns.count
        if by_cluster and patterns.cluster is not None:
            self._starts: Ints | None = np.flatnonzero(np.diff(patterns.cluster, prepend=-1))
            self._example, self._multiplicity = _alike_clusters(patterns, self._starts)
        else:
            self._starts = None
            _, self._example, kind = np.unique(patterns.key, return_index=True, return_inverse=True)
            self._multiplicity = np.bincount(kind, weights=patterns.count, minlength=len(self._example)).astype(
                np.int64
            )
        self._weights: list[Floats] | None = None
        self._waiting: list[Later] = []

    @property
    def units(self) -> int:
        """How many clusters or items are resampled."""
        return int(self._multiplicity.sum())

    def units_with(self, measured: Bools) -> int:
        """Count the clusters or items that hold something to measure; `measured` says so by pattern, shape (m,)."""
        if self._starts is None:
            return int(self._count @ measured)
        return int(np.logical_or.reduceat(measured, self._starts).sum()) if len(measured) else 0

    def sums(self, features: Floats) -> Floats:
        """Return the features (m, k) of patterns summed over each resample, shape (replicates, k)."""
        return self.later(features).sums

    def later(self, features: Floats) -> Later:
        """Sum features when they are first asked for, with all others that wait: drawing is what takes long."""
        if self._starts is None:
            by_unit = features
        else:
            by_unit = np.add.reduceat(features * self._count[:, None], self._starts, axis=0)
        waiting = Later(self, by_unit[self._example])
        self._waiting.append(waiting)
        return waiting

    def sum_waiting(self) -> None:
        """Sum all features that wait, as many at once as columns fit."""
        waiting, self._waiting = self._waiting, []
        while waiting:
            width, taken = 0, 0
            while taken < len(waiting) and (taken == 0 or width + waiting[taken].width <= _MAX_COLUMNS):
                width += waiting[taken].width
                taken += 1
            by_unit = np.concatenate([one.by_unit for one in waiting[:taken]], axis=1)
            summed = np.concatenate([weights @ by_unit for weights in self._drawn()])
            ends = np.cumsum([one.width for one in waiting[:taken]])
            for one, columns in zip(waiting[:taken], np.split(summed, ends[:-1], axis=1), strict=True):
                one.keep(np.ascontiguousarray(columns))
            waiting = waiting[taken:]

    def _drawn(self) -> Iterator[Floats]:
        if self.replicates * len(self._example) > _KEPT_CELLS:
            return self._draw()
        if self._weights is None:
            self._weights = list(self._draw())
        return iter(self._weights)

    def _draw(self) -> Iterator[Floats]:
        rng = np.random.default_rng(self.seed)
        step = max(1, _CHUNK_CELLS // max(1, len(self._example)))
        for start in range(0, self.replicates, step):
            yield _multinomial(rng, self._multiplicity, min(step, self.replicates - start))


def _alike_clusters(patterns: Patterns, starts: Ints) -> tuple[Ints, Ints]:
    """Merge clusters labelled alike; return an example of each kind, sorted by labels, and how many it has."""
    content = np.stack([patterns.key, patterns.count.astype(np.int64)], axis=1).astype(">i8")
    kinds: dict[bytes, list[int]] = {}
    for cluster, rows in enumerate(np.split(content, starts[1:]) if len(starts) else []):
        kinds.setdefault(rows.tobytes(), []).append(cluster)
    alike = [kinds[labels] for labels in sorted(kinds)]
    return np.array([kind[0] for kind in alike], dtype=np.int64), np.array(
        [len(kind) for kind in alike], dtype=np.int64
    )


def _multinomial(rng: np.random.Generator, multiplicity: Ints, replicates: int) -> Floats:
    """Draw weights, shape (replicates, units); both ways below have the same distribution."""
    total, kinds = int(multiplicity.sum()), len(multiplicity)
    if total > 4 * kinds:
        return rng.multinomial(total, multiplicity / total, size=replicates).astype(np.float64)
    chosen = rng.integers(0, total, size=(replicates, total))
    if total > kinds:
        chosen = np.repeat(np.arange(kinds), multiplicity).take(chosen)
    chosen += np.arange(replicates)[:, None] * kinds
    return np.bincount(chosen.ravel(), minlength=replicates * kinds).reshape(replicates, kinds).astype(np.float64)


class BootstrapInterval(NamedTuple):
    """Percentile interval over the defined replicates; None where fewer than two are defined."""

    se: float | None
    low: float | None
    high: float | None
    undefined: int
    differing: bool
    """Whether the defined replicates differ by more than rounding."""


def percentile_interval(values: Floats, confidence: float) -> BootstrapInterval:
    """Drop and count undefined (NaN) replicates; quantiles are interpolated linearly."""
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if len(defined) < 2:
        return BootstrapInterval(None, None, None, undefined, False)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    differing = bool(defined.max() - defined.min() > ROUNDING)
    return BootstrapInterval(float(defined.std(ddof=1)), float(low), float(high), undefined, differing)
