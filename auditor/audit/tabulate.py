"""Accuracy by any dimensions, under both denominators."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.analysis import (
    NOTHING_VARIES,
    Resampling,
    cluster_bootstrap_ratio,
    wilson_interval,
)
from auditor.audit.bins import binned
from auditor.audit.doubts import unsettled
from auditor.audit.outcomes import Question
from auditor.audit.rate_counts import READER, Part, ordered_rows, parts_of, rate_counts
from auditor.audit.rate_differences import Difference, differences_to
from auditor.errors import InputError
from auditor.store.cells import ClusterCounts, Group
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.store.expr import parse
from auditor.store.filter import Vocabulary
from auditor.store.suggestions import nothing_counted
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
    """Right answers, or responses with the outcome."""
    completed: int
    """What the first rate is out of: completed responses; of a tag reviewed ones; tasks of pass@k."""
    planned: int
    clusters: int
    completed_accuracy: Rate
    planned_accuracy: Rate
    """Undefined for a tag, which says something only of reviewed responses."""
    ci_method: str | None
    is_mean: bool = False
    """Whether the rates are means over tasks (pass@k), and not `correct` by a denominator."""


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
    outcome: str | None = None
    """Of what the rates are, where not of right answers."""
    readers: tuple[str, ...] = ()
    """Whose tags are read; then each row begins with one of them."""
    pass_at: int | None = None
    """The k of pass@k, where the rates are that."""
    against: Group | None = None
    """The column that the others are compared with."""
    differences: tuple[Difference, ...] = ()


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
    question: Question | None = None,
    pass_at: int | None = None,
    against: str | None = None,
) -> AccuracyTable:
    """Tabulate accuracy: correct over completed responses, and correct over planned cells.

    Intervals resample whole clusters, or are Wilson's where every cluster has one row. Raises InputError for unknown
    dimensions, and when nothing matches the filter. With `bins` a numeric dimension of more values than that becomes so
    many groups of about as many planned responses; without, one of very many values is refused. With `policy`
    answers are judged anew by it. Without replicates (0) there are no intervals.

    A `question` asks for another outcome than a right answer; where it asks for tags, there is a row for each reader
    and the first rate is of what they reviewed. `pass_at` gives the mean over tasks and settings of pass@k. `against`
    is a column's label: the differences of the others to it, with p adjusted over all of them.
    """
    counts = rate_counts(connection, [*rows, *cols], where, policy=policy, question=question, pass_at=pass_at)
    if not counts.counts:
        raise nothing_counted(connection, where)
    raw_rows, raw_cols = ordered_rows(connection, counts, rows, cols)
    names = [*([READER] if counts.readers else []), *rows, *cols]
    size = len(names) - len(cols)
    grouping = binned(counts.counts, names, bins)
    parts = _by_cell(grouping.counts, size, counts.clusters, pass_at)
    resampling = Resampling(replicates, seed, confidence)
    kind = _kind(question, pass_at, bool(counts.readers))
    row_groups = list(dict.fromkeys(grouping.label(row, 0) for row in raw_rows))
    col_groups = list(dict.fromkeys(grouping.label(col, size) for col in raw_cols))
    base = None if against is None else _column(col_groups, cols, against)
    note = " ".join(filter(None, [*counts.notes, _note(connection, where)]))
    return AccuracyTable(
        rows=row_groups,
        cols=col_groups,
        cells=[
            _cell(row, col, parts[row, col], resampling, kind)
            for row in row_groups
            for col in col_groups
            if (row, col) in parts
        ],
        replicates=replicates,
        seed=seed,
        confidence=confidence,
        policy=policy,
        note=note or None,
        invalid=0 if "invalid" in (*rows, *cols) else count_left_out(connection, where),
        disputed=count_disputed(connection, where, invalid_too="invalid" in (*rows, *cols)),
        outcome=None if question is None else question.outcome,
        readers=counts.readers,
        pass_at=pass_at,
        against=base,
        differences=() if base is None else tuple(differences_to(parts, row_groups, col_groups, base, resampling)),
    )


def _by_cell(
    counts: Sequence[ClusterCounts], size: int, clusters: Sequence[int] | None, pass_at: int | None
) -> dict[tuple[Group, Group], list[Part]]:
    """Return what clusters contribute to each cell; the first `size` values of a group are those of the row."""
    by_cell: dict[tuple[Group, Group], list[ClusterCounts]] = {}
    for count in counts:
        by_cell.setdefault((count.group[:size], count.group[size:]), []).append(count)
    # By cluster, since a seed draws the same ones only from the same order.
    return {key: sorted(parts_of(found, clusters, pass_at)) for key, found in by_cell.items()}


def label(group: Group, names: Sequence[str]) -> str:
    """Return the values of a group as the name of a row or column."""
    return " ".join(
        f"(no {name})" if value is None else '""' if value == "" else str(value)
        for name, value in zip(names, group, strict=True)
    )


def _column(cols: Sequence[Group], names: Sequence[str], wanted: str) -> Group:
    """Return the column of a label; raises InputError where there is none."""
    if not names:
        raise InputError(
            "there is one column, so there is none to compare with.",
            hint="Name dimensions with --cols, e.g. --rows study --cols setting, to compare settings.",
        )
    labels = {label(col, names): col for col in cols}
    if wanted not in labels:
        shown = ", ".join(visible_line(one, 40) for one in labels)
        raise InputError(f"there is no column {visible_line(wanted, 60)!r} to compare with.", hint=f"Columns: {shown}.")
    return labels[wanted]


def _note(connection: sqlite3.Connection, where: str) -> str | None:
    """Warn of a filter that picks answers by what the rates measure, and of answers that only running could judge."""
    told = []
    by_outcome = sorted(Vocabulary(connection).mentioned(parse(where)) & {"status", "mode.computed"})
    if by_outcome:
        told.append(
            f"The filter picks responses by how they were graded ({', '.join(by_outcome)}), so these rates describe the"
            " filter and not the settings."
        )
    told += unsettled(connection, where)
    return " ".join(told) or None


class _Kind(NamedTuple):
    """What sort of rate a table has."""

    is_mean: bool
    of_tags: bool
    alike: tuple[str, str]
    """What all replies are where no reply, or every one, is counted."""
    nothing: str
    """Why there is no rate of nothing."""


def _kind(question: Question | None, pass_at: int | None, of_tags: bool) -> _Kind:
    nothing = "nobody reviewed any" if of_tags else "no response was completed"
    if pass_at is not None:
        nothing = f"no task has {pass_at:,} sessions"
    alike = ("wrong", "right") if question is None else ("without the outcome", "with the outcome")
    return _Kind(pass_at is not None, of_tags, alike, f"It is undefined: {nothing}.")


def _cell(row: Group, col: Group, parts: Sequence[Part], resampling: Resampling, kind: _Kind) -> AccuracyCell:
    single = not kind.is_mean and all(part.bottoms[1] == 1 for part in parts)
    of_completed = _rate(parts, 0, single, resampling, kind)
    of_planned = Rate(None, None, None) if kind.of_tags else _rate(parts, 1, single, resampling, kind)
    has_interval = of_completed.ci is not None or of_planned.ci is not None
    return AccuracyCell(
        row=row,
        col=col,
        correct=sum(part.correct for part in parts),
        completed=sum(part.bottoms[0] for part in parts),
        planned=sum(part.bottoms[1] for part in parts),
        clusters=sum(part.bottoms[0] > 0 for part in parts) if kind.of_tags else len(parts),
        completed_accuracy=of_completed,
        planned_accuracy=of_planned,
        ci_method=("wilson" if single else "cluster-bootstrap-percentile") if has_interval else None,
        is_mean=kind.is_mean,
    )


def _rate(parts: Sequence[Part], which: int, single: bool, resampling: Resampling, kind: _Kind) -> Rate:
    """Return the rate of completed (0) or of planned (1) responses."""
    tops, bottoms = [part.tops[which] for part in parts], [part.bottoms[which] for part in parts]
    correct, total = sum(tops), sum(bottoms)
    ungraded = sum(part.ungraded for part in parts)
    if ungraded:
        are = "is" if ungraded == 1 else "are"
        replies = sum(part.completed for part in parts)
        return Rate(None, None, f"It is undefined: {ungraded:,} of {replies:,} replies {are} not graded.")
    if not total:
        return Rate(None, None, kind.nothing)
    if not resampling.replicates:
        return Rate(correct / total, None, None)
    if single:
        _, low, high = wilson_interval(int(correct), total, resampling.confidence)
        return Rate(correct / total, _interval(low, high), None)
    found = cluster_bootstrap_ratio(tops, bottoms, *resampling)
    if correct in (0, total) and found.reason == NOTHING_VARIES:
        all_are = kind.alike[correct != 0]
        reason = f"Where all replies are {all_are}, a bootstrap has nothing to vary: there is no interval."
        return Rate(correct / total, None, reason, found.replicates_undefined)
    return Rate(correct / total, _interval(found.low, found.high), found.reason, found.replicates_undefined)


def _interval(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
