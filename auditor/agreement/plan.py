"""Decides which coefficients are measured on which view of the labels, and refuses what cannot be asked."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from auditor.agreement.coefficient import (
    BOOTSTRAPS,
    CLUSTER,
    INTERVALS,
    MAX_REPLICATES,
    METRICS,
    NONE,
    STATISTICS,
    WEIGHTS,
    Options,
)
from auditor.agreement.groups import GROUP_STATISTICS
from auditor.agreement.pairs import BINARY_STATISTICS, INDICES, PAIR_STATISTICS
from auditor.agreement.ratings import Ratings
from auditor.agreement.views import View, alpha_view, group_view, nominal_view, tag_view, weighted_view
from auditor.errors import InputError
from auditor.text import visible_line

ALPHA = "krippendorff_alpha"
_NAMES_SHOWN = 20
PAIR_NAMES = {*PAIR_STATISTICS, *INDICES}
GROUP_NAMES = {*GROUP_STATISTICS, ALPHA, "conger_kappa", "light_kappa"}
WEIGHTED = {
    *(name for name, one in PAIR_STATISTICS.items() if one.weighted),
    *(name for name, one in GROUP_STATISTICS.items() if one.weighted),
    "conger_kappa",
    "light_kappa",
}
"""Coefficients that can take weights by distance."""

SET_NAMES = {"percent", "cohen_kappa", "scott_pi"}
"""Coefficients of two annotators that can take each distinct set of tags for a category."""

USUAL_PAIR = ("percent", "cohen_kappa", "gwet_ac1")
USUAL_PAIR_TAG = (
    "percent",
    "cohen_kappa",
    "gwet_ac1",
    "positive_agreement",
    "negative_agreement",
    "prevalence_index",
    "bias_index",
)
USUAL_GROUP = ("percent", "fleiss_kappa", "gwet_ac1")


class Part(NamedTuple):
    """Coefficients to measure on one view."""

    view: View
    tag: str | None
    """The tag to report; None also for the first of two declared categories held against the second."""
    pair: tuple[str, ...]
    """Coefficients of each two annotators."""
    group: tuple[str, ...]
    """Coefficients over all annotators."""


def checked(options: Options, ratings: Ratings) -> Options:
    """Return the options with defaults filled in; raises InputError on what cannot be measured."""
    check_statistics(options.statistics)
    for value, known, what in (
        (options.bootstrap, BOOTSTRAPS, "bootstrap"),
        (options.weights, WEIGHTS, "weights"),
        (options.metric, METRICS, "metric"),
        (options.interval, INTERVALS, "interval"),
    ):
        if value is not None and value not in known:
            raise InputError(f"{what} must be one of {', '.join(known)}, not '{visible_line(value, 40)}'.")
    check_confidence(options.confidence)
    if not 2 <= options.replicates <= MAX_REPLICATES:
        raise InputError(f"a bootstrap takes between 2 and {MAX_REPLICATES:,} replicates.")
    if options.seed < 0:
        raise InputError("the seed must not be negative.")
    _check_distances(options, ratings)
    if options.bootstrap == CLUSTER and ratings.cluster is None:
        raise InputError("the clusters are not known.", hint="Give a cluster column, or use --bootstrap item or none.")
    for tag in options.tags:
        _refuse_unknown_tag(tag, ratings)
    _refuse_unknown_groups(options.groups, ratings)
    bootstrap = options.bootstrap or (NONE if ratings.cluster is None else CLUSTER)
    if options.interval is not None and bootstrap == NONE:
        raise InputError("only a bootstrap has percentile and t intervals.", hint="Use --bootstrap cluster or item.")
    return replace(options, bootstrap=bootstrap)


def check_confidence(confidence: float) -> None:
    """Raise InputError for what is no confidence, or so near to 1 that its interval has no ends."""
    if not (confidence > 0 and (1 + confidence) / 2 < 1):
        raise InputError("the confidence must lie between 0 and 1, both excluded.", hint="For 95 %, write 0.95.")


def refuse_twice(annotators: Sequence[str]) -> None:
    """Raise InputError where an annotator is named twice."""
    if len(set(annotators)) != len(annotators):
        raise InputError("an annotator is named twice.")


def check_statistics(names: tuple[str, ...]) -> None:
    """Raise InputError, with the nearest name, for a coefficient that there is not."""
    for name in names:
        if name not in STATISTICS:
            near = [known for known in STATISTICS if name and name.lower() in known]
            near = near or difflib.get_close_matches(name.lower(), STATISTICS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(STATISTICS)}."
            raise InputError(f"there is no statistic '{visible_line(name, 60)}'.", hint=hint)


def _check_distances(options: Options, ratings: Ratings) -> None:
    """Refuse weights, scores and metrics that would have no effect or no meaning."""
    asked = options.statistics
    if options.weights is not None:
        if ratings.multi or options.tags:
            raise InputError("weights need ordered categories; one tag against the rest has none.")
        if asked and not any(takes_weights(name) for name in asked):
            raise InputError(
                "none of the asked coefficients takes weights.", hint=f"These do: {', '.join(sorted(WEIGHTED))}."
            )
    elif "gwet_ac2" in asked:
        raise InputError("gwet_ac2 needs --weights.", hint="Without weights it is gwet_ac1.")
    if options.metric is not None:
        if asked and ALPHA not in asked:
            raise InputError(f"--metric concerns {ALPHA}, which is not asked for.")
        if options.tags and options.metric != "nominal":
            raise InputError("one tag against the rest has no metric but nominal.")
    if options.scores is not None and options.weights is None and options.metric not in ("interval", "ratio"):
        raise InputError("scores have no effect here.", hint="Add --weights, or --metric interval or ratio.")


def _refuse_unknown_tag(tag: str, ratings: Ratings) -> None:
    if tag in ratings.categories:
        return
    near = difflib.get_close_matches(tag[:200], ratings.categories, n=1)
    there = ", ".join(visible_line(name, 40) for name in ratings.categories[:_NAMES_SHOWN]) or "none"
    more = ", …" if len(ratings.categories) > _NAMES_SHOWN else ""
    hint = f"Did you mean '{visible_line(near[0], 60)}'?" if near else f"There are: {there}{more}."
    where = "among the declared categories" if ratings.declared else "in the ratings"
    raise InputError(f"the tag '{visible_line(tag, 60)}' is not {where}.", hint=hint)


def _refuse_unknown_groups(wanted: tuple[str, ...], ratings: Ratings) -> None:
    known = [group.name for group in ratings.groups]
    for name in wanted:
        if name not in known:
            there = ", ".join(visible_line(one, 40) for one in known[:_NAMES_SHOWN])
            hint = f"There are: {there}." if known else "Of its tags any may be put together."
            raise InputError(f"there is no exclusive group '{visible_line(name, 60)}'.", hint=hint)


def annotator_codes(ratings: Ratings, names: tuple[str, ...] | None) -> list[int]:
    """Return the codes of the annotators to compare; raises InputError for a name that never rated."""
    if names is None:
        return list(range(len(ratings.annotators)))
    refuse_twice(names)
    codes = []
    for name in names:
        if name not in ratings.annotators:
            there = ", ".join(visible_line(other, 40) for other in ratings.annotators[:20]) or "nobody"
            raise InputError(f"there is no annotator '{visible_line(name, 60)}'; there are: {there}.")
        codes.append(ratings.annotators.index(name))
    return codes


def plan(ratings: Ratings, options: Options, n_annotators: int) -> list[Part]:
    """List what to measure: all categories first, then tag by tag."""
    if not options.statistics:
        return _usual(ratings, options, n_annotators)
    names = options.statistics
    if options.tags or options.groups:
        return [
            *_by_group(ratings, options, names, names),
            *(_part(tag_view(ratings, tag), tag, names, names) for tag in options.tags),
        ]
    if ratings.multi:
        by_tag = tuple(name for name in names if name != ALPHA)
        found = _whole_sets(ratings, options, names)
        found += [_part(tag_view(ratings, tag), tag, by_tag, by_tag) for tag in ratings.categories if by_tag]
        return found + _by_group(ratings, options, by_tag, by_tag)
    binary = tuple(name for name in names if name in BINARY_STATISTICS)
    others = tuple(name for name in names if name not in BINARY_STATISTICS)
    found = _overall(ratings, options, others, others)
    if binary and ratings.declared and len(ratings.categories) == 2:
        found.append(_part(tag_view(ratings, ratings.categories[0]), None, binary, ()))
    elif binary:
        found += [_part(tag_view(ratings, tag), tag, binary, ()) for tag in ratings.categories]
    return found


def _usual(ratings: Ratings, options: Options, n_annotators: int) -> list[Part]:
    group = USUAL_GROUP if n_annotators > 2 else ()
    groups = _by_group(ratings, options, USUAL_PAIR, group)
    tags = options.tags if options.tags or options.groups else ratings.categories
    by_tag = [_part(tag_view(ratings, tag), tag, USUAL_PAIR_TAG, group) for tag in tags]
    if options.tags or options.groups:
        return groups + by_tag
    by_tag = [part._replace(group=()) for part in by_tag]
    if ratings.multi:
        return _whole_sets(ratings, options, (ALPHA, *USUAL_PAIR)) + by_tag + groups
    return _overall(ratings, options, USUAL_PAIR, (*group, ALPHA) if group or options.metric else ()) + by_tag


def _by_group(ratings: Ratings, options: Options, pair: tuple[str, ...], group: tuple[str, ...]) -> list[Part]:
    """Compare the tags of each exclusive group, by the coefficients that unordered categories have."""
    if options.tags and not options.groups:
        return []
    kept = {name for name in (*pair, *group) if name not in BINARY_STATISTICS and name != "gwet_ac2"}
    wanted = [one for one in ratings.groups if not options.groups or one.name in options.groups]
    return [_part(group_view(ratings, one), None, _only(pair, kept), _only(group, kept)) for one in wanted if kept]


def _whole_sets(ratings: Ratings, options: Options, names: tuple[str, ...]) -> list[Part]:
    """Compare whole sets of tags: alpha by their distance, and as categories where their number does not enter."""
    same = _only(names, SET_NAMES)
    found = [_part(alpha_view(ratings, "nominal", None), None, same, ())] if same else []
    if ALPHA in names:
        found.append(_part(alpha_view(ratings, options.metric, None), None, (), (ALPHA,)))
    return found


def _overall(ratings: Ratings, options: Options, pair: tuple[str, ...], group: tuple[str, ...]) -> list[Part]:
    """Put each coefficient on the view whose distances it takes: none, the weights, or alpha's metric."""
    weighted = {name for name in (*pair, *group) if options.weights is not None and takes_weights(name)}
    plain = {*pair, *group} - weighted - {ALPHA}
    found = []
    if plain:
        found.append(_part(nominal_view(ratings), None, _only(pair, plain), _only(group, plain)))
    if options.weights is not None and weighted:
        view = weighted_view(ratings, options.weights, options.scores)
        found.append(_part(view, None, _only(pair, weighted), _only(group, weighted)))
    if ALPHA in group:
        found.append(_part(alpha_view(ratings, options.metric, options.scores), None, (), (ALPHA,)))
    return found


def _only(names: tuple[str, ...], kept: set[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in kept)


def takes_weights(name: str) -> bool:
    """Say whether a coefficient can be weighted."""
    return name in WEIGHTED


def _part(view: View, tag: str | None, pair: tuple[str, ...], group: tuple[str, ...]) -> Part:
    """Keep of each list the names that have the scope."""
    return Part(view, tag, _only(pair, PAIR_NAMES), _only(group, GROUP_NAMES))
