"""Waiting for the first item of a review in a real terminal: how far the search is, and leaving it."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.builders import make_audit
from tests.pty.terminal import Terminal

ENDLESS_SEARCH = """
import time
from auditor.store.selection import Piece, Search
def pieces(search):
    while True:
        yield Piece((), 1, 8)
        time.sleep(0.01)
Search.pieces = pieces
from auditor.cli.main import run
run()
"""


def test_a_search_for_the_first_item_is_shown_and_can_be_interrupted(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db")
    with Terminal([sys.executable, "-c", ENDLESS_SEARCH, "review", str(path), "--annotator", "lm"]) as terminal:
        terminal.wait_for("looking for the first item")
        terminal.wait_for(" 12 %")
        terminal.type("ctrl+c")
        terminal.wait_for_exit()
        assert terminal.exit_code == 130
        # The sentence may begin behind the ^C, and break where the row ends.
        said = "".join(terminal.text.split("^C")[-1].split())
        assert said == "auditor:interruptedbeforethefirstitemwasfound;nothingwasmarked."
    assert list(tmp_path.iterdir()) == [path]
