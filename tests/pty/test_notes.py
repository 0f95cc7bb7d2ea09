"""Notes in a real terminal: every character that is typed or pasted is in the note, and nothing ends without it."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.builders import make_audit
from tests.pty.terminal import Terminal
from tests.pty.test_review import review, work_in

TEXT = "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f467 a\u00a0b\u00adc e\u0301 \u2060\ufeff\u3000\u202e\u2028z"
OFFERED = "Unfinished note from"


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", cases=6)


def drafts_of(path: Path) -> list[Path]:
    return list(path.parent.glob("*.draft-*.json"))


def begin_note(path: Path, text: str) -> Terminal:
    """Write half a note and wait until it is kept; a person needs no longer to look up from the keys."""
    terminal = review(path)
    terminal.type("n", *text)
    terminal.wait_for(text)
    end = time.monotonic() + 5
    while time.monotonic() < end and not any(text in draft.read_text() for draft in drafts_of(path)):
        terminal.read(0.01)
    return terminal


@pytest.mark.parametrize("frame", ["{}", "\x1b[200~{}\x1b[201~"], ids=["typed", "pasted"])
def test_every_character_that_is_no_control_is_in_the_note(audit_file: Path, frame: str) -> None:
    with review(audit_file) as terminal:
        terminal.type("n")
        terminal.wait_for("Enter saves")
        terminal.send(frame.format(TEXT).encode())
        terminal.type("enter")
        terminal.wait_for(lambda screen: "Enter saves" not in screen)
        assert terminal.forbidden() == []
    assert work_in(audit_file)[0][2] == TEXT


def test_a_paste_with_escapes_is_in_the_note_as_it_is(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("n")
        terminal.wait_for("Enter saves")
        terminal.send(b"abc\x1b[200~one \x1b[31m two \x1b three\x1b[201~def\r")
        terminal.wait_for(lambda screen: "Enter saves" not in screen)
        assert terminal.forbidden() == []
    assert work_in(audit_file)[0][2] == "abcone \x1b[31m two \x1b threedef"


def test_a_note_is_there_after_a_kill(audit_file: Path) -> None:
    with begin_note(audit_file, "half a sent") as terminal:
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
    with review(audit_file) as terminal:
        terminal.wait_for(OFFERED)
        terminal.type("n")
        terminal.wait_for("half a sent")
        terminal.type(*"ence", "enter")
        terminal.wait_for(lambda screen: "Enter saves" not in screen)
        terminal.type("j")
        terminal.wait_for(" 2 of 24")
        terminal.type("k")
        terminal.wait_for(" 1 of 24")
        assert OFFERED not in terminal.text
    assert work_in(audit_file)[0][2] == "half a sentence"
    assert drafts_of(audit_file) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, None], ids=["SIGTERM", "SIGHUP", "hang-up"])
def test_a_signal_in_the_same_moment_loses_nothing_of_the_note(audit_file: Path, number: int | None) -> None:
    with review(audit_file) as terminal:
        terminal.type("n")
        terminal.wait_for("Enter saves")
        terminal.type(*"so far")
        terminal.wait_for("so far")
        if number is None:
            terminal.hang_up()
        else:
            terminal.signal(number)
        terminal.wait_for_exit()
    with review(audit_file) as terminal:
        terminal.wait_for(OFFERED)
        terminal.type("n")
        terminal.wait_for("so far")
        terminal.type("escape")
        terminal.wait_for(lambda screen: "Enter saves" not in screen)
        terminal.type("q")
        terminal.wait_for_exit()
    assert work_in(audit_file)[0][2] == ""
    assert drafts_of(audit_file) == []


def test_ctrl_c_in_a_note_says_how_to_leave_it(audit_file: Path) -> None:
    with review(audit_file) as terminal:
        terminal.type("n", *"abc", "ctrl+c")
        terminal.wait_for("Enter saves it, Esc leaves it as it was.")
        terminal.type("ctrl+c", "d", "enter")
        terminal.wait_for("note: abcd")
    assert work_in(audit_file)[0][2] == "abcd"
