"""Theta and its permutation test against enumerations and references; Benjamini-Hochberg; pass@k."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, mannwhitneyu

from auditor.analysis.multiplicity import benjamini_hochberg
from auditor.analysis.sessions import pass_at_k
from auditor.analysis.theta import rank_association

REFERENCES = Path(__file__).parent.parent / "refs" / "stats.json"
ALL = json.loads(REFERENCES.read_text(encoding="utf-8"))["cases"]
THETA = [case for case in ALL if case["statistic"] == "permutation_theta"]
ADJUSTED = [case for case in ALL if case["statistic"] == "benjamini_hochberg"]
SEED = 20240117
"""The seed of the references' Monte Carlo runs."""


def test_all_reference_cases_are_there() -> None:
    assert (len(THETA), len(ADJUSTED)) == (4, 5)


@pytest.mark.parametrize("case", THETA, ids=lambda case: str(case["id"]))
def test_theta_is_the_reference(case: dict[str, Any]) -> None:
    expected, params = case["expected"], case["params"]
    found = rank_association(params["a"], params["b"], seed=SEED)
    if expected.get("status") == "undefined":
        assert (found.theta, found.p) == (None, None)
        assert found.reason == "Inestimable: the outcome holds of no response."
        return
    assert found.theta == pytest.approx(expected["theta"], abs=1e-12)
    assert found.at_least == expected["mc_reference"]["ge_count"]
    assert found.p == expected["mc_reference"]["p"]
    for seed in (0, 1):
        other = rank_association(params["a"], params["b"], seed=seed)
        assert other.p == pytest.approx(expected["p_exact"], abs=expected["mc_tolerance"])


def test_the_published_floor_of_p() -> None:
    found = rank_association(range(100, 130), range(30), replicates=10_000)
    assert (found.theta, found.at_least, found.p) == (1.0, 0, 1 / 10_001)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_theta_counts_pairs_and_p_comes_near_the_enumeration(failures: list[int], successes: list[int]) -> None:
    found = rank_association(failures, successes, replicates=2_000, seed=3)
    pairs = [Fraction((f > s) + (f >= s), 2) for f in failures for s in successes]
    assert found.theta == pytest.approx(float(sum(pairs) / len(pairs)))
    u = mannwhitneyu(failures, successes).statistic
    assert found.theta == pytest.approx(u / (len(failures) * len(successes)))
    pooled = [*failures, *successes]
    every = list(combinations(range(len(pooled)), len(failures)))

    def doubled(chosen: tuple[int, ...]) -> int:
        rest = [pooled[at] for at in range(len(pooled)) if at not in chosen]
        return sum((pooled[at] > s) + (pooled[at] >= s) for at in chosen for s in rest)

    exact = sum(doubled(one) >= doubled(tuple(range(len(failures)))) for one in every) / len(every)
    assert found.p == pytest.approx(exact, abs=0.06)
    turned = rank_association(successes, failures, replicates=10)
    assert turned.theta == pytest.approx(1 - (found.theta or 0))


def test_blocks_of_shuffles_give_the_same_and_may_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rank_association([1, 5, 5, 9], [2, 5, 1], replicates=500, seed=4)
    monkeypatch.setattr("auditor.analysis.theta._CHUNK_CELLS", 70)
    assert rank_association([1, 5, 5, 9], [2, 5, 1], replicates=500, seed=4) == whole
    calls = []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rank_association([1, 5, 5, 9], [2, 5, 1], replicates=500, before_block=stop)
    assert len(calls) == 3


def test_inestimable_series_say_why_and_impossible_values_are_refused() -> None:
    assert rank_association([1], []).reason == "Inestimable: the outcome holds of every response."
    assert rank_association([], []).reason == "Inestimable: there is no response."
    with pytest.raises(ValueError, match="finite"):
        rank_association([1], [float("nan")])
    with pytest.raises(ValueError, match="replicate"):
        rank_association([1], [2], replicates=0)


@pytest.mark.parametrize("case", ADJUSTED, ids=lambda case: str(case["id"]))
def test_adjusted_p_values_are_the_reference(case: dict[str, Any]) -> None:
    found, expected = benjamini_hochberg(**case["params"]), case["expected"]
    assert found.p == pytest.approx(expected["adjusted"], abs=1e-10)
    assert found.rejected == expected["reject"] and sum(found.rejected) == expected["n_reject"]


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=30))
def test_adjusting_passes_over_what_is_undefined(p: list[float | None]) -> None:
    found = benjamini_hochberg(p)
    defined = [one for one in p if one is not None]
    assert found.defined == len(defined) and [one is None for one in found.p] == [one is None for one in p]
    expected = false_discovery_control(defined).tolist() if defined else []
    assert [one for one in found.p if one is not None] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("p", "adjusted"), [([0.05, 0.01, 0.05], [0.05, 0.03, 0.05]), ([0.05 / 3, 1.0, 1.0], [0.05, 1.0, 1.0])]
)
def test_a_p_of_exactly_alpha_is_rejected(p: list[float], adjusted: list[float]) -> None:
    found = benjamini_hochberg(p, 0.05)
    assert found.p == pytest.approx(adjusted) and found.rejected == [one <= 0.05 for one in adjusted]


def test_adjusting_refuses_what_is_no_probability() -> None:
    assert benjamini_hochberg([]) == ([], [], 0)
    for p, alpha in (([1.5], 0.05), ([0.5], 2)):
        with pytest.raises(ValueError, match="between 0 and 1"):
            benjamini_hochberg(p, alpha)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, 9))))
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(case: tuple[int, int, int]) -> None:
    n, correct, k = case
    draws = list(combinations([True] * correct + [False] * (n - correct), k))
    expected = Fraction(sum(map(any, draws)), len(draws)) if draws else None
    assert pass_at_k(n, correct, k) == expected


def test_pass_at_k_refuses_what_makes_no_sense() -> None:
    assert pass_at_k(10, 3, 1) == Fraction(3, 10)
    for wrong in ((2, 3, 1), (2, 1, 0), (2, -1, 1)):
        with pytest.raises(ValueError, match="no sense"):
            pass_at_k(*wrong)


def test_whole_numbers_beyond_floats_are_ranked_exactly() -> None:
    large = rank_association([10**18 + 1, 10**18 + 3], [10**18, 10**18 + 2, 10**400], 200)
    small = rank_association([1, 3], [0, 2, 9], 200)
    assert (large.theta, large.at_least) == (small.theta, small.at_least) == (0.5, small.at_least)
