"""CoRE's two figures: which family solves whose code, and how many tests it takes until a failure shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditor.audit.core_figures import HEAT_LEGEND
from auditor.audit.layouts import LaidOut
from auditor.audit.report.paper_tables import fitting_tables
from auditor.audit.report.subject import Part, Subject
from auditor.documents.document import Block, Figure, Section
from auditor.documents.plots import Axis, HeatPlot, HeatRow, Point, Series, TrendPlot, TrendPoint
from auditor.model import Scalar


def core_part(subject: Subject) -> Part:
    """Plot what the layouts of CoRE have computed, where the file has problems with implementations."""
    laid_out, _ = fitting_tables(subject)
    blocks: list[Block | Section] = []
    heat_map = laid_out.get("core-heatmap")
    if heat_map is not None:
        blocks.append(Figure("fig-core-heatmap", heat_plot(heat_map), _heat_notes(heat_map)))
    exposure = laid_out.get("core-exposure")
    if exposure is not None:
        blocks.append(Figure("fig-core-exposure", exposure_plot(exposure), tuple(exposure.notes), below=True))
    return Part(Section("core", "Families and exposure (CoRE)", blocks)) if blocks else Part()


def _heat_notes(laid_out: LaidOut) -> tuple[str, ...]:
    """Return what is to know of the heat map, but for how the table shades it in a terminal."""
    return (
        "I_s is the share of implementations all of whose tests were predicted rightly. A row is a family of settings,"
        " a column a family of implementations; a fuller shade is more.",
        *(note for note in laid_out.notes if note != HEAT_LEGEND),
    )


def heat_plot(laid_out: LaidOut) -> HeatPlot:
    """Return the cells of the heat map, rows and columns in the order of its table."""
    (table,) = laid_out.tables
    values = {
        (record["setting_family"], record["implementation_family"]): _number(record, "value")
        for record in laid_out.records
        if record["kind"] == "cell"
    }
    columns = tuple(table.columns[1:])
    rows = tuple(HeatRow(row[0], tuple(values.get((row[0], column)) for column in columns)) for row in table.rows)
    across, down = "family of the implementation", "families of settings"
    return HeatPlot(table.title, Axis("I_s in percent"), across, down, columns, rows)


def exposure_plot(laid_out: LaidOut) -> TrendPlot:
    """Return the share of failures that show, by how many tests are looked at."""
    records: Sequence[Mapping[str, Scalar]] = laid_out.records
    points = tuple(TrendPoint(place, Point(_number(one, "mean"), *_band(one))) for place, one in enumerate(records))
    places = tuple(str(one["tests"]) for one in records)
    series = Series("failing settings and implementations", points)
    return TrendPlot(laid_out.tables[0].title, "tests", places, Axis("percent that fail already"), (series,))


def _band(record: Mapping[str, Scalar]) -> tuple[float | None, float | None]:
    """Return where most orders of the tests lie; nothing where all give the same."""
    low, high = _number(record, "p10"), _number(record, "p90")
    return (None, None) if low == high else (low, high)


def _number(record: Mapping[str, Scalar], name: str) -> float | None:
    value = record[name]
    return float(value) if isinstance(value, int | float) else None
