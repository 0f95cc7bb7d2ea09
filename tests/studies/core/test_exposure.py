"""The exposure trend, worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.studies.core.exposure import Exposed, FailingPair, exposure


def pair(problem: str, tests: str, failed: Iterable[str]) -> FailingPair:
    return FailingPair(problem, tuple(tests), frozenset(failed))


def test_one_failure_of_three_tests_is_exposed_evenly() -> None:
    found = exposure([pair("p", "abc", "b")])
    assert [one.tests for one in found] == [1, 2, 3]
    assert [one.mean for one in found] == pytest.approx([1 / 3, 2 / 3, 1])
    # One pair is exposed or not, so that the band is all there is until all tests have been seen.
    assert [(one.low, one.high) for one in found] == [(0, 1), (0, 1), (1, 1)]


def test_a_pair_that_fails_everything_is_exposed_at_once_and_short_suites_end_early() -> None:
    found = exposure([pair("p", "abcd", "abcd"), pair("q", "a", "a")])
    assert found == [Exposed(k, 1.0, 1.0, 1.0) for k in (1, 2, 3, 4)]
    # (1/2 + 1/4) / 2; with two tests the first is exposed and the second half of the time.
    found = exposure([pair("p", "ab", "a"), pair("q", "abcd", "d")])
    assert [one.mean for one in found] == pytest.approx([3 / 8, 3 / 4, 7 / 8, 1])


def test_no_failing_pair_gives_no_trend_and_a_seed_gives_the_same_one() -> None:
    assert exposure([]) == []
    pairs = [pair("p", "abcdef", "a"), pair("p", "abcdef", "bc"), pair("q", "abc", "c")]
    assert exposure(pairs, seed=5) == exposure(list(reversed(pairs)), seed=5)


def test_pairs_of_a_problem_share_its_orders() -> None:
    # Two settings that fail on the same test are exposed together: the share is 0 or 1, never 1/2.
    found = exposure([pair("p", "ab", "a")] * 2, orders=200)
    assert (found[0].low, found[0].high) == (0, 1) and found[0].mean == 0.5


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3))
def test_the_mean_is_that_over_all_orders(drawn: list[tuple[int, int, int]]) -> None:
    pairs = [
        pair(f"p{at}", "abcd"[:n], {"abcd"[one % n], "abcd"[other % n]}) for at, (n, one, other) in enumerate(drawn)
    ]
    found = exposure(pairs, orders=10)
    for k, one in enumerate(found, 1):
        shares = []
        for each in pairs:
            orders = list(permutations(each.tests))
            shares.append(sum(bool(each.failed & set(order[:k])) for order in orders) / len(orders))
        assert one.mean == pytest.approx(sum(shares) / len(shares))
        assert 0 <= one.low <= one.high <= 1
    assert found[-1].mean == found[-1].low == 1
