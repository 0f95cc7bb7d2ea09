"""Measures agreement: ratings and options in, coefficients with intervals and reasons out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from auditor.agreement.coefficient import CLUSTER, NONE, PAIR, Coefficient, Options
from auditor.agreement.measure_groups import BY_PERSON, prepared_group
from auditor.agreement.measure_pairs import prepared_pair
from auditor.agreement.patterns import Patterns, count_patterns, without_persons
from auditor.agreement.plan import USUAL_GROUP, Part, annotator_codes, checked, plan
from auditor.agreement.ratings import Ints, Ratings
from auditor.agreement.resampling import Resampler
from auditor.agreement.views import tag_view

_CELLS_A_BATCH = 4_000_000
"""Patterns times parts that are prepared at once."""

MeasureParts = Callable[
    [Ratings, Sequence[Ints], tuple[str, ...], Sequence[Part], Options],
    list[list[Coefficient]],
]


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

    def add(measure: MeasureParts, codes: Sequence[int]) -> None:
        names = tuple(ratings.annotators[code] for code in codes)
        ordered = [columns[code] for code in by_name(ratings, codes)]
        for found, more in zip(by_part, measure(ratings, ordered, names, todo, options), strict=True):
            found += more

    # One group of annotators after the other, so that the draws of only one are in memory.
    if any(part.group for part in todo):
        add(groups_by_part, chosen)
    pairs = list(combinations(chosen, 2)) if any(part.pair for part in todo) else []
    for pair in pairs:
        add(pairs_by_part, pair)
    if not pairs:
        for part, found in zip(todo, by_part, strict=True):
            found += _without_a_pair(part, ratings, chosen)
    return [one for found in by_part for one in found]


def measure_tags_over_all(ratings: Ratings, options: Options) -> list[Coefficient]:
    """Measure the usual coefficients over all annotators at once on each tag, which the usual ones give pairs alone."""
    options = checked(options, ratings)
    codes = annotator_codes(ratings, options.annotators)
    columns = [ratings.of_annotator(code) for code in by_name(ratings, codes)]
    names = tuple(ratings.annotators[code] for code in codes)
    todo = [Part(tag_view(ratings, tag), tag, (), USUAL_GROUP) for tag in ratings.categories]
    return [one for found in groups_by_part(ratings, columns, names, todo, options) for one in found]


def pairs_by_part(
    ratings: Ratings, columns: Sequence[Ints], names: tuple[str, ...], todo: Sequence[Part], options: Options
) -> list[list[Coefficient]]:
    """Measure two annotators, part by part; columns (label code by item, -1 = none) are in the order of their names."""
    patterns = count_patterns(ratings, columns, 2)
    return _in_batches(prepared_pair, todo, patterns, names, options)


def groups_by_part(
    ratings: Ratings, columns: Sequence[Ints], names: tuple[str, ...], todo: Sequence[Part], options: Options
) -> list[list[Coefficient]]:
    """Measure all annotators at once, part by part; columns as for `pairs_by_part`.

    Where it does not matter who gave which label, items are counted by their labels alone: there are far fewer ways.
    """
    by_statistic: list[dict[str, Coefficient]] = [{} for _ in todo]
    for by_person in (False, True):
        parts = [
            part._replace(group=tuple(name for name in part.group if (name in BY_PERSON) == by_person)) for part in todo
        ]
        if any(part.group for part in parts):
            patterns = count_patterns(ratings, columns if by_person else without_persons(ratings, columns), 1)
            for known, found in zip(
                by_statistic, _in_batches(prepared_group, parts, patterns, names, options), strict=True
            ):
                known |= {one.statistic: one for one in found}
    return [[known[name] for name in part.group] for part, known in zip(todo, by_statistic, strict=True)]


def _in_batches(
    prepare: Callable[..., Callable[[], list[Coefficient]]],
    todo: Sequence[Part],
    patterns: Patterns,
    names: tuple[str, ...],
    options: Options,
) -> list[list[Coefficient]]:
    """Measure parts with one drawing for as many of them as fit into memory."""
    resampler = make_resampler(patterns, options)
    step = max(1, _CELLS_A_BATCH // max(1, len(patterns.count)))
    found = []
    for start in range(0, len(todo), step):
        ready = [prepare(part, patterns, resampler, names, options) for part in todo[start : start + step]]
        found += [measure() for measure in ready]
    return found


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
