"""db/SCHEMA.md names every table, view and column that an audit file has, and its queries run."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from auditor.audit.demo import make_demo
from auditor.resources import data_folder
from auditor.store.file import open_file, open_for_reading

PAGE = (data_folder("db") / "SCHEMA.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\w+) \| [^|]+ \| ([\w, ]+) \|$", re.MULTILINE)


def test_every_table_and_column_is_on_the_page(tmp_path: Path) -> None:
    written = {name: columns.split(", ") for name, columns in ROW.findall(PAGE) if name not in ("table", "view")}
    with closing(open_file(tmp_path / "audit.db", create=True)) as connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"
        ).fetchall()
        there = {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for (name,) in names}
    assert written == there


def test_the_queries_of_the_page_run_on_the_sample(tmp_path: Path) -> None:
    queries = [line.strip() for line in PAGE.splitlines() if line.startswith("    SELECT ")]
    assert len(queries) == 3
    make_demo(tmp_path / "demo.db", "exact-output")
    with closing(open_for_reading(tmp_path / "demo.db")) as connection:
        for query in queries:
            assert connection.execute(query).fetchall()
