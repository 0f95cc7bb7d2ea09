"""Accuracy by any dimensions under both denominators, and paired transitions between two sides."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditor.analysis import cluster_bootstrap_ratio, paired_difference, wilson_interval
from auditor.errors import InputError
from auditor.store.cells import ClusterCounts, Group, Outcome, cluster_counts, outcomes
from auditor.store.expr import parse
from auditor.store.filter import Vocabulary
from auditor.text import visible_line

REPLICATES = 10_000
SEED = 20_261_011
"""The default seed of every bootstrap here; printed with the result."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Correct out of a denominator; `value` is None when it is undefined, and `reason` says why."""

    value: float | None
    ci: tuple[float, float] | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class AccuracyCell:
    """One cell of an accuracy table; fractions between 0 and 1."""

    row: Group
    col: Group
    correct: int
    completed: int
    planned: int
    clusters: int
    completed_accuracy: Rate
    planned_accuracy: Rate
    ci_method: str | None


@dataclass(frozen=True, slots=True)
class AccuracyTable:
    """Accuracy by rows and columns, each a list of dimension values in the order of import."""

    rows: list[Group]
    cols: list[Group]
    cells: list[AccuracyCell]
    replicates: int
    seed: int
    confidence: float


def accuracy(
    connection: sqlite3.Connection,
    *,
    rows: Sequence[str] = ("setting",),
    cols: Sequence[str] = ("arm",),
    where: str = "",
    replicates: int = REPLICATES,
    seed: int = SEED,
    confidence: float = 0.95,
) -> AccuracyTable:
    """Tabulate accuracy: correct over completed responses, and correct over planned cells.

    Intervals resample whole clusters, or are Wilson's where every cluster has one row. Raises InputError for unknown
    dimensions.
    """
    counts = cluster_counts(connection, [*rows, *cols], where)
    by_cell: dict[tuple[Group, Group], list[ClusterCounts]] = {}
    for count in counts:
        by_cell.setdefault((count.group[: len(rows)], count.group[len(rows) :]), []).append(count)
    cells = [_cell(row, col, part, replicates, seed, confidence) for (row, col), part in by_cell.items()]
    return AccuracyTable(
        rows=list(dict.fromkeys(row for row, _ in by_cell)),
        cols=list(dict.fromkeys(col for _, col in by_cell)),
        cells=cells,
        replicates=replicates,
        seed=seed,
        confidence=confidence,
    )


def _cell(
    row: Group, col: Group, part: Sequence[ClusterCounts], replicates: int, seed: int, confidence: float
) -> AccuracyCell:
    correct = sum(count.correct for count in part)
    completed = sum(count.completed for count in part)
    planned = sum(count.planned for count in part)
    ungraded = sum(count.ungraded for count in part)
    single = all(count.planned == 1 for count in part)
    numerators = [count.correct for count in part]

    def rate(denominator: int, denominators: list[int]) -> Rate:
        if ungraded:
            return Rate(None, None, f"Undefined: {ungraded:,} of {completed:,} replies are not graded.")
        if not denominator:
            return Rate(None, None, "Undefined: no response was completed.")
        if single:
            wilson = wilson_interval(correct, denominator, confidence)
            return Rate(wilson.value, _limits(wilson.low, wilson.high), None)
        found = cluster_bootstrap_ratio(numerators, denominators, replicates, seed, confidence)
        return Rate(found.value, _limits(found.low, found.high), found.reason)

    return AccuracyCell(
        row=row,
        col=col,
        correct=correct,
        completed=completed,
        planned=planned,
        clusters=len(part),
        completed_accuracy=rate(completed, [count.completed for count in part]),
        planned_accuracy=rate(planned, [count.planned for count in part]),
        ci_method=None if ungraded else "wilson" if single else "cluster-bootstrap-percentile",
    )


