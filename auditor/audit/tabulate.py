"""Accuracy by any dimensions, under both denominators."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.analysis import cluster_bootstrap_ratio, wilson_interval
from auditor.audit.bins import binned
from auditor.audit.judging import judge_by
from auditor.errors import InputError
from auditor.store.cells import ClusterCounts, Group, cluster_counts, count_unsettled, in_order
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.store.expr import parse
from auditor.store.filter import Vocabulary
from auditor.store.suggestions import hint_for_nothing
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
    replicates_undefined: int | None = None
    """Replicates that drew nothing to divide by and were dropped; None where nothing was resampled."""


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
    """Accuracy by rows and columns, each a list of dimension values: numbers by size, others in the order of import."""

    rows: list[Group]
    cols: list[Group]
    cells: list[AccuracyCell]
    replicates: int
    seed: int
    confidence: float
    policy: str | None = None
    """By which answers were judged in place of the one that they were graded by."""
    note: str | None = None
    """What a reader must know before trusting the rates."""
    invalid: int = 0
    """Responses that the filter would leave, but that are invalid and so left out."""
    disputed: int = 0
    """Responses in the table whose oracle is disputed: running their program gives another output."""


def accuracy(
    connection: sqlite3.Connection,
    *,
    rows: Sequence[str] = ("setting",),
    cols: Sequence[str] = ("arm",),
    where: str = "",
    replicates: int = REPLICATES,
    seed: int = SEED,
    confidence: float = 0.95,
    bins: int | None = None,
    policy: str | None = None,
) -> AccuracyTable:
    """Tabulate accuracy: correct over completed responses, and correct over planned cells.

    Intervals resample whole clusters, or are Wilson's where every cluster has one row. Raises InputError for unknown
    dimensions, and when nothing matches the filter. With `bins` a numeric dimension of more values than that becomes so
    many groups of about as many planned responses; without, one of very many values is refused. With `policy`
    answers are judged anew by it. Without replicates (0) there are no intervals.
    """
    with judge_by(connection, policy):
        counts = cluster_counts(connection, [*rows, *cols], where, judged=policy is not None)
    raw_rows = in_order(connection, rows, (count.group[: len(rows)] for count in counts))
    raw_cols = in_order(connection, cols, (count.group[len(rows) :] for count in counts))
    grouping = binned(counts, [*rows, *cols], bins)
    if not counts:
        raise InputError(
            f"no response and no planned cell matches {visible_line(where)!r}.",
            hint=hint_for_nothing(connection, where),
        )
    by_cell: dict[tuple[Group, Group], list[ClusterCounts]] = {}
    for count in grouping.counts:
        by_cell.setdefault((count.group[: len(rows)], count.group[len(rows) :]), []).append(count)
    cells = [_cell(row, col, part, replicates, seed, confidence) for (row, col), part in by_cell.items()]
    return AccuracyTable(
        rows=list(dict.fromkeys(grouping.label(row, 0) for row in raw_rows)),
        cols=list(dict.fromkeys(grouping.label(col, len(rows)) for col in raw_cols)),
        cells=cells,
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        policy=policy,
        note=_note(connection, where),
        invalid=0 if "invalid" in (*rows, *cols) else count_left_out(connection, where),
        disputed=count_disputed(connection, where, invalid_too="invalid" in (*rows, *cols)),
    )


def _note(connection: sqlite3.Connection, where: str) -> str | None:
    """Warn of a filter that picks answers by what the rates measure, and of answers that only running could judge."""
    told = []
    by_outcome = sorted(Vocabulary(connection).mentioned(parse(where)) & {"status", "mode.computed"})
    if by_outcome:
        told.append(
            f"The filter picks responses by how they were graded ({', '.join(by_outcome)}), so these rates describe the"
            " filter and not the settings."
        )
    waiting = count_unsettled(connection, where)
    if waiting.calls:
        calls = (
            "1 predicted call has no grade before it is"
            if waiting.calls == 1
            else (f"{waiting.calls:,} predicted calls have no grade before they are")
        )
        told.append(f"{calls} run.")
    if waiting.non_literal:
        answers = (
            "1 answer is no literal and counts"
            if waiting.non_literal == 1
            else (f"{waiting.non_literal:,} answers are no literals and count")
        )
        told.append(f"{answers} as wrong until evaluated.")
    if waiting.calls or waiting.non_literal:
        told.append("`auditor grade FILE --execute` runs them.")
    return " ".join(told) or None


def _cell(
    row: Group, col: Group, part: Sequence[ClusterCounts], replicates: int, seed: int, confidence: float
) -> AccuracyCell:
    correct = sum(count.correct for count in part)
    completed = sum(count.completed for count in part)
    planned = sum(count.planned for count in part)
    ungraded = sum(count.ungraded for count in part)
    single = all(count.planned == 1 for count in part)
    numerators = [count.correct for count in part]

    def rate(denominators: list[int]) -> Rate:
        total = sum(denominators)
        if ungraded:
            are = "is" if ungraded == 1 else "are"
            return Rate(None, None, f"It is undefined: {ungraded:,} of {completed:,} replies {are} not graded.")
        if not total:
            return Rate(None, None, "It is undefined: no response was completed.")
        if not replicates:
            return Rate(correct / total, None, None)
        if single:
            _, low, high = wilson_interval(correct, total, confidence)
            return Rate(correct / total, _interval(low, high), None)
        found = cluster_bootstrap_ratio(numerators, denominators, replicates, seed, confidence)
        if correct in (0, total) and found.reason is None:
            # Every replicate gives the same rate: an interval of one point, which says more than is known.
            all_are = "wrong" if correct == 0 else "right"
            reason = f"Where all replies are {all_are}, a bootstrap has nothing to vary: there is no interval."
            return Rate(correct / total, None, reason, found.replicates_undefined)
        return Rate(correct / total, _interval(found.low, found.high), found.reason, found.replicates_undefined)

    of_completed = rate([count.completed for count in part])
    of_planned = rate([count.planned for count in part])
    has_interval = of_completed.ci is not None or of_planned.ci is not None
    return AccuracyCell(
        row=row,
        col=col,
        correct=correct,
        completed=completed,
        planned=planned,
        clusters=len(part),
        completed_accuracy=of_completed,
        planned_accuracy=of_planned,
        ci_method=("wilson" if single else "cluster-bootstrap-percentile") if has_interval else None,
    )


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
