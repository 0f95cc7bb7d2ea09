"""An accuracy table laid out for files, and the sentences that belong under one."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.analysis import FEW_CLUSTERS
from auditor.audit.doubts import doubts
from auditor.audit.layouts import LaidOut, LayoutTable
from auditor.audit.rate_counts import READER
from auditor.audit.rate_differences import Difference
from auditor.audit.tabulate import AccuracyCell, AccuracyTable, Rate, label
from auditor.model import Scalar
from auditor.store.cells import Group
from auditor.text import counted

_TO = "\u2013"
_LEAST_P = 0.001


def accuracy_laid_out(table: AccuracyTable, rows: Sequence[str], cols: Sequence[str]) -> LaidOut:
    """Lay out an accuracy table by these dimensions, and its differences; a record a cell has exact numbers."""
    names = [*([READER] if table.readers else []), *rows]
    of_tags = bool(table.readers)
    cells = {(cell.row, cell.col): cell for cell in table.cells}
    heads = [*names]
    heads += [label(col, cols) if cols else what_is_counted(table) for col in table.cols]
    lines = []
    for row in table.rows:
        found = [cells.get((row, col)) for col in table.cols]
        lines.append(
            [*_row_name(row, names), *("-" if cell is None else shown_cell(cell, of_tags=of_tags) for cell in found)]
        )
    by = f" by {', '.join([*names, *cols])}" if names or cols else ""
    what = what_is_counted(table)
    laid = LayoutTable(f"{'Accuracy' if what == 'accuracy' else what}{by}", heads, lines, len(names))
    further = [_differences(table, names, cols)] if table.differences else []
    records = [{**_named(cell.row, cell.col, names, cols), **cell_record(cell)} for cell in table.cells]
    if table.against is not None:
        changes = {(one.row, one.col): one for one in table.differences}
        for record, cell in zip(records, table.cells, strict=True):
            record |= _difference_record(changes.get((cell.row, cell.col)))
    return LaidOut([laid, *further], records, [*table_notes(table), *how_to_read(table)])


def what_is_counted(table: AccuracyTable) -> str:
    """Return in a word or a filter of what the rates are."""
    return f"pass@{table.pass_at}" if table.pass_at else table.outcome or "accuracy"


def _row_name(row: Group, names: Sequence[str]) -> list[str]:
    return [label((value,), (name,)) for value, name in zip(row, names, strict=True)]


def _named(row: Group, col: Group, rows: Sequence[str], cols: Sequence[str]) -> dict[str, Scalar]:
    return dict(zip((*rows, *cols), (*row, *col), strict=True))


def _differences(table: AccuracyTable, names: Sequence[str], cols: Sequence[str]) -> LayoutTable:
    """Lay out the differences to the compared column."""
    found = {(one.row, one.col): one for one in table.differences}
    others = [col for col in table.cols if col != table.against]
    lines = []
    for row in table.rows:
        cells = [found.get((row, col)) for col in others]
        lines.append([*_row_name(row, names), *("-" if one is None else _shown_difference(one) for one in cells)])
    heads = [*names, *(label(col, cols) for col in others)]
    title = f"Differences to {label(table.against or (), cols)}, in points"
    return LayoutTable(title, heads, lines, len(names))


def _shown_difference(one: Difference) -> str:
    if one.value is None:
        return "undefined"
    interval = "" if one.ci is None else f"[{100 * one.ci[0]:+z.1f}, {100 * one.ci[1]:+z.1f}]"
    p = "" if one.adjusted is None else f"p<{_LEAST_P}" if one.adjusted < _LEAST_P / 2 else f"p={one.adjusted:.3f}"
    # A minus sign, since a narrow table may be folded at a hyphen.
    return " ".join(filter(None, [f"{100 * one.value:+z.1f}", interval, p])).replace("-", "−")


def _difference_record(one: Difference | None) -> dict[str, Scalar]:
    low, high = (one.ci or (None, None)) if one else (None, None)
    return {
        "difference": one.value if one else None,
        "difference_low": low,
        "difference_high": high,
        "p": one.p if one else None,
        "p_adjusted": one.adjusted if one else None,
    }


def how_to_read(table: AccuracyTable) -> list[str]:
    """Say what the numbers of a cell are and how their intervals came about, a sentence each."""
    count = "n = completed."
    if table.pass_at:
        of = f"Percent pass@{table.pass_at}, the mean over tasks and settings, by completed / by planned sessions"
        count = (
            f"n = those with at least {counted(table.pass_at, 'completed session')}; of planned a missing one is wrong."
        )
    elif table.readers:
        of = f"Percent with the outcome {table.outcome} of reviewed responses"
        count = "n = reviewed."
    elif table.outcome:
        of = f"Percent with the outcome {table.outcome} of completed / of planned responses"
    else:
        of = "Percent correct of completed / of planned responses"
    interval = "[interval]" if table.readers else "[interval of the first]"
    told = [
        f"{of}, {interval}, {count}"
        f" {100 * table.confidence:.4g} % intervals: {table.replicates:,} bootstrap replicates of whole clusters,"
        f" percentiles, seed {table.seed}{'' if table.pass_at else '; Wilson where every cluster has one row'}."
    ]
    if table.against is not None and not table.differences:
        told.append(
            "There is no difference: no row has both the compared column and another one. Name rows with --rows that"
            " have both, such as model instead of setting where columns are modes."
        )
    elif table.against is not None:
        undefined = sum(one.p is None for one in table.differences)
        defined = len(table.differences) - undefined
        told.append(
            "Differences of the first rate: both columns are resampled by the same clusters; p is two-sided and"
            f" adjusted by Benjamini and Hochberg over {counted(defined, 'difference')}"
            + (f", {undefined:,} without an interval left out." if undefined else ".")
        )
    return told


def table_notes(table: AccuracyTable, file: str = "FILE") -> list[str]:
    """Return what a reader must know before trusting the rates of a table, a sentence each.

    `file` is the audit's, as a shell takes it.
    """
    reasons = {rate.reason for cell in table.cells for rate in (cell.completed_accuracy, cell.planned_accuracy)}
    ungraded = any(reason and "not graded" in reason for reason in reasons)
    # What the note says to run then grades all that is not graded.
    how = "" if "--execute" in (table.note or "") else f" Run: auditor grade {file}"
    told = [f"A rate is undefined while replies are not graded.{how}"] if ungraded else []
    reasons |= {one.reason for one in table.differences}
    told += sorted(reason for reason in reasons if reason and "not graded" not in reason)
    few = [
        cell.clusters for cell in table.cells if cell.clusters < FEW_CLUSTERS and cell.ci_method not in (None, "wilson")
    ]
    if few:
        told.append(
            f"{counted(len(few), 'interval')} of fewer than {FEW_CLUSTERS} clusters (the least: {min(few)}): such a"
            " percentile interval is too narrow on average."
        )
    if table.policy:
        told.append(f"Answers are judged by the policy {table.policy}.")
    if table.note:
        told.append(f"Note: {table.note}")
    return told + doubts(table.invalid, table.disputed)


def rates(cell: AccuracyCell) -> tuple[str, str]:
    """Return both rates in percent with one digit; from the counts, since 100 * (part / whole) can miss a tie."""
    of_completed, of_planned = (
        "undefined" if rate.value is None else _percent(rate.value, cell, total)
        for rate, total in ((cell.completed_accuracy, cell.completed), (cell.planned_accuracy, cell.planned))
    )
    return of_completed, of_planned


def _percent(value: float, cell: AccuracyCell, total: int) -> str:
    return f"{100 * value:.1f}" if cell.is_mean else percent(cell.correct, total)


def percent(part: int, whole: int) -> str:
    """Return a rate in percent with one digit; from the counts, since 100 * (part / whole) can miss a tie."""
    return f"{100 * part / whole:.1f}"


def shown_cell(cell: AccuracyCell, *, of_tags: bool = False) -> str:
    """Return a cell as it is read: both rates, of tags the first one, its interval, and what it is out of."""
    both = rates(cell)[:1] if of_tags else rates(cell)
    shown = "undefined" if set(both) == {"undefined"} else "/".join(both)
    return " ".join(filter(None, [shown, _interval(cell.completed_accuracy), f"n={cell.completed:,}"]))


def _interval(rate: Rate) -> str:
    return "" if rate.ci is None else f"[{100 * rate.ci[0]:.1f}{_TO}{100 * rate.ci[1]:.1f}]"


def cell_record(cell: AccuracyCell, *, intervals: bool = True) -> dict[str, Scalar]:
    """Return a cell's exact numbers as a flat record, without what it is of."""
    record: dict[str, Scalar] = {
        "correct": cell.correct,
        "completed": cell.completed,
        "planned": cell.planned,
        "clusters": cell.clusters,
    }
    for name, rate in (("completed", cell.completed_accuracy), ("planned", cell.planned_accuracy)):
        record[f"{name}_accuracy"] = rate.value
        if intervals:
            record[f"{name}_low"], record[f"{name}_high"] = rate.ci or (None, None)
    return record
