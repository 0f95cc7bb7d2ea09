"""Coefficients of two annotators, computed from additive sums over the items that both rated.

Every coefficient corrected for chance is 1 - D_o / D_e, observed over expected disagreement: no 1 - p_e to cancel
when a tag is rare, and 0/0 shows as an exact zero. One code path serves the value (one row of sums) and the
bootstrap (a row a replicate).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from auditor.agreement.patterns import Patterns
from auditor.agreement.ratings import Floats, Ints
from auditor.agreement.resampling import refuse_too_large
from auditor.agreement.views import View


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """The occurring cells of the q x q table of two annotators, restricted to the categories that either used."""

    row: Ints
    """The first annotator's category by cell, shape (m,)."""
    column: Ints
    count: Floats
    used: Ints
    """Positions in the view of the categories used, sorted."""
    apart: Floats
    """Distance of the two categories by cell, shape (m,)."""
    distances: Floats | None
    """Distances between the used categories; None = nominal."""
    q: int
    """Number of declared categories."""
    mean_distance: float
    """Mean distance over all q x q cells of the declared categories."""
    totals: Floats
    """The sums of the whole table, shape (1, 1 + 2k)."""

    @property
    def features(self) -> Floats:
        """The additive sums of one item in each cell: distance, one-hot row, one-hot column; shape (m, 1 + 2k)."""
        k = len(self.used)
        refuse_too_large(len(self.row), 1 + 2 * k)
        out = np.zeros((len(self.row), 1 + 2 * k))
        cells = np.arange(len(self.row))
        out[:, 0] = self.apart
        out[cells, 1 + self.row] = 1
        out[cells, 1 + k + self.column] = 1
        return out


def pair_table(patterns: Patterns, view: View) -> PairTable:
    """Build the table of two annotators from patterns of two columns, both rated."""
    first, second = view.recode[patterns.values[:, 0]], view.recode[patterns.values[:, 1]]
    used, inverse = np.unique(np.concatenate([first, second]), return_inverse=True)
    row, column = inverse[: len(first)], inverse[len(first) :]
    if view.distances is None:
        apart = (row != column).astype(np.float64)
        distances = None
        mean = (view.q - 1) / view.q if view.q else 0.0
    else:
        distances = view.distances[np.ix_(used, used)]
        apart = distances[row, column]
        mean = float(view.distances.mean())
    count, k = patterns.count, len(used)
    first_totals = np.bincount(row, weights=count, minlength=k)
    second_totals = np.bincount(column, weights=count, minlength=k)
    totals = np.concatenate([[(apart * count).sum()], first_totals, second_totals])[None, :]
    return PairTable(row, column, count, used, apart, distances, view.q, mean, totals)


class Shares(NamedTuple):
    """Sums as counts, along a leading axis of resamples."""

    n: Floats
    """Items, shape (b,)."""
    apart: Floats
    """Summed distance, shape (b,)."""
    first: Floats
    """The first annotator's marginal, shape (b, k)."""
    second: Floats


def shares(sums: Floats) -> Shares:
    """Split rows of sums into their parts."""
    k = (sums.shape[1] - 1) // 2
    first, second = sums[:, 1 : 1 + k], sums[:, 1 + k :]
    return Shares(first.sum(axis=1), sums[:, 0], first, second)


class Parts(NamedTuple):
    """A coefficient as 1 - observed / expected disagreement, by resample; NaN where there are no items."""

    observed: Floats
    expected: Floats

    @property
    def value(self) -> Floats:
        defined = self.expected > 0
        out = np.full(self.expected.shape, np.nan)
        np.divide(self.expected - self.observed, self.expected, out=out, where=defined)
        return out


class PairStatistic(NamedTuple):
    """How a coefficient's expected disagreement comes about, and how it moves when one item is added."""

    expected: Callable[[Shares, PairTable], Floats]
    """Expected disagreement per item, shape (b,)."""
    gradient: Callable[[Shares, PairTable], Floats]
    """Derivative of the expected disagreement towards each cell, shape (m,); shares have one row."""
    corrected: bool
    """Whether `1 - expected` is agreement by chance."""
    weighted: bool
    """Whether distances between categories enter."""
    method: str
    """Where the asymptotic standard error comes from."""


def _per_item(amount: Floats, n: Floats) -> Floats:
    out = np.full(n.shape, np.nan)
    np.divide(amount, n, out=out, where=n > 0)
    return out


def parts(statistic: PairStatistic, sums: Floats, table: PairTable) -> Parts:
    """Return observed and expected disagreement for each row of sums."""
    split = shares(sums)
    return Parts(_per_item(split.apart, split.n), statistic.expected(split, table))


def standard_error(statistic: PairStatistic, table: PairTable) -> float:
    """Return the delta-method standard error, items sampled, divisor n; for Cohen's kappa this is
    Fleiss, Cohen and Everitt 1969 (not the one under the null hypothesis)."""
    split = shares(table.totals)
    observed, expected = (float(part[0]) for part in parts(statistic, table.totals, table))
    moved = statistic.gradient(split, table)
    influence = (observed / expected * moved - (table.apart - observed)) / expected
    n = float(split.n[0])
    return float(np.sqrt(max(0.0, float(table.count @ influence**2)) / n / n))


# --- expected disagreement of each coefficient ----------------------------------------------------------------------


