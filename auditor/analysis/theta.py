"""Whether a measure is larger among failures: the normalized rank statistic theta and its one-sided permutation test.

Labels are shuffled by the rows of `numpy.random.default_rng(seed).permuted`, which draws what as many calls of
`permutation` draw, so that anybody can repeat it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

_CHUNK_CELLS = 2_000_000
_EXACT = 2**53
"""Up to this, whole numbers are exact as floats."""


@dataclass(frozen=True, slots=True)
class RankAssociation:
    """Theta with its permutation test; what is undefined is None and `reason` says why."""

    theta: float | None
    """The probability that a failure's value exceeds a success's, ties counted half (Mann-Whitney U / (n_f n_s))."""
    p: float | None
    """One-sided, (1 + at_least) / (replicates + 1)."""
    n_failures: int
    n_successes: int
    at_least: int | None
    """Shuffles with a statistic at least as large as the observed one, compared as whole numbers."""
    replicates: int
    seed: int
    reason: str | None = None


def rank_association(
    failures: Sequence[float],
    successes: Sequence[float],
    replicates: int = 10_000,
    seed: int = 0,
    before_block: Callable[[], None] | None = None,
) -> RankAssociation:
    """Return theta of the failures' against the successes' values, and how often shuffled labels give as much.

    Inestimable where either group is empty. Raises ValueError for a value that is not finite, or no replicates.
    `before_block` is called before each block of shuffles; it may raise to end the work.
    """
    if replicates < 1:
        raise ValueError("a permutation test needs at least 1 replicate")
    values = [*failures, *successes]
    if any(isinstance(value, float) and not isfinite(value) for value in values):
        raise ValueError("a value is not finite")
    n, m = len(failures), len(successes)
    if not n or not m:
        which = "there is no response" if not n and not m else f"the outcome holds of {'every' if n else 'no'} response"
        reason = f"Inestimable: {which}."
        return RankAssociation(None, None, n, m, None, replicates, seed, reason)
    doubled = _doubled_ranks(values)
    observed = int(doubled[:n].sum())
    at_least = 0
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK_CELLS // len(values))
    for start in range(0, replicates, step):
        if before_block is not None:
            before_block()
        rows = np.broadcast_to(doubled, (min(step, replicates - start), len(values)))
        at_least += int((rng.permuted(rows, axis=1)[:, :n].sum(axis=1) >= observed).sum())
    # 2U = twice the rank sum of the failures, less its least possible value n (n + 1).
    theta = (observed - n * (n + 1)) / (2 * n * m)
    return RankAssociation(theta, (1 + at_least) / (replicates + 1), n, m, at_least, replicates, seed)


def _doubled_ranks(values: Sequence[float]) -> Ints:
    """Return twice the ranks of values, from 2; those that are equal share the mean, so that all are whole numbers."""
    if any(abs(value) > _EXACT for value in values):  # whole numbers that differ may be the same float
        order = {value: at for at, value in enumerate(sorted(set(values)))}
        values = [order[value] for value in values]
    _, place, counts = np.unique(np.array(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (2 * last - counts + 1)[place].astype(np.int64)
