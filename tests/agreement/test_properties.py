"""Properties of agreement coefficients, and a cross-check against exact formulas written from the definitions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.agreement.coefficient import ALL, PAIR, Coefficient, Options
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings import Ratings, ratings_from_columns
from tests.agreement import exact

LABELS = ("low", "mid", "high", "NA")
Row = tuple[str, str, str]
NOMINAL = ("percent", "cohen_kappa", "scott_pi", "gwet_ac1", "brennan_prediger", "fleiss_kappa", "krippendorff_alpha")
MANY = (*NOMINAL, "conger_kappa", "light_kappa", "positive_agreement", "negative_agreement", "bias_index")
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def rows(annotators: str = "AB", items: int = 9) -> st.SearchStrategy[list[Row]]:
    """Build ratings with gaps: any subset of items by annotators, and an item that each of them alone has rated."""
    keys = [(f"i{item}", annotator) for item in range(items) for annotator in annotators]
    alone = [(f"i{90 + number}", annotator, "low") for number, annotator in enumerate(annotators)]
    return st.dictionaries(st.sampled_from(keys), st.sampled_from(LABELS), min_size=1).map(
        lambda found: [*alone, *((item, annotator, label) for (item, annotator), label in found.items())]
    )


def built(given_rows: list[Row], *, clustered: bool = False, categories: tuple[str, ...] | None = LABELS) -> Ratings:
    items, annotators, labels = zip(*given_rows, strict=True)
    clusters = [f"c{int(item[1:].split('+')[0]) % 3}" for item in items] if clustered else None
    return ratings_from_columns(items, annotators, labels, clusters=clusters, categories=categories)


def by_name(found: list[Coefficient]) -> dict[tuple[object, ...], Coefficient]:
    return {(one.statistic, one.scope, frozenset(one.annotators), one.tag): one for one in found}


def same(one: float | None, other: float | Fraction | None) -> bool:
    return one is other is None or (one is not None and other is not None and one == pytest.approx(float(other)))


@FEW
@given(rows())
def test_two_annotators_agree_with_the_definitions_in_fractions(given_rows: list[Row]) -> None:
    pairs = exact.co_rated(given_rows, "A", "B")
    expected: dict[str, Callable[[], Fraction | None]] = {
        "percent": lambda: exact.percent(pairs),
        "cohen_kappa": lambda: exact.cohen_kappa(pairs, LABELS),
        "scott_pi": lambda: exact.scott_pi(pairs, LABELS),
        "gwet_ac1": lambda: exact.gwet_ac1(pairs, LABELS),
        "brennan_prediger": lambda: exact.brennan_prediger(pairs, LABELS),
    }
    found = measure_agreement(built(given_rows), Options(statistics=tuple(expected)))
    pair = [one for one in found if one.scope == PAIR]
    assert [one.statistic for one in pair] == list(expected)
    for one in pair:
        assert same(one.value, expected[one.statistic]()), one
        assert one.n_items == len(pairs)
        without_interval = one.statistic == "cohen_kappa" or one.n_items == 1
        assert (one.value is None) == (one.reason is not None) or without_interval


@FEW
@given(rows(), st.sampled_from(LABELS))
def test_one_tag_agrees_with_the_definitions_in_fractions(given_rows: list[Row], tag: str) -> None:
    pairs = exact.co_rated(given_rows, "A", "B")
    binary = [(str(a == tag), str(b == tag)) for a, b in pairs]
    expected = {
        "cohen_kappa": exact.cohen_kappa(binary, ("True", "False")),
        "gwet_ac1": exact.gwet_ac1(binary, ("True", "False")),
        "positive_agreement": exact.specific_agreement(pairs, tag, present=True),
        "negative_agreement": exact.specific_agreement(pairs, tag, present=False),
        "prevalence_index": exact.prevalence_index(pairs, tag),
        "bias_index": exact.bias_index(pairs, tag),
    }
    found = measure_agreement(built(given_rows), Options(statistics=tuple(expected), tags=(tag,)))
    for one in found:
        if one.scope == PAIR:
            assert same(one.value, expected[one.statistic]), one
            assert one.tag == tag


@FEW
@given(
    st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), max_size=12),
    st.sampled_from(["linear", "quadratic", None]),
)
def test_kappa_and_its_error_agree_with_fleiss_cohen_everitt_in_fractions(
    more: list[exact.Pair], weights: str | None
) -> None:
    # Two pairs in which both annotators vary: with a constant one there is no interval.
    pairs = [("low", "high"), ("mid", "low"), *more]
    given_rows = [(f"i{n}", who, label) for n, pair in enumerate(pairs) for who, label in zip("AB", pair, strict=True)]
    (found,) = measure_agreement(built(given_rows), Options(statistics=("cohen_kappa",), weights=weights))
    assert same(found.value, exact.cohen_kappa(pairs, LABELS, weights))
    assert found.se == pytest.approx(exact.cohen_error(pairs, LABELS, weights), abs=1e-9)


@FEW
@given(rows("ABC"))
def test_alpha_agrees_with_the_definition_in_fractions(given_rows: list[Row]) -> None:
    (found,) = measure_agreement(built(given_rows), Options(statistics=("krippendorff_alpha",)))
    assert same(found.value, exact.krippendorff_alpha(given_rows))


@FEW
@given(rows("ABC"), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_changes_nothing_down_to_the_seeded_interval(
    given_rows: list[Row], random: object, clustered: bool
) -> None:
    shuffled = list(given_rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hands out a random.Random
    options = Options(statistics=MANY, bootstrap="cluster" if clustered else "item", replicates=60)
    first, second = (
        by_name(measure_agreement(built(each, clustered=clustered, categories=None), options))
        for each in (given_rows, shuffled)
    )
    # Brennan-Prediger and AC1 see the same number of categories, whatever their order of appearance.
    assert first.keys() == second.keys()
    for key, one in first.items():
        other = second[key]
        for name in ("value", "se", "ci_low", "ci_high", "replicates_undefined", "n_items", "n_clusters"):
            assert same(getattr(one, name), getattr(other, name)), (key, name)


@FEW
@given(rows("ABC"), st.permutations("ABC"))
def test_exchanging_annotators_changes_no_value(given_rows: list[Row], names: list[str]) -> None:
    renamed = [(item, names["ABC".index(annotator)], label) for item, annotator, label in given_rows]
    for statistic in ("fleiss_kappa", "gwet_ac1", "krippendorff_alpha", "conger_kappa", "light_kappa", "percent"):
        first, second = (
            next(one for one in measure_agreement(built(each), Options(statistics=(statistic,))) if one.scope == ALL)
            for each in (given_rows, renamed)
        )
        assert same(first.value, second.value) and same(first.se, second.se)


@FEW
@given(rows("ABCDEFGHIJ", items=4), st.permutations("ABCDEFGHIJ"), st.sampled_from(["item", "cluster"]))
def test_who_gave_which_label_moves_no_interval_of_a_group(
    given_rows: list[Row], names: list[str], bootstrap: str
) -> None:
    renamed = [(item, names["ABCDEFGHIJ".index(annotator)], label) for item, annotator, label in given_rows]
    asked = Options(statistics=("fleiss_kappa", "gwet_ac1", "krippendorff_alpha"), bootstrap=bootstrap, replicates=50)
    first, second = (
        [one for one in measure_agreement(built(each, clustered=True), asked) if one.scope == ALL]
        for each in (given_rows, renamed)
    )
    assert len(first) == len(second) == 3
    for one, other in zip(first, second, strict=True):
        for name in ("value", "ci_low", "ci_high", "se", "replicates_undefined", "n_items"):
            assert same(getattr(one, name), getattr(other, name)), name


@FEW
@given(rows("ABC"), st.permutations(LABELS))
def test_exchanging_labels_changes_no_nominal_coefficient(given_rows: list[Row], names: list[str]) -> None:
    renamed = [(item, annotator, names[LABELS.index(label)]) for item, annotator, label in given_rows]
    first, second = (
        by_name(measure_agreement(built(each), Options(statistics=NOMINAL))) for each in (given_rows, renamed)
    )
    for key, one in first.items():
        assert same(one.value, second[key].value) and same(one.se, second[key].se)


@FEW
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 5), st.sampled_from("ABC")), st.frozensets(st.sampled_from("xyz")), min_size=2
    ),
    st.sampled_from(["masi", "jaccard", "nominal"]),
)
def test_alpha_is_1_exactly_where_nothing_differs(labels: dict[tuple[int, str], frozenset[str]], metric: str) -> None:
    ratings = ratings_from_columns(
        [item for item, _ in labels], [who for _, who in labels], labels.values(), categories=list("xyz"), multi=True
    )
    asked = Options(statistics=("krippendorff_alpha",), metric=metric)
    (alpha,) = (one for one in measure_agreement(ratings, asked) if one.tag is None)
    by_item: dict[int, list[frozenset[str]]] = {}
    for (item, _), label in labels.items():
        by_item.setdefault(item, []).append(label)
    paired = [given for given in by_item.values() if len(given) > 1]
    differs = any(len(set(given)) > 1 for given in paired)
    varies = len({label for given in paired for label in given}) > 1
    assert (alpha.value is None) == (not varies)
    assert alpha.value is None or (alpha.value == 1) == (not differs)


@FEW
@given(rows("A"))
def test_a_copy_agrees_at_one_or_is_undefined(given_rows: list[Row]) -> None:
    copied = given_rows + [(item, "B", label) for item, _, label in given_rows]
    for one in measure_agreement(built(copied), Options(statistics=NOMINAL)):
        assert one.value is None or one.value == 1
        assert one.value == 1 or one.reason


@FEW
@given(rows("AB", items=12), st.integers(0, 5))
def test_duplicating_items_inside_their_clusters_leaves_the_cluster_interval(given_rows: list[Row], seed: int) -> None:
    doubled = given_rows + [(f"{item}+copy", annotator, label) for item, annotator, label in given_rows]
    options = Options(statistics=("cohen_kappa", "percent", "scott_pi"), replicates=80, seed=seed)
    first, second = (by_name(measure_agreement(built(each, clustered=True), options)) for each in (given_rows, doubled))
    for key, one in first.items():
        other = second[key]
        for name in ("value", "se", "ci_low", "ci_high", "replicates_undefined", "n_clusters"):
            assert same(getattr(one, name), getattr(other, name)), (key, name)
        assert other.n_items == 2 * one.n_items


@FEW
@given(rows("AB"), st.integers(1, 4))
def test_a_count_is_that_many_identical_items(given_rows: list[Row], times: int) -> None:
    items, annotators, labels = zip(*given_rows, strict=True)
    counted = ratings_from_columns(items, annotators, labels, counts=[times] * len(items), categories=LABELS)
    repeated = built([(f"{i}+{k}", a, label) for k in range(times) for i, a, label in given_rows])
    for bootstrap in ("none", "item"):
        options = Options(statistics=(*NOMINAL, "bias_index"), bootstrap=bootstrap, replicates=50)
        first, second = (by_name(measure_agreement(each, options)) for each in (counted, repeated))
        for key, one in first.items():
            other = second[key]
            assert one.n_items == other.n_items
            assert same(one.value, other.value) and same(one.se, other.se) and same(one.ci_low, other.ci_low)
