"""Writes a report to a file, in the format that its name says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from auditor.documents.document import Document
from auditor.documents.html_page import html_page
from auditor.documents.latex_text import latex_text
from auditor.documents.markdown_text import markdown_text
from auditor.errors import InputError
from auditor.formats.whole_file import check_target, whole_file
from auditor.text import visible_line

WRITERS: dict[str, Callable[[Document], Iterable[str]]] = {".html": html_page, ".md": markdown_text, ".tex": latex_text}
"""The lines of a document, by extension."""


def check_report_target(target: Path, *, force: bool = False) -> None:
    """Raise InputError where no report can be written, before it is made."""
    writer_of(target)
    check_target(target, force=force)


def writer_of(target: Path) -> Callable[[Document], Iterable[str]]:
    """Return what writes a file of this name; raises InputError for an unknown extension."""
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise InputError(
            f"a report is written as {', '.join(WRITERS)}.",
            where=visible_line(str(target)),
            hint="Name it report.html.",
        )
    return writer


def write_report(document: Document, target: Path, *, force: bool = False) -> None:
    """Write a report under its name when it is complete; raises InputError where that cannot be done."""
    writer = writer_of(target)
    with whole_file(target, force=force) as file:
        for line in writer(document):
            file.write(f"{line}\n".encode())
