"""Reviews that take items of one queue, as real processes: none is lost, none too many, and no lock freezes one."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from auditor.cli.main import main
from auditor.store.file import now
from tests.builders import make_audit
from tests.pty.terminal import Terminal
from tests.pty.test_review import COMMAND, HOLD_THE_LOCK, READY, review, work_in


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", cases=6)


def of_ben(path: Path) -> Terminal:
    """Start another person's review, which finds what is free."""
    terminal = Terminal([*COMMAND, str(path), "--annotator", "ben", "--overlap", "1"])
    terminal.wait_for(READY)
    return terminal


@pytest.mark.slow
def test_three_reviews_at_once_lose_nothing_and_share_exactly() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.many_reviews", "--people", "3", "--seconds", "3"]
    done = subprocess.run([*command, "--items", "160", "--overlap", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every painted mark is in the file" in done.stdout


def test_what_a_killed_review_held_returns_when_its_time_is_over_and_its_marks_stay(audit_file: Path) -> None:
    with review(audit_file, "--overlap", "1") as terminal:
        terminal.type("1", "space")
        terminal.wait_for(" 2 of 24")
        terminal.type("2")
        terminal.wait_for("[2 state transition]")
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
    work = work_in(audit_file)
    assert [item[1] for item in work[:2]] == [("arithmetic",), ("state-transition",)]
    with of_ben(audit_file) as terminal:
        terminal.wait_for(lambda screen: any(f" {place} of 24" in screen for place in (5, 6)))
        terminal.type("k")
        terminal.wait_for("This item is held by lm until ")
        terminal.type("q")
        terminal.wait_for_exit()
    with closing(sqlite3.connect(audit_file)) as connection, connection:
        connection.execute("UPDATE leases SET expires_at = ?", (now(),))
    with of_ben(audit_file) as terminal:
        terminal.wait_for(" 2 of 24")


@pytest.mark.slow
def test_ten_seconds_of_another_process_s_lock_freeze_no_review_that_takes_items(audit_file: Path) -> None:
    with review(audit_file, "--overlap", "1") as terminal:
        # The items after it are held once the review has looked after them.
        with closing(sqlite3.connect(audit_file)) as connection:
            terminal.wait_for(lambda _: connection.execute("SELECT count(*) FROM leases").fetchone() == (4,))
        command = [sys.executable, "-c", HOLD_THE_LOCK, str(audit_file)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout is not None and holder.stdout.readline() == "locked\n"
            for number in range(2, 5):
                for key, shown in (("1", "[1 arithmetic]"), ("space", f" {number} of 24")):
                    terminal.type(key)
                    terminal.wait_for(shown)
            terminal.type("1", "space")
            terminal.wait_for("Another process is writing to the file: the next item comes as soon as it can be taken.")
            terminal.wait_for("NOT SAVED")
            assert " 4 of 24" in terminal.text
            assert holder.stdin is not None
            holder.stdin.write("go on\n")
            holder.stdin.flush()
        terminal.wait_for(" 5 of 24")
        terminal.wait_for(READY)
        terminal.type("1", "space")
        terminal.wait_for(" 6 of 24")
        terminal.type("q")
        terminal.wait_for_exit()
        assert terminal.exit_code == 0
    assert [item[1] for item in work_in(audit_file)[:6]] == [("arithmetic",)] * 5 + [()]
    assert main(["verify", str(audit_file)]) == 0


def test_how_to_go_on_takes_items_again(audit_file: Path) -> None:
    with review(audit_file, "--overlap", "2") as terminal:
        terminal.type("space", "q")
        terminal.wait_for_exit()
        assert "--annotator lm --overlap 2" in terminal.text.replace("\n", "")
    with closing(sqlite3.connect(audit_file)) as connection:
        assert connection.execute("SELECT count(*) FROM leases").fetchone() == (0,)
