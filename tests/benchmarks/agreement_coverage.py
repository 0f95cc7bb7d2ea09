"""How often 95 % intervals of a tag's kappa hold the true value, by number of clusters and prevalence of the tag.

Two annotators, clusters of 5 near-duplicate items (an item repeats its cluster's example with probability 0.8, labels
and all), a true kappa of 0.6. Prints the table of docs/agreement.md; returns 1 when a cluster interval covers less than
91 or more than 97 % from 40 clusters and a prevalence of 0.2 on, or an item-level interval does cover there, or the
warnings are not where the intervals fail.

Run with: python -m tests.benchmarks.agreement_coverage [DATASETS]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import hypot
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from auditor.agreement.coefficient import Coefficient, Options
from auditor.agreement.difference import Side, measure_difference
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings import Bools, Ratings

KAPPA = 0.6
ITEMS_A_CLUSTER = 5
COPIED = 0.8
"""Probability that an item repeats its cluster's example."""
PREVALENCES = (0.05, 0.2, 0.5)
CLUSTERS = (10, 20, 40, 80, 160)
DATASETS = 1_000
REPLICATES = 1_000
LEAST, MOST = 0.91, 0.97
NEAR = 0.01
"""A cell whose coverage is so near to the least one that chance decides is not judged."""


class Cell(NamedTuple):
    """What intervals of data sets with so many clusters and this prevalence did; shares of those with a kappa."""

    prevalence: float
    clusters: int
    undefined: float
    """Share of all data sets in which kappa or its interval is undefined."""
    with_tag: float
    """Mean number of clusters in which an annotator put the tag."""
    percentile: float
    t: float
    item: float
    """Of the asymptotic interval that takes items for independent."""
    warned: float
    unwarned: float | None
    """Coverage of the interval shown where it came without a warning; None where that is rare."""


def labels(rng: np.random.Generator, clusters: int, prevalence: float) -> tuple[Bools, Bools]:
    """Draw which items each of two annotators gives the tag, shape (clusters, items)."""
    both = prevalence**2 + KAPPA * prevalence * (1 - prevalence)
    one = prevalence - both
    limits = np.cumsum([both, one, one])
    example = np.searchsorted(limits, rng.random((clusters, 1)))
    own = np.searchsorted(limits, rng.random((clusters, ITEMS_A_CLUSTER)))
    cell = np.where(rng.random(own.shape) < COPIED, example, own)
    return np.isin(cell, (0, 1)), np.isin(cell, (0, 2))


def ratings_of(first: Bools, second: Bools) -> Ratings:
    """Build ratings of two annotators from who gave the tag."""
    items = first.size
    value = np.where(np.concatenate([first.ravel(), second.ravel()]), 0, 1).astype(np.int64)
    cluster = np.repeat(np.arange(len(first)), ITEMS_A_CLUSTER)
    item, annotator = np.tile(np.arange(items), 2), np.repeat([0, 1], items)
    names = ("tag", "rest")
    return Ratings(item, annotator, value, ("ann", "bob"), names, names, items, declared=True, cluster=cluster)


def measured(clusters: int, prevalence: float, datasets: int) -> Iterator[tuple[int, Coefficient, Coefficient]]:
    """Yield for each data set the clusters with the tag, and kappa with cluster-level and with item-level intervals."""
    rng = np.random.default_rng([clusters, round(1000 * prevalence)])
    for seed in range(datasets):
        first, second = labels(rng, clusters, prevalence)
        ratings = ratings_of(first, second)
        kappa = Options(statistics=("cohen_kappa",), tags=("tag",), replicates=REPLICATES, seed=seed)
        (by_cluster,) = measure_agreement(ratings, kappa)
        (by_item,) = measure_agreement(ratings, Options(statistics=kappa.statistics, tags=kappa.tags, bootstrap="none"))
        yield int((first | second).any(axis=1).sum()), by_cluster, by_item


def holds(low: float | None, high: float | None) -> bool:
    """Say whether an interval holds the true kappa."""
    return low is not None and high is not None and low <= KAPPA <= high


