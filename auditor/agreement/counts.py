"""Measures two annotators on a tag from four counts, for where the items themselves need not be read."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from auditor.agreement.coefficient import NONE, Coefficient, Options
from auditor.agreement.measure_pairs import pair_coefficients
from auditor.agreement.patterns import Patterns
from auditor.agreement.plan import PAIR_NAMES, USUAL_PAIR_TAG, Part
from auditor.agreement.views import View

INDEPENDENT = "Items are taken for independent: where a program has several, the interval is too narrow."


class Counted(NamedTuple):
    """To how many of the items that two annotators both rated they gave a tag."""

    first: str
    second: str
    tag: str
    items: int
    by_first: int
    by_second: int
    by_both: int


def coefficients_from_counts(
    counted: Counted, statistics: tuple[str, ...] = USUAL_PAIR_TAG, confidence: float = 0.95
) -> list[Coefficient]:
    """Measure coefficients of a tag with their asymptotic intervals; the same as from the items without a bootstrap.

    Clusters are not known here, which each interval is warned of. Raises ValueError for an unknown coefficient, or
    counts that no items can have.
    """
    if not PAIR_NAMES.issuperset(statistics):
        raise ValueError(f"not all of {statistics} are coefficients of two annotators")
    neither = counted.items - counted.by_first - counted.by_second + counted.by_both
    both = counted.by_both
    cells = np.array([both, counted.by_first - both, counted.by_second - both, neither])
    if cells.min() < 0:
        raise ValueError(f"no items can have been counted so: {counted}")
    values = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    if counted.first > counted.second:  # patterns have the annotators in the order of their names
        values = values[:, ::-1]
    there = cells > 0
    patterns = Patterns(values[there], np.flatnonzero(there), cells[there].astype(np.float64), None, None)
    view = View(np.array([0, 1]), (counted.tag, f"not {counted.tag}"), 2, None, tag=counted.tag)
    part = Part(view, counted.tag, statistics, ())
    options = Options(bootstrap=NONE, confidence=confidence)
    found = pair_coefficients(part, patterns, None, (counted.first, counted.second), options)
    return [one if one.ci_low is None else replace(one, warnings=(*one.warnings, INDEPENDENT)) for one in found]
