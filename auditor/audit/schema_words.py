"""What tables, views and columns of an audit file mean, read from its schema page, and as metadata for Datasette."""

from __future__ import annotations

import re
import sqlite3
from typing import Any, NamedTuple

from auditor.resources import data_folder
from auditor.text import visible_line

_TABLE = re.compile(r"^\| (?P<name>\w+) \| (?P<words>[^|]+) \| (?P<columns>[\w, ]+) \|$", re.MULTILINE)
_COLUMN = re.compile(r"^\| (?P<names>`[\w.]+`(?:, `[\w.]+`)*) \| (?P<words>[^|]+) \|$", re.MULTILINE)
_QUERY = re.compile(r"^    (?P<sql>SELECT .*)$", re.MULTILINE)
_QUERIES = {"statuses": "Statuses by setting", "tags": "Tags by annotator", "recent": "The latest events"}
"""Names of the page's queries, in its order."""


class TableWords(NamedTuple):
    """What is said of a table or a view."""

    words: str
    """What one of its rows is."""
    columns: dict[str, str]
    """What each column holds; one of which the page says nothing is left out."""


def schema_page() -> str:
    """Return the text of the schema page."""
    return (data_folder("db") / "SCHEMA.md").read_text(encoding="utf-8")


def table_words(page: str | None = None) -> dict[str, TableWords]:
    """Return what the schema page says of each table and view, and of their columns."""
    page = schema_page() if page is None else page
    said: dict[str, str] = {}
    for row in _COLUMN.finditer(page):
        said |= dict.fromkeys(re.findall(r"`([\w.]+)`", row["names"]), row["words"].strip())
    found = {}
    for row in _TABLE.finditer(page):
        name, columns = row["name"], row["columns"].split(", ")
        if name in ("table", "view"):
            continue
        words = {column: said.get(f"{name}.{column}", said.get(column)) for column in columns}
        told = {column: text for column, text in words.items() if text is not None}
        found[name] = TableWords(row["words"].strip(), told)
    return found


def datasette_metadata(connection: sqlite3.Connection, database: str, title: str) -> dict[str, Any]:
    """Return what Datasette shows beside the tables of an audit file that is served under a name."""
    page = schema_page()
    words = table_words(page)
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')").fetchall())
    tables = {
        name: {
            "description": f"One row is {words[name].words}",
            "columns": words[name].columns,
            **({} if kinds[name] == "view" else {"label_column": "name"} if "name" in words[name].columns else {}),
        }
        for name in kinds
        if name in words
    }
    queries = {
        name: {"sql": sql, "title": heading}
        for (name, heading), sql in zip(_QUERIES.items(), _QUERY.findall(page), strict=True)
    }
    description = (
        "An audit: what models predicted programs do, how that was graded, and what annotators said of it. Begin with"
        " the views response_overview and tag_overview; read only, since a history stands behind every table."
    )
    return {
        "title": visible_line(title),
        "description": description,
        "databases": {database: {"description": description, "tables": tables, "queries": queries}},
    }
