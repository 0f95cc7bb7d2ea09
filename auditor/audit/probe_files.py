"""Written probes as files: the `probes.jsonl` of a problem's folder, which `auditor build core` reads, in and out."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from auditor.audit.own_probes import write_probe
from auditor.audit.probe_runs import CaseRuns
from auditor.audit.row_report import RowReport
from auditor.errors import InputError
from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.lines import numbered_lines
from auditor.formats.record_writer import FlatRecord, layout_of, write_records
from auditor.formats.records import Refusal
from auditor.formats.whole_file import check_target, whole_file
from auditor.model import JsonValue, join_key
from auditor.store.own_probes import ProbeRecord, iterate_own_probes, replaced_probes
from auditor.studies.core.problem_files import PROBES, probe_of
from auditor.text import counted, visible_line

_NAMES_SHOWN = 10
COLUMNS = (
    *("problem", "implementation", "test", "name", "kind", "line", "n", "variable", "question", "dimensions", "answer"),
    *("answer_type", "depth", "state", "annotator", "annotator_kind", "codebook", "at", "item"),
)
"""Of a table of probes, with those that were withdrawn or whose items were replaced."""


# --- out -----------------------------------------------------------------------------------------------------------


def export_probes(
    connection: sqlite3.Connection,
    target: Path | BinaryIO,
    where: str = "",
    annotators: Sequence[str] = (),
    *,
    force: bool = False,
) -> tuple[int, tuple[str, ...]]:
    """Write the probes at the items that a filter leaves; return how many, and what is to be said.

    JSON lines, and a stream, get what the `probes.jsonl` of one problem holds; a folder gets a folder for each problem,
    which may be there; tables get everything that is known. Raises InputError when there is nothing to write.
    """
    records = list(iterate_own_probes(connection, where, annotators))
    replaced = [] if where.strip() else replaced_probes(connection, annotators)
    if isinstance(target, Path) and target.suffix.lower() in (".csv", ".md"):
        _require([*records, *replaced], where, annotators)
        with whole_file(target, force=force) as file:
            return write_records(file, layout_of(target), COLUMNS, map(_flat, [*records, *replaced])), ()
    chosen, left_out = _earliest(records)
    aside = f"{counted(len(replaced), 'probe')} at items that were replaced since: see auditor probes list."
    _require(chosen, where, annotators, aside if replaced else "")
    twice = f"{counted(left_out, 'probe')} that several people wrote: the earliest of each is written."
    notes = tuple(note for note, told in ((twice, left_out), (aside, replaced)) if told)
    lines = _by_problem(chosen)
    if isinstance(target, Path) and not target.suffix:
        _write_folder(target, lines, force=force)
    else:
        text = _only(lines)
        if isinstance(target, Path):
            layout_of(target)
            with whole_file(target, force=force) as file:
                file.write(text)
        else:
            target.write(text)
    return len(chosen), notes


def _require(records: Sequence[ProbeRecord], where: str, annotators: Sequence[str], hint: str = "") -> None:
    if not records:
        left = " that the filter and the annotators leave" if where or annotators else ""
        raise InputError(f"there are no probes{left}, so there is nothing to write.", hint=hint and f"Left out: {hint}")


def _earliest(records: Sequence[ProbeRecord]) -> tuple[list[ProbeRecord], int]:
    """Return the probes that are not withdrawn, of those that several wrote the earliest; and how many are left out."""
    first: dict[tuple[str, ...], ProbeRecord] = {}
    kept = [one for one in records if not one.probe.withdrawn]
    for one in sorted(kept, key=lambda record: (record.at, record.annotator)):
        first.setdefault((*one.run, one.name), one)
    chosen = [one for one in kept if first[(*one.run, one.name)] is one]
    return chosen, len(kept) - len(chosen)


def _by_problem(records: Sequence[ProbeRecord]) -> dict[str, bytes]:
    """Return the lines of each problem: what is asked, and no answer, since building computes that."""
    found: dict[str, list[bytes]] = defaultdict(list)
    for record in records:
        probe = record.probe
        value: dict[str, JsonValue] = {
            "implementation": record.implementation,
            "test": record.test,
            "kind": probe.kind,
            "line": probe.line,
            **({} if probe.n is None else {"n": probe.n}),
            **({} if probe.variable is None else {"variable": probe.variable}),
            "question": probe.question,
            "dimensions": list(probe.dimensions),
        }
        # ASCII, since the reader takes UTF-8 only, and a question may hold what that cannot spell.
        found[record.problem].append(json.dumps(value).encode("ascii") + b"\n")
    return {problem: b"".join(lines) for problem, lines in found.items()}


def _only(lines: Mapping[str, bytes]) -> bytes:
    """Return the lines of the one problem; raises InputError where there are several."""
    if len(lines) > 1:
        names = ", ".join(visible_line(name, 40) for name in sorted(lines)[:_NAMES_SHOWN])
        raise InputError(
            f"these are probes of {len(lines):,} problems ({names}), and a file holds those of one.",
            hint="Narrow them with --where problem:NAME, or name a folder, which gets one file for each.",
        )
    return next(iter(lines.values()))


def _write_folder(target: Path, lines: Mapping[str, bytes], *, force: bool) -> None:
    """Write a `probes.jsonl` into the folder of each problem; those that are not there are made."""
    if target.exists() and not target.is_dir():
        raise InputError("it is no folder.", where=visible_line(str(target)), hint="Name a folder, or PROBES.jsonl.")
    there = {one.name.replace("_", "-"): one for one in target.iterdir() if one.is_dir()} if target.is_dir() else {}
    folders = {problem: there.get(problem, target / problem) for problem in lines}
    for problem, folder in folders.items():
        if "/" in problem or "\0" in problem or problem in ("", ".", ".."):
            raise InputError(f"the problem {visible_line(problem, 60)!r} has no name that a folder can have.")
        if (folder / PROBES).is_file() and not force:
            where = visible_line(str(folder / PROBES))
            hint = "Bring what it holds in with `auditor probes import`, then replace it with --force."
            raise InputError("it exists already.", where=where, hint=hint)
        if folder.exists():
            check_target(folder / PROBES, force=force)
    for problem, folder in folders.items():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise InputError("this folder cannot be made.", where=visible_line(str(folder))) from error
        with whole_file(folder / PROBES, force=force) as file:
            file.write(lines[problem])


def _flat(record: ProbeRecord) -> FlatRecord:
    probe = record.probe
    return {
        **{"problem": record.problem, "implementation": record.implementation, "test": record.test},
        **{"name": record.name, "kind": probe.kind, "line": probe.line, "n": probe.n, "variable": probe.variable},
        **{"question": probe.question, "dimensions": ", ".join(probe.dimensions), "answer": probe.answer},
        **{"answer_type": probe.answer_type, "depth": probe.depth, "state": record.state},
        **{"annotator": record.annotator, "annotator_kind": record.kind, "codebook": record.codebook},
        **{"at": record.at, "item": record.item},
    }


# --- in ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ProbeImportReport(RowReport):
    """What became of the lines of a file of probes."""

    changed: int = 0


def import_probes(
    path: Path, file: Path, annotator: str, problem: str, *, codebook: str | None = None, unsafe: bool = False
) -> ProbeImportReport:
    """Write the probes of a problem's `probes.jsonl`, each at the first item about its run.

    Raises InputError when the file as a whole cannot be read.
    """
    report = ProbeImportReport()
    with CaseRuns(unsafe=unsafe) as runs:
        for number, line in numbered_lines(file):
            report.rows += 1
            try:
                probe = probe_of(parse_object(line))
                about = join_key((problem, probe.implementation, probe.test))
                made = write_probe(
                    path,
                    annotator,
                    about,
                    probe.wanted,
                    question=probe.question,
                    dimensions=probe.dimensions,
                    codebook=codebook,
                    runs=runs,
                )
            except (UnusableError, InputError) as error:
                report.refusals.append(Refusal(f"{visible_line(file.name)}:{number}", str(error)))
            else:
                report.annotators.add(annotator)
                report.changed += made.done is not None
                report.unchanged += made.done is None
    if not report.rows:
        report.notes.append(f"{visible_line(file.name)} holds no probes.")
    return report
