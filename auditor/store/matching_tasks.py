"""Which tasks a filter leaves."""

from __future__ import annotations

import sqlite3

from auditor.store.filter import compile_filter

_TASKS = (
    "tasks t JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
    " LEFT JOIN responses r ON r.task_id = t.id AND r.superseded_at IS NULL"
    " LEFT JOIN settings g ON g.id = r.setting_id LEFT JOIN grades d ON d.response_id = r.id"
)


def matching_tasks(connection: sqlite3.Connection, where: str = "") -> set[int]:
    """Return the row ids of the live tasks of which a filter leaves a response, invalid ones too.

    A task without responses is left by what it is itself. Raises InputError for what the filter does not know.
    """
    condition = compile_filter(connection, where, invalid_too=True)
    sql = f"SELECT DISTINCT t.id FROM {_TASKS} WHERE t.superseded_at IS NULL AND {condition.text}"
    return {row for (row,) in connection.execute(sql, condition.params)}