def cell_of(clusters: int, prevalence: float, datasets: int) -> Cell:
    """Measure so many data sets of one kind."""
    found = list(measured(clusters, prevalence, datasets))
    kept = [one for one in found if one[1].ci_low is not None]
    unwarned = [one for _, one, _ in kept if not one.warnings]
    return Cell(
        prevalence,
        clusters,
        1 - len(kept) / datasets,
        float(np.mean([with_tag for with_tag, _, _ in found])),
        float(np.mean([holds(one.ci_low, one.ci_high) for _, one, _ in kept])),
        float(np.mean([holds(one.t_low, one.t_high) for _, one, _ in kept])),
        float(np.mean([holds(one.ci_low, one.ci_high) for _, _, one in kept])),
        1 - len(unwarned) / len(kept),
        float(np.mean([holds(one.shown_low, one.shown_high) for one in unwarned]))
        if len(unwarned) >= datasets / 10
        else None,
    )


def complaint(cell: Cell) -> str | None:
    """Say what of a cell is not as it must be; None when all is well."""
    if cell.clusters >= 40 and cell.prevalence >= 0.2:
        if not LEAST <= cell.percentile <= MOST:
            return "the cluster interval does not cover as it says"
        if cell.item >= LEAST:
            return "the item-level interval covers"
    if abs(cell.percentile - LEAST) > NEAR and (cell.percentile < LEAST) != (cell.warned > 0.5):
        return "warnings are not where the interval fails"
    return None


def row_of(cell: Cell) -> str:
    """Write a cell as a row of the Markdown table; shares in percent."""
    shares = (cell.undefined, cell.percentile, cell.t, cell.item, cell.warned)
    undefined, percentile, t, item, warned = (f"{100 * share:.1f}" for share in shares)
    unwarned = "-" if cell.unwarned is None else f"{100 * cell.unwarned:.1f}"
    fields = (cell.prevalence, cell.clusters, f"{cell.with_tag:.1f}", percentile, t, item, warned, unwarned, undefined)
    return f"| {' | '.join(map(str, fields))} |"


class DifferenceCell(NamedTuple):
    """How often intervals of the difference of two kappas, which is 0, hold 0; shares of those with an interval."""

    prevalence: float
    clusters: int
    same_draws: float
    apart: float
    """Of intervals that take the two sides for independent: both standard errors squared and added."""


def difference_cell(clusters: int, prevalence: float, datasets: int) -> DifferenceCell:
    """Compare the first three items of every cluster with the other two, in so many data sets."""
    rng = np.random.default_rng([clusters, round(1000 * prevalence), 2])
    early = np.tile(np.arange(ITEMS_A_CLUSTER) < 3, clusters)
    same_draws, apart = [], []
    for seed in range(datasets):
        ratings = ratings_of(*labels(rng, clusters, prevalence))
        kappa = Options(statistics=("cohen_kappa",), tags=("tag",), replicates=REPLICATES, seed=seed)
        (found,) = measure_difference(ratings, Side(items=early), Side(items=~early), kappa)
        if found.ci_low is None or found.ci_high is None or found.value is None:
            continue
        errors = [one.se or 0.0 for one in (found.first, found.second)]
        same_draws.append(found.ci_low <= 0 <= found.ci_high)
        apart.append(abs(found.value) <= NormalDist().inv_cdf(0.975) * hypot(*errors))
    return DifferenceCell(prevalence, clusters, float(np.mean(same_draws)), float(np.mean(apart)))


DIFFERENCE_HEAD = (
    "| prevalence | clusters | on the same draws | sides as independent |",
    "|---|---|---|---|",
)
HEAD = (
    "| prevalence | clusters | with the tag | percentile | t | items as independent | warned | unwarned | undefined |",
    "|---|---|---|---|---|---|---|---|---|",
)


def main() -> int:
    """Print the table row by row; return 1 when anything is not as it must be."""
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else DATASETS
    print("\n".join(HEAD), flush=True)
    failed = 0
    for prevalence in PREVALENCES:
        for clusters in CLUSTERS:
            cell = cell_of(clusters, prevalence, datasets)
            print(row_of(cell), flush=True)
            wrong = complaint(cell)
            if wrong is not None:
                failed = 1
                print(f"prevalence {prevalence}, {clusters} clusters: {wrong}", file=sys.stderr)
    print("\n".join(["", *DIFFERENCE_HEAD]), flush=True)
    for prevalence in PREVALENCES[1:]:
        for clusters in CLUSTERS[1:4]:
            pair = difference_cell(clusters, prevalence, datasets)
            print(f"| {prevalence} | {clusters} | {100 * pair.same_draws:.1f} | {100 * pair.apart:.1f} |", flush=True)
            if clusters >= 40 and not LEAST - NEAR <= pair.same_draws <= MOST:
                failed = 1
                print(f"differences, prevalence {prevalence}, {clusters} clusters: not as it says", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
