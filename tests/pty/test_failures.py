"""An error in the screen itself: one sentence and an exit code, whatever the texts are that it met."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.builders import make_audit
from tests.pty.terminal import Terminal
from tests.pty.test_review import READY, work_in

FAILING = """
import sys
from auditor.cli.main import main
from auditor.tui.parts.looking import Looking
from auditor.tui.widgets.text_view import TextView

HOSTILE = "\\x1b]0;evil\\x07 \\x1b]52;c;ZXZpbA==\\x07 \\x1bc \\u202e [bold]x"

def fail(*args):
    text = HOSTILE
    raise ValueError(text)

def action(self):
    screen = self._desk
    PLACE

Looking.action_cycle_pane = action
sys.exit(main())
"""
PLACES = {
    "in the screen": "screen.call_later(fail)",
    "in a widget": "screen.panes.source.call_later(fail)",
    "in drawing": "TextView.render_line = fail; screen.panes.reply.refresh()",
    "in a timer": "screen.set_timer(0.01, fail)",
    "in a worker": "screen.run_worker(fail, thread=True)",
}


@pytest.mark.parametrize("place", PLACES)
def test_an_error_ends_the_review_with_a_sentence_and_keeps_the_work(tmp_path: Path, place: str) -> None:
    path = make_audit(tmp_path / "audit.db")
    program = FAILING.replace("PLACE", PLACES[place])
    with Terminal([sys.executable, "-c", program, "review", str(path), "--annotator", "lm"]) as terminal:
        terminal.wait_for(READY)
        terminal.type("1")
        terminal.wait_for("[1 arithmetic]")
        terminal.type("tab")
        terminal.wait_for_exit()
        assert terminal.exit_code == 2
        assert "an error of the program ended the review" in " ".join(terminal.text.split())
        assert "ValueError" in terminal.text or "WorkerFailed" in terminal.text
        assert b"Traceback" not in terminal.written
        assert b"locals" not in terminal.written
        assert terminal.forbidden() == []
    assert work_in(path)[0][1] == ("arithmetic",)
