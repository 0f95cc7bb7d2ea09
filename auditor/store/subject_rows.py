"""Subjects: programs and probes as items of their own, which people judge and nobody was asked."""

from __future__ import annotations

import sqlite3

from auditor.model import SUBJECT
from auditor.store.expr import And, Match, unparse
from auditor.store.filter import ITEMS, compile_filter
from auditor.store.responses import NewRow, insert_responses, response_hash
from auditor.store.tasks import Outcome
from auditor.text import from_storage

SETTING = "subject"
"""The setting under which the item of a subject stands, since every item has one."""


_WHY = "nobody was asked: it is judged itself"


def subject_row(task_id: int, setting_id: int) -> NewRow:
    """Build the row that makes a task of this target an item: there is no reply, and none is missing."""
    return (task_id, setting_id, 0, response_hash(None, None, SUBJECT, _WHY), SUBJECT, None, None, _WHY, None)


def insert_subjects(connection: sqlite3.Connection, task_ids: list[int], setting_id: int) -> list[Outcome]:
    """Make items of tasks, inside the caller's transaction; those that are there stay as they are."""
    return insert_responses(connection, [subject_row(task, setting_id) for task in task_ids], replace=False)


def count_subjects(connection: sqlite3.Connection) -> int:
    """Count the live items that are subjects."""
    sql = f"SELECT count(*) FROM {ITEMS} WHERE r.superseded_at IS NULL AND t.target = '{SUBJECT}'"
    return int(connection.execute(sql).fetchone()[0])


ANSWERED_STUDY = (
    f"(NOT EXISTS (SELECT 1 FROM cases x JOIN tasks y ON y.case_id = x.id WHERE x.study_id = s.id"
    f" AND y.target = '{SUBJECT}') OR EXISTS (SELECT 1 FROM cases x JOIN tasks y ON y.case_id = x.id"
    f" WHERE x.study_id = s.id AND y.target <> '{SUBJECT}'))"
)
"""Whether the study `s` holds more than subjects."""
ANSWERING_SETTING = (
    f"(g.name <> '{SETTING}' OR NOT EXISTS (SELECT 1 FROM responses x JOIN tasks y ON y.id = x.task_id"
    f" WHERE x.setting_id = g.id AND y.target = '{SUBJECT}'))"
)
"""Whether the setting `g` is more than the name under which subjects stand."""


def any_subject(connection: sqlite3.Connection, where: str) -> bool:
    """Say whether a filter would leave a subject; raises InputError for a wrong one."""
    condition = compile_filter(connection, where)
    sql = f"SELECT 1 FROM {ITEMS} WHERE r.superseded_at IS NULL AND t.target = '{SUBJECT}' AND {condition.text} LIMIT 1"
    return connection.execute(sql, condition.params).fetchone() is not None


def studies_of_subjects(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many live items each study of subjects has, in the order of their names."""
    sql = (
        f"SELECT s.name, count(*) FROM {ITEMS} WHERE r.superseded_at IS NULL AND t.target = '{SUBJECT}'"
        " GROUP BY s.id ORDER BY s.name"
    )
    return {from_storage(name) or "": items for name, items in connection.execute(sql)}


def subject_filter(study: str) -> str:
    """Return the filter that leaves the subjects of a study."""
    return unparse(And((Match("target", (SUBJECT,)), Match("study", (study,)))))


def codebooks_of_subjects(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the codebooks that only studies of subjects declare."""
    sql = f"SELECT s.codebook, max({ANSWERED_STUDY}) FROM studies s GROUP BY s.codebook"
    return {from_storage(name) or "" for name, is_answered in connection.execute(sql) if not is_answered}
