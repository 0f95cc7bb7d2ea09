"""I_s by family of the setting and family of the implementation, and how far own families are ahead.

Values in, values out. Section 6.1 and Figure 5 of the paper show such a map; how a cell and the diagonal's advantage
are computed is defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.analysis import RatioInterval, Resampling, cluster_bootstrap_contrast, cluster_bootstrap_ratio


class Pair(NamedTuple):
    """A family of settings and a family of implementations."""

    setting: str
    implementation: str


@dataclass(frozen=True, slots=True)
class Advantage:
    """How far the diagonal of a heat map is ahead of the rest."""

    families: tuple[str, ...]
    """Families that are of settings and of implementations: the square that is looked at."""
    difference: RatioInterval
    """Mean of its diagonal minus mean of its other cells."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The mean of I_s in every cell that has any, and the diagonal's advantage."""

    cells: Mapping[Pair, RatioInterval]
    advantage: Advantage


def heat_map(
    cells: Mapping[Pair, Mapping[str, float]],
    resampling: Resampling,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> HeatMap:
    """Return the mean over problems of each cell, and the advantage of the diagonal, with problem-cluster intervals.

    `cells` has, by problem, the mean over the family's settings of their mean I_s (equation 7), taken over the
    problem's implementations of that family alone; a problem without such implementations is not there.

    The advantage is taken over the square of families that are on both sides: there every row and every column has one
    cell on the diagonal, so that a family that is better at everything, or easier for everybody, adds nothing to it.
    `progress` is told how many of the cells are there; it may raise to stop.
    """
    problems = sorted({problem for values in cells.values() for problem in values})
    means: dict[Pair, RatioInterval] = {}
    for pair, values in cells.items():
        progress(len(means), len(cells))
        means[pair] = cluster_bootstrap_ratio(
            [values.get(problem, 0.0) for problem in problems],
            [float(problem in values) for problem in problems],
            *resampling,
        )
    return HeatMap(means, _advantage(cells, problems, resampling))


def _advantage(cells: Mapping[Pair, Mapping[str, float]], problems: Sequence[str], resampling: Resampling) -> Advantage:
    rows, columns = {pair.setting for pair in cells}, {pair.implementation for pair in cells}
    families = tuple(sorted(rows & columns))
    square = [Pair(one, other) for one in families for other in families]
    if len(families) < 2:
        told = "The diagonal has an advantage only where at least two families are of settings and of implementations."
        nothing = RatioInterval(None, None, None, None, 0, None, None, None, resampling.confidence, told)
        return Advantage(families, nothing)
    others = len(square) - len(families)
    weights = [1 / len(families) if one == other else -1 / others for one, other in square]
    values = [[cells.get(pair, {}).get(problem) for pair in square] for problem in problems]
    return Advantage(families, cluster_bootstrap_contrast(values, weights, *resampling))
