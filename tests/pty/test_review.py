"""The review in a real terminal: what is typed is what is saved, whatever happens to the program and its file."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.review import open_session
from auditor.cli.main import main
from auditor.model import ReviewState
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.pty.terminal import Terminal

COMMAND = (sys.executable, "-m", "auditor", "review")
READY = "saved ✓"


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", cases=6)


def review(path: Path, *options: str, columns: int = 120, rows: int = 40) -> Terminal:
    """Start `auditor review` and wait for its first item."""
    terminal = Terminal([*COMMAND, str(path), "--annotator", "lm", *options], columns=columns, rows=rows)
    terminal.wait_for(READY)
    return terminal


def work_in(path: Path) -> list[tuple[ReviewState, tuple[str, ...], str]]:
    """Return every item's state, tags and note as the file has them now."""
    session = open_session(path, "lm")
    try:
        reviews = [session.item(index).review for index in range(len(session))]
    finally:
        session.close()
    return [(review.state, review.tags, review.note) for review in reviews]


def test_one_space_two_space_u_do_what_they_say(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("1")
        terminal.wait_for("[1 arithmetic]")
        terminal.type("space")
        terminal.wait_for(" 2 of 24")
        terminal.type("2")
        terminal.wait_for("[2 state transition]")
        terminal.type("space")
        terminal.wait_for(" 3 of 24")
        terminal.type("u")
        terminal.wait_for("undone: reviewed on case-0")
        assert " 2 of 24" in terminal.text
        assert "[2 state transition]" in terminal.text
        terminal.type("q")
        terminal.wait_for_exit()
        assert terminal.exit_code == 0
    work = work_in(audit_file)
    assert work[0] == (ReviewState.REVIEWED, ("arithmetic",), "")
    assert work[1] == (ReviewState.IN_PROGRESS, ("state-transition",), "")


def test_keys_typed_ahead_are_all_done_in_order(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type(*["1", "space", "2", "space", "n", *"so: 1 q", "enter", "3", "space", "s"])
        terminal.wait_for(" 5 of 24")
    work = work_in(audit_file)
    assert work[0] == (ReviewState.REVIEWED, ("arithmetic",), "")
    assert work[1] == (ReviewState.REVIEWED, ("state-transition",), "")
    assert work[2] == (ReviewState.REVIEWED, ("control-flow",), "so: 1 q")
    assert work[3][0] is ReviewState.DEFERRED


@pytest.mark.parametrize("pause", [0, 0.15], ids=["at once", "after a pause"])
@pytest.mark.parametrize("stray", [b"\x1b[M \xa0(", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\x1b[M\xe4\xf6\xfc"])
def test_a_stray_byte_ends_nothing_and_eats_no_key(audit_file: Path, stray: bytes, pause: float) -> None:
    with review(audit_file) as terminal:
        terminal.send(stray)
        terminal.read(pause)
        terminal.type("1")
        terminal.wait_for("[1 arithmetic]")
        terminal.type("space")
        terminal.wait_for(" 2 of 24")
    assert work_in(audit_file)[0] == (ReviewState.REVIEWED, ("arithmetic",), "")


def test_a_stray_byte_is_no_text_in_a_note(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("n", "a")
        terminal.send(b"\xa0")
        terminal.type("b", "enter")
        terminal.wait_for("note: ab")
    assert work_in(audit_file)[0][2] == "ab"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_cleanly(audit_file: Path, number: int) -> None:
    with review(audit_file) as terminal:
        terminal.type("1")
        terminal.wait_for("[1 arithmetic]")
        terminal.signal(number)
        terminal.wait_for_exit()
        assert terminal.exit_code == 0
        assert b"Traceback" not in terminal.written
    assert work_in(audit_file)[0][1] == ("arithmetic",)


def test_a_review_that_was_stopped_and_goes_on_takes_every_key(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("1", "space")
        terminal.wait_for("2 of ")
        for _ in range(2):
            terminal.signal(signal.SIGSTOP)
            terminal.signal(signal.SIGCONT)
            terminal.wait_for_quiet()
        terminal.wait_for("2 of ")
        terminal.type("2", "space")
        terminal.wait_for("3 of ")
        terminal.type("q")
        terminal.wait_for_exit()
    assert terminal.exit_code == 0
    assert [tags for _, tags, _ in work_in(audit_file)][:2] == [("arithmetic",), ("state-transition",)]


def test_a_closed_terminal_ends_the_program_and_loses_nothing(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("1")
        terminal.wait_for("[1 arithmetic]")
        terminal.hang_up()
        terminal.wait_for_exit()
    assert work_in(audit_file)[0][1] == ("arithmetic",)


def test_a_terminal_that_is_closed_while_the_screen_changes_ends_the_program(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("1")
        terminal.wait_for("[1 arithmetic]")
        terminal.type(*["r", "r", "j", "r", "k"] * 6)
        terminal.hang_up()
        terminal.wait_for_exit()
        assert terminal.exit_code == 0
    assert work_in(audit_file)[0][1] == ("arithmetic",)


def test_another_process_that_holds_the_lock_freezes_nothing_and_loses_nothing(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        lock = sqlite3.connect(audit_file, isolation_level=None, check_same_thread=False)
        lock.execute("BEGIN IMMEDIATE")
        for key, shown in (("1", "[1 arithmetic]"), ("space", " 2 of 24"), ("2", "[2 state"), ("space", " 3 of 24")):
            terminal.type(key)
            terminal.wait_for(shown)
        terminal.wait_for("NOT SAVED")
        lock.execute("ROLLBACK")
        terminal.wait_for(READY)
        lock.close()
    work = work_in(audit_file)
    assert work[0] == (ReviewState.REVIEWED, ("arithmetic",), "")
    assert work[1] == (ReviewState.REVIEWED, ("state-transition",), "")


HOLD_THE_LOCK = """
import sqlite3, sys, time
lock = sqlite3.connect(sys.argv[1], isolation_level=None)
lock.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(10)
sys.stdin.readline()
lock.execute("ROLLBACK")
"""


@pytest.mark.slow
def test_ten_seconds_of_another_process_s_lock_lose_and_double_nothing(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        command = [sys.executable, "-c", HOLD_THE_LOCK, str(audit_file)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout is not None and holder.stdout.readline() == "locked\n"
            for number in range(2, 12):
                for key, shown in (("1", "[1 arithmetic]"), ("space", f" {number} of 24")):
                    terminal.type(key)
                    terminal.wait_for(shown)
            terminal.wait_for("NOT SAVED")
            assert holder.stdin is not None
            holder.stdin.write("go on\n")
            holder.stdin.flush()
        terminal.wait_for(READY)
        terminal.type("q")
        terminal.wait_for_exit(60)
        assert terminal.exit_code == 0
    work = work_in(audit_file)
    assert work[:10] == [(ReviewState.REVIEWED, ("arithmetic",), "")] * 10
    assert {item[0] for item in work[10:]} == {ReviewState.NOT_REVIEWED}
    with closing(sqlite3.connect(audit_file)) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (20,)
    assert main(["verify", str(audit_file)]) == 0


def test_a_kill_while_the_file_is_locked_loses_nothing(audit_file: Path) -> None:
    lock = sqlite3.connect(audit_file, isolation_level=None)
    with review(audit_file) as terminal:
        lock.execute("BEGIN IMMEDIATE")
        terminal.type("1", "space", "2")
        terminal.wait_for("[2 state transition]")
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
    lock.execute("ROLLBACK")
    lock.close()
    with review(audit_file) as terminal:
        terminal.wait_for("[2 state transition]")
    work = work_in(audit_file)
    assert work[0] == (ReviewState.REVIEWED, ("arithmetic",), "")
    assert work[1][1] == ("state-transition",)


@pytest.mark.slow
def test_fifty_kills_lose_no_painted_key(tmp_path: Path) -> None:
    """Each round types tags without a pause and kills the program somewhere; painted keys must be in the file."""
    template = make_audit(tmp_path / "template.db", cases=6)
    chance = random.Random(20)
    for round_ in range(50):
        path = Path(shutil.copy(template, tmp_path / f"round-{round_}.db"))
        count = chance.randint(1, 9)
        with review(path) as terminal:
            terminal.type(*[key for _ in range(count) for key in ("1", "space")])
            end = time.monotonic() + chance.uniform(0, 0.05 * count)
            while time.monotonic() < end:
                terminal.read(0.002)
            terminal.signal(signal.SIGKILL)
            terminal.wait_for_exit()
            painted = int(terminal.text.split(" of 24")[0].split()[-1]) - 1
            tagged = "[1 arithmetic]" in terminal.text
        work = work_in(path)
        reviewed = [item for item in work if item[0] is ReviewState.REVIEWED]
        begun = [item for item in work if item[0] is ReviewState.IN_PROGRESS]
        done = 2 * len(reviewed) + len(begun)
        seen = 2 * painted + tagged
        assert seen <= done, f"round {round_}: {seen} keys were painted, {done} are in the file"
        assert all(item == (ReviewState.REVIEWED, ("arithmetic",), "") for item in work[: len(reviewed)])
        assert len(begun) <= 1
        for side in tmp_path.glob(f"round-{round_}*"):
            side.unlink()


def test_no_text_from_data_reaches_the_terminal_as_a_command(tmp_path: Path) -> None:
    path = _hostile_audit(tmp_path)
    with review(path, "--where", "", "--order", "import", columns=160, rows=50) as terminal:
        for _ in HOSTILE:
            terminal.type("r", "r", "j")
        terminal.wait_for("This is the last item.")
        terminal.type("?")
        terminal.wait_for("Esc closes")
        assert terminal.forbidden() == []


def _hostile_audit(folder: Path) -> Path:
    from tests.tui.hostile_audit import hostile_audit

    return hostile_audit(folder)


def test_leaving_says_how_far_the_queue_is_and_how_to_go_on(audit_file: Path) -> None:
    with review(audit_file, "--where", "arm:state", "--take", "2") as terminal:
        terminal.type("1", "space", "s")
        terminal.wait_for("All 2 items")
        terminal.type("q")
        terminal.wait_for_exit(60)
        last = terminal.written[-2000:].decode().replace("\r\n", "")
    assert "In this sitting: 1 item reviewed, 1 deferred (" in last and "How far people agree" not in last
    assert "1 reviewed, 1 deferred, 0 begun, 0 open. Go on with: auditor review " in last
    assert last.rstrip().endswith("/audit.db --annotator lm --where arm:state --take 2")
