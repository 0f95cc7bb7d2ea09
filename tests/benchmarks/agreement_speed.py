"""Time agreement against plain numpy doing the least that the task needs; prints ratios and fails only far beyond them.

Run with: python -m tests.benchmarks.agreement_speed
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from auditor.agreement.coefficient import Options
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings import Floats, Ints, Ratings
from auditor.agreement.ratings_csv import read_ratings
from auditor.analysis.cluster_bootstrap import cluster_bootstrap_ratio

ITEMS = 500_000
TAGS = 11
CLUSTERS = 164
REPLICATES = 10_000
CSV_SECONDS = 10.0
"""Most that reading 1M rows may take."""


def best_of(runs: int, work: Callable[[], object]) -> float:
    """Return the least wall time of some runs, in seconds."""
    least = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least


def aligned(item: Ints, annotator: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Return both annotators' labels by item from one row a rating."""
    labels = np.full((2, ITEMS), -1)
    labels[annotator, item] = value
    both = (labels >= 0).all(axis=0)
    return labels[0, both], labels[1, both]


def kappa_and_error(item: Ints, annotator: Ints, value: Ints) -> tuple[float, float]:
    """Return kappa and its standard error from one bincount: the floor."""
    first, second = aligned(item, annotator, value)
    p = np.bincount(first * TAGS + second, minlength=TAGS * TAGS).reshape(TAGS, TAGS) / len(first)
    row, column = p.sum(axis=1), p.sum(axis=0)
    observed, chance = np.trace(p), row @ column
    moved = (np.eye(TAGS) * (1 - chance) - (row[None, :] + column[:, None]) * (1 - observed)) ** 2
    variance = (p * moved).sum() - (observed * chance - 2 * chance + observed) ** 2
    return float((observed - chance) / (1 - chance)), float(np.sqrt(variance / len(first)) / (1 - chance) ** 2)


def kappa_replicates(first: Ints, second: Ints, cluster: Ints) -> Floats:
    """Return kappa by replicate from a table a cluster and multinomial weights: the floor."""
    tables = np.bincount((cluster * TAGS + first) * TAGS + second, minlength=CLUSTERS * TAGS * TAGS)
    weights = np.random.default_rng(0).multinomial(CLUSTERS, np.full(CLUSTERS, 1 / CLUSTERS), size=REPLICATES)
    drawn = (weights.astype(float) @ tables.reshape(CLUSTERS, -1)).reshape(REPLICATES, TAGS, TAGS)
    n = drawn.sum(axis=(1, 2))
    observed = np.einsum("bii->b", drawn) / n
    chance = np.einsum("bi,bi->b", drawn.sum(axis=2), drawn.sum(axis=1)) / n**2
    return np.asarray((observed - chance) / (1 - chance))


def write_csv(path: Path, first: Ints, second: Ints, cluster: Ints) -> None:
    """Write two ratings of every item."""
    with path.open("w", encoding="utf-8") as lines:
        lines.write("item,annotator,label,cluster\n")
        for who, labels in (("ann", first), ("bob", second)):
            rows = zip(labels.tolist(), cluster.tolist(), strict=True)
            lines.writelines(f"study/case-{i}/arm/setting/0,{who},tag {v},p{c}\n" for i, (v, c) in enumerate(rows))


def main() -> int:
    """Print each measurement beside its floor; return 1 when one is far beyond it."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, TAGS, ITEMS)
    second = np.where(rng.random(ITEMS) < 0.7, first, rng.integers(0, TAGS, ITEMS))
    cluster = rng.integers(0, CLUSTERS, ITEMS)
    names = tuple(f"tag {tag:02}" for tag in range(TAGS))
    columns = np.tile(np.arange(ITEMS), 2), np.repeat([0, 1], ITEMS), np.concatenate([first, second])
    plain = Ratings(*columns, ("ann", "bob"), names, names, ITEMS)
    grouped = Ratings(*columns, ("ann", "bob"), names, names, ITEMS, cluster=cluster)
    kappa = Options(statistics=("cohen_kappa",), replicates=REPLICATES)
    failed = False
    for what, floor, ours, limit in (
        (
            f"kappa and SE, {ITEMS:,} items x 2",
            best_of(5, lambda: kappa_and_error(*columns)),
            best_of(5, lambda: measure_agreement(plain, kappa)),
            10,
        ),
        (
            f"{REPLICATES:,} cluster bootstrap replicates, {CLUSTERS} clusters, {ITEMS:,} pairs",
            best_of(3, lambda: kappa_replicates(first, second, cluster)),
            best_of(3, lambda: measure_agreement(grouped, kappa)),
            8,
        ),
        (
            f"every usual coefficient of {TAGS} tags with intervals, the same data, against one kappa",
            best_of(3, lambda: kappa_replicates(first, second, cluster)),
            best_of(3, lambda: measure_agreement(grouped, Options(replicates=REPLICATES))),
            40,
        ),
    ):
        print(f"{what}: {1000 * ours:.0f} ms; numpy floor {1000 * floor:.0f} ms; ratio {ours / floor:.1f}")
        failed |= ours > limit * floor
    sizes = rng.integers(1, 40, 314).astype(float)
    ratio = best_of(5, lambda: cluster_bootstrap_ratio(np.floor(sizes * 0.7), sizes))
    print(f"ratio of sums, 10,000 replicates on 314 clusters: {1000 * ratio:.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        write_csv(path, first, second, cluster)
        reading = best_of(1, lambda: read_ratings(path))
    print(f"reading {2 * ITEMS:,} rows of CSV: {reading:.1f} s; budget {CSV_SECONDS:.0f} s")
    return int(failed or reading > CSV_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
