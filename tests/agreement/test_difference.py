"""Differences of agreement: the value, the interval over the clusters of both sides, and what has none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.agreement.coefficient import ALL, PAIR, Options
from auditor.agreement.difference import Difference, Side, measure_difference
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings import Bools, Ratings, ratings_from_columns
from auditor.errors import InputError

Cluster = Sequence[str]
"""Items by the labels of A, B, C and D; a dot = not rated. The first half of a cluster's items is the first arm."""
CONTENT: tuple[Cluster, ...] = (
    ("xxxy", "xyxx", "yyyy", "yxyy"),
    ("yyyy", "xxyx", "xyxy", "xxxx"),
    ("yxxx", "xxxy", "yy..", "..yx"),
)


def built(clusters: Sequence[Cluster], *, clustered: bool = True) -> tuple[Ratings, Bools]:
    """Build ratings and say which items are of the first arm."""
    rows = [
        (f"{place}-{item}", who, label, place)
        for place, cluster in enumerate(clusters)
        for item, labels in enumerate(cluster)
        for who, label in zip("ABCD", labels, strict=True)
        if label != "."
    ]
    items, annotators, labels, names = zip(*rows, strict=True)
    ratings = ratings_from_columns(
        items, annotators, labels, clusters=names if clustered else None, categories=list("xy")
    )
    return ratings, np.array([int(item[-1]) < 2 for item in dict.fromkeys(items)])


def measured(ratings: Ratings, first: Side, second: Side, scope: str = PAIR, **options: Any) -> Difference:
    found = measure_difference(ratings, first, second, Options(**options))
    (only,) = [one for one in found if one.first.scope == scope]
    return only


SIDES = (
    ("two arms", "cohen_kappa", PAIR),
    ("two arms", "positive_agreement", PAIR),
    ("two rounds", "cohen_kappa", PAIR),
    ("two tags", "bias_index", PAIR),
    ("two tags", "positive_agreement", PAIR),
    ("two arms", "fleiss_kappa", ALL),
    ("two arms", "krippendorff_alpha", ALL),
    ("two rounds", "light_kappa", ALL),
)


def sides(kind: str, first_arm: Bools) -> tuple[Side, Side]:
    if kind == "two rounds":
        return Side(annotators=("A", "B")), Side(annotators=("C", "D"))
    if kind == "two tags":
        return Side(("A", "B"), ("x",)), Side(("A", "B"), ("y",))
    return Side(("A", "B"), items=first_arm), Side(("A", "B"), items=~first_arm)


@pytest.mark.parametrize(("kind", "statistic", "scope"), SIDES)
def test_the_interval_is_that_of_all_resamples_of_the_clusters_of_both_sides(
    kind: str, statistic: str, scope: str
) -> None:
    tag: dict[str, Any] = {"tags": ("x",)} if statistic == "positive_agreement" and kind != "two tags" else {}

    def value(chosen: Sequence[int]) -> float | None:
        ratings, arm = built([CONTENT[cluster] for cluster in chosen])
        return measured(ratings, *sides(kind, arm), scope, statistics=(statistic,), bootstrap="none", **tag).value

    every = [value(chosen) for chosen in product(range(3), repeat=3)]
    defined = [one for one in every if one is not None]
    ratings, arm = built(CONTENT)
    found = measured(ratings, *sides(kind, arm), scope, statistics=(statistic,), replicates=20_000, **tag)
    assert found.value == pytest.approx(value(range(3)))
    assert found.n_clusters == 3 and found.ci_method == "cluster bootstrap, percentile"
    assert found.se == pytest.approx(np.std(defined), rel=0.03)
    assert found.replicates_undefined is not None
    assert found.replicates_undefined / 20_000 == pytest.approx(1 - len(defined) / 27, abs=0.02)
    assert found.ci_low is not None and found.ci_high is not None
    assert min(defined) - 1e-9 <= found.ci_low <= found.ci_high <= max(defined) + 1e-9


def test_each_side_is_what_is_measured_without_the_other() -> None:
    ratings, arm = built(CONTENT)
    found = measure_difference(ratings, *sides("two rounds", arm), Options(replicates=300))
    for names, got in ((("A", "B"), [one.first for one in found]), (("C", "D"), [one.second for one in found])):
        alone = measure_agreement(ratings, Options(annotators=names, replicates=300))
        assert all(one in alone for one in got) and len(got) >= 3
    for one in found:
        assert one.first.value is not None and one.second.value is not None
        assert one.value == one.first.value - one.second.value


RATINGS = st.lists(
    st.lists(st.text("xy.", min_size=4, max_size=4).filter(lambda text: text != "...."), min_size=2, max_size=5),
    min_size=3,
    max_size=6,
)
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def same(one: float | None, other: float | None) -> bool:
    return one is other is None or (one is not None and other is not None and one == pytest.approx(other, abs=1e-9))


@FEW
@given(RATINGS, st.sampled_from(["cluster", "item"]))
def test_a_side_does_not_differ_from_itself(clusters: list[list[str]], bootstrap: str) -> None:
    ratings, arm = built([["xyxy"], *clusters])
    names = ("A", "B")
    for one in measure_difference(
        ratings, Side(names, items=arm), Side(names, items=arm), Options(bootstrap=bootstrap, replicates=60)
    ):
        assert one.value in (0, None) and one.se in (0, None)
        if one.ci_low is not None:
            assert (one.ci_low, one.ci_high, one.t_low, one.t_high) == (0, 0, 0, 0)
        else:
            assert one.reason


