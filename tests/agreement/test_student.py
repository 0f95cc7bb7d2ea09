"""Student's t against printed tables."""

from __future__ import annotations

from itertools import pairwise

import pytest

from auditor.agreement.student import central_probability, two_sided_quantile


@pytest.mark.parametrize(
    ("confidence", "df", "t"),
    [
        (0.95, 1, 12.7062),
        (0.95, 2, 4.30265),
        (0.95, 3, 3.18245),
        (0.95, 4, 2.77645),
        (0.95, 5, 2.57058),
        (0.95, 10, 2.22814),
        (0.95, 18, 2.10092),
        (0.95, 120, 1.97993),
        (0.99, 7, 3.49948),
        (0.80, 11, 1.36343),
    ],
)
def test_quantiles_are_those_of_the_tables(confidence: float, df: int, t: float) -> None:
    assert two_sided_quantile(confidence, df) == pytest.approx(t, abs=6e-5 * max(1, t / 10))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("df", [300, 301, 1000])
def test_many_degrees_of_freedom_give_the_quantile_that_has_the_probability(confidence: float, df: int) -> None:
    assert central_probability(two_sided_quantile(confidence, df), df) == pytest.approx(confidence, abs=1e-9)


def test_probabilities_grow_with_t_and_with_the_degrees_of_freedom() -> None:
    grid = [[central_probability(t / 2, df) for t in range(9)] for df in range(1, 30)]
    for row in grid:
        assert row[0] == 0 and row == sorted(row)
    for fewer, more in pairwise(grid):
        assert all(a <= b for a, b in zip(fewer, more, strict=True))


@pytest.mark.parametrize(("confidence", "df"), [(0.95, 0), (1.0, 3), (0.0, 3)])
def test_impossible_arguments_are_refused(confidence: float, df: int) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        two_sided_quantile(confidence, df)
