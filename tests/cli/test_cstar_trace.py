"""`auditor trace` of items whose programs are in C*."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.cli.main import main
from auditor.studies.prex.cstar.notation import STANDARD, SWAPPED
from auditor.studies.prex.cstar.respelling import respell
from tests.studies.prex.results import record, write_lines

LOOP = "int a;\nwhile (a < 30)\n{\n    a = (a + 1);\n};\nbreak;\n"


@pytest.fixture
def audit(tmp_path: Path) -> str:
    reply = {"model-prediction": "<ans>##error##</ans><rule>35</rule>"}
    loop = record("break_outside_loop", "K", "KeywordSwap", **reply, **{"src-filename": "loop.imp"})
    loop |= {"program": LOOP, "mutated-program": respell(LOOP, STANDARD, SWAPPED)}
    broken = record("None", "K", "KeywordSwap", **reply, **{"src-filename": "broken.imp"})
    broken |= {"mutated-program": "int \x1b[31m;"}
    path = write_lines(tmp_path / "mk" / "IMP-K" / "m-da" / "results-42.jsonl", [loop, broken])
    load(tmp_path / "a.db", [path], LoadOptions())
    grade_file(tmp_path / "a.db")
    return str(tmp_path / "a.db")


def item(name: str, error: str) -> str:
    return f"prex-human-written/{name}%2F{error}/K%2FKeywordSwap/m-da/0"


def test_the_last_steps_end_at_the_violated_rule(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    key = item("loop", "break_outside_loop")
    assert main(["trace", audit, key]) == 0
    out, err = capsys.readouterr()
    assert "Under K the program violates Rule 34 (break outside a loop) at line 6, column 1" in out
    assert 'Predicted: {"verdict":"error","rule":"Rule 35"}.' in out
    assert err.startswith("These are the last 20 of ")
    assert main(["trace", audit, key, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rule"], told["state"], len(told["list"])) == ("Rule 34", {"a": 30}, 20)
    assert told["list"][-1]["rule"] == 34 and told["list"][-1]["step"] == told["steps"]
    assert main(["trace", audit, key, "--changes", "a", "--limit", "3", "--json"]) == 0
    changes = [one["change"]["new"] for one in json.loads(capsys.readouterr().out)["list"]]
    assert changes == [0, 1, 2]
    assert main(["trace", audit, key, "--steps", "2-4", "--json"]) == 0
    assert [one["step"] for one in json.loads(capsys.readouterr().out)["list"]] == [2, 3, 4]


def test_a_step_is_shown_with_its_rule_and_the_variables_after_it(
    audit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key = item("loop", "break_outside_loop")
    assert main(["trace", audit, key, "--at", "violation"]) == 0
    out = capsys.readouterr().out
    assert "step 248 of 248" in out and "    6  break;" in out and "Rule 34: break outside" in out
    assert "⟨k⟩ `" not in out and "ERROR" in out
    assert main(["trace", audit, key, "--at", "first", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["at"]
    assert (told["step"], told["variables"], told["formal"]) == (0, {}, None)
    assert main(["trace", audit, key, "--at", "9", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["at"]["step"] == 9 and told["at"]["variables"] == {"a": 1} and told["at"]["rule"] == 21
    assert told["cited"][0].startswith("wrong rule (adjacent number)")
    assert main(["trace", audit, key, "--iterations", "--limit", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["list"]) == 2
    assert main(["trace", audit, key, "--at", "nowhere"]) == 2
    assert main(["trace", audit, key, "--outputs"]) == 2
    assert main(["trace", audit, key, "--visits"]) == 2
    assert main(["trace", audit, key, "--at", "999"]) == 2
    refused = capsys.readouterr().err
    assert "a C* program writes no output." in refused and "visits of a line are not listed" in refused
    assert "this run has no step 999: it has 248 steps." in refused


def test_a_text_that_is_no_program_says_where(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", audit, item("broken", "valid")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("auditor: the program cannot be run: line 1, column 5: ") and "\x1b" not in err
