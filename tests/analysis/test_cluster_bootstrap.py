"""Cluster bootstrap of ratios and paired differences against exact enumerations."""

from __future__ import annotations

import json
from itertools import product
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.analysis.cluster_bootstrap import (
    NOTHING_VARIES,
    PairedDifference,
    cluster_bootstrap_difference,
    cluster_bootstrap_ratio,
    paired_difference,
)
from auditor.analysis.contrast import cluster_bootstrap_contrast

REFERENCES = Path(__file__).parent.parent / "refs" / "stats.json"
CASES = [
    case
    for case in json.loads(REFERENCES.read_text(encoding="utf-8"))["cases"]
    if case["statistic"] == "paired_cluster_bootstrap"
]
SEED = 20240117
"""The seed of the references' Monte Carlo runs."""


def _difference(case: dict[str, Any], seed: int = SEED) -> PairedDifference:
    rows = case["data"]
    return paired_difference(
        [row["a"] for row in rows], [row["b"] for row in rows], [row["source"] for row in rows], seed=seed
    )


def test_all_reference_cases_are_there() -> None:
    assert len(CASES) == 4


@pytest.mark.parametrize(
    "case", [case for case in CASES if "mc_reference" in case["expected"]], ids=lambda c: str(c["id"])
)
@pytest.mark.parametrize("seed", [SEED, 0, 1])
def test_paired_difference_lies_in_the_exact_brackets(case: dict[str, Any], seed: int) -> None:
    expected, found = case["expected"], _difference(case, seed)
    interval = found.difference
    assert (found.n_items, interval.n_clusters, found.n_dropped) == (expected["n_items"], expected["n_sources"], 0)
    assert interval.value == pytest.approx(expected["value"], abs=1e-12)
    assert interval.se == pytest.approx(expected["bootstrap_se"], rel=0.02)
    assert interval.low is not None and interval.high is not None
    assert expected["ci_lo_bracket"][0] - 1e-12 <= interval.low <= expected["ci_lo_bracket"][1] + 1e-12
    assert expected["ci_hi_bracket"][0] - 1e-12 <= interval.high <= expected["ci_hi_bracket"][1] + 1e-12
    if seed == SEED:
        drawn = expected["mc_reference"]
        assert (interval.low, interval.high) == pytest.approx(tuple(drawn["ci_linear_quantile"]), abs=1e-12)
        assert interval.se == pytest.approx(drawn["se"], rel=1e-4)


@pytest.mark.parametrize("rate", [0.0, 0.1, 1 / 3, 1.0])
def test_where_nothing_varies_there_is_no_interval(rate: float) -> None:
    sizes = [1.0, 3.0, 7.0, 10.0]
    found = cluster_bootstrap_ratio([rate * size for size in sizes], sizes, replicates=200)
    assert found.value == pytest.approx(rate)
    assert (found.se, found.low, found.high, found.reason) == (None, None, None, NOTHING_VARIES)
    varied = cluster_bootstrap_ratio([0.0, *sizes[1:]], sizes, replicates=200)
    assert varied.reason is None and varied.low is not None


def test_an_item_without_a_pair_is_dropped_and_counted() -> None:
    case = next(case for case in CASES if case["id"] == "paired-boot-unpaired-item")
    found = _difference(case)
    assert found.difference.value == pytest.approx(case["expected"]["value"])
    assert (found.n_items, found.n_dropped) == (case["expected"]["n_items"], case["expected"]["n_dropped"])
    assert paired_difference([1.0, nan], [nan, 1.0], ["x", "y"]).n_dropped == 2


def test_the_standard_error_is_that_of_all_resamples() -> None:
    top, bottom = [1, 4, 2, 0], [2, 5, 2, 3]
    every = [sum(top[i] for i in drawn) / sum(bottom[i] for i in drawn) for drawn in product(range(4), repeat=4)]
    found = cluster_bootstrap_ratio(top, bottom, replicates=40_000, seed=2)
    assert found.value == pytest.approx(7 / 12)
    assert found.se == pytest.approx(np.std(every), rel=0.02)


