"""Differences between the cells of a table of rates, with p adjusted over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditor.analysis import Resampling, benjamini_hochberg, cluster_bootstrap_difference
from auditor.audit.rate_counts import Part
from auditor.store.cells import Group


class Difference(NamedTuple):
    """The first rate of a cell less that of the compared column in its row; fractions."""

    row: Group
    col: Group
    value: float | None
    ci: tuple[float, float] | None
    p: float | None
    adjusted: float | None
    """P by Benjamini and Hochberg over all defined differences of the table."""
    reason: str | None


def differences_to(
    parts: Mapping[tuple[Group, Group], Sequence[Part]],
    rows: Sequence[Group],
    cols: Sequence[Group],
    base: Group,
    resampling: Resampling,
) -> list[Difference]:
    """Compare each cell with that of the base column in its row, and adjust p over all of them."""
    found = []
    for row in rows:
        for col in cols:
            if col == base or (row, col) not in parts or (row, base) not in parts:
                continue
            found.append(_difference(row, col, parts[row, col], parts[row, base], resampling))
    adjusted = benjamini_hochberg([one.p for one in found]).p
    return [one._replace(adjusted=p) for one, p in zip(found, adjusted, strict=True)]


def _difference(
    row: Group, col: Group, one: Sequence[Part], other: Sequence[Part], resampling: Resampling
) -> Difference:
    if any(part.ungraded for part in (*one, *other)):
        return Difference(row, col, None, None, None, None, "It is undefined while replies are not graded.")
    places = {cluster: at for at, cluster in enumerate(sorted({part.cluster for part in (*one, *other)}))}
    sides = []
    for side in (one, other):
        tops, bottoms = [0.0] * len(places), [0.0] * len(places)
        for part in side:
            tops[places[part.cluster]] += part.tops[0]
            bottoms[places[part.cluster]] += part.bottoms[0]
        sides.append((tops, bottoms))
    found = cluster_bootstrap_difference(sides[0], sides[1], *resampling)
    ci = None if found.low is None or found.high is None else (found.low, found.high)
    return Difference(row, col, found.value, ci, found.p, None, found.reason)
