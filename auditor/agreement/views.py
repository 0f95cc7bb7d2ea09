"""Ways of looking at labels: all categories, or one tag against the rest; and how far two categories are apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditor.agreement.ratings import Floats, Ints, Ratings
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
    tag: str | None
    """The tag held against the rest; None = all categories."""

    @property
    def binary(self) -> bool:
        return self.q == 2


def nominal_view(ratings: Ratings) -> View:
    """View all categories as unordered.

    They are sorted by name, not by appearance, so that the order of rows cannot move a seeded bootstrap.
    """
    names = tuple(sorted(ratings.categories))
    place = {name: position for position, name in enumerate(names)}
    return View(_codes(ratings, place), names, len(names), None, None)


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
    return View(_codes(ratings, place), ratings.categories, q, distances, None)


def tag_view(ratings: Ratings, tag: str) -> View:
    """View one tag against the rest."""
    present = [label == tag if isinstance(label, str) else tag in label for label in ratings.values]
    recode = np.where(np.array(present, dtype=bool), 0, 1).astype(np.int64)
    return View(recode, (tag, f"not {tag}"), 2, None, tag)


def _codes(ratings: Ratings, place: dict[str, int]) -> Ints:
    return np.array([place[label] for label in ratings.values if isinstance(label, str)], dtype=np.int64)
