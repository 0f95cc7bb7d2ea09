"""`auditor queue`: the table of the queue screen, and saved filters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli.main import main
from tests.builders import make_audit


@pytest.fixture
def audit(tmp_path: Path) -> str:
    return str(make_audit(tmp_path / "audit.db", replies={(0, "output", "model-a"): "right"}))


def test_it_lists_what_a_filter_leaves_in_an_order(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queue", audit, "--where", "arm:output", "--columns", "case,setting,loc,status", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["total"] == 8 and found["order"] == "smallest"
    assert found["rows"][0] == {
        "item": "demo/case-0/output/model-a/0",
        "case": "case-0",
        "setting": "model-a",
        "loc": 1,
        "status": "correct-valid",
    }
    assert main(["queue", audit, "--limit", "2"]) == 0
    assert "15 responses, the first 2 of them here." in capsys.readouterr().out


def test_key_prediction_and_oracle_are_columns(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["--columns", "item,prediction,oracle"]
    assert main(["queue", audit, "--where", "case:case-0 arm:output setting:model-a", *columns]) == 0
    assert "demo/case-0/output/model-a/0  right       right" in capsys.readouterr().out


def test_a_long_prediction_is_cut_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "é" * 300
    audit = str(make_audit(tmp_path / "long.db", cases=1, replies={(0, "output", "model-a"): long}))
    assert main(["queue", audit, "--columns", "prediction", "--where", "arm:output setting:model-a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["prediction"] == "é" * 199 + "…"


def test_it_shows_the_work_of_the_annotator_who_is_named(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    item = "demo/case-1/output/model-a/0"
    put = ["tags", "put", audit, "--annotator", "ana", "--item", item, "--tag", "copying", "--note", "why"]
    assert main(put) == 0
    capsys.readouterr()
    assert main(["queue", audit, "--where", "case:case-1", "--annotator", "ana", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert (row["state"], row["tags"], row["note"]) == ("reviewed", "copying", "why")
    assert main(["queue", audit, "--where", "case:case-1", "--json"]) == 0
    assert "copying" not in capsys.readouterr().out


def test_filters_are_saved_used_and_forgotten(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queue", audit, "--where", "arm:state", "--order", "import", "--save", "states"]) == 0
    assert "arm:state" in capsys.readouterr().out
    assert main(["queue", audit, "--use", "states", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["total"], found["where"], found["order"]) == (8, "arm:state", "import")
    assert main(["queue", audit, "--forget", "states"]) == 0
    assert "No filter is saved." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--columns", "cse"], "Did you mean case?"),
        (["--order", "size"], "there is no order 'size'"),
        (["--annotator", "nobody"], "knows no annotator 'nobody'"),
        (["--use", "nothing"], "there is no saved filter 'nothing'"),
        (["--forget", "nothing"], "there is no saved filter 'nothing'"),
        (["--save", "two words"], "cannot be the name of a filter"),
        (["--save", "x\x07"], "cannot be the name of a filter"),
        (["--save", "x" * 61], "of at most 60 characters"),
        (["--save", "bad", "--where", "arn:x"], "Did you mean arm?"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(
    audit: str, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(["queue", audit, *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_nothing_left_is_said(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queue", audit, "--where", "case:nothing"]) == 0
    assert "No response matches 'case:nothing'" in capsys.readouterr().out


def test_the_setting_gives_the_columns(
    audit: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITOR_QUEUE_COLUMNS", "state, case, loc")
    assert main(["queue", audit, "--where", "case:case-1", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["rows"][0]) == ["item", "case", "loc"]
    monkeypatch.setenv("AUDITOR_QUEUE_COLUMNS", "cse")
    assert main(["queue", audit]) == 2
    assert "The setting queue_columns: " in capsys.readouterr().err
