"""`auditor export`: what it prints, its exit codes, and the stream."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.cli.main import main
from tests.builders import make_audit
from tests.pty.terminal import Terminal

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def audit(tmp_path: Path) -> str:
    return str(make_audit(tmp_path / "a.db"))


def test_a_file_is_written_and_counted_on_stderr(audit: str, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "r.jsonl"
    assert main(["export", "responses", audit, "-o", str(target)]) == 0
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == f"16 rows written to {target}\n"
    assert len(target.read_bytes().splitlines()) == 16
    assert main(["export", "responses", audit, "-o", str(target)]) == 2
    assert main(["export", "responses", audit, "-o", str(target), "--force", "--quiet"]) == 0
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["tags", "-o", "x.csv"],
        ["taxonomy", "-o", "x.md"],
        ["annotations", "-o", "x.csv"],
        ["bundle", "-o", "x.zip"],
        ["responses", "-o", "x.\x1b[2J"],
        ["responses", "-o", "x.csv", "--where", "nope:1"],
        ["responses", "-o", "x.csv", "--annotator", "ana"],
        ["responses"],
    ],
)
def test_an_export_that_cannot_be_made_is_one_sentence(
    audit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", arguments[0], audit, *arguments[1:]]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("auditor: ") and captured.err.count("\n") == 1 and "\x1b" not in captured.err
    assert "should not have happened" not in captured.err and not list(tmp_path.glob("x.*"))


def test_a_taxonomy_without_a_file_is_markdown_and_a_terminal_has_it_laid_out(audit: str, capsys: Capture) -> None:
    put = ["tags", "put", audit, "--annotator", "ana", "--item", "demo/case-0/output/model-a/0", "--tag", "copying"]
    assert main([*put, "--note", "[b]lost\x1b[2J"]) == 0
    capsys.readouterr()
    assert main(["export", "taxonomy", audit]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# Execution failures\n") and "\n## copying\n" in text and "\x1b" not in text
    command = [sys.executable, "-m", "auditor", "export", "taxonomy", audit]
    with Terminal(command, rows=500) as terminal:
        terminal.wait_for_exit()
    assert terminal.exit_code == 0 and "## copying" not in terminal.text and "[b]lost␛[2J" in terminal.text


def test_a_dash_writes_json_lines_to_the_standard_output(audit: str) -> None:
    command = [sys.executable, "-m", "auditor", "export", "responses", audit, "-o", "-"]
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "AUDITOR_DEBUG": "1"})
    assert [json.loads(line)["arm"] for line in done.stdout.splitlines()].count("output") == 8
    assert done.stderr == b""


def test_a_run_is_a_folder_that_can_be_imported(audit: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["export", "run", audit, "-o", str(tmp_path / "run")]) == 0
    assert "16 responses written" in capsys.readouterr().err
    assert main(["import", str(tmp_path / "b.db"), str(tmp_path / "run")]) == 0


def test_help_says_what_can_be_exported(capsys: Capture) -> None:
    assert main(["export", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("tags", "responses", "taxonomy", "run", "auditor export tags audit.db"))
