"""The pages on statistics, reports and results of PrEx are true: their commands run on the samples as printed."""

from __future__ import annotations

import re
import shlex
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.demo import make_demo
from auditor.cli.main import main
from auditor.store.file import open_for_reading
from auditor.store.selection import matching_responses

DOCS = Path(__file__).resolve().parents[2] / "docs"
RESAMPLING = ("accuracy", "transitions", "associate", "report", "plot")


def commands(page: str) -> list[list[str]]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return [shlex.split(line) for line in re.findall(r"^ {4,8}auditor (.*)$", text, re.MULTILINE)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "demo.db"
    make_demo(path, "exact-output")
    return path


@pytest.mark.parametrize(("page", "least"), [("statistics.md", 12), ("reports.md", 5), ("publishing.md", 14)])
def test_commands_run_on_the_sample_of_the_readme(
    demo: Path,
    page: str,
    least: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copy(demo, tmp_path / "audit.db")
    monkeypatch.chdir(tmp_path)
    found = commands(page)
    assert len(found) >= least
    for command in found:
        fewer = ["--replicates", "100"] if command[0] in RESAMPLING else []
        assert main([*command, *fewer]) == 0, command
        shown = capsys.readouterr().out
        assert "There is no fit" not in shown and "There is no difference" not in shown, command


def test_commands_run_on_the_sample_of_prex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_demo(tmp_path / "audit.db", "prex")
    monkeypatch.chdir(tmp_path)
    assert main(["queue", "audit.db", "--columns", "item", "--where", "status:wrong"]) == 0
    item = next(line for line in capsys.readouterr().out.splitlines() if line.count("/") >= 4)
    found = commands("prex-results.md")
    assert len(found) >= 8
    for command in found:
        if command[0] == "review":
            with closing(open_for_reading(tmp_path / "audit.db")) as connection:
                assert matching_responses(connection, command[command.index("--where") + 1])
        elif "--execute" not in command:  # that is minutes of running, and tested where it is made
            assert main([item.strip() if word == "ITEM" else word for word in command]) == 0, command
