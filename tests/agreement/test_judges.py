"""Judges against a reference: shares from the definitions item by item, their intervals, and what has none."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.agreement.coefficient import Coefficient, Options
from auditor.agreement.judges import Counts, JudgedTag, measure_judges
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings import Ratings, ratings_from_columns
from auditor.errors import InputError

TAGS = ("copying", "other", "NA")
Sets = list[tuple[frozenset[str], frozenset[str], int]]
"""The judge's tags, the reference's, and the cluster, by item."""

FEW = settings(max_examples=30, deadline=None)
one_set = st.frozensets(st.sampled_from(TAGS))
item_sets = st.lists(st.tuples(one_set, one_set, st.integers(0, 4)), min_size=1, max_size=14)


def built(sets: Sets, judge: str = "judge", reference: str = "ana") -> Ratings:
    rows = [
        (item, name, tags, cluster)
        for item, (by_judge, by_reference, cluster) in enumerate(sets)
        for name, tags in ((judge, by_judge), (reference, by_reference))
    ]
    items, names, tags, clusters = zip(*rows, strict=True)
    return ratings_from_columns(items, names, tags, clusters=clusters, categories=TAGS, multi=True)


def plain(sets: Sets, tag: str) -> dict[str, Fraction | None]:
    """Return the four shares from their definitions, one item after the other."""

    def share(those: list[bool]) -> Fraction | None:
        return Fraction(sum(those), len(those)) if those else None

    found = share([tag in judge for judge, reference, _ in sets if tag in reference])
    left = share([tag not in judge for judge, reference, _ in sets if tag not in reference])
    return {
        "sensitivity": found,
        "specificity": left,
        "balanced_accuracy": None if found is None or left is None else (found + left) / 2,
        "precision": share([tag in reference for judge, reference, _ in sets if tag in judge]),
    }


def by_name(one: JudgedTag) -> dict[str, Coefficient]:
    return {coefficient.statistic: coefficient for coefficient in one.coefficients}


@FEW
@given(item_sets)
def test_the_shares_are_those_of_the_definitions(sets: Sets) -> None:
    for one in measure_judges(built(sets), ["judge"], ["ana"], Options(bootstrap="none")):
        for name, share in plain(sets, one.tag).items():
            coefficient = by_name(one)[name]
            assert (coefficient.value is None) == (share is None) == (coefficient.reason is not None and share is None)
            assert share is None or coefficient.value == pytest.approx(float(share), abs=1e-12)
        assert sum(one.counts) == len(sets)


@FEW
@given(item_sets)
def test_judge_and_reference_swapped_swap_sensitivity_and_precision(sets: Sets) -> None:
    options = Options(replicates=50)
    there = measure_judges(built(sets), ["judge"], ["ana"], options)
    back = measure_judges(built(sets), ["ana"], ["judge"], options)
    for one, other in zip(there, back, strict=True):
        values = [(by_name(one)[name], by_name(other)[swapped]) for name, swapped in _SWAPPED.items()]
        for here, there_ in values:
            assert (here.value, here.ci_low, here.ci_high) == (there_.value, there_.ci_low, there_.ci_high)


_SWAPPED = {"sensitivity": "precision", "precision": "sensitivity", "cohen_kappa": "cohen_kappa"}


@FEW
@given(item_sets)
def test_kappa_is_the_one_of_agreement_with_its_interval(sets: Sets) -> None:
    ratings, options = built(sets), Options(replicates=50, tags=TAGS)
    usual = {one.tag: one for one in measure_agreement(ratings, options) if one.statistic == "cohen_kappa"}
    for one in measure_judges(ratings, ["judge"], ["ana"], options):
        kappa, other = by_name(one)["cohen_kappa"], usual[one.tag]
        assert (kappa.value, kappa.ci_low, kappa.ci_high) == (other.value, other.ci_low, other.ci_high)


def test_the_interval_is_that_of_whole_clusters_drawn_with_replacement() -> None:
    rng = random.Random(4)
    sets: Sets = []
    for cluster in range(30):
        kind = rng.random()
        for _ in range(6):
            right = frozenset({"copying"}) if rng.random() < kind else frozenset()
            sets.append((right if rng.random() < 0.8 else frozenset({"other"}), right, cluster))
    one, *_ = measure_judges(built(sets), ["judge"], ["ana"], Options(replicates=4000))
    drawn: dict[str, list[float]] = {}
    by_cluster = [[row for row in sets if row[2] == cluster] for cluster in range(30)]
    for _ in range(1500):
        sample = [row for _ in range(30) for row in rng.choice(by_cluster)]
        for name, share in plain(sample, "copying").items():
            if share is not None:
                drawn.setdefault(name, []).append(float(share))
    for name, values in drawn.items():
        ends = sorted(values)
        low, high = ends[int(0.025 * len(ends))], ends[int(0.975 * len(ends))]
        coefficient = by_name(one)[name]
        assert coefficient.ci_low == pytest.approx(low, abs=0.03) and coefficient.ci_high == pytest.approx(
            high, abs=0.03
        )
        assert coefficient.n_clusters == 30 and coefficient.ci_method == "cluster bootstrap, percentile"


def test_a_tag_that_the_reference_never_put_has_no_sensitivity_and_says_why() -> None:
    sets: Sets = [(frozenset({"copying"}), frozenset(), 0), (frozenset(), frozenset(), 1)]
    copying, other, _ = measure_judges(built(sets), ["judge"], ["ana"])
    assert copying.counts == Counts(found=0, missed=0, made_up=1, left_out=1)
    found = by_name(copying)
    assert found["sensitivity"].reason == (
        "'ana' put the tag 'copying' on none of the 2 items that both rated, so there is none to find."
    )
    assert (found["specificity"].value, found["precision"].value) == (0.5, 0.0)
    assert by_name(other)["precision"].reason == "'judge' put the tag 'other' on none of the 2 items that both rated."


def test_one_cluster_gives_values_without_intervals() -> None:
    sets: Sets = [(frozenset({"copying"}), frozenset({"copying"}), 0), (frozenset(), frozenset(), 0)]
    copying, *_ = measure_judges(built(sets), ["judge"], ["ana"])
    for name in ("sensitivity", "specificity", "balanced_accuracy"):
        found = by_name(copying)[name]
        assert found.value == 1.0 and found.ci_low is None and "one cluster" in (found.reason or "")


def test_shares_without_clusters_have_wilson_intervals() -> None:
    ratings = ratings_from_columns(
        [n for n in range(10) for _ in "AB"], ["judge", "ana"] * 10, ["yes" if n < 13 else "no" for n in range(20)]
    )
    found = by_name(measure_judges(ratings, ["judge"], ["ana"], Options(tags=("yes",)))[0])
    assert found["sensitivity"].value == 1.0 and found["sensitivity"].ci_high == 1.0
    assert found["sensitivity"].ci_low == pytest.approx(0.6097, abs=1e-4)  # Wilson, 6 of 6
    assert found["specificity"].value == pytest.approx(0.75)


def test_a_tag_that_a_judge_cannot_give_is_not_measured() -> None:
    sets: Sets = [(frozenset(), frozenset({"other"}), 0), (frozenset({"copying"}), frozenset({"copying"}), 1)]
    found = measure_judges(built(sets), ["judge"], ["ana"], able={"judge": {"other": "No mode says it."}})
    (other,) = (one for one in found if one.tag == "other")
    assert {(one.value, one.reason) for one in other.coefficients} == {(None, "No mode says it.")}
    assert other.counts == Counts(0, 0, 0, 0)


def test_nobody_is_judged_against_itself() -> None:
    ratings = built([(frozenset(), frozenset(), 0)])
    with pytest.raises(InputError, match="only one is named"):
        measure_judges(ratings, ["ana"], ["ana"])
    with pytest.raises(InputError, match="--statistic does not go with"):
        measure_judges(ratings, ["judge"], ["ana"], Options(statistics=("percent",)))
