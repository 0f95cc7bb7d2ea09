"""Confusion between tags: which of them two annotators put instead of each other, as an item by item count says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.agreement.confusion import Cell, confusion
from auditor.agreement.ratings import ratings_from_columns
from auditor.errors import InputError

TAGS = ("copying", "other", "NA")
one_set = st.none() | st.frozensets(st.sampled_from(TAGS))
Sets = list[tuple[frozenset[str] | None, frozenset[str] | None]]


def plain(sets: Sets, put: str | None, instead: str | None) -> int:
    """Count a cell's items from the definition."""

    def is_in(one: frozenset[str], other: frozenset[str]) -> bool:
        if put is not None and put == instead:
            return put in one and put in other
        if put is None and instead is None:
            return not one and not other
        first = put in one - other if put is not None else not one - other
        second = instead in other - one if instead is not None else not other - one
        return first and second

    return sum(is_in(one, other) for one, other in sets if one is not None and other is not None)


@given(st.lists(st.tuples(one_set, one_set), max_size=12))
def test_every_cell_counts_the_items_of_its_definition(sets: Sets) -> None:
    rows = [
        (str(item), name, tags)
        for item, both in enumerate(sets)
        for name, tags in zip("AB", both, strict=True)
        if tags is not None
    ]
    rows += [(f"{name} alone", name, frozenset()) for name in "AB"]
    items, names, tags = zip(*rows, strict=True)
    found = confusion(ratings_from_columns(items, names, tags, categories=TAGS, multi=True), "A", "B")
    for put in (*TAGS, None):
        for instead in (*TAGS, None):
            assert found.at(put, instead) == plain(sets, put, instead), (put, instead)
    assert found.n_items == sum(one is not None and other is not None for one, other in sets)


def test_single_labels_give_the_usual_table_with_counts() -> None:
    ratings = ratings_from_columns(
        ["i", "i", "j", "j"], ["A", "B"] * 2, ["x", "y", "y", "y"], counts=[3, 3, 2, 2], categories=["x", "y", "z"]
    )
    found = confusion(ratings, "A", "B")
    assert found.items == {("x", "y"): 3, ("y", "y"): 2}
    assert (found.n_items, found.used) == (5, ("x", "y"))
    turned = confusion(ratings, "B", "A")
    assert turned.items == {("y", "x"): 3, ("y", "y"): 2}


def test_the_most_frequent_swaps_come_first() -> None:
    pairs = [("x", "y"), ("y", "x"), ("y", "x"), ("x", "x")]
    rows = [(item, name, label) for item, pair in enumerate(pairs) for name, label in zip("AB", pair, strict=True)]
    items, names, labels = zip(*rows, strict=True)
    swaps: list[tuple[Cell, int]] = [(("y", "x"), 2), (("x", "y"), 1)]
    assert confusion(ratings_from_columns(items, names, labels), "A", "B").swaps == swaps


def test_an_unknown_annotator_is_named() -> None:
    ratings = ratings_from_columns(["i"], ["A"], ["x"])
    with pytest.raises(InputError, match="there is no annotator 'B'"):
        confusion(ratings, "A", "B")
