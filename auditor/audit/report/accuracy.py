"""Accuracy by setting and arm, and by study: both denominators, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditor.audit.doubts import doubts
from auditor.audit.report.subject import Part, Subject, interval, name_of, percent
from auditor.audit.tabulate import AccuracyCell, AccuracyTable, Rate, accuracy
from auditor.documents.document import Block, Cell, Column, Figure, Paragraph, Section, Table, Words
from auditor.documents.plots import DASH, Axis, HeatPlot, HeatRow, IntervalGroup, IntervalPlot, IntervalRow, Point
from auditor.text import counted

_MOST_ROWS = 72
"""Rows of a plot that can still be read."""
_MOST_COLUMNS = 12
"""Columns of a table that can still be read."""


def accuracy_part(subject: Subject) -> Part:
    """Tabulate and plot accuracy; the filter of the report counts."""
    table = accuracy(subject.connection, rows=("setting",), cols=("arm",), **subject.how)
    blocks: list[Block | Section] = [
        Paragraph(
            "Of completed responses those that are right; below, of all planned ones, where a missing response counts"
            " as wrong. An answer in an invalid envelope is right when what was extracted from it is right."
        )
    ]
    plot = _plot(table) or _heat_plot(table)
    if plot is not None:
        note = f"Of completed responses; {_how(subject, table)}."
        if isinstance(plot, HeatPlot):
            note = "Of completed responses; a fuller shade is more. The tables below have the intervals."
        blocks.append(Figure("fig-accuracy", plot, (note,), below=True))
    blocks += _tables(subject, table, "setting", "arm")
    further = (("setting", "study"), ("arm", "study"), ("setting", "language"))
    for done, (rows, cols) in enumerate(further, 1):
        subject.steps(done, 1 + len(further), f"by {rows} and {cols}")
        more = accuracy(subject.connection, rows=(rows,), cols=(cols,), **subject.how)
        if len(more.cols) > 1 and len(more.rows) > (1 if rows == "arm" else 0):
            blocks.append(
                Section(f"accuracy-{rows}-{cols}", f"By {rows} and {cols}", _tables(subject, more, rows, cols))
            )
    section = Section("accuracy", "Accuracy", blocks)
    return Part(section, _lead(table), tuple(_quotes(table)), limits=tuple(_limits(table)))


def _how(subject: Subject, table: AccuracyTable) -> str:
    methods = {cell.ci_method for cell in table.cells}
    wilson = f"{100 * subject.options.confidence:g} % intervals of Wilson, since every cluster has one row in a cell"
    if methods <= {"wilson", None}:
        return wilson
    return subject.bootstrap + ("; Wilson's where every cluster has one row" if "wilson" in methods else "")


def _tables(subject: Subject, table: AccuracyTable, rows: str, cols: str) -> list[Block]:
    shape = table
    if len(table.cols) > _MOST_COLUMNS >= len(table.rows):
        shape = _turned(table)
        rows, cols = cols, rows
    notes: list[Words] = [f"n = responses. Intervals: {_how(subject, table)}."]
    notes += sorted({rate.reason for cell in table.cells for rate in _rates(cell) if rate.reason})
    if table.note:
        notes.append(table.note)
    notes += doubts(table.invalid, table.disputed)
    completed = _table(shape, f"Percent correct of completed responses (C/R), by {rows} and {cols}", rows, cols, False)
    planned = _table(shape, f"Percent correct of planned responses (C/N), by {rows} and {cols}", rows, cols, True)
    return [completed, Table(planned.caption, planned.columns, planned.rows, notes)]


def _rates(cell: AccuracyCell) -> tuple[Rate, Rate]:
    return cell.completed_accuracy, cell.planned_accuracy


def _turned(table: AccuracyTable) -> AccuracyTable:
    """Exchange rows and columns, so that many columns become many rows."""
    from dataclasses import replace

    cells = [replace(cell, row=cell.col, col=cell.row) for cell in table.cells]
    return replace(table, rows=table.cols, cols=table.rows, cells=cells)


def _table(table: AccuracyTable, caption: str, rows: str, cols: str, planned: bool) -> Table:
    cells = {(cell.row, cell.col): cell for cell in table.cells}
    columns = [Column(rows, False), *(Column(_label(col, cols)) for col in table.cols)]
    lines: list[Sequence[Cell | str]] = []
    for row in table.rows:
        found = (cells.get((row, col)) for col in table.cols)
        lines.append([_label(row, rows), *(Cell(DASH) if cell is None else _cell(cell, planned) for cell in found)])
    return Table(caption, columns, lines)


def _cell(cell: AccuracyCell, planned: bool) -> Cell:
    rate, total = (cell.planned_accuracy, cell.planned) if planned else (cell.completed_accuracy, cell.completed)
    value = "undefined" if rate.value is None else percent(cell.correct, total)
    return Cell(value, f"{interval(rate.ci)} n={total:,}".strip())


def _label(group: tuple[Any, ...], dimension: str) -> str:
    return name_of(group[0], dimension)


def _plot(table: AccuracyTable) -> IntervalPlot | None:
    if len(table.cells) > _MOST_ROWS or len(table.cells) < 2:
        return None
    cells = {(cell.row, cell.col): cell for cell in table.cells}
    groups = []
    for row in table.rows:
        rows = []
        for at, col in enumerate(table.cols):
            cell = cells.get((row, col))
            if cell is not None:
                rate = cell.completed_accuracy
                low, high = rate.ci or (None, None)
                rows.append(IntervalRow(_label(col, "arm"), Point(rate.value, low, high), at))
        groups.append(IntervalGroup(_label(row, "setting"), tuple(rows)))
    return IntervalPlot("Accuracy by setting and arm", Axis("percent correct of completed responses"), tuple(groups))


def _lead(table: AccuracyTable) -> str:
    """Say how much is right in all; where not all is graded, in all that is."""
    waiting = [cell for cell in table.cells if cell.completed_accuracy.value is None and cell.completed]
    known = [cell for cell in table.cells if cell not in waiting]
    correct, completed, planned = (
        sum(getattr(cell, name) for cell in known) for name in ("correct", "completed", "planned")
    )
    if not completed:
        return "No accuracy is known, since not all replies are graded." if waiting else "No response was completed."
    left = sum(cell.completed for cell in waiting)
    rest = f" Left out: {counted(left, 'response')} to arms of which not all replies are graded." if left else ""
    return (
        f"{correct:,} of {completed:,} completed responses are right ({percent(correct, completed)} %); of all"
        f" {planned:,} planned responses {percent(correct, planned)} %.{rest}"
    )


def _heat_plot(table: AccuracyTable) -> HeatPlot | None:
    """Return the same as a heat map where there are too many rates for intervals; None where there are too few."""
    if not len(table.cells) > _MOST_ROWS or len(table.rows) > _MOST_ROWS or not 1 < len(table.cols) <= _MOST_COLUMNS:
        return None
    values = {(cell.row, cell.col): cell.completed_accuracy.value for cell in table.cells}
    rows = tuple(
        HeatRow(_label(row, "setting"), tuple(values.get((row, col)) for col in table.cols)) for row in table.rows
    )
    axis, columns = Axis("percent correct of completed responses"), tuple(_label(col, "arm") for col in table.cols)
    return HeatPlot("Accuracy by setting and arm", axis, "arm", "settings", columns, rows)


def _quotes(table: AccuracyTable) -> list[Words]:
    """Say where most and where least is right."""
    quotes: list[Words] = []
    known = [cell for cell in table.cells if cell.completed_accuracy.value is not None]
    if len(known) > 1:
        values = [cell.completed_accuracy.value or 0.0 for cell in known]
        most, least = (
            [cell for cell, value in zip(known, values, strict=True) if value == end(values)] for end in (max, min)
        )
        if len(most) < len(known):
            quotes.append(f"Accuracy is highest for {_first(most)}, and lowest for {_first(least)}.")
    return quotes


def _first(cells: Sequence[AccuracyCell]) -> str:
    """Name the first of cells with the same rate, and say how many more there are."""
    more = len(cells) - 1
    return _named(cells[0]) + (f" and {counted(more, 'other cell')} with the same rate" if more else "")


def _named(cell: AccuracyCell) -> str:
    said = " ".join(filter(None, (f"{percent(cell.correct, cell.completed)} %", interval(cell.completed_accuracy.ci))))
    return f"{_label(cell.row, 'setting')} on {_label(cell.col, 'arm')} ({said}, n = {cell.completed:,})"


def _limits(table: AccuracyTable) -> list[Words]:
    limits: list[Words] = []
    few = min((cell.clusters for cell in table.cells), default=0)
    if 0 < few < 20:
        limits.append(
            f"Some cells have as few as {counted(few, 'cluster')}: percentile intervals from fewer than 20 clusters are"
            " too narrow on average."
        )
    if table.note:
        limits.append(table.note)
    return limits
