"""Taking items on the command line: `tags next`, what `progress`, filters and columns say of it, refused calls."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from auditor.cli.main import main
from tests.builders import make_audit

WHERE = ["--where", "case:case-0 arm:output"]


@pytest.fixture
def audit(tmp_path: Path) -> str:
    return str(make_audit(tmp_path / "a.db", cases=2))


def output(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    assert main(list(words)) == code
    return capsys.readouterr().out


def test_each_call_takes_another_item_until_nothing_is_free(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    keys = [output(capsys, 0, "tags", "next", audit, "--annotator", "ana", *WHERE) for _ in range(2)]
    assert keys == ["demo/case-0/output/model-a/0\n", "demo/case-0/output/model-b/0\n"]
    told = output(capsys, 1, "tags", "next", audit, "--annotator", "ben", *WHERE)
    assert told.startswith("Nothing is free: 2 items are held by ana until ")
    told = output(capsys, 1, "tags", "next", audit, "--annotator", "ana", *WHERE)
    assert "2 items are held by you, in another session, until " in told
    assert output(capsys, 0, "tags", "next", audit, "--annotator", "ben", "--overlap", "2", *WHERE) == keys[0]


def test_what_is_tagged_is_taken_by_nobody_any_more(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    taken = ["tags", "next", audit, "--annotator", "ana", "--minutes", "0.000001", "--json", *WHERE]
    first = json.loads(output(capsys, 0, *taken))
    assert (first["annotator"], first["reason"]) == ("ana", "")
    assert json.loads(output(capsys, 0, *taken))["item"] == first["item"], "the time was over"
    for item in (first["item"], first["item"].replace("model-a", "model-b")):
        output(capsys, 0, "tags", "put", audit, "--annotator", "ana", "--item", item, "--none")
    nothing = json.loads(output(capsys, 1, *taken))
    assert (nothing["item"], nothing["until"]) == (None, None)
    assert nothing["reason"] == "All 2 items of this queue are reviewed or deferred."
    taken[taken.index("ana")] = "ben"
    nothing = json.loads(output(capsys, 1, *taken))
    assert nothing["reason"] == "Nothing is free: 2 items have 1 reviewer."


def test_a_review_and_a_script_hear_the_same_of_nothing_free(
    audit: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        output(capsys, 0, "tags", "next", audit, "--annotator", "ben", *WHERE)
    said = output(capsys, 1, "tags", "next", audit, "--annotator", "ana", *WHERE).strip()
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert main(["review", audit, "--annotator", "ana", "--overlap", "1", *WHERE]) == 1
    shown = " ".join(capsys.readouterr().err.split())
    assert said.startswith("Nothing is free: 2 items are held by ben until ") and said in shown


def test_progress_and_filters_say_who_holds_what(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, 0, "tags", "next", audit, "--annotator", "ana")
    found = json.loads(output(capsys, 0, "progress", audit, "--json"))["held"]
    assert [(one["annotator"], one["codebook"], one["items"]) for one in found] == [("ana", "execution", 1)]
    shown = output(capsys, 0, "progress", audit)
    assert "held now by" in shown and "ana" in shown
    listed = json.loads(output(capsys, 0, "queue", audit, "--where", "held:ana", "--columns", "case,held", "--json"))
    assert [row["held"] for row in listed["rows"]] == ["ana"]
    assert json.loads(output(capsys, 0, "queue", audit, "--where", "NOT held:ana", "--json"))["total"] == 7


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--overlap", "0"], "0 is not in the range"),
        (["--overlap", "1", "--again", "5%"], "--overlap shares out what you have not reviewed yet"),
        (["--overlap", "1", "--stale"], "--overlap shares out what you have not reviewed yet"),
        (["--overlap", "1", "--blind", "--where", "held:ben"], "a blind review cannot be filtered by held"),
        (["--overlap", "1", "--assigned"], "nothing is assigned to 'ana'"),
        (["--overlap", "1"], "a review needs a terminal"),
    ],
)
def test_a_review_that_cannot_take_items_says_why(
    audit: str, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    assert main(["review", audit, "--annotator", "ana", *options]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--annotator", "ana#2"], "is the name of a later pass"),
        (["--annotator", "ana", "--minutes", "0"], "not in the range"),
        (["--annotator", "ana", "--where", "case:none"], "so there is nothing to review"),
    ],
)
def test_a_call_that_takes_nothing_says_why(
    audit: str, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    assert main(["tags", "next", audit, *options]) == 2
    assert sentence in capsys.readouterr().err
