"""The method as run: what is in the file, how it was graded, what is left out."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Sequence

import numpy as np

from auditor import __version__
from auditor.audit.inspect import FileInfo
from auditor.audit.report.subject import Part, Subject, name_of
from auditor.documents.document import Bullets, Code, Column, Facts, Paragraph, Section, Table, Words
from auditor.documents.plots import DASH
from auditor.model import Setting, Study
from auditor.store.cells import count_unsettled
from auditor.store.doubtful import count_left_out
from auditor.store.report_counts import ArmCount, StatusCounts, arm_counts, status_counts
from auditor.store.runs import load_runs
from auditor.store.tasks import load_settings, load_studies
from auditor.text import counted

_ABSENT_SHOWN = 20


def method_part(subject: Subject, found: FileInfo) -> Part:
    """Say what was done with what, in figures."""
    connection, where = subject.connection, subject.options.where
    counts = status_counts(connection)
    sections = [
        Section("method-data", "What was asked", _asked(connection, found)),
        Section("method-grading", "How answers were graded", [_studies(_answered(connection, found), found)]),
        Section("method-left-out", "What is left out or missing", _left_out(subject, found, counts)),
        Section("method-numbers", "How numbers were computed", [_numbers(subject, found)]),
    ]
    words = "Rates, tags and agreement are of the responses that a filter leaves; counts here are of the whole file: "
    filtered = [Paragraph((words, Code(where)), "warning")] if where else []
    sure = [f"Programs were run to confirm oracles: {_executed(found)}"] if found.executed else []
    section = Section("method", "Method as run", [*filtered, *sections])
    return Part(section, _lead(found, counts), sure=sure or ["No program was run here to confirm its oracle."])


def _answered(connection: sqlite3.Connection, found: FileInfo) -> list[Study]:
    """Return the studies that models answered, not those of what only people judge."""
    names = {study.name for study in found.studies}
    return [study for study in load_studies(connection) if study.name in names]


def _lead(found: FileInfo, counts: StatusCounts) -> str:
    tasks, cases = sum(study.tasks for study in found.studies), sum(study.cases for study in found.studies)
    clusters = sum(study.clusters for study in found.studies)
    studies = counted(len(found.studies), "study", "studies")
    total = sum(study.responses for study in found.studies)
    silent = f", {counts.silent:,} of them without a reply" if counts.silent else ""
    silent = ", all of them without a reply" if counts.silent == total else silent
    return (
        f"{counted(len(found.settings), 'setting')} gave {counted(total, 'response')}{silent}, to"
        f" {counted(tasks, 'task')} on {counted(cases, 'case')} from {counted(clusters, 'cluster')} in {studies}."
    )


def _asked(connection: sqlite3.Connection, found: FileInfo) -> list[Facts | Table | Paragraph]:
    told = [(run.name or "(unnamed)", _sentences(run.description, run.provenance)) for run in load_runs(connection)]
    runs = [(name, words) for name, words in told if words]
    silent = [name for name, words in told if not words]
    settings = [one for one in load_settings(connection) if one.name in found.settings]
    blocks: list[Facts | Table | Paragraph] = []
    if runs:
        blocks += [Paragraph("What the imported runs say about themselves:"), Facts(runs)]
    if silent:
        blocks.append(Paragraph(f"Imported without a description: {_some(silent)}."))
    blocks.append(_arms(arm_counts(connection)))
    blocks.append(_settings(settings))
    return blocks


def _some(names: Sequence[str]) -> str:
    more = len(names) - _ABSENT_SHOWN
    return ", ".join(names[:_ABSENT_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _sentences(*texts: str) -> str:
    """Put what others wrote behind each other, each part ended as a sentence."""
    ended = (text.strip() for text in texts if text.strip())
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in ended)


def _arms(arms: Sequence[ArmCount]) -> Table:
    columns = [Column("arm", False), Column("asked for", False), Column("tasks"), Column("cases"), Column("planned")]
    rows = [[arm.arm, arm.target, f"{arm.tasks:,}", f"{arm.cases:,}", f"{arm.planned:,}"] for arm in arms]
    return Table("Arms", columns, rows, ("Planned = tasks × settings × samples.",))


def _settings(settings: Sequence[Setting]) -> Table:
    facets = list(dict.fromkeys(name for setting in settings for name in setting.facets))[:6]
    parts = [
        part
        for part in ("model", "mode", "prompting")
        if any(getattr(one, part) not in (None, "", one.name) for one in settings)
    ]
    columns = [Column("setting", False), *(Column(name, False) for name in (*parts, *facets))]
    rows = [
        [
            setting.name,
            *(getattr(setting, part) or DASH for part in parts),
            *(name_of(setting.facets[name]) if name in setting.facets else DASH for name in facets),
        ]
        for setting in settings
    ]
    return Table("Settings", columns, rows)


def _studies(studies: Sequence[Study], found: FileInfo) -> Table:
    figures = {study.name: study for study in found.studies}
    columns = [Column(name, False) for name in ("study", "policy", "envelope", "cluster")]
    columns += [Column(name) for name in ("samples", "cases", "clusters", "tasks", "responses", "graded")]
    rows = []
    for study in studies:
        one = figures[study.name]
        samples = "as seen" if study.samples is None else str(study.samples)
        numbers = [f"{number:,}" for number in (one.cases, one.clusters, one.tasks, one.responses, one.graded)]
        rows.append([study.name, study.policy, study.envelope, study.cluster, samples, *numbers])
    notes = (
        "The policy says when an answer is right, the envelope in what form it was asked for; uncertainty is computed"
        " over clusters, which hold all that comes from one clean program or problem.",
    )
    return Table("Studies", columns, rows, notes)


def _left_out(subject: Subject, found: FileInfo, counts: StatusCounts) -> list[Facts | Table | Bullets]:
    connection, where = subject.connection, subject.options.where
    invalid = count_left_out(connection, where)
    waiting = count_unsettled(connection, where)
    rows: list[tuple[str, Words]] = [
        ("Absent", f"{counted(found.absent_cells, 'planned response')} without a row: missing in C/R, wrong in C/N."),
        ("Without a reply", f"{counted(counts.silent, 'response')}: missing in C/R, wrong in C/N."),
        ("Invalid", f"{counted(invalid, 'response')} marked as asked wrongly, which count nowhere."),
        ("Superseded", f"{counted(found.superseded, 'response')} replaced by another import, which count nowhere."),
        ("Ungraded", f"{counted(counts.ungraded, 'reply', 'replies')} without a grade."),
        (
            "Invalid envelope",
            f"{counted(counts.outside, 'reply', 'replies')} not in the form asked for; graded by"
            " what a named rule extracted, where one could.",
        ),
        (
            "Waiting to be run",
            f"{counted(waiting.calls, 'predicted call')} and {counted(waiting.non_literal, 'answer')} that"
            " only running could judge.",
        ),
        ("Oracles confirmed", _executed(found)),
    ]
    blocks: list[Facts | Table | Bullets] = [Facts(rows)]
    if found.absent:
        columns = [Column(name, False) for name in ("study", "case", "arm", "setting")]
        some = found.absent[:_ABSENT_SHOWN]
        cells = [[cell.study, cell.case, cell.arm, cell.setting, f"{cell.samples:,}"] for cell in some]
        shown = sum(cell.samples for cell in some)
        rest = found.absent_cells - shown
        notes = (f"… and {rest:,} more.",) if rest else ()
        blocks.append(Table("Planned responses without a row", [*columns, Column("absent")], cells, notes))
    return blocks


def _executed(found: FileInfo) -> str:
    if not found.executed:
        return "No program was run here."
    agrees, disputed, failed = (found.executed.get(verdict, 0) for verdict in ("agrees", "disputed", "failed"))
    return f"{agrees:,} tasks give their oracle, {disputed:,} dispute it, {failed:,} fail or vary."


def _numbers(subject: Subject, found: FileInfo) -> Facts:
    people = counted(len({one.name for one in found.annotators}), "annotator")
    rows: list[tuple[str, Words]] = [
        ("Program", f"auditor {__version__}, audit file version {found.version}, made {found.created_at[:10]}."),
        ("Libraries", f"Python {platform.python_version()}, numpy {np.__version__}, SQLite {sqlite3.sqlite_version}."),
        ("Intervals", f"{subject.bootstrap}, unless said otherwise."),
        ("Codebooks", _codebooks(found)),
        ("History", f"{counted(found.events, 'event')} of {people}."),
    ]
    return Facts(rows)


def _codebooks(found: FileInfo) -> str:
    used = [f"{name} (revision {revision})" for name, revision in found.codebooks.items()]
    return ", ".join(used) + "." if used else "None is in use: nobody has reviewed anything."