def _one(split: Shares, table: PairTable) -> Floats:
    return np.where(split.n > 0, 1.0, np.nan)


def _flat(split: Shares, table: PairTable) -> Floats:
    return np.zeros(len(table.row))


def _cohen(split: Shares, table: PairTable) -> Floats:
    if table.distances is None:
        crossed = (split.first * (split.n[:, None] - split.second)).sum(axis=1)
    else:
        crossed = ((split.first @ table.distances) * split.second).sum(axis=1)
    return _per_item(_per_item(crossed, split.n), split.n)


def _cohen_gradient(split: Shares, table: PairTable) -> Floats:
    n, first, second = split.n[0], split.first[0], split.second[0]
    if table.distances is None:
        by_row, by_column = (n - second) / n, (n - first) / n
    else:
        by_row, by_column = table.distances @ second / n, first @ table.distances / n
    return np.asarray(by_row[table.row] + by_column[table.column] - 2 * _cohen(split, table)[0])


def _diversity(split: Shares) -> Floats:
    """Sum over categories of p (1 - p), p the mean of both marginals."""
    both = split.first + split.second
    twice = 2 * split.n
    return _per_item(_per_item((both * (twice[:, None] - both)).sum(axis=1), twice), twice)


def _diversity_gradient(split: Shares, table: PairTable) -> Floats:
    p = (split.first[0] + split.second[0]) / (2 * split.n[0])
    slope = 1 - 2 * p
    return np.asarray((slope[table.row] + slope[table.column]) / 2 - slope @ p)


def _scott(split: Shares, table: PairTable) -> Floats:
    return _diversity(split)


def _gwet(split: Shares, table: PairTable) -> Floats:
    if table.q < 2:
        return np.zeros(split.n.shape)
    return 1 - _diversity(split) / (table.q - 1)


def _gwet_gradient(split: Shares, table: PairTable) -> Floats:
    return -_diversity_gradient(split, table) / (table.q - 1)


def _uniform(split: Shares, table: PairTable) -> Floats:
    return np.where(split.n > 0, table.mean_distance, np.nan)


def _mentions_of(position: int) -> Callable[[Shares, PairTable], Floats]:
    """Mentions of one category per item: 1 - disagreements / mentions is the agreement specific to it."""

    def expected(split: Shares, table: PairTable) -> Floats:
        place = np.flatnonzero(table.used == position)
        mentions = (split.first[:, place] + split.second[:, place]).sum(axis=1)
        return _per_item(mentions, split.n)

    return expected


def _mentions_gradient(position: int) -> Callable[[Shares, PairTable], Floats]:
    def gradient(split: Shares, table: PairTable) -> Floats:
        here = (table.used[table.row] == position).astype(np.float64) + (table.used[table.column] == position)
        return np.asarray(here - _mentions_of(position)(split, table)[0])

    return gradient


DELTA = "asymptotic normal, delta method"
FCE = "asymptotic normal, Fleiss-Cohen-Everitt 1969"

PAIR_STATISTICS: dict[str, PairStatistic] = {
    "percent": PairStatistic(_one, _flat, False, False, DELTA),
    "cohen_kappa": PairStatistic(_cohen, _cohen_gradient, True, True, FCE),
    "scott_pi": PairStatistic(_scott, _diversity_gradient, True, False, DELTA),
    "gwet_ac1": PairStatistic(_gwet, _gwet_gradient, True, False, DELTA),
    "brennan_prediger": PairStatistic(_uniform, _flat, True, True, DELTA),
    "positive_agreement": PairStatistic(_mentions_of(0), _mentions_gradient(0), False, False, DELTA),
    "negative_agreement": PairStatistic(_mentions_of(1), _mentions_gradient(1), False, False, DELTA),
}

_SPECIFIC = {"positive_agreement": 0, "negative_agreement": 1}

BINARY_STATISTICS = ("positive_agreement", "negative_agreement", "prevalence_index", "bias_index")
"""Coefficients of one tag against the rest."""
INDICES = ("prevalence_index", "bias_index")


def index_values(statistic: str, sums: Floats, table: PairTable) -> Floats:
    """Return |present - absent| (prevalence) or |difference of the marginals| (bias) per item, Byrt et al. 1993."""
    split = shares(sums)
    place = np.flatnonzero(table.used == 0)
    first, second = split.first[:, place].sum(axis=1), split.second[:, place].sum(axis=1)
    amount = first + second - split.n if statistic == "prevalence_index" else first - second
    return _per_item(np.abs(amount), split.n)


def mentions(statistic: str, table: PairTable) -> Ints:
    """Count by cell what a coefficient is measured on: the labels of one category for specific agreement, else all."""
    if statistic not in _SPECIFIC:
        return np.full(len(table.row), 2, dtype=np.int64)
    (place,) = np.nonzero(table.used == _SPECIFIC[statistic])
    return np.isin(table.row, place).astype(np.int64) + np.isin(table.column, place)


def tag_share(table: PairTable) -> float | None:
    """Return the share of category 0 among the labels of both annotators; None without items."""
    split = shares(table.totals)
    if split.n[0] == 0:
        return None
    place = np.flatnonzero(table.used == 0)
    return float((split.first[0, place] + split.second[0, place]).sum() / (2 * split.n[0]))
