"""Where the tool warns is where the coverage table of the docs shows that intervals fail."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from auditor.agreement.intervals import FEW_CLUSTERS
from auditor.agreement.rare_tags import rare_tag_warning
from tests.benchmarks.agreement_coverage import (
    CLUSTERS,
    DIFFERENCE_HEAD,
    HEAD,
    LEAST,
    MOST,
    PREVALENCES,
    Cell,
    cell_of,
    complaint,
    difference_cell,
    labels,
)

PAGE = (Path(__file__).parents[2] / "docs" / "agreement.md").read_text(encoding="utf-8")
ROWS = [
    tuple(float(field) if field != "-" else None for field in row.strip("| ").split(" | "))
    for row in re.findall(r"^\| 0\.\d+ (?:\| [\d.-]+ ){8}\|$", PAGE, re.MULTILINE)
]
DIFFERENCES = re.findall(r"^\| 0\.\d+ \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)


def test_the_docs_have_the_table_of_the_benchmark() -> None:
    assert "\n".join(HEAD) in PAGE and "\n".join(DIFFERENCE_HEAD) in PAGE
    assert [row[:2] for row in ROWS] == [(prevalence, clusters) for prevalence in PREVALENCES for clusters in CLUSTERS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_the_tool_warns_exactly_where_intervals_cover_too_little(row: tuple[float, ...]) -> None:
    prevalence, clusters, with_tag, percentile, _, by_item, warned, unwarned, _ = row
    too_little = percentile < 100 * LEAST
    few = clusters < FEW_CLUSTERS
    rare = rare_tag_warning("tag", round(with_tag), round(clusters), "cluster") is not None
    assert too_little == (few or rare) == (warned > 50)
    assert unwarned is None or 100 * LEAST <= unwarned <= 100 * MOST
    if clusters >= 40 and prevalence >= 0.2:
        assert 100 * LEAST <= percentile <= 100 * MOST and by_item < 75


def test_intervals_of_differences_cover_and_those_of_independent_sides_are_too_wide() -> None:
    assert len(DIFFERENCES) == 6
    for clusters, same_draws, apart in DIFFERENCES:
        assert int(clusters) >= FEW_CLUSTERS
        assert 100 * LEAST <= float(same_draws) <= 100 * MOST < float(apart)


def test_a_difference_is_measured_over_some_data_sets() -> None:
    cell = difference_cell(30, 0.5, 8)
    assert 0.5 < cell.same_draws <= 1 and 0.5 < cell.apart <= 1


def test_the_simulated_labels_have_the_prevalence_and_the_kappa_that_the_table_names() -> None:
    first, second = labels(np.random.default_rng(5), 40_000, 0.2)
    assert first.mean() == pytest.approx(0.2, abs=0.005) and second.mean() == pytest.approx(0.2, abs=0.005)
    observed, chance = (first == second).mean(), 0.2**2 + 0.8**2
    assert (observed - chance) / (1 - chance) == pytest.approx(0.6, abs=0.01)


def test_a_cell_is_measured_and_what_is_wrong_with_one_is_said() -> None:
    cell = cell_of(10, 0.5, 8)
    assert cell.warned == 1 and cell.unwarned is None and 0 < cell.percentile <= 1 and 5 < cell.with_tag < 10
    good = Cell(0.2, 40, 0.0, 17.0, 0.94, 0.94, 0.7, 0.0, 0.94)
    assert complaint(good) is None
    assert complaint(good._replace(percentile=0.99)) == "the cluster interval does not cover as it says"
    assert complaint(good._replace(item=0.95)) == "the item-level interval covers"
    assert complaint(good._replace(clusters=20, percentile=0.8)) == "warnings are not where the interval fails"
    assert complaint(good._replace(warned=0.9)) == "warnings are not where the interval fails"
