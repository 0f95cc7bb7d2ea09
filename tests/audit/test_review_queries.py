"""What a review asks the audit file: each an indexed look-up, so that a million responses cost what sixteen do."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from auditor.audit.review import (
    Defer,
    MarkAll,
    MarkReviewed,
    NothingToTag,
    QueueWish,
    Redo,
    SetNote,
    ToggleTag,
    Undo,
    open_session,
)
from auditor.store import file
from auditor.store.selection import Search, Selection
from tests.builders import make_audit

LARGE = re.compile(
    r"SCAN (responses|grades|tasks|cases|programs|clusters|events|reviews|applied_tags|facets|[rdtcpewf])\b"
)
"""Tables that grow with what is imported or marked, by the names that queries give them."""


class Plans:
    """Every statement that any connection runs, and how SQLite would run it."""

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.statements: list[str] = []
        connect = file._connect

        def traced(path: Path, mode: str, busy_seconds: float) -> sqlite3.Connection:
            connection = connect(path, mode, busy_seconds)
            connection.set_trace_callback(self.statements.append)
            return connection

        patch.setattr(file, "_connect", traced)

    def scans(self) -> set[str]:
        """Return the scans of large tables since the last call."""
        asked = {one for one in self.statements if one.startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH"))}
        self.statements.clear()
        assert asked
        with closing(sqlite3.connect(self.path)) as connection:
            steps = {(one, row[3]) for one in asked for row in connection.execute(f"EXPLAIN QUERY PLAN {one}")}
        return {f"{step}: {one}" for one, step in steps if LARGE.match(step)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db")


@pytest.mark.parametrize("wish", [QueueWish(), QueueWish(blind=True), QueueWish(overlap=2)], ids=str)
def test_no_key_of_a_review_scans_a_large_table(path: Path, monkeypatch: pytest.MonkeyPatch, wish: QueueWish) -> None:
    plans = Plans(path, monkeypatch)
    with closing(open_session(path, "ana", wish)) as session:
        assert session.wait_for_rows(1000)
        plans.statements.clear()
        index = session.start_index()
        here = session.item(index).response_id
        for intent in (ToggleTag("copying"), SetNote("x"), Undo(), Redo(), Defer(), Defer(), MarkReviewed()):
            session.submit(here, intent)
            session.counts()
        following = session.next_open(index)
        assert following is not None
        session.submit(session.item(following).response_id, NothingToTag())
        session.submit(here, MarkAll(tuple(session.queue.ids(4, 3)), True))
        session.item_by_id(here)
        session.rows(0, 16)
        assert plans.scans() == set()


def test_no_page_of_the_queue_scans_a_large_table(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = Plans(path, monkeypatch)
    with closing(open_session(path, "ana")) as session, closing(session.table()) as table:
        assert session.wait_for_rows(1000)
        own, single = ("state", "tags", "note"), ("case", "arm", "setting", "loc", "mode.computed", "status", "sample")
        table.use_columns([*own, *single, "size", "tag", "annotator"])
        plans.statements.clear()
        table.rows(session.queue.ids(0, 16))
        table.filter_around(session.queue[3], "case")
        table.find(table.item_key(session.queue[3]))
        table.all_have(list(session.queue.ids()), "copying")
        assert plans.scans() == set()


def test_no_connection_that_stays_open_keeps_much_of_the_file_in_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = file._connect
    connections: list[sqlite3.Connection] = []

    def kept(path: Path, mode: str, busy_seconds: float) -> sqlite3.Connection:
        connections.append(connect(path, mode, busy_seconds))
        return connections[-1]

    monkeypatch.setattr(file, "_connect", kept)
    kilobytes = []
    with closing(open_session(path, "ana")) as session, closing(session.table()), closing(session.related()):
        assert session.wait_for_rows(1000)
        session.queue.cancel()
        for connection in connections:
            with suppress(sqlite3.ProgrammingError):  # it is closed
                kilobytes.append(-connection.execute("PRAGMA cache_size").fetchone()[0])
    assert len(kilobytes) == 4
    assert max(kilobytes) <= 8192


def test_the_first_items_of_a_queue_are_found_without_a_scan_of_responses(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = Plans(path, monkeypatch)
    with closing(file.open_for_reading(path)) as connection:
        plans.statements.clear()
        for order in ("smallest", "import"):
            next(iter(Search(connection, Selection("status:wrong", order)).pieces()))
        assert {one for one in plans.scans() if not one.startswith(("SCAN t:", "SCAN facets"))} == set()
