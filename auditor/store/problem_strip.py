"""Outputs and probes of one problem with what one setting replied to them: found from the problem on, by indexes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from auditor.model import Status, join_key
from auditor.store.invalidations import IS_INVALID
from auditor.store.json_column import load_json
from auditor.text import from_storage, to_storage

_TASKS_A_QUERY = 500


class Asked(NamedTuple):
    """A problem under one setting, in one repetition."""

    problem: str
    setting: int
    """Its row id."""
    sample: int


class StripTask(NamedTuple):
    """An output or a probe, and the reply to it."""

    task_id: int
    study_id: int
    study: str
    case: str
    arm: str
    is_probe: bool
    implementation: str
    """Its name; where it has none, a number that its program has in this file."""
    test: str | None
    question: str
    """Of a probe."""
    dimensions: tuple[str, ...]
    response_id: int | None
    """None = the file has none."""
    replied: bool
    status: Status | None
    """None = not graded, or no response."""
    invalid: bool


class Repetition(NamedTuple):
    """One repetition of a setting."""

    setting: int
    """Its row id."""
    name: str
    sample: int


def asked_problem(connection: sqlite3.Connection, response_id: int) -> Asked | None:
    """Return what problem a response belongs to; None where it is no output and no probe of one."""
    sql = (
        "SELECT t.problem, r.setting_id, r.sample FROM responses r JOIN tasks t ON t.id = r.task_id"
        " JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
        " WHERE r.id = ? AND s.cluster = 'problem' AND t.problem IS NOT NULL AND t.target IN ('output', 'probe')"
    )
    row = connection.execute(sql, (response_id,)).fetchone()
    return None if row is None else Asked(_text(row[0]), row[1], row[2])


def strip_tasks(connection: sqlite3.Connection, asked: Asked) -> list[StripTask]:
    """Read the live outputs and probes of a problem, in all studies, in the order in which they were brought in."""
    studies = connection.execute("SELECT name FROM studies WHERE cluster = 'problem'")
    clusters = [to_storage(join_key((_text(study), asked.problem))) for (study,) in studies]
    sql = (
        "SELECT t.id, s.id, s.name, c.name, t.arm, t.target = 'probe', coalesce(t.implementation, t.clean_program_id),"
        f" t.test, t.details, r.id, r.reply IS NOT NULL, d.status, r.id IS NOT NULL AND {IS_INVALID}"
        " FROM clusters k CROSS JOIN tasks t ON t.cluster_id = k.id CROSS JOIN cases c ON c.id = t.case_id"
        " CROSS JOIN studies s ON s.id = c.study_id LEFT JOIN responses r ON r.task_id = t.id AND r.setting_id = ?"
        " AND r.sample = ? AND r.superseded_at IS NULL LEFT JOIN grades d ON d.response_id = r.id"
        f" WHERE k.name IN ({', '.join('?' * len(clusters))}) AND t.problem = ? AND t.target IN ('output', 'probe')"
        " AND t.superseded_at IS NULL AND s.cluster = 'problem' ORDER BY t.id"
    )
    given = (asked.setting, asked.sample, *clusters, to_storage(asked.problem))
    return [_strip_task(row) for row in connection.execute(sql, given)]


def repetitions_of(connection: sqlite3.Connection, tasks: Sequence[StripTask]) -> list[Repetition]:
    """Return the repetitions that were planned for the studies of some tasks or have replies to these, by setting."""
    names = {row: _text(name) for row, name in connection.execute("SELECT id, name FROM settings")}
    found: set[tuple[int, int]] = set()
    for study in {task.study_id for task in tasks}:
        sql = "SELECT setting_id, max(samples) FROM planned_cells WHERE study_id = ? GROUP BY setting_id"
        for setting, samples in connection.execute(sql, (study,)):
            found.update((setting, sample) for sample in range(samples))
    ids = [task.task_id for task in tasks]
    for at in range(0, len(ids), _TASKS_A_QUERY):
        some = ids[at : at + _TASKS_A_QUERY]
        sql = (
            "SELECT DISTINCT setting_id, sample FROM responses WHERE superseded_at IS NULL"
            f" AND task_id IN ({', '.join('?' * len(some))})"
        )
        found.update(connection.execute(sql, some))
    ordered = sorted(found, key=lambda one: (names[one[0]], one[1]))
    return [Repetition(setting, names[setting], sample) for setting, sample in ordered]


def kinds_asked(connection: sqlite3.Connection, asked: Asked, tasks: Sequence[StripTask]) -> set[tuple[int, bool]]:
    """Return which kinds of tasks the setting was to answer in the repetition: the study's row id, whether probes.

    That is so where it was planned for one arm of the kind in the study, or where any task of the kind has a reply.
    """
    found = set()
    for study in {task.study_id for task in tasks}:
        sql = "SELECT arm, samples FROM planned_cells WHERE study_id = ? AND setting_id = ?"
        planned = {_text(arm): samples for arm, samples in connection.execute(sql, (study, asked.setting))}
        for is_probe in {task.is_probe for task in tasks if task.study_id == study}:
            own = [task for task in tasks if (task.study_id, task.is_probe) == (study, is_probe)]
            if (
                any(planned.get(task.arm, 0) > asked.sample or task.response_id is not None for task in own)
                or any(
                    samples > asked.sample and _has_arm(connection, study, arm, is_probe)
                    for arm, samples in planned.items()
                )
                or _is_replied(connection, study, asked, is_probe)
            ):
                found.add((study, is_probe))
    return found


def _has_arm(connection: sqlite3.Connection, study: int, arm: str, is_probe: bool) -> bool:
    """Say whether an arm of a study is of probes, or of outputs; looked for where another problem alone tells it."""
    sql = (
        "SELECT 1 FROM cases c JOIN tasks t ON t.case_id = c.id WHERE c.study_id = ? AND t.arm = ? AND t.target = ?"
        " AND t.superseded_at IS NULL AND t.problem IS NOT NULL LIMIT 1"
    )
    target = "probe" if is_probe else "output"
    return connection.execute(sql, (study, to_storage(arm), target)).fetchone() is not None


def _is_replied(connection: sqlite3.Connection, study: int, asked: Asked, is_probe: bool) -> bool:
    """Say whether a setting has a response in a repetition that nobody planned, to whichever problem of a study."""
    sql = (
        "SELECT 1 FROM cases c JOIN tasks t ON t.case_id = c.id JOIN responses r ON r.task_id = t.id"
        " AND r.setting_id = ? AND r.sample = ? AND r.superseded_at IS NULL WHERE c.study_id = ? AND t.target = ?"
        " AND t.superseded_at IS NULL AND t.problem IS NOT NULL LIMIT 1"
    )
    target = "probe" if is_probe else "output"
    return connection.execute(sql, (asked.setting, asked.sample, study, target)).fetchone() is not None


def _strip_task(row: Sequence[object]) -> StripTask:
    task_id, study_id, study, case, arm, is_probe, implementation, test, details, *reply = row
    response_id, replied, status, bad = reply
    more = load_json(str(details)) if is_probe else {}
    return StripTask(
        *(int(str(task_id)), int(str(study_id)), _text(study), _text(case), _text(arm), bool(is_probe)),
        implementation=_text(implementation),
        test=None if test is None else _text(test),
        question=str(more.get("question") or ""),
        dimensions=tuple(map(str, more.get("dimensions") or ())),
        response_id=None if response_id is None else int(str(response_id)),
        replied=bool(replied),
        status=Status(str(status)) if status else None,
        invalid=bool(bad),
    )


def _text(value: object) -> str:
    return (from_storage(value) or "") if isinstance(value, bytes) else str(value)
