"""A screen that nothing happens on writes nothing: whatever a key opens, the terminal gets quiet."""

from __future__ import annotations

import fcntl
import struct
import sys
import termios
from pathlib import Path

from auditor.tui.actions import ACTIONS
from tests.builders import make_audit
from tests.pty.terminal import Terminal

LEAVING = {"program.quit", "program.interrupt"}


def test_every_screen_gets_quiet(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db", cases=2)
    command = [sys.executable, "-m", "auditor", "review", str(path), "--annotator", "lm", "--where", ""]
    with Terminal(command, columns=160, rows=50) as terminal:
        terminal.wait_for("saved ✓")
        terminal.wait_for_quiet(10)
        for action in ACTIONS:
            opens = action.group != "Mark" or action.id == "item.note"
            if action.keys and opens and action.id not in LEAVING and len(action.shown_key) == 1:
                terminal.type(action.shown_key)
                terminal.wait_for_quiet(10)
                terminal.type("escape")
                terminal.wait_for_quiet(10)
        terminal.type("q")
        terminal.wait_for_exit()
    assert terminal.exit_code == 0


def test_a_terminal_that_does_not_say_how_large_it_is_gets_quiet_too(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db", cases=2)
    command = [
        "env",
        "-u",
        "COLUMNS",
        "-u",
        "LINES",
        sys.executable,
        "-m",
        "auditor",
        "review",
        str(path),
        "--annotator",
        "lm",
        "--where",
        "",
    ]
    with Terminal(command, columns=80, rows=25) as terminal:
        fcntl.ioctl(terminal._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
        terminal.wait_for("saved ✓")
        terminal.wait_for_quiet(10)
        terminal.type("q")
        terminal.wait_for_exit()
    assert terminal.exit_code == 0
