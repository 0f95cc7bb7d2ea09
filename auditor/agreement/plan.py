"""Decides which coefficients are measured on which view of the labels, and refuses what cannot be asked."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import NamedTuple

from auditor.agreement.coefficient import BOOTSTRAPS, CLUSTER, NONE, STATISTICS, WEIGHTS, Options
from auditor.agreement.groups import GROUP_STATISTICS
from auditor.agreement.pairs import BINARY_STATISTICS, INDICES, PAIR_STATISTICS
from auditor.agreement.ratings import Ratings
from auditor.agreement.views import View, nominal_view, tag_view, weighted_view
from auditor.errors import InputError
from auditor.text import visible_line

BUILT = frozenset({*PAIR_STATISTICS, *INDICES, *GROUP_STATISTICS})

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
    for name in options.statistics:
        if name not in STATISTICS:
            near = difflib.get_close_matches(name, STATISTICS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(STATISTICS)}."
            raise InputError(f"there is no statistic '{visible_line(name, 60)}'.", hint=hint)
        if name not in BUILT:
            raise InputError(f"this version cannot compute {name} yet.", hint=f"It can: {', '.join(sorted(BUILT))}.")
    for value, known, what in (
        (options.bootstrap, BOOTSTRAPS, "bootstrap"),
        (options.weights, WEIGHTS, "weights"),
    ):
        if value is not None and value not in known:
            raise InputError(f"{what} must be one of {', '.join(known)}, not '{visible_line(value, 40)}'.")
    if not 0 < options.confidence < 1:
        raise InputError("the confidence must lie between 0 and 1, both excluded.", hint="For 95 %, write 0.95.")
    if options.replicates < 2:
        raise InputError("a bootstrap needs at least 2 replicates.")
    if options.seed < 0:
        raise InputError("the seed must not be negative.")
    if options.scores is not None and options.weights is None:
        raise InputError("scores have no effect without weights.", hint="Add --weights linear or quadratic.")
    if options.weights is not None and (ratings.multi or options.tags):
        raise InputError("weights need ordered categories; one tag against the rest has none.")
    if options.bootstrap == CLUSTER and ratings.cluster is None:
        raise InputError("the clusters are not known.", hint="Give a cluster column, or use --bootstrap item or none.")
    if ratings.declared or ratings.multi:
        for tag in options.tags:
            _refuse_unknown_tag(tag, ratings)
    bootstrap = options.bootstrap or (NONE if ratings.cluster is None else CLUSTER)
    return replace(options, bootstrap=bootstrap)


def _refuse_unknown_tag(tag: str, ratings: Ratings) -> None:
    if ratings.declared and tag not in ratings.categories:
        near = difflib.get_close_matches(tag, ratings.categories, n=1)
        hint = f"Did you mean '{visible_line(near[0], 60)}'?" if near else None
        raise InputError(f"the tag '{visible_line(tag, 60)}' is not among the declared categories.", hint=hint)


def annotator_codes(ratings: Ratings, names: tuple[str, ...] | None) -> list[int]:
    """Return the codes of the annotators to compare; raises InputError for a name that never rated."""
    if names is None:
        return list(range(len(ratings.annotators)))
    if len(set(names)) != len(names):
        raise InputError("an annotator is named twice.")
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
    binary = tuple(name for name in options.statistics if name in BINARY_STATISTICS)
    others = tuple(name for name in options.statistics if name not in BINARY_STATISTICS)
    if options.tags or ratings.multi:
        tags = options.tags or ratings.categories
        return [_part(tag_view(ratings, tag), tag, options.statistics, options.statistics) for tag in tags]
    found = _overall(ratings, options, others, others)
    if binary and ratings.declared and len(ratings.categories) == 2:
        found.append(_part(tag_view(ratings, ratings.categories[0]), None, binary, ()))
    elif binary:
        found += [_part(tag_view(ratings, tag), tag, binary, ()) for tag in ratings.categories]
    return found


def _usual(ratings: Ratings, options: Options, n_annotators: int) -> list[Part]:
    group = USUAL_GROUP if n_annotators > 2 else ()
    tags = options.tags or ratings.categories
    by_tag = [_part(tag_view(ratings, tag), tag, USUAL_PAIR_TAG, group) for tag in tags]
    if options.tags or ratings.multi:
        return by_tag
    return _overall(ratings, options, USUAL_PAIR, group) + by_tag


def _overall(ratings: Ratings, options: Options, pair: tuple[str, ...], group: tuple[str, ...]) -> list[Part]:
    """Put the coefficients that take weights on the weighted view and the others on the nominal one."""
    weighted = {name for name in (*pair, *group) if options.weights is not None and _takes_weights(name)}
    found = []
    plain = _part(
        nominal_view(ratings), None, *(tuple(n for n in names if n not in weighted) for names in (pair, group))
    )
    if plain.pair or plain.group:
        found.append(plain)
    if options.weights is not None and weighted:
        view = weighted_view(ratings, options.weights, options.scores)
        found.append(_part(view, None, *(tuple(n for n in names if n in weighted) for names in (pair, group))))
    return found


def _takes_weights(name: str) -> bool:
    pair, group = PAIR_STATISTICS.get(name), GROUP_STATISTICS.get(name)
    return bool((pair and pair.weighted) or (group and group.weighted))


def _part(view: View, tag: str | None, pair: tuple[str, ...], group: tuple[str, ...]) -> Part:
    return Part(
        view,
        tag,
        tuple(name for name in pair if name in PAIR_STATISTICS or name in INDICES),
        tuple(name for name in group if name in GROUP_STATISTICS),
    )
