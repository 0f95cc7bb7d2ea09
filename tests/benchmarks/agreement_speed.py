"""Time agreement against plain numpy doing the least that the task needs; prints ratios and fails only far beyond them.

Run with: python -m tests.benchmarks.agreement_speed
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from auditor.agreement.coefficient import ALL, Options
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings import Floats, Ints, Ratings
from auditor.agreement.ratings_csv import read_ratings
from auditor.analysis.cluster_bootstrap import cluster_bootstrap_ratio
from tests.benchmarks.agreement_peers import SLOW_ITEMS, installed_peers

ITEMS = 500_000
TAGS = 11
CLUSTERS = 164
REPLICATES = 10_000
PANEL = ("fleiss_kappa", "gwet_ac1", "brennan_prediger", "krippendorff_alpha")
"""Measured together over five annotators of 200,000 items."""
PANEL_ITEMS, PANEL_SIZE = 200_000, 5
TAGS_A_BOOTSTRAP, BOOTSTRAP_ITEMS, BOOTSTRAP_SECONDS = 12, 20_000, 2.0
"""Kappa of each tag with 10,000 replicates is there within so many seconds."""
FAR = 4
"""How many times its budget a measurement may take before it fails: machines differ."""
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


def panel_against_peers() -> bool:
    """Measure 1,000,000 ratings by five annotators beside other packages; return whether one of them is faster."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, TAGS, PANEL_ITEMS)
    labels = np.where(
        rng.random((PANEL_SIZE, PANEL_ITEMS)) < 0.7, truth, rng.integers(0, TAGS, (PANEL_SIZE, PANEL_ITEMS))
    )
    names = tuple(f"tag {tag:02}" for tag in range(TAGS))
    item, annotator = np.tile(np.arange(PANEL_ITEMS), PANEL_SIZE), np.repeat(np.arange(PANEL_SIZE), PANEL_ITEMS)
    ratings = Ratings(item, annotator, labels.ravel(), tuple("abcde"), names, names, PANEL_ITEMS, declared=True)
    found = {one.statistic: one for one in measure_agreement(ratings, Options(statistics=PANEL)) if one.scope == ALL}
    ours = best_of(3, lambda: measure_agreement(ratings, Options(statistics=PANEL)))
    print(f"{', '.join(PANEL)} with errors, {PANEL_SIZE} x {PANEL_ITEMS:,}, and the pairs': {1000 * ours:.0f} ms")
    return beside_peers(labels.T, ours, {name: one.value for name, one in found.items()})


def beside_peers(labels: Ints, ours: float, values: dict[str, float | None]) -> bool:
    """Print what other packages need for any of the coefficients alone; return whether one of them needs less."""
    slower = False
    for peer in installed_peers():
        value = values.get(peer.coefficient)
        if value is None:
            continue
        given = labels[:SLOW_ITEMS] if peer.slow else labels
        seconds = best_of(1 if peer.slow else 3, partial(peer.compute, given)) * len(labels) / len(given)
        note = f", from {SLOW_ITEMS:,} items" if peer.slow else ""
        print(f"  {peer.package}, {peer.coefficient} alone{note}: {1000 * seconds:.0f} ms; ratio {seconds / ours:.1f}")
        assert peer.slow or abs(value - peer.compute(given)) < 1e-9, "the packages do not agree"
        slower |= seconds < ours
    return slower


def tags_by_clusters(clusters: int) -> float:
    """Return the seconds that kappa of every tag takes with 10,000 replicates."""
    rng = np.random.default_rng(3)
    first = rng.random((BOOTSTRAP_ITEMS, TAGS_A_BOOTSTRAP)) < 0.15
    second = np.where(rng.random(first.shape) < 0.8, first, rng.random(first.shape) < 0.15)
    sets, code = np.unique(np.concatenate([first, second]) @ (1 << np.arange(TAGS_A_BOOTSTRAP)), return_inverse=True)
    tags = tuple(f"tag {tag:02}" for tag in range(TAGS_A_BOOTSTRAP))
    values = tuple(frozenset(tag for at, tag in enumerate(tags) if one >> at & 1) for one in sets.tolist())
    ratings = Ratings(
        np.tile(np.arange(BOOTSTRAP_ITEMS), 2),
        np.repeat([0, 1], BOOTSTRAP_ITEMS),
        code.ravel(),
        ("ann", "bob"),
        values,
        tags,
        BOOTSTRAP_ITEMS,
        declared=True,
        multi=True,
        cluster=rng.integers(0, clusters, BOOTSTRAP_ITEMS),
    )
    kappa = Options(statistics=("cohen_kappa",), tags=tags, replicates=REPLICATES)
    return best_of(2, lambda: measure_agreement(ratings, kappa))


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
    (one,) = measure_agreement(plain, kappa)
    both = np.stack([first, second], axis=1)
    beside_peers(both, best_of(5, lambda: measure_agreement(plain, kappa)), {one.statistic: one.value})
    if panel_against_peers():
        print("another package is faster with a coefficient alone")
        failed = True
    for clusters in (CLUSTERS, 2_000):
        seconds = tags_by_clusters(clusters)
        print(
            f"{REPLICATES:,} replicates of the kappas of {TAGS_A_BOOTSTRAP} tags, {BOOTSTRAP_ITEMS:,} items in"
            f" {clusters:,} clusters: {seconds:.2f} s; budget {BOOTSTRAP_SECONDS:.0f} s"
        )
        failed |= seconds > FAR * BOOTSTRAP_SECONDS
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
