"""Coefficients from four counts: the same as from the items."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.agreement.coefficient import Coefficient, Options
from auditor.agreement.counts import INDEPENDENT, Counted, coefficients_from_counts
from auditor.agreement.measure import measure_agreement
from auditor.agreement.plan import USUAL_PAIR_TAG
from auditor.agreement.ratings import ratings_from_columns

CELLS = st.tuples(*(st.integers(0, 30) for _ in range(4))).filter(any)


def same(one: Coefficient, other: Coefficient) -> bool:
    """Say whether two coefficients are equal up to rounding, and but for what only the items tell."""
    for name in ("value", "se", "ci_low", "ci_high", "observed", "expected", "prevalence"):
        here, there = getattr(one, name), getattr(other, name)
        if (here is None) != (there is None) or (here is not None and here != pytest.approx(there, abs=1e-12)):
            return False
    names = ("statistic", "scope", "annotators", "tag", "n_items", "ci_method", "confidence", "reason")
    return all(getattr(one, name) == getattr(other, name) for name in names)


@settings(max_examples=40, deadline=None)
@given(CELLS, st.permutations(["ana", "ben"]))
def test_counts_give_what_the_items_give(cells: tuple[int, ...], names: list[str]) -> None:
    both, first, second, neither = cells
    rows = [
        (f"{one}{other}", name, "tag" if has else "rest", count)
        for one, other, count in ((1, 1, both), (1, 0, first), (0, 1, second), (0, 0, neither))
        for name, has in zip(names, (one, other), strict=True)
        if count
    ]
    items, annotators, labels, counts = zip(*rows, strict=True)
    ratings = ratings_from_columns(items, annotators, labels, counts=counts, categories=["tag", "rest"])
    asked = (*USUAL_PAIR_TAG, "scott_pi", "brennan_prediger")
    options = Options(statistics=asked, tags=("tag",), annotators=tuple(names), bootstrap="none")
    expected = [one for one in measure_agreement(ratings, options) if one.scope == "pair"]
    counted = Counted(names[0], names[1], "tag", sum(cells), both + first, both + second, both)
    found = coefficients_from_counts(counted, asked)
    assert len(found) == len(expected) and all(same(one, other) for one, other in zip(found, expected, strict=True))
    assert all((INDEPENDENT in one.warnings) == (one.ci_low is not None) for one in found)


def test_no_items_are_undefined_with_a_reason() -> None:
    for one in coefficients_from_counts(Counted("ana", "ben", "tag", 0, 0, 0, 0)):
        assert one.value is None and one.reason == "0 items were rated by both 'ana' and 'ben'."


def test_impossible_counts_and_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no items can have been counted so"):
        coefficients_from_counts(Counted("ana", "ben", "tag", 3, 2, 2, 0))
    with pytest.raises(ValueError, match="coefficients of two annotators"):
        coefficients_from_counts(Counted("ana", "ben", "tag", 3, 2, 2, 2), ("fleiss_kappa",))
