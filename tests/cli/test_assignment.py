"""`auditor assign` and `auditor progress` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli.main import main
from tests.builders import make_audit


@pytest.fixture
def audit(tmp_path: Path) -> str:
    return str(make_audit(tmp_path / "a.db", cases=6))


def test_shares_and_progress_as_tables(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assign", audit, "--annotators", "ana,ben", "--overlap", "2"]) == 0
    shown = capsys.readouterr().out
    assert "ana and ben" in shown
    assert "2 for each, seed 0; 6 clusters drawn now." in shown
    assert main(["progress", audit]) == 0
    assert "Counted: the items of 'status:wrong'." in capsys.readouterr().out


def test_shares_and_progress_as_json(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assign", audit, "--annotators", "ana,ben", "--dry-run", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert {share["annotator"] for share in done["shares"]} == {"ana", "ben"}
    assert main(["progress", audit, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"where": "status:wrong", "annotators": [], "items": [], "held": []}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--add", "--replace"], "exclude each other"),
        (["--add", "--overlap", "2"], "--add goes on with the filter"),
        (["--overlap", "3"], "cannot have 3 annotators"),
    ],
)
def test_what_does_not_go_together(
    audit: str, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    assert main(["assign", audit, "--annotators", "ana,ben", *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_review_of_what_is_assigned_needs_an_assignment(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", audit, "--annotator", "ana", "--assigned"]) == 2
    assert "nothing is assigned to 'ana'" in capsys.readouterr().err
    assert main(["assign", audit, "--annotators", "ana"]) == 0
    assert main(["review", audit, "--annotator", "ana", "--assigned"]) == 2
    assert "a review needs a terminal" in capsys.readouterr().err


def test_progress_says_what_needs_another_look(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    item = "demo/case-0/output/model-a/0"
    assert main(["tags", "put", audit, "--annotator", "ana", "--item", item, "--tag", "arithmetic"]) == 0
    assert main(["codebook", "merge", audit, "arithmetic", "state-transition"]) == 0
    capsys.readouterr()
    assert main(["progress", audit, "--json"]) == 0
    (ana,) = json.loads(capsys.readouterr().out)["annotators"]
    assert (ana["annotator"], ana["again"]) == ("ana", 1)
    assert main(["progress", audit]) == 0
    assert "again: items that need another look since the codebook changed" in capsys.readouterr().out
    assert main(["review", audit, "--annotator", "ana", "--where", "stale:yes"]) == 2
    assert "There is no annotator 'yes'; there are: ana." in capsys.readouterr().err
