"""Measures agreement: ratings and options in, coefficients with intervals and reasons out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from auditor.agreement.coefficient import CLUSTER, NONE, PAIR, Coefficient, Options
from auditor.agreement.measure_groups import group_coefficients
from auditor.agreement.measure_pairs import pair_coefficients
from auditor.agreement.patterns import Patterns, count_patterns
from auditor.agreement.plan import Part, annotator_codes, checked, plan
from auditor.agreement.ratings import Ratings
from auditor.agreement.resampling import Resampler


def measure_agreement(ratings: Ratings, options: Options | None = None) -> list[Coefficient]:
    """Measure the asked coefficients (by default the usual ones), overall before tag by tag, groups before pairs.

    Only items that both annotators of a pair rated count for it. What is undefined is a coefficient without a value
    and with a reason. Raises InputError when the options do not fit the ratings.
    """
    options = checked(options or Options(), ratings)
    chosen = annotator_codes(ratings, options.annotators)
    columns = {code: ratings.of_annotator(code) for code in chosen}
    todo = plan(ratings, options, len(chosen))
    by_part: list[list[Coefficient]] = [[] for _ in todo]
    # One group of annotators after the other, so that the draws of only one are in memory.
    if any(part.group for part in todo):
        patterns = count_patterns(ratings, [columns[code] for code in by_name(ratings, chosen)], 1)
        resampler = make_resampler(patterns, options)
        names = tuple(ratings.annotators[code] for code in chosen)
        for part, found in zip(todo, by_part, strict=True):
            found += group_coefficients(part, patterns, resampler, names, options)
    pairs = list(combinations(chosen, 2)) if any(part.pair for part in todo) else []
    for pair in pairs:
        patterns = count_patterns(ratings, [columns[code] for code in by_name(ratings, pair)], 2)
        resampler = make_resampler(patterns, options)
        names = tuple(ratings.annotators[code] for code in pair)
        for part, found in zip(todo, by_part, strict=True):
            found += pair_coefficients(part, patterns, resampler, names, options)
    if not pairs:
        for part, found in zip(todo, by_part, strict=True):
            found += _without_a_pair(part, ratings, chosen)
    return [one for found in by_part for one in found]


def by_name(ratings: Ratings, codes: Iterable[int]) -> list[int]:
    """Order annotators by name, so that the order of rows cannot move a seeded bootstrap."""
    return sorted(codes, key=lambda code: ratings.annotators[code])


def make_resampler(patterns: Patterns, options: Options) -> Resampler | None:
    """Return what draws the clusters or items of patterns as the options say; None for no bootstrap."""
    if options.bootstrap == NONE:
        return None
    by_cluster = options.bootstrap == CLUSTER
    return Resampler(patterns, by_cluster=by_cluster, replicates=options.replicates, seed=options.seed)


def _without_a_pair(part: Part, ratings: Ratings, chosen: list[int]) -> list[Coefficient]:
    names = tuple(ratings.annotators[code] for code in chosen)
    reason = f"Agreement needs two annotators, and there is only '{names[0]}'." if names else "There are no ratings."
    clusters = None if ratings.cluster is None else 0
    about = (PAIR, names, part.tag, 0, clusters, None)
    return [Coefficient(name, *about, reason=reason, group=part.view.group) for name in part.pair]
