"""The implementations of one problem: which tasks have their programs, and which items one setting has of them."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from auditor.model import SUBJECT, join_key
from auditor.text import from_storage, to_storage

_TARGETS = f"('output', 'probe', '{SUBJECT}')"


class OwnTask(NamedTuple):
    """What an item asks about an implementation, or that it is one itself."""

    task_id: int
    study: str
    problem: str
    implementation: str
    """Its name; where it has none, a number that its program has in this file."""
    test: str | None
    target: str
    setting: int
    """The row id of the item's setting."""
    sample: int

    @property
    def is_subject(self) -> bool:
        """Say whether people judge it, instead of a model's answer to it."""
        return self.target == SUBJECT


class ImplementationTask(NamedTuple):
    """A task about an implementation, and the item that a setting has of it."""

    task_id: int
    study: str
    implementation: str
    test: str | None
    target: str
    response_id: int | None
    """None = the file has none."""

    @property
    def is_subject(self) -> bool:
        """Say whether people judge it, instead of a model's answer to it."""
        return self.target == SUBJECT


def own_task(connection: sqlite3.Connection, response_id: int) -> OwnTask | None:
    """Return what an item asks; None where that is about no problem that has implementations."""
    sql = (
        "SELECT t.id, s.name, t.problem, coalesce(t.implementation, t.clean_program_id), t.test, t.target,"
        " r.setting_id, r.sample FROM responses r JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id"
        " JOIN studies s ON s.id = c.study_id"
        f" WHERE r.id = ? AND s.cluster = 'problem' AND t.problem IS NOT NULL AND t.target IN {_TARGETS}"
    )
    row = connection.execute(sql, (response_id,)).fetchone()
    if row is None:
        return None
    task_id, study, problem, name, test, target, setting, sample = row
    return OwnTask(task_id, _text(study), _text(problem), _text(name), from_storage(test), target, setting, sample)


def implementation_tasks(connection: sqlite3.Connection, own: OwnTask) -> list[ImplementationTask]:
    """Read the live tasks about the implementations of an item's problem, in all studies, in the order of the file.

    Their items are those of the item's setting and sample. They are found by indexes, from the problem on.
    """
    studies = connection.execute("SELECT name FROM studies WHERE cluster = 'problem'")
    clusters = [to_storage(join_key((_text(study), own.problem))) for (study,) in studies]
    sql = (
        "SELECT t.id, s.name, coalesce(t.implementation, t.clean_program_id), t.test, t.target, r.id"
        " FROM clusters k CROSS JOIN tasks t ON t.cluster_id = k.id CROSS JOIN cases c ON c.id = t.case_id"
        " CROSS JOIN studies s ON s.id = c.study_id LEFT JOIN responses r ON r.task_id = t.id AND r.setting_id = ?"
        " AND r.sample = ? AND r.superseded_at IS NULL"
        f" WHERE k.name IN ({', '.join('?' * len(clusters))}) AND t.problem = ? AND t.target IN {_TARGETS}"
        " AND t.superseded_at IS NULL AND s.cluster = 'problem' ORDER BY t.id"
    )
    given = (own.setting, own.sample, *clusters, to_storage(own.problem))
    return [
        ImplementationTask(task_id, _text(study), _text(name), from_storage(test), target, response_id)
        for task_id, study, name, test, target, response_id in connection.execute(sql, given)
    ]


def _text(value: str | bytes | int) -> str:
    return (from_storage(value) or "") if isinstance(value, bytes) else str(value)
