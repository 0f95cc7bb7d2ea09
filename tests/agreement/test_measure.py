"""What agreement means in the situations that mislead: skew, silence, one annotator, one tag, sets, few clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from auditor.agreement.coefficient import ALL, DEFAULT_SEED, PAIR, STATISTICS, Coefficient, Options
from auditor.agreement.measure import measure_agreement
from auditor.agreement.patterns import count_patterns
from auditor.agreement.ratings import RatingError, Ratings, TagGroup, ratings_from_columns
from auditor.agreement.resampling import Resampler
from auditor.agreement.summing_up import summary
from auditor.agreement.views import set_distances
from auditor.errors import InputError
from tests.agreement.references import cases


def table(counts: Sequence[tuple[str, str, int]], **options: object) -> Ratings:
    """Build ratings of A and B from cells (A's label, B's label, items)."""
    rows = [
        (f"i{n}", who, label, count) for n, (a, b, count) in enumerate(counts) for who, label in (("A", a), ("B", b))
    ]
    items, annotators, labels, times = zip(*rows, strict=True)
    return ratings_from_columns(items, annotators, labels, counts=times, **options)  # type: ignore[arg-type]


def one(ratings: Ratings, statistic: str, scope: str = PAIR, **options: object) -> Coefficient:
    found = measure_agreement(ratings, Options(statistics=(statistic,), **options))  # type: ignore[arg-type]
    (only,) = [each for each in found if each.scope == scope]
    return only


def clustered(n_clusters: int, seed: int = 0) -> Ratings:
    """Build clusters of 5 items whose agreement is the same throughout a cluster."""
    rng = np.random.default_rng(seed)
    rows = []
    for cluster in range(n_clusters):
        agree = rng.random() < 0.7
        for item in range(5):
            label = "xy"[int(rng.integers(2))]
            other = label if agree else "yx"["xy".index(label)]
            rows += [(f"{cluster}-{item}", who, value, cluster) for who, value in (("A", label), ("B", other))]
    items, annotators, labels, clusters = zip(*rows, strict=True)
    return ratings_from_columns(items, annotators, labels, clusters=clusters)


# --- beside kappa ---------------------------------------------------------------------------------------------------


def test_the_usual_coefficients_stand_beside_kappa_for_every_tag() -> None:
    found = measure_agreement(table([("yes", "yes", 118), ("yes", "no", 5), ("no", "yes", 2)]))
    yes = {each.statistic: each for each in found if each.tag == "yes"}
    assert yes["cohen_kappa"].value == pytest.approx(-4 / 171)
    assert yes["percent"].value == pytest.approx(118 / 125)
    assert yes["positive_agreement"].value == pytest.approx(236 / 243)
    assert yes["negative_agreement"].value == 0
    assert yes["prevalence_index"].value == pytest.approx(118 / 125)
    assert yes["bias_index"].value == pytest.approx(3 / 125)
    assert yes["gwet_ac1"].value is not None and yes["gwet_ac1"].value > 0.9
    assert yes["cohen_kappa"].prevalence == pytest.approx(243 / 250)
    assert yes["cohen_kappa"].observed == pytest.approx(118 / 125)
    overall = [each for each in found if each.tag is None]
    assert [each.statistic for each in overall] == ["percent", "cohen_kappa", "gwet_ac1"]


def test_pairs_and_the_whole_panel_are_measured_for_three_annotators() -> None:
    ratings = ratings_from_columns("111222", "ABCABC", "xxyyyy")
    found = measure_agreement(ratings)
    pairs = {each.annotators for each in found if each.scope == PAIR}
    assert pairs == {("A", "B"), ("A", "C"), ("B", "C")}
    assert {each.statistic for each in found if each.scope == ALL} >= {"percent", "gwet_ac1", "fleiss_kappa"}
    chosen = measure_agreement(ratings, Options(annotators=("C", "A")))
    assert {each.annotators for each in chosen} == {("C", "A")}


@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_coefficient_can_be_asked_for_by_name(statistic: str) -> None:
    ratings = table([("x", "x", 5), ("x", "y", 2), ("y", "y", 4), ("y", "x", 1)], categories=["x", "y"])
    weights = "linear" if statistic == "gwet_ac2" else None
    found = measure_agreement(
        ratings, Options(statistics=(statistic,), weights=weights, bootstrap="item", replicates=200)
    )
    assert found and all(each.statistic == statistic for each in found)
    for each in found:
        assert each.value is not None and each.ci_low is not None and each.ci_high is not None
        assert each.ci_low <= each.value <= each.ci_high
        assert each.ci_method == "item bootstrap, percentile" and each.seed == DEFAULT_SEED


# --- undefined ------------------------------------------------------------------------------------------------------


def test_one_used_category_leaves_kappa_undefined_beside_full_agreement() -> None:
    ratings = table([("ok", "ok", 6)], categories=["ok", "fail"])
    kappa = one(ratings, "cohen_kappa")
    assert kappa.value is None and kappa.observed == 1 and kappa.expected == 1
    assert kappa.reason is not None and "only the category 'ok'" in kappa.reason
    assert one(ratings, "brennan_prediger").value == 1
    unused = one(ratings, "positive_agreement", tags=("fail",))
    assert (
        unused.value is None and unused.reason is not None and "Neither annotator used the tag 'fail'" in unused.reason
    )
    assert one(ratings, "negative_agreement", tags=("fail",)).value == 1


def test_no_common_item_is_undefined_and_says_so() -> None:
    ratings = ratings_from_columns(["1", "2"], ["A", "B"], ["x", "y"])
    for each in measure_agreement(ratings, Options(statistics=tuple(s for s in STATISTICS if s != "gwet_ac2"))):
        assert each.value is None and each.n_items == 0
        assert each.reason is not None and each.reason.startswith("0 items were rated by")


def test_one_annotator_and_no_rating_are_undefined() -> None:
    alone = measure_agreement(ratings_from_columns(["1"], ["A"], ["x"]))
    assert {each.value for each in alone} == {None}
    assert all(each.reason and "only 'A'" in each.reason for each in alone)
    (nothing,) = measure_agreement(ratings_from_columns([], [], []), Options(statistics=("cohen_kappa",)))
    assert nothing.value is None and nothing.reason == "There are no ratings."


def test_a_constant_annotator_gives_kappa_zero_a_warning_and_no_interval() -> None:
    ratings = table([("x", "x", 7), ("x", "y", 3)])
    for bootstrap in ("none", "item"):
        kappa = one(ratings, "cohen_kappa", bootstrap=bootstrap)
        assert (kappa.value, kappa.se, kappa.ci_low, kappa.ci_high) == (0, 0, None, None)
        assert kappa.warnings == ("annotator 'A' used one category only, so kappa is 0 by construction.",)


def test_negative_values_and_limits_beyond_one_are_not_clamped() -> None:
    assert one(table([("x", "y", 3), ("y", "x", 3)]), "cohen_kappa").value == -1
    near = one(table([("x", "x", 9), ("x", "y", 1), ("y", "y", 2)]), "cohen_kappa")
    assert near.ci_high is not None and near.ci_high > 1


# --- labels and weights ---------------------------------------------------------------------------------------------


def test_weights_follow_the_declared_order_and_refuse_an_undeclared_one() -> None:
    cells = [("low", "low", 4), ("low", "mid", 2), ("mid", "high", 2), ("high", "high", 4), ("high", "low", 1)]
    ordered = one(table(cells, categories=["low", "mid", "high"]), "cohen_kappa", weights="linear")
    alphabetical = one(table(cells, categories=["high", "low", "mid"]), "cohen_kappa", weights="linear")
    assert ordered.value != pytest.approx(alphabetical.value)
    with pytest.raises(InputError, match="categories in their order"):
        one(table(cells), "cohen_kappa", weights="linear")


def test_scores_are_compared_by_value() -> None:
    cells = [("a", "a", 4), ("a", "b", 2), ("b", "c", 2), ("c", "c", 4)]
    even = one(table(cells, categories=list("abc")), "cohen_kappa", weights="linear", scores=(10, 20, 30))
    ranks = one(table(cells, categories=list("abc")), "cohen_kappa", weights="linear")
    assert even.value == pytest.approx(ranks.value)


def test_a_label_twice_on_one_item_by_one_annotator_is_refused() -> None:
    with pytest.raises(RatingError, match="rated this item before") as caught:
        ratings_from_columns(["1", "1", "1"], ["A", "B", "A"], ["x", "x", "y"])
    assert caught.value.row == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (Options(statistics=("cohens_kappa",)), "Did you mean cohen_kappa?"),
        (Options(statistics=("gwet_ac2",)), "gwet_ac2 needs --weights"),
        (Options(statistics=("scott_pi",), weights="linear"), "none of the asked coefficients takes weights"),
        (Options(weights="cubic"), "weights must be one of linear, quadratic"),
        (Options(bootstrap="rows"), "bootstrap must be one of"),
        (Options(metric="cosine"), "metric must be one of"),
        (Options(bootstrap="cluster"), "the clusters are not known"),
        (Options(confidence=95), "between 0 and 1"),
        (Options(confidence=float("nan")), "between 0 and 1"),
        (Options(replicates=1), "between 2 and 1,000,000 replicates"),
        (Options(replicates=10**9), "between 2 and 1,000,000 replicates"),
        (Options(seed=-1), "seed"),
        (Options(scores=(1, 2)), "scores have no effect"),
        (Options(weights="linear", scores=(1,)), "1 scores for 2 categories"),
        (Options(weights="linear", scores=(1, float("inf"))), "not a finite number"),
        (Options(weights="linear", scores=(3, 3)), "all scores are equal"),
        (Options(tags=("yes",), weights="linear"), "ordered categories"),
        (Options(tags=("yess",)), "Did you mean 'yes'?"),
        (Options(annotators=("A", "Z")), "no annotator 'Z'; there are: A, B"),
        (Options(annotators=("A", "A")), "named twice"),
        (Options(statistics=("cohen_kappa",), metric="ordinal"), "concerns krippendorff_alpha"),
        (Options(statistics=("krippendorff_alpha",), metric="masi"), "for sets of tags"),
        (Options(statistics=("krippendorff_alpha",), metric="interval"), "needs numbers"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(options: Options, says: str) -> None:
    ratings = table([("yes", "yes", 3), ("no", "yes", 2)], categories=["yes", "no"])
    with pytest.raises(InputError) as caught:
        measure_agreement(ratings, options)
    assert says in str(caught.value)


# --- sets of tags ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case", [case for case in cases() if case["statistic"] == "set_distance"], ids=lambda c: c["id"]
)
def test_set_distances_are_the_reference(case: dict[str, object]) -> None:
    params, expected = case["params"], case["expected"]
    assert isinstance(params, dict) and isinstance(expected, dict)
    sets = [frozenset(map(str, params["a"])), frozenset(map(str, params["b"]))]
    for metric in ("masi", "jaccard"):
        assert set_distances(sets, metric)[0, 1] == pytest.approx(expected[metric], abs=1e-12)


def test_an_empty_set_is_a_rating_equal_to_another_and_apart_from_all_others() -> None:
    sets = [frozenset[str](), frozenset("a"), frozenset("ab")]
    for metric in ("masi", "jaccard"):
        apart = set_distances(sets, metric)
        assert apart[0].tolist() == [0, 1, 1]
        assert np.array_equal(apart, apart.T)


def test_sets_are_measured_tag_by_tag_and_silence_counts_as_absent() -> None:
    labels = [frozenset(text) for text in ("a", "a", "", "", "b", "")]
    ratings = ratings_from_columns("112233", "ABABAB", labels, multi=True)
    found = measure_agreement(ratings, Options(statistics=("cohen_kappa", "percent")))
    kappa = {each.tag: each for each in found if each.statistic == "cohen_kappa" and each.scope == PAIR}
    assert kappa["a"].value == 1 and kappa["a"].n_items == 3
    assert kappa["b"].value == 0 and kappa["b"].observed == pytest.approx(2 / 3)


def test_whole_sets_are_compared_where_no_tag_is_named() -> None:
    labels = [frozenset(text) for text in ("ab", "ab", "", "", "b", "a")]
    ratings = ratings_from_columns("112233", "ABABAB", labels, multi=True)
    whole = {each.statistic: each for each in measure_agreement(ratings) if each.tag is None}
    assert set(whole) == {"percent", "cohen_kappa", "krippendorff_alpha"}
    assert whole["percent"].value == pytest.approx(2 / 3)
    # p_e: both say {a, b} or {} with 1/9 each
    assert whole["cohen_kappa"].value == pytest.approx((2 / 3 - 2 / 9) / (1 - 2 / 9))


def test_the_tags_of_an_exclusive_group_are_categories_beside_none_of_them() -> None:
    # of the group {a, b}: aa ab b- -- ; a stray item has both
    pairs = [("a", "ac"), ("a", "b"), ("bc", ""), ("", "c"), ("ab", "ab")]
    items = [f"i{n}" for n in range(len(pairs)) for _ in "AB"]
    annotators, labels = "AB" * len(pairs), [frozenset(tags) for pair in pairs for tags in pair]
    group = TagGroup("outcome", ("a", "b"))
    ratings = ratings_from_columns(items, annotators, labels, categories=list("abc"), multi=True, groups=[group])
    found = [each for each in measure_agreement(ratings) if each.group == "outcome"]
    assert [each.statistic for each in found] == ["percent", "cohen_kappa", "gwet_ac1"]
    assert all(each.tag is None and each.n_items == 5 for each in found)
    assert found[0].value == pytest.approx(3 / 5)
    # marginals: A says a, a, b, none, both; B says a, b, none, none, both
    assert found[1].expected == pytest.approx((2 * 1 + 1 * 1 + 1 * 2 + 1 * 1) / 25)
    named = measure_agreement(ratings, Options(statistics=("cohen_kappa",), groups=("outcome",)))
    assert [(each.group, each.value) for each in named] == [("outcome", found[1].value)]
    both = measure_agreement(ratings, Options(statistics=("cohen_kappa",), groups=("outcome",), tags=("c",)))
    assert [(each.group, each.tag) for each in both] == [("outcome", None), (None, "c")]
    with pytest.raises(InputError, match=r"no exclusive group 'other'\. There are: outcome"):
        measure_agreement(ratings, Options(groups=("other",)))


def test_lights_kappa_shows_how_far_the_pairs_lie_apart() -> None:
    labels = {"A": "xxyyxyxy", "B": "xxyyxyxx", "C": "xyyxxyyy"}
    rows = [(str(at), who, label) for who, given in labels.items() for at, label in enumerate(given)]
    items, annotators, given = zip(*rows, strict=True)
    ratings = ratings_from_columns(items, annotators, given)
    light = one(ratings, "light_kappa", ALL)
    pairs = measure_agreement(ratings, Options(statistics=("cohen_kappa",)))
    kappas = [each.value for each in pairs if each.value is not None]
    assert len(kappas) == 3 and light.value == pytest.approx(sum(kappas) / 3)
    assert light.pair_low == pytest.approx(min(kappas)) and light.pair_high == pytest.approx(max(kappas))
    assert light.pair_sd == pytest.approx(np.std(kappas, ddof=1))
    of_two = one(ratings, "light_kappa", ALL, annotators=("A", "B"))
    assert of_two.pair_low == of_two.pair_high == of_two.value and of_two.pair_sd is None
    assert one(ratings, "fleiss_kappa", ALL).pair_low is None


# --- the bootstrap --------------------------------------------------------------------------------------------------


def test_clusters_are_resampled_whole_when_they_are_known() -> None:
    ratings = clustered(40)
    by_cluster, by_item = (one(ratings, "cohen_kappa", bootstrap=kind) for kind in (None, "item"))
    assert by_cluster.ci_method == "cluster bootstrap, percentile"
    assert (by_cluster.n_items, by_cluster.n_clusters, by_cluster.replicates) == (200, 40, 10_000)
    assert by_cluster.se is not None and by_item.se is not None
    # Agreement is constant inside clusters of 5, so the items' error is too small by about the root of 5.
    assert 1.8 < by_cluster.se / by_item.se < 2.8


@pytest.mark.parametrize(
    ("statistic", "options"),
    [
        ("cohen_kappa", {"annotators": ("A", "B")}),
        ("cohen_kappa", {"annotators": ("A", "B"), "weights": "quadratic"}),
        ("positive_agreement", {"annotators": ("A", "B"), "tags": ("x",)}),
        ("bias_index", {"annotators": ("A", "B"), "tags": ("x",)}),
        ("gwet_ac1", {}),
        ("gwet_ac2", {"weights": "linear"}),
        ("fleiss_kappa", {}),
        ("krippendorff_alpha", {}),
        ("krippendorff_alpha", {"metric": "ordinal"}),
        ("conger_kappa", {}),
        ("light_kappa", {}),
    ],
)
def test_the_bootstrap_is_that_of_all_resamples_of_clusters_measured_anew(
    statistic: str, options: dict[str, object]
) -> None:
    content = [
        ("xxx", "xy.", "zzx", "yyy"),
        ("yy.", "yxy", "xxz"),
        ("zz", "xzz", ".yy", "xxy", "yyx"),
    ]
    scope = PAIR if "annotators" in options else ALL

    def drawn(clusters: Sequence[int]) -> Ratings:
        rows = [
            (f"{place}-{item}", who, label, f"{place}")
            for place, cluster in enumerate(clusters)
            for item, labels in enumerate(content[cluster])
            for who, label in zip("ABC", labels, strict=False)
            if label != "."
        ]
        items, annotators, labels, names = zip(*rows, strict=True)
        return ratings_from_columns(items, annotators, labels, clusters=names, categories=list("xyz"))

    every = [
        one(drawn(chosen), statistic, scope, bootstrap="none", **options).value
        for chosen in product(range(3), repeat=3)
    ]
    defined = [value for value in every if value is not None]
    found = one(drawn(range(3)), statistic, scope, replicates=20_000, **options)
    assert found.se == pytest.approx(np.std(defined), rel=0.03)
    assert found.replicates_undefined is not None
    assert found.replicates_undefined / 20_000 == pytest.approx(1 - len(defined) / 27, abs=0.02)
    assert found.ci_low is not None and found.ci_high is not None
    assert min(defined) - 1e-9 <= found.ci_low <= found.ci_high <= max(defined) + 1e-9


def test_few_clusters_are_warned_of_and_the_seed_decides_the_interval() -> None:
    few = one(clustered(12), "cohen_kappa", seed=7)
    assert any("Only 12 clusters" in warning for warning in few.warnings)
    assert few.value is not None and few.se is not None and few.t_low is not None and few.t_high is not None
    assert few.t_high - few.value == pytest.approx(2.200985 * few.se * (12 / 11) ** 0.5)
    assert few.value - few.t_low == pytest.approx(few.t_high - few.value)
    assert one(clustered(12), "cohen_kappa", seed=7) == few
    assert one(clustered(12), "cohen_kappa", seed=8).se != few.se
    enough = one(clustered(20), "cohen_kappa")
    assert not enough.warnings and (few.interval, enough.interval) == ("t", "percentile")
    assert (few.shown_low, few.shown_high) == (few.t_low, few.t_high)
    assert (enough.shown_low, enough.shown_high) == (enough.ci_low, enough.ci_high)


def test_either_interval_of_a_bootstrap_can_be_had_of_any_number_of_clusters() -> None:
    for clusters in (12, 40):
        t, percentile = (one(clustered(clusters), "cohen_kappa", interval=kind) for kind in ("t", "percentile"))
        assert (t.ci_low, t.ci_high) == (t.t_low, t.t_high) == (percentile.t_low, percentile.t_high)
        assert t.ci_method == "cluster bootstrap, t(G - 1)" and t.interval == "t"
        assert percentile.ci_method == "cluster bootstrap, percentile" and percentile.shown_low == percentile.ci_low
        assert percentile.ci_low != t.ci_low
        assert any("even a t interval is too narrow" in warning for warning in t.warnings) == (clusters < 20)
    by_item = one(clustered(4), "cohen_kappa", interval="t", bootstrap="item")
    assert by_item.ci_method == "item bootstrap, t(G - 1)" and by_item.ci_low == by_item.t_low
    with pytest.raises(InputError, match="only a bootstrap has percentile and t intervals"):
        one(clustered(4), "cohen_kappa", interval="t", bootstrap="none")
    with pytest.raises(InputError, match="interval must be one of percentile, t"):
        one(clustered(4), "cohen_kappa", interval="bca")


def test_a_rare_tag_is_warned_of() -> None:
    ratings = table([("x", "x", 2), ("x", "y", 1), ("y", "y", 40)])
    kappa = one(ratings, "cohen_kappa", tags=("x",))
    told = "The tag 'x' occurs in only 3 items: an interval from fewer than 10 is too narrow."
    assert told in kappa.warnings
    kappa = one(table([("x", "x", 40), ("x", "y", 9), ("y", "y", 1)]), "cohen_kappa", tags=("y",))
    assert not any("too narrow" in warning for warning in kappa.warnings)
    kappa = one(table([("x", "x", 40), ("x", "y", 8), ("y", "y", 1)]), "cohen_kappa", tags=("x",))
    assert any("The tag 'x' is left out in only 9 items" in warning for warning in kappa.warnings)


def test_the_clusters_that_have_a_tag_decide_whether_it_is_rare() -> None:
    rows = [
        (f"{cluster}-{item}", who, "x" if cluster < 9 else "y", cluster)
        for cluster in range(40)
        for item in range(20)
        for who in "AB"
    ]
    rows[1] = ("0-0", "B", "y", 0)
    items, annotators, labels, clusters = zip(*rows, strict=True)
    ratings = ratings_from_columns(items, annotators, labels, clusters=clusters)
    for scope, statistic in ((PAIR, "cohen_kappa"), (ALL, "fleiss_kappa")):
        found = one(ratings, statistic, scope, tags=("x",), replicates=50)
        assert "The tag 'x' occurs in only 9 clusters: an interval from fewer than 10 is too narrow." in found.warnings


def test_both_ways_of_drawing_weights_have_the_multinomial_moments() -> None:
    for copies in (1, 30):
        items = [str(item) for item in range(6)] * 2
        ratings = ratings_from_columns(items, ["A"] * 6 + ["B"] * 6, list("uvwxyzuvwxyz"), counts=[copies] * 12)
        patterns = count_patterns(ratings, [ratings.of_annotator(0), ratings.of_annotator(1)], 2)
        resampler = Resampler(patterns, by_cluster=False, replicates=20_000, seed=3)
        assert resampler.units == 6 * copies
        weights = resampler.sums(np.eye(6))
        assert (weights.sum(axis=1) == 6 * copies).all()
        assert weights.mean(axis=0) == pytest.approx(copies, rel=0.02)
        assert weights.var(axis=0) == pytest.approx(copies * 5 / 6, rel=0.05)
        assert np.cov(weights[:, 0], weights[:, 1])[0, 1] == pytest.approx(-copies / 6, rel=0.2)


def test_large_draws_come_in_blocks_and_are_the_same_for_every_table(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = clustered(30)
    patterns = count_patterns(ratings, [ratings.of_annotator(0), ratings.of_annotator(1)], 2)
    features = np.random.default_rng(0).random((len(patterns.count), 3))
    whole = Resampler(patterns, by_cluster=True, replicates=500, seed=1).sums(features)
    monkeypatch.setattr("auditor.agreement.resampling._CHUNK_CELLS", 1_001)
    monkeypatch.setattr("auditor.agreement.resampling._KEPT_CELLS", 10)
    blocks = Resampler(patterns, by_cluster=True, replicates=500, seed=1)
    assert np.allclose(blocks.sums(features), whole) and np.allclose(blocks.sums(features), whole)


def test_it_does_not_matter_what_is_resampled_together(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = clustered(30)
    together = measure_agreement(ratings, Options(replicates=200))
    monkeypatch.setattr("auditor.agreement.resampling._MAX_COLUMNS", 1)
    monkeypatch.setattr("auditor.agreement.measure._CELLS_A_BATCH", 1)
    one_by_one = measure_agreement(ratings, Options(replicates=200))
    assert len(one_by_one) == len(together) > 10
    for one, other in zip(one_by_one, together, strict=True):
        assert one.ci_low == pytest.approx(other.ci_low) and one.se == pytest.approx(other.se)


def test_clusters_without_anything_to_measure_make_no_interval() -> None:
    rows = [("1", "A", "x"), ("1", "B", "x"), ("2", "A", "x"), ("2", "B", "y"), ("3", "A", "y"), ("4", "B", "x")]
    items, annotators, labels = zip(*rows, strict=True)
    clusters = ["p" if item in "12" else "q" for item in items]
    ratings = ratings_from_columns(items, annotators, labels, clusters=clusters)
    names = ("krippendorff_alpha", "fleiss_kappa", "percent", "scott_pi")
    for one in measure_agreement(ratings, Options(statistics=names)):
        assert one.value is not None and one.n_clusters == 1
        assert (one.ci_low, one.ci_high) == (None, None)
        assert one.reason is not None and "one cluster" in one.reason


def test_a_tag_used_in_one_cluster_has_no_interval_of_positive_agreement() -> None:
    rows = [("1", "A", "x"), ("1", "B", "x"), ("2", "A", "x"), ("2", "B", "y"), ("3", "A", "y"), ("3", "B", "y")]
    items, annotators, labels = zip(*rows, strict=True)
    clusters = ["p" if item in "12" else "q" for item in items]
    ratings = ratings_from_columns(items, annotators, labels, clusters=clusters, categories=["x", "y"])
    asked = Options(statistics=("positive_agreement", "negative_agreement"), tags=("x",))
    positive, negative = measure_agreement(ratings, asked)
    assert positive.value == pytest.approx(2 / 3) and positive.ci_low is None
    assert positive.reason is not None and "one cluster" in positive.reason
    assert negative.ci_low is not None


def test_a_single_item_has_no_interval_but_a_reason() -> None:
    ratings = ratings_from_columns(["1", "1"], ["A", "B"], ["x", "y"])
    for bootstrap in ("none", "item"):
        for one in measure_agreement(ratings, Options(bootstrap=bootstrap)):
            if one.statistic == "cohen_kappa" and one.ci_low is not None:
                assert any("no width" in warning for warning in one.warnings)
            else:
                assert one.ci_low is None and (one.reason is not None or one.statistic.endswith("_index")), one


def test_asymptotic_intervals_of_shares_stay_within_0_and_1() -> None:
    labels = {"A": "xxyyzzz", "B": "xxxyzzz", "C": "xxyyzzx"}
    rows = [(str(i), name, label) for name, all_of_it in labels.items() for i, label in enumerate(all_of_it)]
    items, annotators, given = zip(*rows, strict=True)
    ratings = ratings_from_columns(items, annotators, given)
    shares = ("percent", "positive_agreement", "negative_agreement")
    found = measure_agreement(ratings, Options(statistics=shares, tags=("x", "y", "z")))
    assert {one.ci_method for one in found} == {
        "Wilson score, items independent",
        "asymptotic normal, delta method, logit scale",
        "asymptotic normal, Gwet 2014, logit scale",
        None,
    }
    for one in found:
        assert one.value is not None
        if one.ci_low is None or one.ci_high is None:
            assert one.value == 1 and one.reason is not None and "at 1" in one.reason
        else:
            assert 0 <= one.ci_low <= one.value <= one.ci_high <= 1


def test_percent_agreement_of_independent_items_has_wilson_limits() -> None:
    ratings = ratings_from_columns([*"1234", *"1234"], [*"AAAA", *"BBBB"], [*"xxxx", *"xxxy"])
    found = one(ratings, "percent")
    assert (found.ci_low, found.ci_high) == pytest.approx((0.3006, 0.9544), abs=1e-4)


@pytest.mark.parametrize("clusters", [None, 6, 24])
def test_an_interval_without_width_is_not_shown(clusters: int | None) -> None:
    items = [str(at // 2) for at in range(48)]
    labels = ["xy"[at // 2 % 2] for at in range(48)]
    of = None if clusters is None else [f"c{at // 2 % clusters}" for at in range(48)]
    ratings = ratings_from_columns(items, ["A", "B"] * 24, labels, clusters=of)
    kappa = next(one for one in measure_agreement(ratings, Options()) if one.statistic == "cohen_kappa")
    assert kappa.value == 1 and (kappa.shown_low, kappa.shown_high) == (None, None)
    assert any(warning.endswith("no width and say nothing about other items.") for warning in kappa.warnings)
    assert summary([kappa], Options(), sets=False)[0].endswith("kappa 1.000, without an interval.")
