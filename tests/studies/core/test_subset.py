"""The smallest set of tests that covers all: against every set there is, and greedy where there are too many."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from auditor.studies.core.subset import EXACT_UP_TO, minimal_subset

COVERED = st.lists(st.sets(st.integers(0, 9), max_size=5), max_size=8)


def union(covered: list[set[int]], places: tuple[int, ...]) -> set[int]:
    return set().union(*(covered[place] for place in places))


@given(COVERED)
def test_no_smaller_set_covers_as_much(covered: list[set[int]]) -> None:
    found = minimal_subset(covered)
    everything = tuple(range(len(covered)))
    assert found.exact and list(found.chosen) == sorted(set(found.chosen))
    assert union(covered, found.chosen) == union(covered, everything)
    for smaller in combinations(everything, max(0, len(found.chosen) - 1)):
        assert len(found.chosen) == 0 or union(covered, smaller) != union(covered, everything)


@given(st.lists(st.sets(st.integers(0, 30), max_size=6), min_size=EXACT_UP_TO + 1, max_size=40))
def test_of_more_tests_the_set_covers_all_without_one_too_many_and_is_named_greedy(covered: list[set[int]]) -> None:
    found = minimal_subset(covered)
    everything = union(covered, tuple(range(len(covered))))
    assert union(covered, found.chosen) == everything
    assert found.exact is (len(found.chosen) <= 1)
    for place in found.chosen:
        others = tuple(other for other in found.chosen if other != place)
        assert union(covered, others) != everything


def test_the_search_finds_what_greed_does_not() -> None:
    # Greed takes the middle set first and then needs both of the others.
    covered = [{1, 2, 3, 7}, {4, 5, 6, 8}, {2, 3, 4, 5, 6}]
    assert minimal_subset(covered).chosen == (0, 1)
    assert minimal_subset([]).chosen == ()
