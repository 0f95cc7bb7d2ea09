"""Measures agreement: ratings and options in, coefficients with intervals and reasons out."""

from __future__ import annotations

from itertools import combinations

from auditor.agreement.coefficient import PAIR, Coefficient, Options
from auditor.agreement.measure_groups import group_coefficients
from auditor.agreement.measure_pairs import pair_coefficients
from auditor.agreement.patterns import count_patterns
from auditor.agreement.plan import Part, annotator_codes, checked, plan
from auditor.agreement.ratings import Ratings


def measure_agreement(ratings: Ratings, options: Options | None = None) -> list[Coefficient]:
    """Measure the asked coefficients (by default the usual ones), overall before tag by tag, groups before pairs.

    Only items that both annotators of a pair rated count for it. What is undefined is a coefficient without a value
    and with a reason. Raises InputError when the options do not fit the ratings.
    """
    options = checked(options or Options(), ratings)
    chosen = annotator_codes(ratings, options.annotators)
    columns = {code: ratings.of_annotator(code) for code in chosen}
    found: list[Coefficient] = []
    todo = plan(ratings, options, len(chosen))
    everybody = None
    if any(part.group for part in todo):
        everybody = count_patterns(ratings, list(columns.values()), 1)
    pairs = {}
    if any(part.pair for part in todo):
        for pair in combinations(chosen, 2):
            # In the order of names, so that the order of rows cannot move a seeded bootstrap.
            ordered = sorted(pair, key=lambda code: ratings.annotators[code])
            pairs[pair] = count_patterns(ratings, [columns[code] for code in ordered], 2)
    for part in todo:
        if part.group and everybody is not None:
            names = tuple(ratings.annotators[code] for code in chosen)
            found += group_coefficients(part, everybody, names, options)
        for pair, patterns in pairs.items():
            names = tuple(ratings.annotators[code] for code in pair)
            found += pair_coefficients(part, patterns, names, options)
        if part.pair and not pairs:
            found += _without_a_pair(part, ratings, chosen)
    return found


def _without_a_pair(part: Part, ratings: Ratings, chosen: list[int]) -> list[Coefficient]:
    names = tuple(ratings.annotators[code] for code in chosen)
    reason = f"Agreement needs two annotators, and there is only '{names[0]}'." if names else "There are no ratings."
    clusters = None if ratings.cluster is None else 0
    return [Coefficient(name, PAIR, names, part.tag, 0, clusters, None, reason=reason) for name in part.pair]
