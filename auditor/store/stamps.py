"""What changes when something is written to an audit file, cheap to read at any size: what was counted may be kept."""

from __future__ import annotations

import sqlite3

Stamp = tuple[object, ...]

_ANSWERS = (
    "SELECT max(id), count(superseded_at) FROM tasks",
    "SELECT max(id) FROM responses",
    "SELECT count(*), max(graded_at) FROM grades",
    "SELECT count(*), max(event_id) FROM invalid_items",
    "SELECT count(*), sum(samples) FROM planned_cells",
    "SELECT count(*), group_concat(hex(name) || policy || envelope || hex(codebook)) FROM studies",
    "SELECT count(*), group_concat(hex(name)) FROM settings",
    "SELECT count(*), max(execution_id), sum(verdict = 'agrees'), sum(verdict = 'disputed') FROM task_executions",
)
"""Rows are added or get a later time whenever one of these is written; an import that replaces adds a row too."""
_MARKS = (
    "SELECT max(id), (SELECT uuid FROM events ORDER BY id DESC LIMIT 1) FROM events",
    "SELECT count(*), max(id) FROM codebook_revisions",
    "SELECT count(*), max(id), max(made_at) FROM assignments",
    "SELECT count(*) FROM annotators",
)
"""All that people enter is an event, which is never taken away."""


def stamp_of_answers(connection: sqlite3.Connection) -> Stamp:
    """Return what changes with every import, grade, run and word on whether a response counts."""
    return _read(connection, _ANSWERS)


def stamp_of_marks(connection: sqlite3.Connection) -> Stamp:
    """Return what changes with every mark, with each revision of a codebook and each assignment."""
    return _read(connection, _MARKS)


def _read(connection: sqlite3.Connection, queries: tuple[str, ...]) -> Stamp:
    return tuple(value for sql in queries for value in connection.execute(sql).fetchone())
