"""Superficial execution of CoRE: how many probes are answered wrongly in runs whose output was predicted rightly."""

from __future__ import annotations

import sqlite3

from auditor.analysis import Resampling
from auditor.audit.core_replies import read_problems
from auditor.audit.core_words import TO, doubts_told, percent
from auditor.audit.layouts import LaidOut, LayoutTable, all_of
from auditor.audit.tabulate import AccuracyTable, accuracy
from auditor.errors import InputError
from auditor.model import Scalar

BEHIND_RIGHT_OUTPUTS = "superficial:yes,no target:probe"
"""The answered probes of runs whose output was predicted rightly."""
SUPERFICIAL_PROBES = "superficial:yes target:probe status:wrong"
"""Of these the wrong ones: superficial execution."""


def behind_right_outputs(connection: sqlite3.Connection, where: str = "", *, resampling: Resampling) -> AccuracyTable:
    """Count by setting how many of these probes are right; raises InputError where there is none."""
    try:
        return accuracy(
            connection,
            rows=("setting",),
            cols=(),
            where=all_of(where, BEHIND_RIGHT_OUTPUTS),
            replicates=resampling.replicates,
            seed=resampling.seed,
            confidence=resampling.confidence,
        )
    except InputError as error:
        raise InputError("no probe of a run is answered whose output was predicted rightly.") from error


def superficial_layout(
    connection: sqlite3.Connection, where: str, policy: str | None, resampling: Resampling
) -> LaidOut:
    """Lay out by setting how many probes behind right outputs are wrong, of those that were answered."""
    if policy is not None:
        raise InputError("superficial execution is counted as answers were graded.", hint="Leave --policy out.")
    read_problems(connection, where, None)  # refuses what the other tables refuse
    found = behind_right_outputs(connection, where, resampling=resampling)
    lines: list[list[str]] = []
    records: list[dict[str, Scalar]] = []
    for cell in found.cells:
        setting, wrong = str(cell.row[0]), cell.completed - cell.correct
        rate = cell.completed_accuracy
        value = None if rate.value is None else wrong / cell.completed
        low, high = (None, None) if rate.ci is None else (1 - rate.ci[1], 1 - rate.ci[0])
        band = "-" if low is None else f"{percent(low)}{TO}{percent(high)}"
        lines.append([setting, f"{wrong:,}", f"{cell.completed:,}", percent(value), band])
        counts: dict[str, Scalar] = {"setting": setting, "wrong": wrong, "answered": cell.completed}
        about: dict[str, Scalar] = {"problems": cell.clusters, "method": cell.ci_method, "reason": rate.reason}
        records.append({**counts, "value": value, "ci_low": low, "ci_high": high, **about})
    table = LayoutTable("Right output, wrong probes", ["setting", "wrong", "answered", "percent", "interval"], lines)
    replicates, seed, confidence = resampling
    told = [
        "Of the probes that were answered in runs whose output the same setting predicted rightly in the same sample,"
        " those that are wrong.",
        f"{100 * confidence:.4g} % intervals: {replicates:,} bootstrap replicates of whole problems, percentiles, seed"
        f" {seed}; Wilson's where every problem has one such probe; none where every replicate gives the same value.",
    ]
    return LaidOut([table], records, [*told, *doubts_told(connection, where, None)])
