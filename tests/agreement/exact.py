"""Slow, independent formulas in exact fractions, written from the definitions item by item.

They share nothing with the package: loops over items, textbook forms with p_o and p_e, None for 0/0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt

Pair = tuple[str, str]
Rows = Sequence[tuple[str, str, str]]
"""(item, annotator, label)."""


def co_rated(rows: Rows, first: str, second: str) -> list[Pair]:
    """Return the two labels of every item that both annotators rated."""
    labels: dict[str, dict[str, str]] = {}
    for item, annotator, label in rows:
        labels.setdefault(item, {})[annotator] = label
    return [(by[first], by[second]) for by in labels.values() if first in by and second in by]


def _mean(numbers: Sequence[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers)


def _corrected(observed: Fraction, chance: Fraction) -> Fraction | None:
    return None if chance == 1 else (observed - chance) / (1 - chance)


def agreement_weight(order: Sequence[str], weights: str | None, one: str, other: str) -> Fraction:
    if weights is None:
        return Fraction(int(one == other))
    apart = Fraction(abs(order.index(one) - order.index(other)), max(1, len(order) - 1))
    return 1 - (apart**2 if weights == "quadratic" else apart)


def percent(pairs: Sequence[Pair]) -> Fraction | None:
    return _mean([Fraction(int(a == b)) for a, b in pairs]) if pairs else None


def cohen_kappa(pairs: Sequence[Pair], order: Sequence[str], weights: str | None = None) -> Fraction | None:
    if not pairs:
        return None
    observed = _mean([agreement_weight(order, weights, a, b) for a, b in pairs])
    chance = _mean([agreement_weight(order, weights, a, b) for a, _ in pairs for _, b in pairs])
    return _corrected(observed, chance)


def cohen_error(pairs: Sequence[Pair], order: Sequence[str], weights: str | None = None) -> float:
    """Return the standard error as printed by Fleiss, Cohen and Everitt 1969, equation for the non-null case."""
    n = len(pairs)

    def weight(one: str, other: str) -> Fraction:
        return agreement_weight(order, weights, one, other)

    by_row = {a: _mean([weight(a, b) for _, b in pairs]) for a in order}
    by_column = {b: _mean([weight(a, b) for a, _ in pairs]) for b in order}
    observed = _mean([weight(a, b) for a, b in pairs])
    chance = _mean([by_row[a] for a, _ in pairs])
    terms = [(weight(a, b) * (1 - chance) - (by_row[a] + by_column[b]) * (1 - observed)) ** 2 for a, b in pairs]
    squared = _mean(terms) - (observed * chance - 2 * chance + observed) ** 2
    return sqrt(squared / n) / float((1 - chance) ** 2)


def fleiss_cuzick(rows: Rows) -> Fraction:
    """Return the kappa of Fleiss and Cuzick 1979 for unequal numbers (at least 2) of ratings; not the package's."""
    items: dict[str, list[str]] = {}
    for item, _, label in rows:
        items.setdefault(item, []).append(label)
    items = {item: given for item, given in items.items() if len(given) > 1}
    labels = [label for given in items.values() for label in given]
    mean = Fraction(len(labels), len(items))
    within = weight = Fraction(0)
    for label in set(labels):
        used = [(given.count(label), len(given)) for given in items.values()]
        share = Fraction(labels.count(label), len(labels))
        spread = sum((Fraction(own * (size - own), size) for own, size in used), Fraction(0))
        within += spread / (len(items) * (mean - 1))
        weight += share * (1 - share)
    return 1 - within / weight


def _pooled(pairs: Sequence[Pair], label: str) -> Fraction:
    return _mean([Fraction((a == label) + (b == label), 2) for a, b in pairs])


def scott_pi(pairs: Sequence[Pair], order: Sequence[str]) -> Fraction | None:
    observed = percent(pairs)
    if observed is None:
        return None
    return _corrected(observed, sum((_pooled(pairs, c) ** 2 for c in order), Fraction(0)))


def gwet_ac1(pairs: Sequence[Pair], order: Sequence[str]) -> Fraction | None:
    observed = percent(pairs)
    if observed is None or len(order) < 2:
        return None
    spread = sum((_pooled(pairs, c) * (1 - _pooled(pairs, c)) for c in order), Fraction(0))
    return _corrected(observed, spread / (len(order) - 1))


def brennan_prediger(pairs: Sequence[Pair], order: Sequence[str]) -> Fraction | None:
    observed = percent(pairs)
    return None if observed is None else _corrected(observed, Fraction(1, len(order)))


def specific_agreement(pairs: Sequence[Pair], tag: str, *, present: bool) -> Fraction | None:
    marks = [(a == tag, b == tag) for a, b in pairs]
    both = sum(a == b == present for a, b in marks)
    mentions = sum((a == present) + (b == present) for a, b in marks)
    return Fraction(2 * both, mentions) if mentions else None


def prevalence_index(pairs: Sequence[Pair], tag: str) -> Fraction | None:
    both = sum(a == tag and b == tag for a, b in pairs)
    neither = sum(a != tag and b != tag for a, b in pairs)
    return Fraction(abs(both - neither), len(pairs)) if pairs else None


def bias_index(pairs: Sequence[Pair], tag: str) -> Fraction | None:
    first, second = (sum(pair[place] == tag for pair in pairs) for place in (0, 1))
    return Fraction(abs(first - second), len(pairs)) if pairs else None


def krippendorff_alpha(rows: Rows) -> Fraction | None:
    """Return nominal alpha from all ordered pairs of labels within items and overall."""
    labels: dict[str, list[str]] = {}
    for item, _, label in rows:
        labels.setdefault(item, []).append(label)
    units = [unit for unit in labels.values() if len(unit) > 1]
    values = [label for unit in units for label in unit]
    if not values:
        return None
    within = Fraction(0)
    for unit in units:
        differing = sum(a != b for a, b in combinations(unit, 2))
        within += Fraction(2 * differing, len(unit) - 1)
    overall = Fraction(2 * sum(a != b for a, b in combinations(values, 2)), len(values) - 1)
    return None if overall == 0 else 1 - within / overall