@FEW
@given(RATINGS)
def test_exchanging_the_sides_turns_the_sign(clusters: list[list[str]]) -> None:
    ratings, arm = built([["xyxy"], *clusters])
    options = Options(replicates=60, statistics=("cohen_kappa", "percent"))
    here, there = Side(("A", "B"), items=arm), Side(("A", "B"), items=~arm)
    for one, other in zip(
        measure_difference(ratings, here, there, options),
        measure_difference(ratings, there, here, options),
        strict=True,
    ):
        assert same(one.value, None if other.value is None else -other.value)
        assert one.replicates == other.replicates and (one.ci_low is None) == (other.ci_low is None)


@FEW
@given(RATINGS, st.integers(0, 3))
def test_duplicating_items_inside_their_clusters_leaves_the_interval(clusters: list[list[str]], seed: int) -> None:
    once, arm = built(clusters)
    twice, arms = built([[*cluster[:2], *cluster[:2], *cluster[2:], *cluster[2:]] for cluster in clusters])
    arms = np.concatenate([[True] * 4 + [False] * (2 * (len(cluster) - 2)) for cluster in clusters])
    options = Options(replicates=60, seed=seed, statistics=("cohen_kappa", "percent", "scott_pi"))
    found = [
        measure_difference(ratings, Side(("A", "B"), items=mask), Side(("A", "B"), items=~mask), options)
        for ratings, mask in ((once, arm), (twice, arms))
        if {"A", "B"} <= set(ratings.annotators)
    ]
    for one, other in zip(*found, strict=True) if found else ():
        for name in ("value", "se", "ci_low", "ci_high", "replicates_undefined", "n_clusters"):
            assert same(getattr(one, name), getattr(other, name)), name


def test_sides_with_clusters_of_their_own_vary_independently() -> None:
    rng = np.random.default_rng(2)
    clusters = [["".join("xy"[int(rng.random() < 0.5)] for _ in "ABCD") for _ in range(4)] for _ in range(80)]
    ratings, _ = built(clusters)
    early = np.arange(ratings.n_items) < 160
    here, there = Side(("A", "B"), items=early), Side(("A", "B"), items=~early)
    found = measured(ratings, here, there, statistics=("cohen_kappa",))
    assert found.n_clusters == 80 and found.first.n_clusters == found.second.n_clusters == 40
    assert found.se is not None and found.first.se is not None and found.second.se is not None
    assert found.se**2 == pytest.approx(found.first.se**2 + found.second.se**2, rel=0.1)


def test_what_both_sides_share_does_not_widen_the_interval() -> None:
    rng = np.random.default_rng(3)
    clusters = []
    for _ in range(60):
        agree = rng.random() < 0.6
        labels = ["xy"[int(rng.integers(2))] for _ in range(4)]
        others = [label if agree else "yx"["xy".index(label)] for label in labels]
        clusters.append([f"{label}{other}xy" for label, other in zip(labels, others, strict=True)])
    ratings, arm = built(clusters)
    found = measured(ratings, *sides("two arms", arm), statistics=("percent",))
    assert found.value == 0 and found.se == 0 and found.first.se is not None and found.first.se > 0.05


def test_items_are_resampled_where_the_clusters_are_not_known() -> None:
    ratings, arm = built(CONTENT * 5, clustered=False)
    found = measured(ratings, *sides("two arms", arm), statistics=("cohen_kappa",))
    assert found.ci_method == "item bootstrap, percentile" and found.n_clusters is None and found.se is not None


def test_few_clusters_and_rare_tags_are_warned_of() -> None:
    ratings, arm = built(CONTENT)
    found = measured(ratings, *sides("two arms", arm), statistics=("cohen_kappa",), tags=("x",))
    assert found.interval == "t" and found.shown_low == found.t_low
    assert found.warnings[0].startswith("Only 3 clusters")
    assert any(warning.startswith("The tag 'x'") for warning in found.warnings)


def test_what_has_no_interval_says_which_side_has_none() -> None:
    ratings, arm = built(CONTENT)
    one_cluster = np.arange(ratings.n_items) < 4
    found = measured(ratings, Side(("A", "B")), Side(("A", "B"), items=one_cluster), statistics=("percent",))
    assert found.value is not None and found.ci_low is None
    assert found.reason is not None and "second side has none: all items come from one cluster" in found.reason
    found = measured(ratings, *sides("two arms", arm), statistics=("cohen_kappa",), bootstrap="none")
    assert found.reason is not None and "needs a bootstrap" in found.reason
    silent, mask = built([["xxxx", "xxxx"], ["xxxx", "xxyy"]])
    found = measured(silent, Side(("A", "B"), items=mask), Side(("C", "D"), items=mask), statistics=("cohen_kappa",))
    assert found.value is None and found.reason is not None and found.reason.startswith("It is undefined on the first")


def test_sides_of_different_size_are_refused() -> None:
    ratings, _ = built(CONTENT)
    with pytest.raises(InputError, match="2 and 3 annotators, not as many"):
        measure_difference(ratings, Side(("A", "B")), Side(("A", "B", "C")))
    with pytest.raises(InputError, match="1 and 2 tags, not as many"):
        measure_difference(ratings, Side(tags=("x",)), Side(tags=("x", "y")))
