"""Measures how far two coefficients differ: two tags, two groups of annotators or rounds, two parts of the items.

Both sides see the same draws, so that what they have in common does not widen the interval: whole clusters are
resampled from all those that hold something to measure on either side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from auditor.agreement.coefficient import ALL, CLUSTER, ITEM, PAIR, Coefficient, Options, TwoIntervals
from auditor.agreement.intervals import Interval, bootstrap_interval
from auditor.agreement.measure import by_name, groups_by_part, make_resampler, pairs_by_part
from auditor.agreement.measure_groups import group_values
from auditor.agreement.measure_pairs import pair_values
from auditor.agreement.patterns import count_patterns
from auditor.agreement.plan import USUAL_PAIR, Part, annotator_codes, checked, plan
from auditor.agreement.rare_tags import is_of_a_rare_tag
from auditor.agreement.ratings import Bools, Floats, Ints, Ratings
from auditor.agreement.resampling import Resampler
from auditor.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two that are compared; what is None is as in the options."""

    annotators: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    items: Bools | None = None
    """Which items of the ratings count, shape (n_items,)."""


@dataclass(frozen=True, slots=True)
class Difference(TwoIntervals):
    """A coefficient of the first side minus that of the second; what is undefined is None and `reason` says why."""

    first: Coefficient
    second: Coefficient
    value: float | None
    n_clusters: int | None
    """Clusters that hold something to measure on either side; None = not known."""
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str | None = None
    confidence: float | None = None
    replicates: int | None = None
    replicates_undefined: int | None = None
    """Replicates in which either side is undefined; they are dropped."""
    seed: int | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    t_low: float | None = None
    """Lower end of value +- t(G - 1) x SE x sqrt(G / (G - 1)), G the clusters (or items) of the side that has fewer."""
    t_high: float | None = None
    interval: str | None = None
    """Which interval to show, `percentile` or `t`, as for a coefficient."""

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object; both sides are named by what they can differ in, with their values."""
        fields = asdict(self) | {"warnings": list(self.warnings)}
        for side, one in (("first", self.first), ("second", self.second)):
            fields[side] = {
                "annotators": list(one.annotators),
                "tag": one.tag,
                "group": one.group,
                "n_items": one.n_items,
                "n_clusters": one.n_clusters,
                "value": one.value,
            }
        return {"statistic": self.first.statistic, "scope": self.first.scope} | fields


def measure_difference(ratings: Ratings, first: Side, second: Side, options: Options | None = None) -> list[Difference]:
    """Measure the asked coefficients (by default the usual ones) on two sides and subtract the second from the first.

    The first pair of annotators is compared with the first, the second with the second and so on; tags likewise.
    There is no formula for an interval of a difference: without `bootstrap` clusters are resampled, or items where the
    clusters are not known. Raises InputError when the options do not fit the ratings, and when the sides do not have
    as many annotators or tags.
    """
    sides = [_Measured(ratings, side, options or Options()) for side in (first, second)]
    one, other = sides
    for what, here, there in (
        ("annotators", len(one.codes), len(other.codes)),
        ("tags", len(one.options.tags), len(other.options.tags)),
    ):
        if here != there:
            raise InputError(f"the two sides of a difference have {here} and {there} {what}, not as many.")
    found: list[list[Difference]] = [[] for _ in one.parts]
    if any(part.group for part in one.parts):
        _add(found, ALL, *(side.over(side.codes, 1) for side in sides))
    if any(part.pair for part in one.parts):
        for pairs in zip(*(combinations(side.codes, 2) for side in sides), strict=True):
            _add(found, PAIR, *(side.over(pair, 2) for side, pair in zip(sides, pairs, strict=True)))
    return [each for part in found for each in part]


class _Measured:
    """One side with what is asked of it."""

    def __init__(self, ratings: Ratings, side: Side, options: Options) -> None:
        known = ratings.cluster is not None
        options = replace(
            options,
            annotators=options.annotators if side.annotators is None else side.annotators,
            tags=options.tags if side.tags is None else side.tags,
            bootstrap=options.bootstrap or (CLUSTER if known else ITEM),
        )
        self.ratings, self.options = ratings, checked(options, ratings)
        self.codes = annotator_codes(ratings, options.annotators)
        parts = plan(ratings, self.options, len(self.codes))
        # Of the usual ones those that say how far people agree, not those that explain a kappa.
        self.parts = parts if options.statistics else [_usual(part) for part in parts]
        self._items = side.items

    def over(self, codes: Sequence[int], at_least: int) -> _Columns:
        """Take the ratings of some annotators on the items of this side."""
        columns = [self.ratings.of_annotator(code) for code in by_name(self.ratings, codes)]
        if self._items is not None:
            columns = [np.where(self._items, column, -1) for column in columns]
        names = tuple(self.ratings.annotators[code] for code in codes)
        return _Columns(self.ratings, columns, names, at_least, self.parts, self.options)


def _usual(part: Part) -> Part:
    kept = tuple(name for name in part.pair if name in USUAL_PAIR)
    return part._replace(pair=kept)


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The labels that some annotators gave to each item of a side, -1 = none."""

    ratings: Ratings
    columns: list[Ints]
    names: tuple[str, ...]
    at_least: int
    """Ratings that an item needs for something to be measured on it."""
    parts: list[Part]
    options: Options

    def coefficients(self) -> list[list[Coefficient]]:
        """Measure the side alone, by part."""
        measure = groups_by_part if self.at_least == 1 else pairs_by_part
        return measure(self.ratings, self.columns, self.names, self.parts, self.options)


