"""Tables laid out as the benchmarks' papers have them, of those whose dimensions the file has."""

from __future__ import annotations

from auditor.audit.layouts import LayoutTable, lay_out, layouts
from auditor.audit.report.subject import Part, Subject
from auditor.documents.document import Bullets, Code, Column, Paragraph, Section, Table
from auditor.errors import InputError
from auditor.store.filter import Vocabulary
from auditor.store.report_counts import arms_of_same_cases

_ARMS_OF = {"exact-output": {"short-trace-final", "long-trace-final"}}
"""Arms without which a family of layouts makes no sense, where no dimension says so."""


def paper_tables_part(subject: Subject) -> Part:
    """Lay out every layout that fits the file."""
    sections = []
    for name in fitting_layouts(subject):
        try:
            laid_out = lay_out(subject.connection, name, subject.options.where)
        except InputError:  # it fits the file, but nothing that the filter leaves
            continue
        tables = [_table(table) for table in laid_out.tables]
        notes = [Bullets(laid_out.notes)] if laid_out.notes else []
        title = layouts()[name].description
        told = Paragraph(("As ", Code(name), " lays it out."), "note")
        sections.append(Section(f"layout-{name}", title[:1].upper() + title[1:], [told, *tables, *notes]))
    return Part(Section("papers", "Tables as the papers lay them out", sections)) if sections else Part()


def fitting_layouts(subject: Subject) -> list[str]:
    """Return the names of the layouts whose dimensions and arms the file has."""
    known = set(Vocabulary(subject.connection).known())
    arms = set(arms_of_same_cases(subject.connection))
    found = []
    for name, layout in layouts().items():
        wanted = next((of for family, of in _ARMS_OF.items() if name.startswith(f"{family}-")), None)
        fits = wanted <= arms if wanted is not None else bool(layout.needs) and known.issuperset(layout.needs)
        if fits and known.issuperset(layout.needs):
            found.append(name)
    return found


def _table(table: LayoutTable) -> Table:
    columns = [Column(name, at >= table.names) for at, name in enumerate(table.columns)]
    return Table(table.title, columns, table.rows)
