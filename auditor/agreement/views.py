"""Ways of looking at labels: all categories, or one tag against the rest; and how far two categories are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from auditor.agreement.ratings import MAX_CATEGORIES, Floats, Ints, Ratings, TagGroup
from auditor.agreement.resampling import refuse_too_large
from auditor.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """How label codes become categories 0 .. q-1. A view of one tag has it at 0 and the rest at 1."""

    recode: Ints
    """Category of each label code."""
    names: tuple[str, ...]
    """The categories by position."""
    q: int
    """Number of declared categories; it enters coefficients even where a category is never used."""
    distances: Floats | None
    """How far categories are apart, shape (q, q), at most 1; None = 1 between any two."""
    tag: str | None = None
    """The tag held against the rest; None = all categories."""
    group: str | None = None
    """The group whose tags are the categories; None = not a view of a group."""
    ordinal: bool = False
    """Whether distances follow from ranks and marginals (alpha only)."""


def nominal_view(ratings: Ratings) -> View:
    """View all categories as unordered.

    They are sorted by name, not by appearance, so that the order of rows cannot move a seeded bootstrap.
    """
    names = tuple(sorted(ratings.categories))
    place = {name: position for position, name in enumerate(names)}
    return View(_codes(ratings, place), names, len(names), None)


def weighted_view(ratings: Ratings, weights: str, scores: tuple[float, ...] | None) -> View:
    """View all categories in their declared order, `linear` or `quadratic` distances from ranks or scores.

    Distances are divided by the largest one. Raises InputError when no order was declared or scores do not fit.
    """
    if not ratings.declared:
        raise InputError(
            "weighted agreement needs the categories in their order.", hint="Name each with --category, lowest first."
        )
    q = len(ratings.categories)
    if scores is not None and len(scores) != q:
        raise InputError(f"there are {len(scores)} scores for {q} categories.", hint="Give one --score per --category.")
    scale = np.arange(q, dtype=np.float64) if scores is None else np.array(scores, dtype=np.float64)
    if not np.isfinite(scale).all():
        raise InputError("a score is not a finite number.")
    apart = np.abs(scale[:, None] - scale[None, :])
    largest = apart.max(initial=0.0)
    if largest == 0 and q > 1:
        raise InputError("all scores are equal, so no two categories differ.")
    apart = apart / (largest or 1.0)
    place = {name: position for position, name in enumerate(ratings.categories)}
    distances = apart**2 if weights == "quadratic" else apart
    return View(_codes(ratings, place), ratings.categories, q, distances)


def alpha_view(ratings: Ratings, metric: str | None, scores: tuple[float, ...] | None) -> View:
    """View all categories under a metric of Krippendorff's alpha, sets of tags by default under `masi`.

    Interval and ratio distances are squared. Raises InputError when the metric does not fit the labels.
    """
    metric = metric or ("masi" if ratings.multi else "nominal")
    if (metric in ("masi", "jaccard")) != ratings.multi and metric != "nominal":
        kind = "sets of tags (--multi)" if metric in ("masi", "jaccard") else "single labels"
        raise InputError(f"the metric {metric} is for {kind}.")
    if ratings.multi:
        return _set_view(ratings, metric)
    if metric == "nominal":
        return nominal_view(ratings)
    if metric == "ordinal":
        return replace(weighted_view(ratings, "linear", None), ordinal=True)
    if scores is None:
        raise InputError(f"the metric {metric} needs numbers.", hint="Give one --score per --category.")
    if metric == "interval":
        return weighted_view(ratings, "quadratic", scores)
    return replace(weighted_view(ratings, "linear", scores), distances=_ratio_distances(scores))


def _ratio_distances(scores: tuple[float, ...]) -> Floats:
    scale = np.array(scores, dtype=np.float64)
    if (scale < 0).any():
        raise InputError("the metric ratio needs scores of at least 0.")
    total = scale[:, None] + scale[None, :]
    apart = np.zeros(total.shape)
    np.divide(scale[:, None] - scale[None, :], total, out=apart, where=total > 0)
    return apart**2


def _set_view(ratings: Ratings, metric: str) -> View:
    """View each distinct set of tags as a category."""
    sets = sorted((label for label in ratings.values if not isinstance(label, str)), key=sorted)
    if len(sets) > MAX_CATEGORIES:
        raise InputError(f"there are {len(sets)} different sets of tags; at most {MAX_CATEGORIES} can be compared.")
    place = {label: position for position, label in enumerate(sets)}
    recode = np.array([place[label] for label in ratings.values if not isinstance(label, str)], dtype=np.int64)
    names = tuple(" | ".join(sorted(label)) or "(none)" for label in sets)
    distances = None if metric == "nominal" else set_distances(sets, metric)
    return View(recode, names, len(sets), distances)


def set_distances(sets: Sequence[frozenset[str]], metric: str) -> Floats:
    """Return the `masi` or `jaccard` distance between any two sets, shape (s, s).

    MASI is 1 - J x M, with M = 1 equal, 2/3 subset, 1/3 overlap, 0 disjoint (Passonneau 2006); two empty sets are
    equal, an empty set and another are disjoint.
    """
    tags = {tag: position for position, tag in enumerate(sorted(frozenset().union(*sets)))}
    member = np.zeros((len(sets), len(tags)))
    for position, one in enumerate(sets):
        member[position, [tags[tag] for tag in one]] = 1
    size = member.sum(axis=1)
    shared = member @ member.T
    union = size[:, None] + size[None, :] - shared
    equal = (shared == union).astype(np.float64)
    jaccard = np.divide(shared, union, out=np.ones(shared.shape), where=union > 0)
    if metric == "jaccard":
        return np.asarray(1 - jaccard)
    subset = shared == np.minimum(size[:, None], size[None, :])
    monotone = np.where(equal > 0, 1.0, np.where(shared == 0, 0.0, np.where(subset, 2 / 3, 1 / 3)))
    return np.asarray(1 - jaccard * monotone)


def choices_by_pattern(values: Ints, view: View) -> tuple[Floats, Ints]:
    """Count how many annotators chose each used category, shape (m, k); return it with the categories' positions."""
    at, column = np.nonzero(values >= 0)
    category = view.recode[values[at, column]]
    used = np.flatnonzero(np.bincount(category, minlength=1))
    refuse_too_large(len(values), len(used))
    place = np.zeros(int(used.max(initial=0)) + 1, dtype=np.int64)
    place[used] = np.arange(len(used))
    cells = len(values) * len(used)
    chosen = np.bincount(at * len(used) + place[category], minlength=cells)[:cells].reshape(len(values), len(used))
    return chosen.astype(np.float64), used


def tag_view(ratings: Ratings, tag: str) -> View:
    """View one tag against the rest."""
    present = [label == tag if isinstance(label, str) else tag in label for label in ratings.values]
    recode = np.where(np.array(present, dtype=bool), 0, 1).astype(np.int64)
    return View(recode, (tag, f"not {tag}"), 2, None, tag=tag)


def group_view(ratings: Ratings, group: TagGroup) -> View:
    """View the tags of an exclusive group, and none of them, as unordered categories.

    An item that has several of them all the same shows that combination, as one more category.
    """
    own = set(group.tags)
    shown = [frozenset(own & label) for label in ratings.values if not isinstance(label, str)]
    single = [*(frozenset([tag]) for tag in group.tags), frozenset[str]()]
    several = sorted(set(shown) - set(single), key=sorted)
    place = {label: position for position, label in enumerate([*single, *several])}
    names = tuple(" | ".join(sorted(label)) or "(none)" for label in place)
    return View(np.array([place[label] for label in shown], dtype=np.int64), names, len(place), None, group=group.name)


def _codes(ratings: Ratings, place: dict[str, int]) -> Ints:
    return np.array([place[label] for label in ratings.values if isinstance(label, str)], dtype=np.int64)
