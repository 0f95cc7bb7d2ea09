"""Replay in a real terminal: through a run and back, with nothing from the program acting on the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.pty.terminal import Terminal
from tests.replayed import REPLIES, reply, tasks
from tests.tui.conftest import audit_of
from tests.walls import need_wall

_HOSTILE = "value = '\\x1b]52;c;aGVsbG8=\\x1b\\\\ \\x1b[2J \\x9b31m \\x1bc'\nprint(value)\n"


def test_a_run_is_gone_through_and_the_review_goes_on(tmp_path: Path) -> None:
    need_wall()
    hostile = tasks()[0] | {"case": "aa-hostile", "source": _HOSTILE}
    replies = [REPLIES[2], reply("short-trace-final", "x", case="aa-hostile")]
    audit = audit_of(tmp_path, [tasks()[2], hostile], replies)
    command = [sys.executable, "-m", "auditor", "review", str(audit), "--annotator", "lm", "--order", "import"]
    with Terminal(command) as terminal:
        terminal.wait_for("? help")
        terminal.type("t")
        terminal.wait_for("iteration 502 of 1,002 · ◆ checkpoint")
        terminal.type("x")
        terminal.wait_for("63250   was 62750")
        terminal.type(",", ".", "c", "t")
        terminal.wait_for("Oracle")
        terminal.type("j")
        terminal.wait_for("aa-hostile")
        terminal.type("t")
        terminal.wait_for("Output so far")
        terminal.wait_for("1 variable")
        terminal.type("i")
        terminal.wait_for("About this run")
        terminal.type("escape")
        terminal.wait_for("Variables")
        terminal.type("t")
        terminal.wait_for("Oracle")
        assert terminal.forbidden() == []
