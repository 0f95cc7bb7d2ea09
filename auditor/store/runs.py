"""What the imported runs say about themselves, and which cells were planned: rows out."""

from __future__ import annotations

import sqlite3

from auditor.formats.records import Planned, RunInfo
from auditor.store.json_column import load_json
from auditor.text import from_storage


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


def planned_cells(connection: sqlite3.Connection) -> list[Planned]:
    """Read which settings were planned for which arms of which studies, and how many samples each."""
    sql = (
        "SELECT s.name, n.arm, g.name, n.samples FROM planned_cells n JOIN studies s ON s.id = n.study_id"
        " JOIN settings g ON g.id = n.setting_id ORDER BY s.id, n.arm, g.id"
    )
    return [
        Planned(from_storage(study) or "", from_storage(arm) or "", from_storage(setting) or "", samples)
        for study, arm, setting, samples in connection.execute(sql)
    ]


def implied_cells(connection: sqlite3.Connection) -> set[Planned]:
    """Return what is planned where nobody says so: every arm under every setting, with the samples declared or seen."""
    seen_sql = (
        "SELECT c.study_id, t.arm, r.setting_id, max(r.sample) + 1 FROM responses r JOIN tasks t ON t.id = r.task_id"
        " JOIN cases c ON c.id = t.case_id WHERE r.superseded_at IS NULL GROUP BY 1, 2, 3"
    )
    seen = {tuple(cell): samples for *cell, samples in connection.execute(seen_sql)}
    settings = connection.execute("SELECT id, name FROM settings").fetchall()
    arm_sql = (
        "SELECT DISTINCT s.id, s.name, s.samples, t.arm FROM tasks t JOIN cases c ON c.id = t.case_id"
        " JOIN studies s ON s.id = c.study_id WHERE t.superseded_at IS NULL"
    )
    return {
        Planned(
            from_storage(study) or "",
            from_storage(arm) or "",
            from_storage(setting) or "",
            samples or seen.get((study_id, arm, setting_id), 1),
        )
        for study_id, study, samples, arm in connection.execute(arm_sql)
        for setting_id, setting in settings
    }