def _limits(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


# --- transitions ---------------------------------------------------------------------------------------------------

_SETTING_PARTS = {"model": "g.model", "mode": "g.mode", "prompting": "g.prompting"}


@dataclass(frozen=True, slots=True)
class Transitions:
    """Paired changes; `difference` is the from side minus the to side, in percentage points."""

    pairs: int
    clusters: int
    correct_to_wrong: int
    wrong_to_correct: int
    both_correct: int
    both_wrong: int
    unpaired: int
    """Completed responses of either side without a completed partner."""
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    replicates: int
    seed: int
    confidence: float
    reason: str | None


def transitions(
    connection: sqlite3.Connection,
    from_where: str,
    to_where: str,
    where: str = "",
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
    confidence: float = 0.95,
) -> Transitions:
    """Pair completed responses that agree in all but what the two filters fix, and count how verdicts change.

    The interval is a paired bootstrap of whole clusters: the difference of summed correctness over summed pairs,
    percentiles. Raises InputError when a side has several responses for one pair, or a reply without a grade.
    """
    columns = _pair_columns(Vocabulary(connection), from_where, to_where)
    one = _side("--from", from_where, outcomes(connection, columns, [from_where, where]))
    other = _side("--to", to_where, outcomes(connection, columns, [to_where, where]))
    pairs = [(one[key], other[key]) for key in one if key in other]
    kinds = [(bool(a.correct), bool(b.correct)) for a, b in pairs]
    result = paired_difference(
        [float(a) for a, _ in kinds],
        [float(b) for _, b in kinds],
        [a.cluster for a, _ in pairs],
        replicates,
        seed,
        confidence,
    )
    difference = result.difference
    return Transitions(
        pairs=len(pairs),
        clusters=len({a.cluster for a, _ in pairs}),
        correct_to_wrong=kinds.count((True, False)),
        wrong_to_correct=kinds.count((False, True)),
        both_correct=kinds.count((True, True)),
        both_wrong=kinds.count((False, False)),
        unpaired=len(one) + len(other) - 2 * len(pairs),
        difference=_points(difference.value),
        ci_low=_points(difference.low),
        ci_high=_points(difference.high),
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        reason=difference.reason,
    )


def _points(fraction: float | None) -> float | None:
    return None if fraction is None else 100 * fraction


def _pair_columns(vocabulary: Vocabulary, from_where: str, to_where: str) -> list[str]:
    """Return the columns in which the two sides of a pair agree: all but those that the filters fix."""
    fixed = {
        name.removeprefix("facet:") for text in (from_where, to_where) for name in vocabulary.mentioned(parse(text))
    }
    if not from_where.strip() or not to_where.strip():
        raise InputError("--from and --to each need a filter.", hint="For example --from arm:A --to arm:B.")
    columns = ["s.id", "c.name"] if "study" not in fixed else ["c.name"]
    if "arm" not in fixed and not fixed & vocabulary.facets.keys():
        columns.append("t.arm")
    if fixed & _SETTING_PARTS.keys():
        columns += [column for name, column in _SETTING_PARTS.items() if name not in fixed]
    elif "setting" not in fixed and not fixed & vocabulary.setting_facets:
        columns.append("g.id")
    if "sample" not in fixed:
        columns.append("r.sample")
    return columns


def _side(option: str, where: str, found: Sequence[Outcome]) -> dict[Any, Outcome]:
    """Index the completed responses of one side by what they are paired by."""
    ungraded = sum(not outcome.graded for outcome in found)
    if ungraded:
        raise InputError(
            f"{option} {visible_line(where)}: {ungraded:,} replies are not graded.", hint="Run: auditor grade FILE"
        )
    side: dict[Any, Outcome] = {}
    for outcome in found:
        if outcome.correct is None:
            continue
        if outcome.pair in side:
            raise InputError(
                f"{option} {visible_line(where)} leaves several responses for one pair.",
                hint="Fix more in the filter, such as one arm and one setting a side.",
            )
        side[outcome.pair] = outcome
    return side
