"""Filters with a name, for everyone who works on the file, and the columns that each annotator chose.

Every function that writes expects to be inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from auditor.store.file import now
from auditor.store.json_column import dump_json, load_json
from auditor.text import from_storage, to_storage


class SavedFilter(NamedTuple):
    """A filter and an order under a name."""

    name: str
    where: str
    order: str
    """Empty = the usual one."""


def saved_filters(connection: sqlite3.Connection) -> list[SavedFilter]:
    """List the saved filters by name."""
    rows = connection.execute("SELECT name, filter, ordering FROM saved_filters ORDER BY name")
    return [SavedFilter(from_storage(name) or "", from_storage(where) or "", order) for name, where, order in rows]


def put_filter(connection: sqlite3.Connection, saved: SavedFilter) -> None:
    """Save a filter; another one of its name gives way."""
    connection.execute(
        "INSERT INTO saved_filters (name, filter, ordering, saved_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " filter = excluded.filter, ordering = excluded.ordering, saved_at = excluded.saved_at",
        (to_storage(saved.name), to_storage(saved.where), saved.order, now()),
    )


def delete_filter(connection: sqlite3.Connection, name: str) -> bool:
    """Delete a saved filter; say whether there was one."""
    return connection.execute("DELETE FROM saved_filters WHERE name = ?", (to_storage(name),)).rowcount > 0


def chosen_columns(connection: sqlite3.Connection, annotator: str) -> tuple[str, ...] | None:
    """Return the columns that an annotator chose for the queue; None when they chose none."""
    row = connection.execute("SELECT columns FROM queue_columns WHERE annotator = ?", (to_storage(annotator),))
    found = row.fetchone()
    return tuple(map(str, load_json(found[0]))) if found else None


def keep_columns(connection: sqlite3.Connection, annotator: str, columns: Sequence[str]) -> None:
    """Remember the columns that an annotator chose."""
    connection.execute(
        "INSERT INTO queue_columns (annotator, columns) VALUES (?, ?)"
        " ON CONFLICT DO UPDATE SET columns = excluded.columns",
        (to_storage(annotator), dump_json(list(columns))),
    )
