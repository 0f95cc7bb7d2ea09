"""The tables of the study of exact output and checkpoint state, numbered as it has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from statistics import median
from types import MappingProxyType

from auditor.analysis import Resampling
from auditor.audit.accuracy_layout import cell_record, rates, table_notes
from auditor.audit.exact_output_measures import odds_layout, support_layout
from auditor.audit.layouts import LaidOut, Layout, LayoutTable, all_of, refuse_policy
from auditor.audit.tabulate import AccuracyCell, Rate, accuracy
from auditor.audit.transitions import Transitions, transitions
from auditor.model import Scalar
from auditor.store.cells import cluster_counts
from auditor.store.composition import StudyFacts, study_facts
from auditor.store.expr import Match, Not, unparse

SHORT, LONG = "short-trace-final", "long-trace-final"
_ARMS = {SHORT: "Short final", LONG: "Long final", "inside-loop-state": "Inside state", "post-loop-state": "Post state"}
_HIGH = "high"
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def composition_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Lay out what each study is made of, with the complexity of the clean sources of its cases (Table 2)."""
    refuse_policy(policy)
    found = study_facts(connection, where)
    rows = [
        [
            _name(one.study),
            "/".join(one.languages),
            *(f"{number:,}" for number in (one.cases, one.sources, one.completed)),
            _spread(one.complexities),
        ]
        for one in found
    ]
    cases, sources, completed = (sum(column) for column in zip(*(one[2:5] for one in found), strict=True))
    rows.append(["Total", "", f"{cases:,}", f"{sources:,}", f"{completed:,}", ""])
    records = [_composition_record(one) for one in found]
    title = "Benchmark composition"
    columns = ("Study", "Lang.", "Cases", "Sources", "Graded", "C median [range]")
    planned = sum(one.planned for one in found)
    notes = [
        f"Graded: completed predictions, out of {planned:,} planned. C: cyclomatic complexity, of a case in the short"
        " arm, or in its first arm where it has none."
    ]
    return LaidOut([LayoutTable(title, columns, rows, 2)], records, notes)


def _composition_record(one: StudyFacts) -> dict[str, Scalar]:
    values = sorted(one.complexities)
    return {
        "study": one.study,
        "language": "/".join(one.languages),
        "cases": one.cases,
        "sources": one.sources,
        "completed": one.completed,
        "planned": one.planned,
        "complexity_median": median(values) if values else None,
        "complexity_low": values[0] if values else None,
        "complexity_high": values[-1] if values else None,
    }


def _spread(values: Sequence[float]) -> str:
    return f"{median(values):g} [{min(values):g}, {max(values):g}]" if values else "-"


def arm_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Lay out accuracy by setting and arm, each cell under both denominators (Table 3)."""
    table = accuracy(connection, where=where, policy=policy, replicates=0)
    known = [(arm,) for arm in _ARMS]
    cols = [*(col for col in known if col in table.cols), *(col for col in table.cols if col not in known)]
    cells = {(cell.row, cell.col): cell for cell in table.cells}
    rows = [
        [_name(row[0]), *("/".join(rates(cells[row, col])) if (row, col) in cells else "-" for col in cols)]
        for row in table.rows
    ]
    heads = ["Setting", *(_ARMS.get(str(arm)) or _name(arm) for (arm,) in cols)]
    records = [
        {"setting": row[0], "arm": col[0], **cell_record(cells[row, col], intervals=False)}
        for row in table.rows
        for col in cols
        if (row, col) in cells
    ]
    notes = ["Each cell: of completed responses (C/R), then of all planned (C/N), where a missing one is wrong."]
    title = "Accuracy by arm, in percent"
    return LaidOut([LayoutTable(title, heads, rows)], records, notes + table_notes(table))


def envelope_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Lay out completed responses, invalid envelopes and accuracy by setting (Table 4)."""
    table = accuracy(connection, cols=(), where=where, policy=policy, replicates=0)
    invalid = dict.fromkeys(table.rows, 0)
    for count in cluster_counts(connection, ["setting"], all_of(where, "status:correct-invalid,wrong-invalid")):
        invalid[count.group] += count.completed
    cells = sorted(table.cells, key=lambda cell: str(cell.row[0]))
    rows, records = [], []
    for cell in cells:
        both = (_percent(cell, cell.completed_accuracy), _percent(cell, cell.planned_accuracy))
        rows.append([_name(cell.row[0]), str(cell.completed), str(invalid[cell.row]), *both])
        records.append(
            {"setting": cell.row[0], **cell_record(cell, intervals=False), "invalid_envelopes": invalid[cell.row]}
        )
    columns = ("Setting", "Completed", "Invalid envelope", "Accuracy", "All planned")
    title = "Completed-response accuracy, invalid outer envelopes, and the all-planned sensitivity"
    notes = ["All-planned accuracy counts no responses as wrong.", *table_notes(table)]
    return LaidOut([LayoutTable(title, columns, rows)], records, notes)


