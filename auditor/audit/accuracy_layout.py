"""An accuracy table laid out for files, and the sentences that belong under one."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.audit.doubts import doubts
from auditor.audit.layouts import LaidOut, LayoutTable
from auditor.audit.tabulate import AccuracyCell, AccuracyTable, Rate
from auditor.model import Scalar
from auditor.store.cells import Group

_TO = "\u2013"


def accuracy_laid_out(table: AccuracyTable, rows: Sequence[str], cols: Sequence[str]) -> LaidOut:
    """Lay out an accuracy table by these dimensions; a record a cell has exact numbers."""
    cells = {(cell.row, cell.col): cell for cell in table.cells}
    lines = []
    for row in table.rows:
        found = [cells.get((row, col)) for col in table.cols]
        name = [label(row, rows)] if rows else []
        lines.append([*name, *("-" if cell is None else shown_cell(cell) for cell in found)])
    heads = [label(col, cols) if cols else "accuracy" for col in table.cols]
    title = f"Accuracy by {', '.join([*rows, *cols])}" if rows or cols else "Accuracy"
    laid = LayoutTable(title, [*([" ".join(rows)] if rows else []), *heads], lines, 1 if rows else 0)
    records = [_record(cell, rows, cols) for cell in table.cells]
    return LaidOut([laid], records, [*table_notes(table), how_to_read(table)])


def how_to_read(table: AccuracyTable) -> str:
    """Say what the numbers of a cell are and how their intervals came about."""
    return (
        "Percent correct of completed / of planned responses, [interval of the first], n = completed."
        f" {100 * table.confidence:.4g} % intervals: {table.replicates:,} bootstrap replicates of whole clusters,"
        f" percentiles, seed {table.seed}; Wilson where every cluster has one row."
    )


def table_notes(table: AccuracyTable, file: str = "FILE") -> list[str]:
    """Return what a reader must know before trusting the rates of a table, a sentence each.

    `file` is the audit's, as a shell takes it.
    """
    reasons = {rate.reason for cell in table.cells for rate in (cell.completed_accuracy, cell.planned_accuracy)}
    ungraded = any(reason and "not graded" in reason for reason in reasons)
    # What the note says to run then grades all that is not graded.
    how = "" if "--execute" in (table.note or "") else f" Run: auditor grade {file}"
    told = [f"A rate is undefined while replies are not graded.{how}"] if ungraded else []
    told += sorted(reason for reason in reasons if reason and "not graded" not in reason)
    if table.policy:
        told.append(f"Answers are judged by the policy {table.policy}.")
    if table.note:
        told.append(f"Note: {table.note}")
    return told + doubts(table.invalid, table.disputed)


def label(group: Group, names: Sequence[str]) -> str:
    """Return the values of a group as the name of a row or column."""
    return " ".join(
        f"(no {name})" if value is None else '""' if value == "" else str(value)
        for name, value in zip(names, group, strict=True)
    )


def rates(cell: AccuracyCell) -> tuple[str, str]:
    """Return both rates in percent with one digit; from the counts, since 100 * (part / whole) can miss a tie."""
    of_completed, of_planned = (
        "undefined" if rate.value is None else percent(cell.correct, total)
        for rate, total in ((cell.completed_accuracy, cell.completed), (cell.planned_accuracy, cell.planned))
    )
    return of_completed, of_planned


def percent(part: int, whole: int) -> str:
    """Return a rate in percent with one digit; from the counts, since 100 * (part / whole) can miss a tie."""
    return f"{100 * part / whole:.1f}"


def shown_cell(cell: AccuracyCell) -> str:
    """Return a cell as it is read: both rates, the interval of the first, and the completed responses."""
    both = rates(cell)
    shown = "undefined" if set(both) == {"undefined"} else "/".join(both)
    return " ".join(filter(None, [shown, _interval(cell.completed_accuracy), f"n={cell.completed:,}"]))


def _interval(rate: Rate) -> str:
    return "" if rate.ci is None else f"[{100 * rate.ci[0]:.1f}{_TO}{100 * rate.ci[1]:.1f}]"


def _record(cell: AccuracyCell, rows: Sequence[str], cols: Sequence[str]) -> dict[str, Scalar]:
    named = dict(zip((*rows, *cols), (*cell.row, *cell.col), strict=True))
    return {**named, **cell_record(cell)}


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
