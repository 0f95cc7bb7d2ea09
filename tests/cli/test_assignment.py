"""`auditor assign` and `auditor progress` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli.main import main
from tests.builders import make_audit

PAGES = Path(__file__).parents[2] / "docs"


@pytest.fixture
def audit(tmp_path: Path) -> str:
    return str(make_audit(tmp_path / "a.db", cases=6))


def test_shares_and_progress_as_tables(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assign", audit, "--annotators", "ana,ben", "--overlap", "2"]) == 0
    shown = capsys.readouterr().out
    assert "ana and ben" in shown
    assert "2 annotators for each, seed 0; 6 clusters drawn now." in shown
    assert main(["progress", audit]) == 0
    assert "Counted: the items of 'status:wrong'." in capsys.readouterr().out


def test_shares_and_progress_as_json(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assign", audit, "--annotators", "ana,ben", "--dry-run", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert {share["annotator"] for share in done["shares"]} == {"ana", "ben"}
    assert main(["progress", audit, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "where": "status:wrong",
        "annotators": [],
        "items": [],
        "held": [],
    } | {"left_out": 0}


def test_a_sample_is_the_same_for_all_and_the_recipe_is_of_the_docs(
    audit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (PAGES / "several-people.md").read_text(encoding="utf-8")
    lines = [line.split() for line in page.split("<!-- recipe -->")[1].split("\n\n")[1].splitlines()]
    commands = [[audit if word == "audit.db" else word for word in line[1:]] for line in lines]
    assert [main(command) for command in commands] == [0, 2, 2, 2]
    shown = capsys.readouterr()
    assert "The first 50 in random order: 24 items of 6 clusters" in shown.out
    assert f"auditor review {audit} --annotator ana --assigned --blind" in shown.out
    assert shown.err.count("a review needs a terminal") == 2
    assert main(["assign", audit, "--annotators", "ana,ben", "--take", "2", "--per", "arm", "--replace", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["take"], done["per"], done["order"], done["overlap"], done["items"]) == (2, ["arm"], "random", 2, 4)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--add", "--replace"], "exclude each other"),
        (["--add", "--overlap", "2"], "--add goes on with the filter"),
        (["--per", "arm"], "Add e.g. --take 50."),
        (["--take", "3", "--add"], "there is no assignment yet"),
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
