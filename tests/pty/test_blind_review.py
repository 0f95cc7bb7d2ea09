"""Blind review in a real terminal: a reveal survives a kill, and how to go on says what the review was."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.builders import make_audit
from tests.pty.terminal import Terminal
from tests.pty.test_review import review


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", settings=("zephyr-x9", "quorum-2"))


def names_a_setting(screen: str) -> bool:
    return "zephyr-x9" in screen or "quorum-2" in screen


def told(terminal: Terminal) -> bool:
    """Say whether a setting was ever written, on the screen or as a title."""
    return b"zephyr" in terminal.written or b"quorum" in terminal.written


def test_a_reveal_is_kept_whatever_ends_the_program(audit_file: Path) -> None:
    with review(audit_file, "--blind") as terminal:
        terminal.type("1", "j", "v")
        terminal.wait_for("v again shows all of it")
        assert not told(terminal) and terminal.forbidden() == []
        terminal.type("v")
        terminal.wait_for(names_a_setting)
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
    with review(audit_file, "--blind") as terminal:
        terminal.wait_for(" 2 of 16")
        terminal.wait_for(names_a_setting)


def test_how_to_go_on_opens_the_same_blind_queue(audit_file: Path) -> None:
    with review(audit_file, "--blind", "--seed", "3") as terminal:
        terminal.type("space", "q")
        terminal.wait_for_exit()
        assert not told(terminal)
        assert "--annotator lm --seed 3 --blind" in terminal.text.replace("\n", "")
    with review(audit_file, "--again", "1", "--now", "--blind") as terminal:
        terminal.wait_for("lm#2")
        terminal.type("2", "space", "q")
        terminal.wait_for_exit()
        assert "--annotator lm --again 1 --now --blind" in terminal.text.replace("\n", "")
