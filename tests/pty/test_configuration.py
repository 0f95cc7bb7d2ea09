"""Configurations in a real terminal: which bytes reach it without colours, with 16 of them, and without a mouse."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.builders import make_audit
from tests.pty.terminal import Terminal
from tests.pty.test_review import COMMAND, READY

COLORS = rb"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m"
RICH_COLORS = rb"\x1b\[(?:[\d;]*;)?[34]8;[25]"
MOUSE = rb"\x1b\[\?(?:1000|1002|1003|1006|1015|1016)h"


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", cases=6)


def start(path: Path, variables: dict[str, str], *options: str, without: tuple[str, ...] = ()) -> Terminal:
    """Start a review in a terminal with some variables of the environment, and without others."""
    unset = [word for name in without for word in ("-u", name)]
    given = [f"{name}={value}" for name, value in variables.items()]
    return Terminal(["env", *unset, *given, *COMMAND, str(path), "--annotator", "lm", *options])


def work_through(terminal: Terminal) -> None:
    """Tag, open help and palette, write a note, leave."""
    terminal.wait_for(READY)
    terminal.type("1")
    terminal.wait_for("[1 arithmetic]")
    terminal.type("?")
    terminal.wait_for("Help")
    terminal.type("?")
    terminal.wait_for(lambda screen: "Help" not in screen)
    terminal.send(b"\x10")
    terminal.wait_for("nothing to tag")
    terminal.type("escape")
    terminal.wait_for(lambda screen: "nothing to tag" not in screen)
    terminal.type("n", "x")
    terminal.wait_for("Enter saves")
    terminal.type("enter")
    terminal.wait_for("note: x")
    terminal.type("q")
    terminal.wait_for_exit()
    assert terminal.exit_code == 0


def test_no_color_sends_no_colour_and_keeps_what_stands_out(audit_file: Path) -> None:
    with start(audit_file, {"NO_COLOR": "1"}) as terminal:
        work_through(terminal)
        assert re.findall(COLORS, terminal.written) == []
        assert re.search(rb"\x1b\[(?:\d+;)*7(?:;\d+)*m", terminal.written), "the tag that is on is in reverse"
        assert re.search(rb"\x1b\[1(?:;\d+)*m", terminal.written)


def test_an_empty_no_color_is_none(audit_file: Path) -> None:
    with start(audit_file, {"NO_COLOR": ""}) as terminal:
        terminal.wait_for(READY)
        assert re.search(RICH_COLORS, terminal.written)


def test_a_terminal_of_16_colours_gets_only_those(audit_file: Path) -> None:
    with start(audit_file, {"TERM": "xterm"}, without=("COLORTERM",)) as terminal:
        work_through(terminal)
        assert re.findall(RICH_COLORS, terminal.written) == []
        assert re.search(COLORS, terminal.written)


@pytest.mark.parametrize(("options", "variables"), [(["--no-mouse"], {}), ([], {"AUDITOR_MOUSE": "off"})])
def test_without_the_mouse_the_terminal_keeps_it(
    audit_file: Path, options: list[str], variables: dict[str, str]
) -> None:
    with start(audit_file, variables, *options) as terminal:
        terminal.wait_for(READY)
        assert not re.search(MOUSE, terminal.written)
        terminal.type("q")
        terminal.wait_for_exit()


def test_with_the_mouse_the_terminal_reports_it(audit_file: Path) -> None:
    with start(audit_file, {}) as terminal:
        terminal.wait_for(READY)
        assert re.search(MOUSE, terminal.written)


def test_a_terminal_without_screens_is_told_so(audit_file: Path) -> None:
    with start(audit_file, {"TERM": "dumb"}) as terminal:
        terminal.wait_for_exit()
        assert terminal.exit_code == 2
        assert "this terminal cannot show screens (TERM is dumb)." in " ".join(terminal.text.split())


def test_what_is_broken_is_told_and_the_review_opens_with_the_defaults(audit_file: Path, tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text('annotator = "ben"\ntheme = "no-such"\n')
    (tmp_path / "keymap.toml").write_text('item.defer = "f4"\nitem.note = "1"\n')
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "bad.toml").write_text("name = 3\n")
    command = [sys.executable, "-m", "auditor", "review", str(audit_file), "--config", str(settings)]
    with Terminal(command) as terminal:
        terminal.wait_for(lambda screen: "2 more: auditor config check" in screen and "F4 defer" in screen)
        # A notification covers the right of some rows, and its lines break where the length of the path has them.
        rows = (row.rpartition("▌")[2].strip(" ─") for row in terminal.text.splitlines() if "▌" in row)
        told = " ".join(" ".join(rows).split())
        assert "n note" in terminal.text and "the key of the tag" in told
        terminal.type("q")
        terminal.wait_for_exit()
        assert terminal.exit_code == 0 and "--annotator ben" in " ".join(terminal.text.split())
        assert terminal.forbidden() == []
