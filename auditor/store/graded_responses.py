"""Graded responses with their facets, one flat record each: rows out for exports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from auditor.model import Scalar, Status, join_key
from auditor.store.computed_measures import computed_names, computed_of
from auditor.store.filter import LIVE, compile_filter
from auditor.store.grades import GRADE_COLUMNS, grade_from_row
from auditor.store.invalidations import all_invalid
from auditor.store.json_column import load_json
from auditor.store.tasks import load_settings
from auditor.text import from_storage

GRADED_COLUMNS = (
    "item",
    "study",
    "case",
    "arm",
    "setting",
    "sample",
    "prediction",
    "status",
    "correct",
    "envelope_valid",
    "extraction",
    "mode",
    "evidence",
    "invalid",
)
"""The fields that every record has; `mode` is the computed failure mode, `invalid` why the response counts nowhere."""
_TASKS_REMEMBERED = 20_000


class FacetColumns(NamedTuple):
    """Under which names facets and measures stand in a flat record."""

    facets: dict[str, str]
    """Column by facet, of tasks and settings."""
    measures: dict[str, str]

    def names(self) -> list[str]:
        """List the columns, facets first."""
        return [*self.facets.values(), *self.measures.values()]


def facet_columns(connection: sqlite3.Connection, taken: Sequence[str] = GRADED_COLUMNS) -> FacetColumns:
    """Give every facet and measure of the live tasks and of the settings a column: its name, where that is free.

    Else it is `facet:x` or `measure:x`; a facet gives way to a measure of its name, as filters have it.
    """
    names: dict[str, set[str]] = {"facet": set(), "measure": set()}
    sql = "SELECT DISTINCT f.kind, f.name FROM facets f JOIN tasks t ON t.id = f.task_id WHERE t.superseded_at IS NULL"
    for kind, name in connection.execute(sql):
        names[kind].add(from_storage(name) or "")
    names["measure"] |= set(computed_names(connection))
    for setting in load_settings(connection):
        names["facet"] |= setting.facets.keys()
    wanted = [("measure", name) for name in sorted(names["measure"])] + [("facet", n) for n in sorted(names["facet"])]
    columns: dict[str, dict[str, str]] = {"facet": {}, "measure": {}}
    used = set(taken)
    clashing = []
    for kind, name in wanted:
        if name in used:
            clashing.append((kind, name))
        else:
            used.add(name)
            columns[kind][name] = name
    for kind, name in clashing:
        column = f"{kind}:{name}"
        while column in used:
            column = f"{kind}:{column}"
        used.add(column)
        columns[kind][name] = column
    return FacetColumns(*({name: columns[kind][name] for name in sorted(columns[kind])} for kind in columns))


def iterate_graded(
    connection: sqlite3.Connection, columns: FacetColumns, where: str = ""
) -> Iterator[dict[str, Scalar]]:
    """Read the live responses that a filter leaves as flat records, in the order in which they were brought in.

    An ungraded response has null for all that a grade says. A facet that neither the task nor the setting has is left
    out; where both have it, the task's stands.
    """
    condition = compile_filter(connection, where, invalid_too=True)
    invalid = all_invalid(connection)
    settings = {setting.name: setting.facets for setting in load_settings(connection)}

    @lru_cache(_TASKS_REMEMBERED)
    def of_task(task_id: int) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
        (details,) = connection.execute("SELECT details FROM tasks WHERE id = ?", (task_id,)).fetchone()
        value = load_json(details)
        facets = value.get("facets", {})
        computed = {name: one for name, one in computed_of(connection, task_id).items() if name not in facets}
        return facets, computed | value.get("measures", {})

    sql = (
        f"SELECT r.id, s.name, c.name, t.arm, g.name, r.sample, t.id, {GRADE_COLUMNS} FROM {LIVE}"
        f" WHERE r.superseded_at IS NULL AND {condition.text} ORDER BY r.id"
    )
    for row, *names, sample, task_id, status, extraction, prediction, findings, non_literal in connection.execute(
        sql, condition.params
    ):
        study, case, arm, setting = (from_storage(name) or "" for name in names)
        grade = grade_from_row((status, extraction, prediction, findings, non_literal))
        facets, measures = of_task(task_id)
        record: dict[str, Scalar] = {
            "item": join_key((study, case, arm, setting, sample)),
            "study": study,
            "case": case,
            "arm": arm,
            "setting": setting,
            "sample": sample,
            "prediction": grade.prediction if grade else None,
            "status": grade.status.value if grade else None,
            "correct": grade.status.is_correct if grade else None,
            "envelope_valid": _envelope_valid(grade.status) if grade else None,
            "extraction": grade.extraction if grade else None,
            "mode": grade.finding.mode if grade else None,
            "evidence": grade.finding.evidence if grade else None,
            "invalid": invalid[row].reason if row in invalid else None,
        }
        of_setting = settings[setting]
        for name, value in {**of_setting, **facets}.items():
            record[columns.facets[name]] = of_setting.get(name) if value is None else value
        for name, value in measures.items():
            record[columns.measures[name]] = value
        yield record


def _envelope_valid(status: Status) -> bool | None:
    """Return whether the envelope was valid; None where there was no reply to have one."""
    return None if status is Status.NO_RESPONSE else status in (Status.CORRECT_VALID, Status.WRONG_VALID)


def count_responses(connection: sqlite3.Connection, where: str = "") -> int:
    """Count the live responses that a filter leaves."""
    condition = compile_filter(connection, where, invalid_too=True)
    sql = f"SELECT count(*) FROM {LIVE} WHERE r.superseded_at IS NULL AND {condition.text}"
    return int(connection.execute(sql, condition.params).fetchone()[0])
