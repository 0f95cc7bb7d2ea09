"""`auditor probes`: what is proposed is written, listed, withdrawn and exported; nothing raw on the terminal."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from auditor.cli.main import main
from tests.cli.test_tags import raw_controls
from tests.walls import need_wall

ROOT = Path(__file__).resolve().parents[2]
RUN = ("--about", "longest-run/loops/t03")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def audit(core_template: Path, tmp_path: Path) -> str:
    need_wall()
    return str(shutil.copy(core_template, tmp_path / "a.db"))


def test_from_a_proposal_to_the_file_that_is_built(audit: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["probes", "list", audit]) == 0
    assert "Nobody has written a probe yet" in capsys.readouterr().out
    assert main(["probes", "propose", audit, *RUN, "--variable", "best", "--limit", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["run"] == "longest-run/loops/t03" and found["proposed"] > 2 and len(found["probes"]) == 2
    first = found["probes"][0]
    assert first["variable"] == "best" and first["depth"] >= found["probes"][1]["depth"]
    assert main(["probes", "propose", audit, *RUN, "--line", "4"]) == 0
    assert "probes proposed; the deepest" in capsys.readouterr().out
    moment = ["--kind", first["kind"], "--line", str(first["line"]), "-n", str(first["n"]), "--variable", "best"]
    add = ["probes", "add", audit, "--annotator", "ana", *RUN, *moment]
    assert main([*add, "--question", "[b]How\x1b[2J long?", "--dimension", "State", "--dimension", "Logic"]) == 0
    said = capsys.readouterr().out
    assert f"Answer: {first['answer']} (integer); depth {first['depth']}, Logic, State" in said
    assert not raw_controls(said)
    assert main([*add, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["changed"] is False and again["question"] == "[b]How\x1b[2J long?" and again["name"] == first["name"]
    assert main(["probes", "list", audit]) == 0
    said = capsys.readouterr().out
    assert "written" in said and first["name"] in said and not raw_controls(said)
    file = tmp_path / "probes.jsonl"
    assert main(["export", "probes", audit, "-o", str(file)]) == 0
    assert capsys.readouterr().err == f"1 probe written to {file}\n"
    line = json.loads(file.read_text())
    assert "answer" not in line and line["dimensions"] == ["Logic", "State"]
    take = ["probes", "import", audit, str(file), "--annotator", "ana", "--problem", "longest-run"]
    assert main(take) == 0
    assert capsys.readouterr().out == "1 probe read: 0 written or changed, 1 as before\n"
    withdraw = ["probes", "withdraw", audit, "--annotator", "ana", *RUN, "--name", first["name"]]
    assert main(withdraw) == main(withdraw) == 0
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == [
        f"probe {first['name']} withdrawn",
        "it was so already",
    ]
    assert main(["probes", "list", audit, "--json"]) == 0
    assert [one["state"] for one in json.loads(capsys.readouterr().out)["probes"]] == ["withdrawn"]
    assert main(["export", "probes", audit, "-o", "-"]) == 2
    assert main([*withdraw, "--back", "--json"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "--where", "problem:none"], "Nothing is left by the filter and the options."),
        (["list", "--annotator", "zed"], "zed"),
        (["propose", "--about", "a/b/c"], "no item here is about the run a/b/c. Probes are"),
        (["propose", "--about", "longest-run/loops/t99"], "Of this problem these runs have items: loops/t01"),
        (["propose", *RUN, "--limit", "1"], "kind"),
        (["withdraw", "--annotator", "ana", *RUN, "--name", "x"], "ana wrote no probe 'x' about this run."),
        (["add", "--annotator", "ana", *RUN, "--kind", "branch", "--line", "2"], "the run gives no answer"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(audit: str, capsys: Capture, words: list[str], said: str) -> None:
    assert main(["probes", words[0], audit, *words[1:]]) in (0, 2)
    told = capsys.readouterr()
    assert said in told.out + told.err


def test_the_commands_of_the_page_run(
    audit: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-problems" / "longest_run").mkdir(parents=True)
    page = (ROOT / "docs" / "core.md").read_text(encoding="utf-8").partition("<!-- probes -->")[2]
    commands = [line.strip() for line in page.partition("\n## ")[0].splitlines() if line.startswith("    auditor ")]
    assert len(commands) == 6
    for command in commands:
        assert main([audit if word == "audit.db" else word for word in shlex.split(command)[1:]]) == 0, command
        capsys.readouterr()
    assert (tmp_path / "my-problems" / "longest_run" / "probes.jsonl").is_file()
