"""Tables laid out as the benchmarks' papers have them, of those whose dimensions the file has."""

from __future__ import annotations

from auditor.analysis import Resampling
from auditor.audit.layouts import LaidOut, LayoutTable, lay_out, layouts
from auditor.audit.report.subject import Part, Subject
from auditor.documents.document import Block, Bullets, Code, Column, Paragraph, Section, Table
from auditor.errors import InputError
from auditor.store.filter import Vocabulary
from auditor.store.graded_responses import count_responses
from auditor.store.report_counts import arms_of_same_cases, has_implementations

_EXACT_OUTPUT_ARMS = frozenset({"short-trace-final", "long-trace-final"})
"""Arms without which the tables of exact output say nothing."""
_FITTED = frozenset({"exact-output-table6", "exact-output-table8"})
"""Layouts that fit models or shuffle series, response by response."""
_MOST_FITTED = 200_000
"""Responses up to which that is done for a report."""
_KEPT = "tables of papers"


def paper_tables_part(subject: Subject) -> Part:
    """Lay out every layout that fits the file."""
    laid_out, refused = fitting_tables(subject)
    if not laid_out and not refused:
        return Part()
    blocks: list[Block | Section] = [
        Paragraph(("Not laid out: ", Code(name), f", since {reason}"), "note") for name, reason in refused.items()
    ]
    for name, found in laid_out.items():
        tables = [_table(table) for table in found.tables]
        notes = [Bullets(found.notes)] if found.notes else []
        title = layouts()[name].description
        told = Paragraph(("As ", Code(name), " lays it out."), "note")
        blocks.append(Section(f"layout-{name}", title[:1].upper() + title[1:], [told, *tables, *notes]))
    return Part(Section("papers", "Tables as the papers lay them out", blocks))


def fitting_tables(subject: Subject) -> tuple[dict[str, LaidOut], dict[str, str]]:
    """Lay out what fits the file, by name, and say why where it cannot be: nothing is left, or an extra is missing."""
    if _KEPT in subject.kept:
        kept: tuple[dict[str, LaidOut], dict[str, str]] = subject.kept[_KEPT]
        return kept
    options = subject.options
    resampling = Resampling(options.replicates, options.seed, options.confidence)
    laid_out, refused = {}, {}
    responses = count_responses(subject.connection, options.where)
    names = fitting_layouts(subject)
    for done, name in enumerate(names):
        subject.steps(done, len(names), name)
        if name in _FITTED and responses > _MOST_FITTED:
            refused[name] = (
                f"it is fitted on {responses:,} responses, which takes long; `auditor accuracy FILE --layout {name}`"
                " makes it."
            )
            continue
        try:
            laid_out[name] = lay_out(subject.connection, name, options.where, resampling=resampling)
        except InputError as error:
            refused[name] = error.message
    subject.kept[_KEPT] = laid_out, refused
    return laid_out, refused


def fitting_layouts(subject: Subject) -> list[str]:
    """Return the names of the layouts whose dimensions and arms the file has."""
    known = set(Vocabulary(subject.connection).known())
    arms = set(arms_of_same_cases(subject.connection))
    fits = {"exact-output": arms >= _EXACT_OUTPUT_ARMS, "core": has_implementations(subject.connection)}
    found = []
    for name, layout in layouts().items():
        family = next((family for family in fits if name.startswith(f"{family}-")), None)
        if known.issuperset(layout.needs) and (bool(layout.needs) if family is None else fits[family]):
            found.append(name)
    return found


def _table(table: LayoutTable) -> Table:
    columns = [Column(name, at >= table.names) for at, name in enumerate(table.columns)]
    return Table(table.title, columns, table.rows)
