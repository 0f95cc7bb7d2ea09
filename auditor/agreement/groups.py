"""Coefficients over any number of annotators with missing ratings, after Gwet 2014.

Observed agreement is the mean over items with at least two ratings; the marginals are the mean, over items with at
least one, of the shares within an item.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from auditor.agreement.pairs import Parts
from auditor.agreement.patterns import Patterns
from auditor.agreement.ratings import Floats, Ints
from auditor.agreement.views import View, choices_by_pattern


@dataclass(frozen=True, slots=True, eq=False)
class GroupTable:
    """Per pattern of labels: how many annotators chose each category, and how far they are apart."""

    share: Floats
    """Share of each used category within the pattern, shape (m, k)."""
    paired: Floats
    """1 where the pattern has at least two ratings, else 0; shape (m,)."""
    apart: Floats
    """Mean distance over pairs of different annotators, 0 where there is no pair; shape (m,)."""
    count: Floats
    used: Ints
    distances: Floats | None
    q: int
    mean_distance: float

    @property
    def features(self) -> Floats:
        """The additive sums of one item of each pattern: 1, paired, distance, shares; shape (m, 3 + k)."""
        head = np.stack([np.ones(len(self.paired)), self.paired, self.apart], axis=1)
        return np.concatenate([head, self.share], axis=1)

    @property
    def totals(self) -> Floats:
        return np.asarray(self.count @ self.features)[None, :]

    @property
    def n_items(self) -> int:
        return int(self.count @ self.paired)

    def parts(self, statistic: str, sums: Floats) -> Parts:
        """Return observed and expected disagreement for each row of sums."""
        return group_parts(GROUP_STATISTICS[statistic], sums, self)

    def standard_error(self, statistic: str) -> float | None:
        """Return Gwet's 2014 linearised standard error; None for a single item."""
        return group_standard_error(GROUP_STATISTICS[statistic], self)


def group_table(patterns: Patterns, view: View) -> GroupTable:
    """Build the table from patterns of any number of columns."""
    chosen, used = choices_by_pattern(patterns.values, view)
    n = chosen.sum(axis=1)
    paired = n >= 2
    if view.distances is None:
        distances = None
        # pairs that differ: n^2 - sum of squares, in whole numbers
        differing = n * n - (chosen * chosen).sum(axis=1)
        mean = (view.q - 1) / view.q if view.q else 0.0
    else:
        distances = view.distances[np.ix_(used, used)]
        differing = ((chosen @ distances) * chosen).sum(axis=1)
        mean = float(view.distances.mean())
    apart = np.zeros(len(n))
    np.divide(differing, n * (n - 1), out=apart, where=paired)
    share = chosen / np.maximum(n, 1)[:, None]
    return GroupTable(share, paired.astype(np.float64), apart, patterns.count, used, distances, view.q, mean)


class GroupStatistic(NamedTuple):
    """How a coefficient's expected disagreement follows from the marginals."""

    expected: Callable[[Floats, GroupTable], Floats]
    """Expected disagreement from marginals of shape (b, k); shape (b,)."""
    by_category: Callable[[Floats, GroupTable], Floats] | None
    """Expected disagreement of an item of each category with the marginals, shape (k,); None = constant."""
    corrected: bool
    weighted: bool


def group_parts(statistic: GroupStatistic, sums: Floats, table: GroupTable) -> Parts:
    """Return observed and expected disagreement for each row of sums."""
    items, paired, apart, mass = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    observed = np.full(items.shape, np.nan)
    np.divide(apart, paired, out=observed, where=paired > 0)
    marginals = np.zeros(mass.shape)
    np.divide(mass, items[:, None], out=marginals, where=items[:, None] > 0)
    expected = np.where(paired > 0, statistic.expected(marginals, table), np.nan)
    return Parts(observed, expected)


def group_standard_error(statistic: GroupStatistic, table: GroupTable) -> float | None:
    """Return Gwet's 2014 linearised standard error, items sampled, divisor n (n - 1); None for a single item."""
    totals = table.totals
    n, paired = float(totals[0, 0]), float(totals[0, 1])
    if n < 2:
        return None
    observed, expected = (float(part[0]) for part in group_parts(statistic, totals, table))
    value = 1 - observed / expected
    per_item = n / paired * table.paired * (expected - table.apart) / expected
    if statistic.by_category is not None:
        own = table.share @ statistic.by_category(totals[0, 3:] / n, table)
        per_item = per_item + 2 * (1 - value) * (own - expected) / expected
    return float(np.sqrt(table.count @ (per_item - value) ** 2 / n / (n - 1)))


# --- expected disagreement of each coefficient ----------------------------------------------------------------------


def _one(marginals: Floats, table: GroupTable) -> Floats:
    return np.ones(len(marginals))


def _uniform(marginals: Floats, table: GroupTable) -> Floats:
    return np.full(len(marginals), table.mean_distance)


def _fleiss(marginals: Floats, table: GroupTable) -> Floats:
    if table.distances is None:
        rest = marginals.sum(axis=1, keepdims=True) - marginals
        return np.asarray((marginals * rest).sum(axis=1))
    return np.asarray(((marginals @ table.distances) * marginals).sum(axis=1))


def _fleiss_by_category(marginals: Floats, table: GroupTable) -> Floats:
    return np.asarray(1 - marginals if table.distances is None else table.distances @ marginals)


def _gwet_factor(table: GroupTable) -> float:
    """Sum of the agreement weights over q (q - 1): 1 / (q - 1) when the categories are unordered."""
    return (1 - table.mean_distance) * table.q / (table.q - 1)


def _gwet(marginals: Floats, table: GroupTable) -> Floats:
    if table.q < 2:
        return np.zeros(len(marginals))
    return np.asarray(1 - _gwet_factor(table) * (marginals * (1 - marginals)).sum(axis=1))


def _gwet_by_category(marginals: Floats, table: GroupTable) -> Floats:
    return np.asarray(1 - _gwet_factor(table) * (1 - marginals))


GWET = "asymptotic normal, Gwet 2014"

GROUP_STATISTICS: dict[str, GroupStatistic] = {
    "percent": GroupStatistic(_one, None, False, False),
    "gwet_ac1": GroupStatistic(_gwet, _gwet_by_category, True, False),
    "gwet_ac2": GroupStatistic(_gwet, _gwet_by_category, True, True),
    "brennan_prediger": GroupStatistic(_uniform, None, True, True),
    "fleiss_kappa": GroupStatistic(_fleiss, _fleiss_by_category, True, False),
}
