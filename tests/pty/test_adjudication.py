"""The adjudication in a real terminal: each decision that was painted is in the file, whatever ends the program."""

from __future__ import annotations

import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.inspect import verify
from auditor.store.reviews import PutTags
from tests.builders import make_audit
from tests.pty.terminal import Terminal
from tests.store.test_history import Desk

ITEMS = 6


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    """Return an audit in which ana and ben differ on some items."""
    path = make_audit(tmp_path / "audit.db", cases=6)
    for annotator, tags in (("ana", ("copying", "arithmetic")), ("ben", ())):
        desk = Desk(path, annotator)
        for item in range(1, ITEMS + 1):
            desk.do(item, PutTags(tags, replace=True))
        desk.connection.close()
    return path


def adjudicate(path: Path, *options: str, rows: int = 40) -> Terminal:
    command = [sys.executable, "-m", "auditor", "adjudicate", str(path), "--annotator", "lm", *options]
    terminal = Terminal(command, rows=rows)
    terminal.wait_for("≠ open")
    return terminal


def decisions(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM decisions").fetchone()[0])


@pytest.mark.parametrize("kept", [1, 3])
def test_a_painted_decision_survives_a_kill(audit_file: Path, kept: int) -> None:
    with adjudicate(audit_file, "--order", "import") as terminal:
        for number in range(1, kept + 1):
            terminal.type("enter")
            terminal.wait_for("1 tag to decide here." if number % 2 else "open items.")
            if number % 2 == 0:
                terminal.type("space")
                terminal.wait_for(lambda screen: screen.count("≠ open") == 2)
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
        assert terminal.forbidden() == []
    assert decisions(audit_file) == kept
    assert not any(check.problems for check in verify(audit_file))
    with adjudicate(audit_file, "--order", "import") as terminal:
        terminal.wait_for(f"{1 + kept // 2} of {ITEMS}")
        terminal.type("q")
        terminal.wait_for("Go on with: auditor adjudicate")
        terminal.wait_for_exit()
        assert terminal.exit_code == 0


def test_a_terminal_without_items_to_adjudicate_says_so(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    command = [sys.executable, "-m", "auditor", "adjudicate", str(path), "--annotator", "lm"]
    with Terminal(command) as terminal:
        terminal.wait_for("nobody has reviewed anything under this codebook")
        terminal.wait_for_exit()
        assert terminal.exit_code == 2
