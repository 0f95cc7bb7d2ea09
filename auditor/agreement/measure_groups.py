"""Measures the coefficients over any number of annotators on one view of their labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from auditor.agreement.alpha import AlphaTable
from auditor.agreement.coefficient import ALL, Coefficient, Options
from auditor.agreement.frame import Frame, interval_of
from auditor.agreement.groups import GWET, group_table
from auditor.agreement.intervals import SINGLE_ITEM, Interval, Resamples, logit_interval, normal_interval
from auditor.agreement.pairs import Parts
from auditor.agreement.panels import CongerTable, LightTable
from auditor.agreement.patterns import Patterns
from auditor.agreement.plan import Part
from auditor.agreement.ratings import Bools, Floats, Ints
from auditor.agreement.resampling import Resampler
from auditor.agreement.views import View


class Table(Protocol):
    """Additive sums over patterns, and the coefficients that follow from them."""

    @property
    def count(self) -> Floats: ...
    @property
    def used(self) -> Ints: ...
    @property
    def features(self) -> Floats: ...
    @property
    def n_items(self) -> int: ...
    def parts(self, statistic: str, sums: Floats) -> Parts: ...
    def standard_error(self, statistic: str) -> float | None: ...


_TABLES: dict[str, Callable[[Patterns, View], Table]] = {
    "krippendorff_alpha": AlphaTable,
    "conger_kappa": CongerTable,
    "light_kappa": LightTable,
}
"""Tables of single coefficients; the others share one."""
BY_PERSON = ("conger_kappa", "light_kappa")
"""Coefficients that depend on who gave which label, not only on the labels of each item."""

_WITHOUT_OBSERVED = ("light_kappa",)
"""A mean of kappas has no observed agreement of its own."""
_WITHOUT_CHANCE = ("percent", *_WITHOUT_OBSERVED)
_ONE_DEVIATES = (
    "All labels but one are the same: there is no variation to be reliable about, so alpha is 0 however many agree."
)
_BY_CATEGORIES = ("gwet_ac1", "gwet_ac2", "brennan_prediger")
"""Coefficients whose chance agreement is certain only where a single category is declared."""


def prepared_group(
    part: Part, patterns: Patterns, resampler: Resampler | None, names: tuple[str, ...], options: Options
) -> Callable[[], list[Coefficient]]:
    """Return what measures the group coefficients of a part; `patterns` holds items with at least one rating.

    What is prepared before the first is measured is resampled together.
    """
    frames: dict[Callable[[Patterns, View], Table], tuple[Table, Frame]] = {}
    for build in dict.fromkeys(_TABLES.get(name, group_table) for name in part.group):
        frames[build] = _framed(build(patterns, part.view), part, patterns, resampler, names, options)
    return lambda: [
        _group_coefficient(name, *frames[_TABLES.get(name, group_table)], part, patterns.paired) for name in part.group
    ]


def group_values(name: str, patterns: Patterns, view: View, sums: Callable[[Floats], Floats]) -> tuple[Floats, Bools]:
    """Return a coefficient by resample, and the patterns that it is measured on; `sums` sums features by resample."""
    table = _TABLES.get(name, group_table)(patterns, view)
    return table.parts(name, sums(table.features)).value, patterns.paired


def _framed(
    table: Table,
    part: Part,
    patterns: Patterns,
    resampler: Resampler | None,
    names: tuple[str, ...],
    options: Options,
) -> tuple[Table, Frame]:
    prevalence, rare = (None, None) if part.view.tag is None else _tag_use(patterns, part.view, part.view.tag)
    resamples = Resamples(options, resampler, lambda: table.features)
    clusters = patterns.clusters_with(patterns.paired)
    about = (ALL, names, part.tag, part.view.group, table.n_items, clusters)
    return table, Frame(*about, prevalence, rare, options.confidence, resamples)


def _tag_use(patterns: Patterns, view: View, tag: str) -> tuple[float | None, str | None]:
    """Return the share of a tag, which is category 0, among all labels (None without any), and whether it is rare."""
    rated = patterns.values >= 0
    present = rated & (view.recode[np.maximum(patterns.values, 0)] == 0)
    labels = float(patterns.count @ rated.sum(axis=1))
    share = float(patterns.count @ present.sum(axis=1)) / labels if labels else None
    having, lacking = ((marks.any(axis=1) & patterns.paired) for marks in (present, rated & ~present))
    return share, patterns.rare_tag(tag, having, lacking)


def _group_coefficient(name: str, table: Table, frame: Frame, part: Part, paired: Bools) -> Coefficient:
    totals = np.asarray(table.count @ table.features)[None, :]
    found = table.parts(name, totals)
    observed, expected, value = (float(row[0]) for row in (found.observed, found.expected, found.value))
    shown = None if np.isnan(observed) or name in _WITHOUT_OBSERVED else 1 - observed
    chance = None if np.isnan(expected) or name in _WITHOUT_CHANCE else 1 - expected
    if np.isnan(value):
        return frame.coefficient(name, None, Interval(), shown, chance, _why_undefined(name, table, frame, part))

    def asymptotic() -> Interval:
        if frame.n_items < 2:
            return Interval(reason=SINGLE_ITEM)
        se = table.standard_error(name)
        if se is not None:
            kind = logit_interval if name == "percent" else normal_interval
            return kind(value, se, GWET, frame.confidence)
        return Interval(reason="There is no asymptotic interval for this coefficient: resample clusters or items.")

    interval = interval_of(frame.resamples, value, lambda sums: table.parts(name, sums).value, asymptotic, paired)
    if isinstance(table, AlphaTable) and table.one_deviates:
        interval = interval._replace(warnings=(*interval.warnings, _ONE_DEVIATES))
    found_one = frame.coefficient(name, value, interval, shown, chance)
    if not isinstance(table, LightTable):
        return found_one
    spread = table.spread(totals)
    return replace(found_one, pair_low=spread.low, pair_high=spread.high, pair_sd=spread.sd)


def _why_undefined(name: str, table: Table, frame: Frame, part: Part) -> str:
    if frame.n_items == 0:
        return "0 items were rated by at least two annotators."
    if name in _BY_CATEGORIES:
        return "Only one category exists, so chance alone makes them agree always and the coefficient has no value."
    if len(table.used) > 1 and name in ("conger_kappa", "light_kappa"):
        which = (
            "an annotator has no rating" if name == "conger_kappa" else "the kappa of at least one pair is undefined"
        )
        return f"It cannot be computed because {which}."
    if len(table.used) > 1:
        return "The categories used all have the same score, so nothing can differ and the coefficient has no value."
    if part.view.tag is not None:
        which = "has" if table.used[0] == 0 else "lacks"
        return (
            f"Every rating that can be paired {which} the tag '{part.view.tag}': chance alone makes them agree always."
        )
    used = part.view.names[int(table.used[0])]
    return f"Every rating that can be paired is '{used}': chance alone makes them agree always."
