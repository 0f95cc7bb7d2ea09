"""Error against what is measured of the tasks: binned rates, a line an arm."""

from __future__ import annotations

from auditor.analysis import wilson_interval
from auditor.audit.bins import short_number
from auditor.audit.report.subject import Part, Subject
from auditor.audit.tabulate import AccuracyCell, AccuracyTable, accuracy
from auditor.documents.document import Block, Figure, Paragraph, Section, Words
from auditor.documents.plots import Axis, Point, Series, TrendPlot, TrendPoint
from auditor.errors import InputError
from auditor.store.filter import NAMES, Vocabulary

_FIRST = ("trace_length", "peak_state", "state_load", "cyclomatic")
"""Measures of the benchmarks, shown before others."""
_MOST_MEASURES, _BINS, _MOST_ARMS = 4, 6, 6


def measures_part(subject: Subject) -> Part:
    """Plot the rate of errors by each of some measures; one that has a single value is left out."""
    names, found = measure_names(subject), []
    for done, name in enumerate(names):
        subject.steps(done, len(names), name)
        plot = measure_plot(subject, name)
        if plot is not None:
            found.append(plot)
        if len(found) == _MOST_MEASURES:
            break
    if not found:
        return Part()
    blocks: list[Block | Section] = [
        Paragraph(
            "The share of completed responses that are wrong, in groups of about equally many responses along each"
            " measure. Nothing else is held constant: a line says how errors go with a measure, not what causes them."
        )
    ]
    notes: tuple[Words, ...] = (
        f"Bars are Wilson's {100 * subject.options.confidence:g} % intervals, which take responses as independent;"
        " answers about one program are not, so they are too narrow where a group has few programs.",
    )
    blocks += [Figure(f"fig-measure-{at}", plot, notes) for at, plot in enumerate(found, 1)]
    return Part(Section("measures", "Error against measures", blocks))


def measure_names(subject: Subject) -> list[str]:
    """Return the names of the file's measures, those of the benchmarks first."""
    kinds = Vocabulary(subject.connection).facets
    # By the name of a dimension of every file the accuracy would be of that one.
    names = [name for name, of in kinds.items() if of & {"measure", "computed"} and name not in NAMES]
    return [*(name for name in _FIRST if name in names), *sorted(set(names) - set(_FIRST))]


def measure_plot(subject: Subject, name: str) -> TrendPlot | None:
    """Return the rate of errors by a measure and arm, in bins; None where the measure does not vary."""
    try:
        table = _table(subject, name, ("arm",))
        if not 0 < len(table.cols) <= _MOST_ARMS:
            table = _table(subject, name, ())
    except InputError:  # a facet of that name that is no number
        return None
    rows = [row for row in table.rows if row[0] is not None]
    if len(rows) < 2:
        return None
    cells = {(cell.row, cell.col): cell for cell in table.cells}
    series = []
    for col in table.cols:
        points = [
            TrendPoint(place, _error(cell, subject.options.confidence), cell.completed)
            for place, row in enumerate(rows)
            for cell in [cells.get((row, col))]
            if cell is not None and cell.completed_accuracy.value is not None
        ]
        if points:
            series.append(Series(str(col[0]) if col else "all arms", tuple(points)))
    if not series:
        return None
    axis = Axis("percent wrong of completed responses")
    return TrendPlot(f"Error by {name}", name, tuple(_place(row[0]) for row in rows), axis, tuple(series))


def _place(value: object) -> str:
    return short_number(value) if isinstance(value, float) else str(value)


def _table(subject: Subject, name: str, cols: tuple[str, ...]) -> AccuracyTable:
    return accuracy(subject.connection, rows=(name,), cols=cols, where=subject.options.where, bins=_BINS, replicates=0)


def _error(cell: AccuracyCell, confidence: float) -> Point:
    return Point(*wilson_interval(cell.completed - cell.correct, cell.completed, confidence))