def study_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Lay out accuracy by setting and study, a matrix for each denominator (Table 5)."""
    table = accuracy(connection, cols=("study",), where=where, policy=policy, replicates=0)
    cells = {(cell.row, cell.col): cell for cell in table.cells}
    heads = ["Setting", *(_name(study) for (study,) in table.cols)]
    tables = []
    for title, which in (("Completed-response accuracy (C/R)", 0), ("All-planned accuracy (C/N)", 1)):
        rows = []
        for row in table.rows:
            found = [cells.get((row, col)) for col in table.cols]
            rows.append([_name(row[0]), *("-" if cell is None else rates(cell)[which] for cell in found)])
        tables.append(LayoutTable(title, heads, rows))
    records = [
        {"setting": cell.row[0], "study": cell.col[0], **cell_record(cell, intervals=False)} for cell in table.cells
    ]
    notes = ["In percent. The upper matrix leaves nonresponses out of the denominator, the lower counts them as wrong."]
    return LaidOut(tables, records, notes + table_notes(table))


def pair_layout(connection: sqlite3.Connection, where: str, policy: str | None, resampling: Resampling) -> LaidOut:
    """Lay out the paired decrement from the short to the long input, with and without single-source studies (Table 7).

    Of Python programs where there are some; a study whose cases share one source is left out in the second half.
    """
    refuse_policy(policy)
    facts = study_facts(connection, where)
    python = [one for one in facts if "python" in one.languages]
    cohorts = {"All Python" if python else "All": "language:python" if python else ""}
    shared = [one.study for one in (python or facts) if one.cases > 1 and one.sources == 1]
    if 0 < len(shared) < len(python or facts):
        without = unparse(Not(Match("study", tuple(shared))))
        cohorts[f"Exclude {', '.join(shared)}"] = all_of(*cohorts.values(), without)
    rows, records = [], []
    for cohort, narrowing in cohorts.items():
        several = 0
        for mode in ("", f"mode:{_HIGH}"):
            narrowed = all_of(where, narrowing, mode)
            settings = len({count.group for count in cluster_counts(connection, ["setting"], narrowed)})
            if settings in (0, several):
                continue
            several = settings
            found = transitions(connection, f"arm:{SHORT}", f"arm:{LONG}", narrowed, **resampling._asdict())
            number = _NUMBERS[settings] if settings < len(_NUMBERS) else str(settings)
            name = f"{number} {_HIGH}" if mode else f"All {number.lower()}"
            rows.append([cohort, name, str(found.pairs), str(found.clusters), *_decrement(found)])
            records.append(_pair_record(cohort, narrowed, settings, found))
    columns = (
        "Cohort",
        "Settings",
        "Pairs",
        "Sources",
        "Decrement (p)",
        f"{100 * resampling.confidence:.4g}% interval",
    )
    title = "Paired short-minus-long decrement with source-cluster percentile intervals"
    notes = [
        f"In points; {records[0]['replicates']:,} bootstrap replicates of whole source clusters, pooled over studies;"
        f" percentiles; {records[0]['generator']}, seed {records[0]['seed']}."
    ]
    return LaidOut([LayoutTable(title, columns, rows, 2)], records, notes)


def _decrement(found: Transitions) -> tuple[str, str]:
    if found.difference is None:
        return "undefined", "-"
    interval = "-" if found.ci_low is None else f"[{found.ci_low:z.2f}, {found.ci_high:z.2f}]"
    return f"{found.difference:z.2f}", interval


def _pair_record(cohort: str, where: str, settings: int, found: Transitions) -> dict[str, Scalar]:
    return {
        "cohort": cohort,
        "where": where,
        "settings": settings,
        "pairs": found.pairs,
        "clusters": found.clusters,
        "correct_to_wrong": found.correct_to_wrong,
        "wrong_to_correct": found.wrong_to_correct,
        "difference": found.difference,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "replicates": found.replicates,
        "seed": found.seed,
        "generator": found.generator,
    }


def _name(value: Scalar) -> str:
    return "(none)" if value is None else str(value)


def _percent(cell: AccuracyCell, rate: Rate) -> str:
    shown = rates(cell)[rate is cell.planned_accuracy]
    return shown if rate.value is None else f"{shown}%"


EXACT_OUTPUT_LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "exact-output-table2": Layout("what each study is made of, with cyclomatic complexity", (), composition_layout),
        "exact-output-table3": Layout("accuracy by setting and arm, under both denominators", (), arm_layout),
        "exact-output-table4": Layout("accuracy and invalid envelopes by setting", (), envelope_layout),
        "exact-output-table5": Layout("accuracy by setting and study, a matrix a denominator", (), study_layout),
        "exact-output-table6": Layout("odds ratios of errors for each doubling of a measure", (), odds_layout),
        "exact-output-table7": Layout("paired decrement from the short to the long input", (), pair_layout, True),
        "exact-output-table8": Layout("how many series of each measure go with error", (), support_layout, True),
    }
)
