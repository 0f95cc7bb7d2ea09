"""Pager, editor and clipboard in a real terminal: the review stands aside for the program and comes back whole."""

from __future__ import annotations

import base64
import json
import re
import signal
import sys
from pathlib import Path

import pytest

from auditor.audit.grade import grade_file
from auditor.audit.inspect import verify
from auditor.audit.load import LoadOptions, load
from tests.hostile import HOSTILE
from tests.pty.terminal import Terminal
from tests.pty.test_review import COMMAND, READY
from tests.runs import response, task, write_run

REPLY = "first line\n" + "\n".join(HOSTILE.values()) + "\nlast line\n"


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    tasks, replies = [task("c1"), task("c2")], [response("c1", response=REPLY), response("c2", response="wrong")]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, replies)], LoadOptions())
    grade_file(tmp_path / "a.db")
    return tmp_path / "a.db"


def start(path: Path, **variables: str) -> Terminal:
    given = [f"{name}={value}" for name, value in variables.items()]
    order = ["--annotator", "lm", "--where", "case:c1 OR case:c2", "--order", "import"]
    return Terminal(["env", "-u", "PAGER", "-u", "VISUAL", "-u", "EDITOR", *given, *COMMAND, str(path), *order])


def in_less(screen: str) -> bool:
    """Say whether less waits for a key."""
    return "first line" in screen and screen.splitlines()[-1].strip() in (":", "(END)")


def goes_on(terminal: Terminal) -> None:
    """Check that the review is there, takes keys, and ends well."""
    terminal.wait_for(READY)
    terminal.type("1")
    terminal.wait_for("[1 arithmetic]")
    terminal.type("q")
    terminal.wait_for_exit()
    assert terminal.exit_code == 0


def test_less_shows_the_text_and_the_review_comes_back(audit_file: Path) -> None:
    with start(audit_file, LESS="-F -R") as terminal:
        terminal.wait_for(READY)
        terminal.type("y", "r", "p")
        terminal.wait_for(in_less)
        terminal.type_until("G", "last line")
        terminal.type("q")
        terminal.wait_for("Back from less.")
        goes_on(terminal)
        assert terminal.forbidden() == []


def test_a_short_text_stays_in_less_whatever_is_set(audit_file: Path) -> None:
    with start(audit_file, LESS="-F", AUDITOR_PAGER="less -E") as terminal:
        terminal.wait_for(READY)
        terminal.type("j")
        terminal.wait_for("wrong")
        terminal.type("y", "r", "p")
        terminal.wait_for(lambda screen: "(END)" in screen and "wrong" in screen)
        terminal.type("q")
        goes_on(terminal)


def test_a_program_that_ends_at_once_leaves_its_text_until_a_key(audit_file: Path) -> None:
    with start(audit_file, PAGER="cat") as terminal:
        terminal.wait_for(READY)
        terminal.type("y", "r", "p")
        terminal.wait_for("cat has ended. Press Enter to go back to the review.")
        assert "last line" in terminal.text and "␛[6n" in terminal.written.decode("utf-8", "replace")
        terminal.type("enter")
        goes_on(terminal)
        assert terminal.forbidden() == []


def test_a_program_that_fails_is_said(audit_file: Path) -> None:
    with start(audit_file, PAGER="false") as terminal:
        terminal.wait_for(READY)
        terminal.type("y", "r", "p")
        terminal.wait_for("false has ended.")
        terminal.type("enter")
        terminal.wait_for("false ended with exit code 1.")
        terminal.type("escape")
        terminal.wait_for("Copy what?")
        terminal.type("escape")
        terminal.wait_for(lambda screen: "Copy what?" not in screen)
        goes_on(terminal)


def test_an_editor_gets_a_copy_that_it_cannot_write_to(audit_file: Path, tmp_path: Path) -> None:
    editor = tmp_path / "my editor.py"
    editor.write_text(
        "import os, sys, json\n"
        "path = sys.argv[-1]\n"
        "seen = [sys.argv[1:-1], os.path.basename(path), oct(os.stat(path).st_mode & 0o777), open(path).read()]\n"
        f"json.dump(seen, open({str(tmp_path / 'seen.json')!r}, 'w'))\n"
    )
    with start(audit_file, EDITOR=f"{sys.executable} '{editor}' -R", PWD=str(tmp_path)) as terminal:
        terminal.wait_for(READY)
        terminal.type("y", "s", "e")
        terminal.wait_for("Press Enter to go back")
        terminal.type("enter")
        goes_on(terminal)
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen == [["-R"], "s-c1-output-m-0-source.py", "0o400", "print('c1')\n"]


def test_ctrl_c_belongs_to_the_other_program(audit_file: Path) -> None:
    with start(audit_file) as terminal:
        terminal.wait_for(READY)
        terminal.type("y", "r", "p")
        terminal.wait_for(in_less)
        before = len(terminal.written)
        terminal.type("ctrl+c")
        terminal.wait_for(lambda screen: len(terminal.written) > before)
        terminal.type_until("G", "last line")  # an interrupt makes less forget keys
        terminal.type("q")
        terminal.wait_for("Back from less.")
        goes_on(terminal)


def test_the_clipboard_gets_the_text_in_the_form_that_terminals_take(audit_file: Path) -> None:
    with start(audit_file) as terminal:
        terminal.wait_for(READY)
        terminal.type("y", "s", "c")
        terminal.wait_for("Sent to the terminal's clipboard: 12 bytes.")
        (sent,) = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\x07", terminal.written)
        assert base64.b64decode(sent) == b"print('c1')\n"
        goes_on(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_review_that_is_asked_to_end_does_not_wait_for_the_pager(audit_file: Path, number: signal.Signals) -> None:
    with start(audit_file) as terminal:
        terminal.wait_for(READY)
        terminal.type("y", "r", "p")
        terminal.wait_for(in_less)
        terminal.signal(number)
        terminal.wait_for_exit()
        assert terminal.exit_code == 0


def test_a_terminal_that_goes_away_under_the_pager_ends_the_review(audit_file: Path) -> None:
    with start(audit_file) as terminal:
        terminal.wait_for(READY)
        terminal.type("1")
        terminal.wait_for("[1 arithmetic]")
        terminal.type("y", "r", "p")
        terminal.wait_for(in_less)
        terminal.hang_up()
        terminal.wait_for_exit()
    assert not any(check.problems for check in verify(audit_file))
