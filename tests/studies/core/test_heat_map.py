"""The heat map of families and its diagonal's advantage, worked out by hand."""

from __future__ import annotations

import pytest

from auditor.analysis import Resampling
from auditor.studies.core.heat_map import Pair, heat_map

FEW = Resampling(replicates=500, seed=3)


def test_cells_are_means_over_problems_and_the_diagonal_is_compared() -> None:
    cells = {
        Pair("a", "a"): {"p": 1.0, "q": 1.0},
        Pair("a", "b"): {"p": 0.5},
        Pair("b", "a"): {"p": 0.0, "q": 1.0},
        Pair("b", "b"): {"p": 1.0},
        # A family without implementations of its own, and one without settings, are outside of the square.
        Pair("c", "a"): {"p": 0.0, "q": 0.0},
        Pair("a", "d"): {"q": 0.0},
    }
    found = heat_map(cells, FEW)
    assert {pair: one.value for pair, one in found.cells.items()} == {
        Pair("a", "a"): 1.0,
        Pair("a", "b"): 0.5,
        Pair("b", "a"): 0.5,
        Pair("b", "b"): 1.0,
        Pair("c", "a"): 0.0,
        Pair("a", "d"): 0.0,
    }
    assert found.advantage.families == ("a", "b")
    # (1 + 1) / 2 - (0.5 + 0.5) / 2; a draw of q alone has no value for implementations of b, and is dropped.
    difference = found.advantage.difference
    assert difference.value == pytest.approx(0.5)
    assert difference.replicates_undefined is not None and 80 < difference.replicates_undefined < 170
    # p alone gives (1 + 1) / 2 - (0.5 + 0) / 2, both give 0.5.
    assert [difference.low, difference.high] == pytest.approx([0.5, 0.75])


def test_a_better_family_and_an_easier_style_give_the_diagonal_nothing() -> None:
    better, easier = {"a": 0.3, "b": 0.0, "c": 0.1}, {"a": 0.0, "b": 0.4, "c": 0.2}
    cells = {Pair(one, other): {"p": 0.2 + better[one] + easier[other]} for one in "abc" for other in "abc"}
    difference = heat_map(cells, FEW).advantage.difference
    assert difference.value == pytest.approx(0)
    assert difference.low is None and "one cluster" in (difference.reason or "")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({Pair("a", "a"): {"p": 1.0}, Pair("b", "a"): {"p": 1.0}}, "at least two families"),
        ({Pair("a", "a"): {"p": 1.0}, Pair("b", "b"): {"p": 1.0}, Pair("a", "b"): {"p": 1.0}}, "no value"),
        ({}, "at least two families"),
    ],
)
def test_an_advantage_that_is_undefined_says_why(cells: dict[Pair, dict[str, float]], words: str) -> None:
    difference = heat_map(cells, FEW).advantage.difference
    assert difference.value is None and words in (difference.reason or "")
