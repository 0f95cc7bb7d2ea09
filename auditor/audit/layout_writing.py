"""Laid out tables as bytes of a file: Markdown, LaTeX, CSV. The same tables give the same bytes."""

from __future__ import annotations

from auditor.audit.layouts import LaidOut
from auditor.formats import latex, markdown
from auditor.formats.csv_table import csv_line

FORMATS = ("md", "tex", "csv")
"""What can be written here, by the end of a file's name."""


def written(laid_out: LaidOut, form: str) -> bytes:
    """Return tables in one of FORMATS: as read in Markdown and LaTeX, the exact records in CSV."""
    if form == "csv":
        return _csv(laid_out)
    return (_markdown(laid_out) if form == "md" else _latex(laid_out)).encode("utf-8", "surrogatepass")


def _csv(laid_out: LaidOut) -> bytes:
    fields = list(laid_out.records[0]) if laid_out.records else []
    lines = [csv_line([record[name] for name in fields]) for record in laid_out.records]
    return b"".join([csv_line(fields), *lines])


def _markdown(laid_out: LaidOut) -> str:
    parts = []
    for table in laid_out.tables:
        head = markdown.table_head(table.columns, table.columns[table.names :])
        lines = [f"## {markdown.escaped(table.title)}", "", head, *map(markdown.table_line, table.rows)]
        parts.append("\n".join(lines) + "\n\n")
    return "".join(parts) + "\n".join(f"* {markdown.escaped(note)}" for note in laid_out.notes) + "\n"


def _latex(laid_out: LaidOut) -> str:
    tables = [latex.table(table.title, table.columns, table.rows, table.names) for table in laid_out.tables]
    return "\n".join([*tables, "".join(map(latex.comment, laid_out.notes))])
