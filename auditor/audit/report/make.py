"""Puts the parts of a report together: one state of the audit file in, a document out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

from auditor import __version__
from auditor.audit.flags.every import read_flags
from auditor.audit.flags.flag import Flag
from auditor.audit.inspect import info
from auditor.audit.report.accuracy import accuracy_part
from auditor.audit.report.agreement import agreement_part
from auditor.audit.report.core_plots import core_part
from auditor.audit.report.error_types import error_types_part
from auditor.audit.report.measures import measures_part
from auditor.audit.report.method import method_part
from auditor.audit.report.modes import modes_part
from auditor.audit.report.paper_tables import paper_tables_part
from auditor.audit.report.subject import Part, Progress, ReportOptions, Steps, Subject
from auditor.audit.report.taxonomy import taxonomy_part
from auditor.audit.report.transitions import transitions_part
from auditor.collector import collector_at_rest
from auditor.documents.document import Block, Bullets, Document, Link, Paragraph, Section, Words
from auditor.store.file import open_for_reading, translate
from auditor.store.report_counts import newest_day
from auditor.store.response_counts import kept_counts
from auditor.store.responses import require_responses

_ABSENT_SHOWN = 21
PARTS: Mapping[str, Callable[[Subject], Part]] = MappingProxyType(
    {
        "accuracy": accuracy_part,
        "error-types": error_types_part,
        "core": core_part,
        "transitions": transitions_part,
        "measures": measures_part,
        "modes": modes_part,
        "taxonomy": taxonomy_part,
        "agreement": agreement_part,
        "papers": paper_tables_part,
    }
)
"""What makes each part but the method, in the order of the report."""


def make_report(path: Path, options: ReportOptions | None = None, progress: Progress | None = None) -> Document:
    """Make the report of an audit file; the same file and options give the same document.

    Raises AuditFileError where there is no such file, and InputError where there is nothing to report on.
    """
    try:
        with closing(open_for_reading(path)) as connection:
            connection.execute("BEGIN")  # one state of the file for all that is read, whoever writes meanwhile
            steps = Steps(progress, len(PARTS) + 2)
            return report_of(Subject(connection, path, options or ReportOptions(), steps=steps))
    except sqlite3.Error as error:
        raise translate(error, path) from error


def report_of(subject: Subject) -> Document:
    """Do the same with an audit file that is open, and keep in the subject what others may want too."""
    require_responses(subject.connection, subject.path)
    steps = subject.steps
    steps.begin("method", 0)
    with kept_counts(subject.connection), collector_at_rest():
        parts = [method_part(subject, info(subject.path, _ABSENT_SHOWN))]
        for done, (label, make) in enumerate(PARTS.items(), 1):
            steps.begin(label, done)
            parts.append(make(subject))
        steps.begin("limits", len(PARTS) + 1)
        flags = read_flags(subject.connection, subject.path, subject.options.where)
    return _document(subject, parts, flags, subject.options.date or newest_day(subject.connection))


def _document(subject: Subject, parts: list[Part], flags: list[Flag], date: str | None) -> Document:
    limits = list(dict.fromkeys([*(limit for part in parts for limit in part.limits), *map(Flag.sentence, flags)]))
    sections = [
        _summary(subject, parts),
        *(part.section for part in parts if part.section is not None),
        _limits(limits),
    ]
    title = subject.options.title or f"Audit of {subject.path.stem}"
    return Document(
        title,
        f"What went wrong in the predictions of {subject.path.name}, and how sure that is.",
        sections,
        date,
        f"Made with auditor {__version__}",
    )


def _summary(subject: Subject, parts: list[Part]) -> Section:
    quotes = [quote for part in parts for quote in part.quotes]
    sure = [sentence for part in parts for sentence in part.sure]
    sure.append(("What else limits the numbers stands under ", Link("Limits", "limits"), "."))
    blocks: list[Block | Section] = [Paragraph(" ".join(part.lead for part in parts if part.lead), "lead")]
    if quotes:
        blocks.append(Section("summary-found", "What went wrong", [Bullets(quotes)]))
    blocks.append(Section("summary-sure", "How sure that is", [Bullets(sure)]))
    if subject.options.where:
        blocks.insert(1, Paragraph("A filter leaves a part of the responses; the method section names it.", "warning"))
    return Section("summary", "Summary", blocks)


def _limits(limits: list[Words]) -> Section:
    fixed: list[Words] = [
        "Computed failure modes describe how a prediction differs from the oracle; why a model erred they do not say.",
        "Intervals over clusters say how far the numbers would vary with other programs of the same kind; they do not"
        " cover other settings, prompts or benchmarks.",
    ]
    return Section("limits", "Limits", [Bullets([*limits, *fixed])])
