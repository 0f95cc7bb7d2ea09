"""The queue in a real terminal: what is marked there is kept, whatever happens to the program and its file."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.model import ReviewState
from tests.builders import make_audit
from tests.pty.terminal import Terminal
from tests.pty.test_review import READY, review, work_in

OPEN = (ReviewState.NOT_REVIEWED, (), "")
BEGUN = (ReviewState.IN_PROGRESS, ("arithmetic",), "")


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", cases=6)


def mark_three(terminal: Terminal) -> None:
    """Put a tag on the first three items in one act, and wait until the queue shows that."""
    terminal.type("o")
    terminal.wait_for("1 of 24")
    terminal.type("J", "J", "1")
    terminal.wait_for(lambda screen: screen.count("[arithmetic]") >= 3)


def test_an_act_on_many_items_is_there_after_a_kill_and_is_undone_as_one(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        mark_three(terminal)
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
    assert work_in(audit_file)[:4] == [BEGUN, BEGUN, BEGUN, OPEN]
    with review(audit_file) as terminal:
        terminal.type("u")
        terminal.wait_for("undone: tag arithmetic: 3 items")
        terminal.type("q")
        terminal.wait_for_exit()
        assert terminal.exit_code == 0 and terminal.forbidden() == []
    assert work_in(audit_file)[:4] == [OPEN] * 4


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, None], ids=["SIGHUP", "SIGTERM", "closed"])
def test_a_field_that_is_open_holds_up_no_end(audit_file: Path, number: int | None) -> None:
    with review(audit_file) as terminal:
        mark_three(terminal)
        terminal.type("/", *" arm:out")
        terminal.wait_for("arm:out")
        if number is None:
            terminal.hang_up()
        else:
            terminal.signal(number)
        terminal.wait_for_exit()
        assert b"Traceback" not in terminal.written
    assert work_in(audit_file)[:4] == [BEGUN, BEGUN, BEGUN, OPEN]


def test_a_lock_of_another_process_freezes_no_queue_and_doubles_nothing(audit_file: Path) -> None:
    with review(audit_file) as terminal, closing(sqlite3.connect(audit_file, isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        mark_three(terminal)
        terminal.type("j", "s")
        terminal.wait_for("»")
        terminal.type("escape")
        terminal.wait_for("NOT SAVED")
        lock.execute("ROLLBACK")
        terminal.wait_for(READY)
    assert work_in(audit_file)[:5] == [BEGUN, BEGUN, BEGUN, (ReviewState.DEFERRED, (), ""), OPEN]
