"""Accuracy by the type of error that was planted in a program, a shape a setting."""

from __future__ import annotations

from auditor.audit.report.subject import Part, Subject, name_of
from auditor.audit.tabulate import accuracy
from auditor.documents.document import Figure, Section
from auditor.documents.plots import Axis, RadarPlot, RadarShape
from auditor.errors import InputError
from auditor.store.filter import Vocabulary

FACET = "error_type"
_FEWEST, _MOST, _MOST_SHAPES = 3, 12, 24


def error_types_part(subject: Subject) -> Part:
    """Plot accuracy by type of error where programs have one."""
    plot = radar_plot(subject)
    if plot is None:
        return Part()
    note = "Of completed responses; the tables of the type of error below have the numbers of each split and shift."
    figure = Figure("fig-error-types", plot, (note,))
    return Part(Section("error-types", "Accuracy by type of error", [figure]))


def radar_plot(subject: Subject) -> RadarPlot | None:
    """Return accuracy by setting and type of error; None where no task has a type, or there are too few for a shape."""
    if FACET not in Vocabulary(subject.connection).known():
        return None
    where = subject.options.where
    try:
        table = accuracy(subject.connection, rows=("setting",), cols=(FACET,), where=where, replicates=0)
    except InputError:  # the filter leaves nothing
        return None
    spokes = [col for col in table.cols if col[0] is not None]
    if not _FEWEST <= len(spokes) <= _MOST or len(table.rows) > _MOST_SHAPES:
        return None
    values = {(cell.row, cell.col): cell.completed_accuracy.value for cell in table.cells}
    shapes = [
        RadarShape(name_of(row[0], "setting"), tuple(values.get((row, spoke)) for spoke in spokes))
        for row in table.rows
    ]
    axis = Axis("percent correct of completed responses")
    return RadarPlot(
        "Accuracy by setting and type of error", axis, tuple(str(spoke[0]) for spoke in spokes), tuple(shapes)
    )