def test_replicates_without_items_are_dropped_and_counted() -> None:
    found = cluster_bootstrap_ratio([1, 0, 0], [2, 2, 0], replicates=2_000)
    assert found.replicates_undefined is not None
    assert found.replicates_undefined / 2_000 == pytest.approx(1 / 27, abs=0.015)
    assert (found.low, found.high) == (0, 0.5)


def test_nothing_and_a_single_cluster_have_a_reason_instead_of_an_interval() -> None:
    nothing = cluster_bootstrap_ratio([], [])
    assert nothing.value is None and nothing.reason is not None
    single = cluster_bootstrap_ratio([3], [4])
    assert (single.value, single.low, single.high, single.se) == (0.75, None, None, None)
    assert single.reason is not None and "one cluster" in single.reason
    lone = paired_difference([1], [0], ["only"]).difference
    assert lone.value == 1 and lone.low is None and lone.seed is None


def test_blocks_of_draws_give_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 30, 97).astype(float)
    right = np.floor(sizes * rng.random(97))
    whole = cluster_bootstrap_ratio(right, sizes, replicates=1_000, seed=3)
    monkeypatch.setattr("auditor.analysis.cluster_bootstrap._CHUNK_DRAWS", 1_003)
    assert cluster_bootstrap_ratio(right, sizes, replicates=1_000, seed=3) == whole


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12), st.integers(2, 5))
def test_repeating_every_cluster_content_changes_nothing(clusters: list[tuple[int, int]], times: int) -> None:
    top, bottom = [min(pair) for pair in clusters], [max(pair) for pair in clusters]
    one = cluster_bootstrap_ratio(top, bottom, replicates=50)
    many = cluster_bootstrap_ratio([times * t for t in top], [times * b for b in bottom], replicates=50)
    for name in ("value", "se", "low", "high"):
        assert getattr(one, name) == pytest.approx(getattr(many, name))
    if one.value is not None:
        assert 0 <= one.value <= 1


@pytest.mark.parametrize(
    ("top", "bottom", "options"),
    [
        ([1], [1, 2], {}),
        ([1, 1], [1, -2], {}),
        ([1, 1], [1, 2], {"replicates": 1}),
        ([1, 1], [1, 2], {"confidence": 1.0}),
    ],
)
def test_impossible_arguments_are_refused(top: list[float], bottom: list[float], options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        cluster_bootstrap_ratio(top, bottom, **options)


def test_clusters_without_a_denominator_do_not_make_an_interval() -> None:
    found = cluster_bootstrap_ratio([2, 0, 0], [4, 0, 0])
    assert (found.value, found.n_clusters, found.low, found.high, found.se) == (0.5, 1, None, None, None)
    assert found.reason is not None and "one cluster" in found.reason


def test_differences_of_rounding_are_none() -> None:
    tops, sums, sizes = [0.3, 0.6, 0.0, 0.6], [0.1 + 0.2, 0.2 + 0.4, 0.0, 0.6], [1.0, 2.0, 3.0, 2.0]
    assert tops != sums
    same = cluster_bootstrap_difference((tops, sizes), (sums, sizes), 500)
    assert same.value == pytest.approx(0, abs=1e-12)
    assert (same.low, same.high, same.p) == (None, None, None) and same.reason is not None
    contrast = cluster_bootstrap_contrast([*zip(tops, sums, strict=True)], [1, -1], 500)
    assert (contrast.low, contrast.high, contrast.reason) == (None, None, NOTHING_VARIES)


def test_an_interval_of_one_point_is_none() -> None:
    found = cluster_bootstrap_ratio([0, 1], [1, 1], replicates=2_000, confidence=0.3)
    assert found.se is not None and (found.low, found.high) == (None, None)
    assert found.reason == "There is no interval: both of its ends are the same value."
