"""The agreement screen in a real terminal: opened by the command, quick under keys, gone without a trace."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.pty.terminal import Terminal
from tests.tui.agreement_audit import agreed_audit

ITEMS = "ana and ben differ on control flow"


@pytest.fixture
def audit_file(tmp_path: Path) -> Path:
    return agreed_audit(tmp_path / "audit.db", cases=10)


def test_a_number_is_followed_to_its_items_and_back(audit_file: Path) -> None:
    command = [sys.executable, "-m", "auditor", "agreement", str(audit_file), "--screen", "--annotator", "ana"]
    with Terminal(command) as terminal:
        terminal.wait_for("ana and ben on whole sets of tags: kappa 0.")
        terminal.wait_for("alpha (MASI)")
        terminal.type("tab", "j", "j", "j")
        terminal.wait_for("ana and ben on control flow: kappa 0.")
        terminal.type("enter")
        terminal.wait_for(ITEMS)
        terminal.type("enter")
        terminal.wait_for("Oracle - and prediction +")
        terminal.type("%")
        terminal.wait_for("ana and ben on control flow: kappa 0.")
        terminal.wait_for("├")  # intervals are there
        terminal.type("i")
        terminal.wait_for("numpy PCG64, seed 20261011")
        terminal.type("escape")
        terminal.wait_for("Confusion")
        terminal.type("escape")
        terminal.wait_for("Oracle - and prediction +")
        terminal.type("q")
        terminal.wait_for_exit()
        assert terminal.exit_code == 0 and terminal.forbidden() == []
