"""Time the statistics against a plain loop and scipy or statsmodels; prints ratios, and fails only far beyond budgets.

The sizes are those of the published grid: 2,397 pairs in 314 clusters, 420 series, 8,721 rows in 313 clusters.

Run with: python -m tests.benchmarks.statistics_speed
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np
import statsmodels.api as sm
from scipy.stats import bootstrap, mannwhitneyu, permutation_test

from auditor.analysis import cluster_logit, paired_difference, rank_association

REPLICATES = 10_000
PAIRS, CLUSTERS = 2_397, 314
SERIES = (283,) * 84 + (35,) * 84 + (30,) * 168 + (22,) * 84
"""Rows of each of the 420 series: three measures, seven settings, four arms, five studies."""
ROWS, SOURCES, COLUMNS = 8_721, 313, 14
BOOTSTRAP_SECONDS, SERIES_SECONDS, FIT_SECONDS = 1.0, 120.0, 2.0
FAR = 4
"""How many times its budget a measurement may take before it fails: machines differ."""
LOOP_SHARE = 50
"""Of how many replicates or shuffles the plain loops and slow peers do one."""


def seconds_of(work: Callable[[], object], runs: int = 1) -> float:
    """Return the least wall time of some runs."""
    least = float("inf")
    for _ in range(runs):
        began = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - began)
    return least


def loop_difference(a: Sequence[int], b: Sequence[int], clusters: Sequence[int], replicates: int) -> list[float]:
    """Return replicates of the paired difference by drawing clusters and going through their pairs."""
    members: dict[int, list[int]] = {}
    for place, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(place)
    names, draw, found = list(members), random.Random(1), []
    for _ in range(replicates):
        places = [place for _ in names for place in members[draw.choice(names)]]
        found.append(sum(a[place] - b[place] for place in places) / len(places))
    return found


def loop_shuffles(values: Sequence[int], failures: int, replicates: int) -> int:
    """Count shuffles with a statistic at least as large as the observed, by going through all pairs."""

    def doubled(order: Sequence[int]) -> int:
        return sum((one > other) + (one >= other) for one in order[:failures] for other in order[failures:])

    order, draw = list(values), random.Random(1)
    observed, found = doubled(order), 0
    for _ in range(replicates):
        draw.shuffle(order)
        found += doubled(order) >= observed
    return found


def time_bootstrap() -> bool:
    """Time the paired bootstrap; return whether it is far beyond its budget."""
    rng = np.random.default_rng(1)
    clusters = np.sort(np.concatenate([np.arange(CLUSTERS), rng.integers(0, CLUSTERS, PAIRS - CLUSTERS)]))
    a, b = (rng.random(PAIRS) < share for share in (0.6, 0.45))
    given = (a.astype(float), b.astype(float), clusters.tolist())
    ours = seconds_of(lambda: paired_difference(*given, replicates=REPLICATES), 3)
    numbers = (a.astype(int).tolist(), b.astype(int).tolist(), clusters.tolist())
    loop = LOOP_SHARE * seconds_of(lambda: loop_difference(*numbers, REPLICATES // LOOP_SHARE))
    top = np.bincount(clusters, weights=a.astype(float) - b)
    size = np.bincount(clusters).astype(float)

    def ratio(top: np.ndarray, size: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(top.sum(axis=axis) / size.sum(axis=axis))

    options = {"paired": True, "vectorized": True, "method": "percentile", "n_resamples": REPLICATES}
    peer = seconds_of(lambda: bootstrap((top, size), ratio, rng=np.random.default_rng(1), **options))
    print(f"{REPLICATES:,} replicates of {PAIRS:,} pairs in {CLUSTERS} clusters: {1000 * ours:.0f} ms")
    print(f"  plain loop over pairs: {loop:.1f} s; ratio {loop / ours:.0f}")
    print(f"  scipy bootstrap of sums by cluster: {1000 * peer:.0f} ms; ratio {peer / ours:.1f}")
    return ours > FAR * BOOTSTRAP_SECONDS


def time_series() -> bool:
    """Time all permutation tests; return whether they are far beyond their budget."""
    rng = np.random.default_rng(2)
    given = [(rng.integers(0, 400, n).tolist(), max(1, n // 3)) for n in SERIES]
    ours = seconds_of(lambda: [rank_association(x[:k], x[k:], REPLICATES) for x, k in given])
    values, k = given[0]
    one = seconds_of(lambda: rank_association(values[:k], values[k:], REPLICATES), 3)
    loop = LOOP_SHARE * seconds_of(lambda: loop_shuffles(values, k, REPLICATES // LOOP_SHARE))

    def theta(failures: np.ndarray, successes: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(mannwhitneyu(failures, successes, axis=axis, method="asymptotic").statistic)

    options = {"vectorized": True, "n_resamples": REPLICATES // LOOP_SHARE, "alternative": "greater"}
    both = (np.array(values[:k]), np.array(values[k:]))
    peer = LOOP_SHARE * seconds_of(lambda: permutation_test(both, theta, rng=np.random.default_rng(1), **options))
    print(
        f"{len(SERIES)} series of {REPLICATES:,} shuffles: {ours:.1f} s; one of {len(values)} rows {1000 * one:.0f} ms"
    )
    print(f"  plain loop over pairs: {loop:.1f} s; ratio {loop / one:.0f}")
    print(f"  scipy permutation_test: {peer:.1f} s; ratio {peer / one:.0f}")
    return ours > FAR * SERIES_SECONDS


def time_fit() -> bool:
    """Time the logit with its checks; return whether it is far beyond its budget."""
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 7, ROWS)
    x = np.column_stack([np.ones(ROWS), rng.normal(size=(ROWS, 7)), *(groups == level for level in range(1, 7))])
    y = rng.random(ROWS) < 1 / (1 + np.exp(-(x @ rng.normal(0, 0.6, COLUMNS))))
    clusters = rng.integers(0, SOURCES, ROWS)
    names = [f"x{place}" for place in range(COLUMNS)]
    ours = seconds_of(lambda: cluster_logit(y.tolist(), names, x, clusters.tolist()), 3)

    def bare() -> object:
        robust = {"cov_type": "cluster", "cov_kwds": {"groups": clusters, "use_correction": True}, "use_t": True}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sm.Logit(y.astype(float), x).fit(disp=False, **robust)

    peer = seconds_of(bare, 3)
    print(f"Logit of {ROWS:,} rows, {COLUMNS} columns, {SOURCES} clusters: {1000 * ours:.0f} ms")
    print(f"  statsmodels without our checks of rank and separation: {1000 * peer:.0f} ms; ratio {peer / ours:.2f}")
    return ours > FAR * FIT_SECONDS


def main() -> int:
    """Print each measurement; return 1 when one is far beyond its budget."""
    found = [time_bootstrap(), time_series(), time_fit()]
    return int(any(found))


if __name__ == "__main__":
    sys.exit(main())