def _add(found: list[list[Difference]], scope: str, first: _Columns, second: _Columns) -> None:
    """Append to each part the differences of its coefficients between two sides."""
    both = _Both(scope, first, second)
    for at, pair in enumerate(zip(first.coefficients(), second.coefficients(), strict=True)):
        for one, other in zip(*pair, strict=True):
            found[at].append(both.difference(at, one, other))


class _Both:
    """The patterns of labels on both sides at once, and draws from all their clusters (or items)."""

    def __init__(self, scope: str, first: _Columns, second: _Columns) -> None:
        self._scope = scope
        self._sides = (first, second)
        joint = count_patterns(first.ratings, [*first.columns, *second.columns], 1)
        cut = len(first.columns)
        at = (slice(None, cut), slice(cut, None))
        held = [
            (joint.values[:, columns] >= 0).sum(axis=1) >= side.at_least
            for side, columns in zip(self._sides, at, strict=True)
        ]
        kept = held[0] | held[1]
        joint = joint.taken(kept)
        self._held = [rows[kept] for rows in held]
        self._patterns = [joint.taken(rows, columns) for rows, columns in zip(self._held, at, strict=True)]
        self._n_clusters = joint.n_clusters
        self._options = first.options
        self._resampler = make_resampler(joint, first.options)

    def difference(self, at: int, first: Coefficient, second: Coefficient) -> Difference:
        """Return the difference of two coefficients of the part that stands at a place."""
        value = None if first.value is None or second.value is None else first.value - second.value
        made = Difference(first, second, value, self._n_clusters)
        for one, which in ((first, "first"), (second, "second")):
            if one.value is None:
                return replace(made, reason=f"It is undefined on the {which} side: {one.reason}")
        if self._resampler is None:
            return replace(made, reason="There is no interval: one of a difference needs a bootstrap.")
        for one, which in ((first, "first"), (second, "second")):
            if one.ci_low is None:
                why = (one.reason or "").removeprefix("There is no interval: ")
                return replace(made, reason=f"There is no interval, since the {which} side has none: {why}")
        assert value is not None
        values, units = zip(
            *(self._replicates(at, side, first.statistic, self._resampler) for side in range(2)), strict=True
        )
        interval = bootstrap_interval(self._options, value, values[0] - values[1], min(units))
        return _with_interval(made, interval, self._options)

    def _replicates(self, at: int, side: int, statistic: str, resampler: Resampler) -> tuple[Floats, int]:
        """Return a side's coefficient by replicate, and the clusters (or items) that it is measured on."""
        rows = self._held[side]

        def sums(features: Floats) -> Floats:
            padded = np.zeros((len(rows), features.shape[1]))
            padded[rows] = features
            return resampler.sums(padded)

        measure = group_values if self._scope == ALL else pair_values
        values, measured = measure(statistic, self._patterns[side], self._sides[side].parts[at].view, sums)
        everywhere = np.zeros(len(rows), dtype=bool)
        everywhere[rows] = measured
        return values, resampler.units_with(everywhere)


def _with_interval(made: Difference, interval: Interval, options: Options) -> Difference:
    """Add the interval and, after its own warnings, those of tags that are rare on either side."""
    rare = [text for one in (made.first, made.second) for text in one.warnings if is_of_a_rare_tag(text)]
    return replace(
        made,
        se=interval.se,
        ci_low=interval.low,
        ci_high=interval.high,
        ci_method=interval.method,
        confidence=None if interval.low is None else options.confidence,
        replicates=interval.replicates,
        replicates_undefined=interval.undefined,
        seed=interval.seed,
        reason=interval.reason,
        warnings=tuple(dict.fromkeys([*interval.warnings, *rare])),
        t_low=interval.t_low,
        t_high=interval.t_high,
        interval=interval.shown,
    )
