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
    sql = (
        "SELECT a.study, a.arm, g.name, coalesce(a.samples, (SELECT max(r.sample) + 1 FROM responses r"
        " JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id WHERE c.study_id = a.id AND t.arm = a.arm"
        " AND r.setting_id = g.id AND r.superseded_at IS NULL), 1) FROM (SELECT DISTINCT s.id AS id, s.name AS study,"
        " s.samples AS samples, t.arm AS arm FROM tasks t JOIN cases c ON c.id = t.case_id"
        " JOIN studies s ON s.id = c.study_id WHERE t.superseded_at IS NULL) a, settings g"
    )
    return {
        Planned(from_storage(study) or "", from_storage(arm) or "", from_storage(setting) or "", samples)
        for study, arm, setting, samples in connection.execute(sql)
    }
