"""Memos and the timer in a real terminal: what was begun survives a kill."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.builders import make_audit
from tests.pty.test_notes import drafts_of
from tests.pty.test_review import review


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", cases=6)


def test_a_memo_is_there_after_a_kill(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("l", "N", *"half a mem")
        terminal.wait_for("half a mem")
        end = time.monotonic() + 5
        while time.monotonic() < end and not any("half a mem" in draft.read_text() for draft in drafts_of(audit_file)):
            terminal.read(0.01)
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
    with review(audit_file) as terminal:
        terminal.wait_for("Unfinished memo on difference 1: N there continues it.")
        assert terminal.text.startswith("★")
        terminal.type("N")
        terminal.wait_for("Memo on difference 1")
        terminal.type("o", "enter")
        terminal.wait_for("✎ half a memo")
        assert terminal.forbidden() == []
    assert drafts_of(audit_file) == []


def test_the_flag_of_the_timer_is_in_the_command_that_goes_on(audit_file: Path) -> None:
    with review(audit_file, "--timer") as terminal:
        terminal.wait_for("  0:0")
        terminal.type("1", "space", "q")
        terminal.wait_for("an item (median of 1).")
        terminal.wait_for("--annotator lm --timer")
        terminal.wait_for_exit()
