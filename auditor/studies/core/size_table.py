"""The sizes of built problems as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from auditor.studies.core.built import Built, Sizes
from auditor.studies.core.reasoning_way import DIMENSIONS
from auditor.text import visible_line


def size_rows(built: Sequence[Built]) -> list[tuple[str | int, ...]]:
    """Return a row for each admitted problem, and one for all: sums, but means of tests, similarity and complexity."""
    admitted = [one for one in built if one.admitted]
    rows = [_row(one.problem, one.sizes) for one in admitted]
    if len(admitted) > 1:
        rows.append(_all([one.sizes for one in admitted]))
    return rows


def _row(name: str, sizes: Sizes) -> tuple[str | int, ...]:
    return (
        visible_line(name, 60),
        sizes.implementations,
        sizes.tests,
        sizes.least,
        sizes.chosen,
        f"{sizes.lines}/{sizes.all_lines}",
        f"{sizes.branches}/{sizes.all_branches}",
        _number(sizes.jaccard, 2),
        _number(sizes.cyclomatic, 1),
        sizes.probes,
        *(sizes.dimensions.get(name, 0) for name in DIMENSIONS),
    )


def _all(sizes: Sequence[Sizes]) -> tuple[str | int, ...]:
    similar = [one.jaccard for one in sizes if one.jaccard is not None]
    complexity = [one.cyclomatic * one.implementations for one in sizes if one.cyclomatic is not None]
    implementations = sum(one.implementations for one in sizes)
    return (
        "all (tests, Jaccard, CC: mean)",
        implementations,
        _number(fmean(one.tests for one in sizes), 1),
        _number(fmean(one.least for one in sizes), 1),
        _number(fmean(one.chosen for one in sizes), 1),
        f"{sum(one.lines for one in sizes)}/{sum(one.all_lines for one in sizes)}",
        f"{sum(one.branches for one in sizes)}/{sum(one.all_branches for one in sizes)}",
        _number(fmean(similar) if similar else None, 2),
        _number(sum(complexity) / implementations, 1),
        sum(one.probes for one in sizes),
        *(sum(one.dimensions.get(name, 0) for one in sizes) for name in DIMENSIONS),
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
