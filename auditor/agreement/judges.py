"""A judge against a reference, tag by tag: what of the reference's tags it finds, and what it makes up.

The judge is a model, a computed mode or a person; the reference is taken as right. Kappa stands beside, which takes
neither for right. Sensitivity, specificity, precision and balanced accuracy as in Fleiss, Levin and Paik 2003, ch. 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from auditor.agreement.coefficient import CLUSTER, NONE, PAIR, Coefficient, Options
from auditor.agreement.frame import Frame, interval_of
from auditor.agreement.intervals import Interval, Resamples, normal_interval, wilson
from auditor.agreement.measure_pairs import pair_coefficients
from auditor.agreement.pairs import DELTA, pair_table, tag_share
from auditor.agreement.patterns import Patterns, count_patterns
from auditor.agreement.plan import Part, annotator_codes, checked
from auditor.agreement.ratings import Bools, Floats, Ratings
from auditor.agreement.resampling import Resampler
from auditor.agreement.views import View, tag_view
from auditor.errors import InputError

SENSITIVITY, SPECIFICITY = "sensitivity", "specificity"
BALANCED_ACCURACY, PRECISION = "balanced_accuracy", "precision"
JUDGE_STATISTICS = (SENSITIVITY, SPECIFICITY, BALANCED_ACCURACY, PRECISION)
_FOUND, _MISSED, _MADE_UP, _LEFT_OUT = range(4)
"""Columns of the sums."""


class Counts(NamedTuple):
    """Items by what the judge and the reference did with a tag."""

    found: int
    """Both put it."""
    missed: int
    """The reference put it, the judge did not."""
    made_up: int
    """The judge put it, the reference did not."""
    left_out: int
    """Neither put it."""


class JudgedTag(NamedTuple):
    """How a judge does on one tag."""

    judge: str
    reference: str
    tag: str
    counts: Counts
    coefficients: tuple[Coefficient, ...]
    """Sensitivity, specificity, balanced accuracy, precision, kappa; `annotators` are judge and reference."""


def measure_judges(
    ratings: Ratings,
    judges: Sequence[str],
    references: Sequence[str],
    options: Options | None = None,
    able: Mapping[str, Mapping[str, str]] | None = None,
) -> list[JudgedTag]:
    """Measure each judge against each reference on the items that both rated, tag by tag.

    `able` says of a judge which tags it cannot give, and why: on these nothing is measured. What is undefined has no
    value and a reason. Raises InputError when the options do not fit the ratings, or nobody is left to be judged.
    """
    options = checked(options or Options(), ratings)
    _refuse_others(options)
    found = []
    for reference in references:
        for judge in judges:
            if judge != reference:
                found += _measure_pair(ratings, judge, reference, options, (able or {}).get(judge, {}))
    if not found:
        raise InputError("a judge and a reference are two annotators, and only one is named.")
    return found


def _refuse_others(options: Options) -> None:
    for given, name in (
        (options.statistics, "--statistic"),
        (options.weights, "--weights"),
        (options.metric, "--metric"),
    ):
        if given:
            raise InputError(f"{name} does not go with a judge and a reference.", hint="Leave it out.")


def _measure_pair(
    ratings: Ratings, judge: str, reference: str, options: Options, cannot: Mapping[str, str]
) -> list[JudgedTag]:
    by_name = sorted((judge, reference))
    codes = annotator_codes(ratings, tuple(by_name))
    patterns = count_patterns(ratings, [ratings.of_annotator(code) for code in codes], 2)
    resampler = None
    if options.bootstrap != NONE:
        by_cluster = options.bootstrap == CLUSTER
        resampler = Resampler(patterns, by_cluster=by_cluster, replicates=options.replicates, seed=options.seed)
    found = []
    for tag in options.tags or ratings.categories:
        if tag in cannot:
            found.append(_unable(judge, reference, tag, patterns, cannot[tag]))
        else:
            view = tag_view(ratings, tag)
            found.append(_measure_tag(view, patterns, resampler, (judge, reference), options, by_name[0] == judge))
    return found


def _unable(judge: str, reference: str, tag: str, patterns: Patterns, reason: str) -> JudgedTag:
    items, clusters = patterns.n_items, patterns.n_clusters
    none = tuple(
        Coefficient(name, PAIR, (judge, reference), tag, items, clusters, None, reason=reason)
        for name in (*JUDGE_STATISTICS, "cohen_kappa")
    )
    return JudgedTag(judge, reference, tag, Counts(0, 0, 0, 0), none)


def _measure_tag(
    view: View,
    patterns: Patterns,
    resampler: Resampler | None,
    names: tuple[str, str],
    options: Options,
    judge_first: bool,
) -> JudgedTag:
    """Measure one tag; the patterns' columns are in the order of the names, the judge's first or second."""
    assert view.tag is not None
    judge, reference = names
    put = view.recode[patterns.values] == 0
    by_judge, by_reference = (put[:, 0], put[:, 1]) if judge_first else (put[:, 1], put[:, 0])
    cells = np.stack(
        [by_judge & by_reference, ~by_judge & by_reference, by_judge & ~by_reference, ~by_judge & ~by_reference], axis=1
    ).astype(np.float64)
    totals = np.asarray(patterns.count @ cells)[None, :]
    prevalence = tag_share(pair_table(patterns, view))
    resamples = Resamples(options, resampler, lambda: cells)
    rare = patterns.rare_tag(view.tag, by_judge | by_reference, ~(by_judge & by_reference))
    items, clusters = patterns.n_items, patterns.n_clusters
    frame = Frame(PAIR, names, view.tag, None, items, clusters, prevalence, rare, options.confidence, resamples)
    shares = [_share(name, cells, totals, frame) for name in JUDGE_STATISTICS]
    (kappa,) = pair_coefficients(Part(view, view.tag, ("cohen_kappa",), ()), patterns, resampler, names, options)
    counts = Counts(*(int(number) for number in totals[0]))
    return JudgedTag(judge, reference, view.tag, counts, (*shares, kappa))


def _share(name: str, cells: Floats, totals: Floats, frame: Frame) -> Coefficient:
    value = float(_STATISTICS[name](totals)[0])
    observed = float(totals[0, _FOUND] + totals[0, _LEFT_OUT]) / frame.n_items if frame.n_items else None
    if value != value:
        return frame.coefficient(name, None, Interval(), observed, reason=_why_undefined(name, totals[0], frame))
    interval = interval_of(
        frame.resamples,
        value,
        _STATISTICS[name],
        lambda: _asymptotic(name, value, totals[0], frame.confidence),
        _measured(name, cells),
    )
    return frame.coefficient(name, value, interval, observed)


# --- the statistics, each from rows of sums, shape (b, 4) ------------------------------------------------------------


def _ratio(part: Floats, whole: Floats) -> Floats:
    out = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def _sensitivity(sums: Floats) -> Floats:
    return _ratio(sums[:, _FOUND], sums[:, _FOUND] + sums[:, _MISSED])


def _specificity(sums: Floats) -> Floats:
    return _ratio(sums[:, _LEFT_OUT], sums[:, _LEFT_OUT] + sums[:, _MADE_UP])


def _balanced_accuracy(sums: Floats) -> Floats:
    return np.asarray((_sensitivity(sums) + _specificity(sums)) / 2)


def _precision(sums: Floats) -> Floats:
    return _ratio(sums[:, _FOUND], sums[:, _FOUND] + sums[:, _MADE_UP])


_STATISTICS: dict[str, Callable[[Floats], Floats]] = {
    SENSITIVITY: _sensitivity,
    SPECIFICITY: _specificity,
    BALANCED_ACCURACY: _balanced_accuracy,
    PRECISION: _precision,
}
_PARTS = {
    SENSITIVITY: (_FOUND, _MISSED),
    SPECIFICITY: (_LEFT_OUT, _MADE_UP),
    PRECISION: (_FOUND, _MADE_UP),
}
"""Of a share: what it counts, and what else is in its denominator."""


def _measured(name: str, cells: Floats) -> Bools:
    """Say of each pattern whether the statistic is measured on its items."""
    if name not in _PARTS:
        return np.ones(len(cells), dtype=bool)
    return np.asarray(cells[:, list(_PARTS[name])].any(axis=1))


def _asymptotic(name: str, value: float, totals: Floats, confidence: float) -> Interval:
    """Return the interval of independent items: Wilson's of a share, the delta method's of a mean of two shares."""
    if name in _PARTS:
        counted, other = (float(totals[place]) for place in _PARTS[name])
        n = int(counted + other)
        return wilson(counted, n, sqrt(value * (1 - value) / n), confidence)
    variance = 0.0
    for part in (SENSITIVITY, SPECIFICITY):
        counted, other = (float(totals[place]) for place in _PARTS[part])
        share = counted / (counted + other)
        variance += share * (1 - share) / (counted + other)
    return normal_interval(value, sqrt(variance) / 2, DELTA, confidence)


def _why_undefined(name: str, totals: Floats, frame: Frame) -> str:
    judge, reference = frame.names
    if frame.n_items == 0:
        return f"0 items were rated by both '{judge}' and '{reference}'."
    items = f"the {frame.n_items:,} item{'' if frame.n_items == 1 else 's'} that both rated"
    if name == PRECISION:
        return f"'{judge}' put the tag '{frame.tag}' on none of {items}."
    if totals[_FOUND] + totals[_MISSED] == 0:
        return f"'{reference}' put the tag '{frame.tag}' on none of {items}, so there is none to find."
    return f"'{reference}' put the tag '{frame.tag}' on each of {items}, so there is none to leave out."
