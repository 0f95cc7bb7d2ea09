"""What the imported runs say about themselves, and which cells were planned: rows out."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from auditor.formats.records import RunInfo
from auditor.store.json_column import load_json
from auditor.text import from_storage


class PlannedCell(NamedTuple):
    """A setting that was to answer all tasks of a study's arm."""

    study: str
    arm: str
    setting: str


def load_runs(connection: sqlite3.Connection) -> list[RunInfo]:
    """Read what each imported run says, in the order in which they were brought in."""
    sql = "SELECT name, description, provenance, extra FROM runs ORDER BY id"
    return [
        RunInfo(
            from_storage(name) or "",
            from_storage(description) or "",
            from_storage(provenance) or "",
            **{"extra": (more := load_json(extra)).get("run", {}), "outside": more.get("outside", {})},
        )
        for name, description, provenance, extra in connection.execute(sql)
    ]


def planned_cells(connection: sqlite3.Connection) -> set[PlannedCell]:
    """Read which settings were planned for which arms."""
    sql = (
        "SELECT s.name, n.arm, g.name FROM planned_cells n JOIN studies s ON s.id = n.study_id"
        " JOIN settings g ON g.id = n.setting_id"
    )
    return {PlannedCell(*(from_storage(name) or "" for name in names)) for names in connection.execute(sql)}


def study_arms(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Read which arms each study has."""
    sql = (
        "SELECT DISTINCT s.name, t.arm FROM tasks t JOIN cases c ON c.id = t.case_id"
        " JOIN studies s ON s.id = c.study_id WHERE t.superseded_at IS NULL"
    )
    return {(from_storage(study) or "", from_storage(arm) or "") for study, arm in connection.execute(sql)}
