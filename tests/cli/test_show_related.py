"""`auditor show --arms` and `--settings`: what the review screen shows beside an item."""

from __future__ import annotations

import json

import pytest

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.cli.main import main
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run

STATE = {"target": "state", "oracle": '{"i": 1, "total": 20}'}


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("related")
    tasks = [
        task("c", "output", oracle="1 2 3\n"),
        task("c", "state", **STATE),
        task("c", "last"),
        task("c", "accents", oracle="caf\u00e9"),
    ]
    replies = [
        response("c", "accents", response="cafe\u0301"),
        response("c", "output", response="1 2 4\n"),
        response("c", "output", "other", response="1 2 3\n"),
        response("c", "output", sample=1, response=None),
        response("c", "state", response='{"i": 1}'),
    ]
    replies += [response("c", "output", f"h {text}", response=text) for text in HOSTILE.values()]
    load(folder / "a.db", [write_run(folder / "run", tasks, replies)], LoadOptions())
    grade_file(folder / "a.db")
    return str(folder / "a.db")


def test_the_arms_of_a_case(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", audit, "s/c/state/m/0", "--arms", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["item"] == "s/c/state/m/0"
    accents, last, output, state = sorted(found["arms"], key=lambda arm: str(arm["arm"]))
    assert (output["arm"], output["status"], output["field"]) == ("output", "wrong-valid", None)
    assert (output["oracle"], output["prediction"]) == ("1 2 3\n", "1 2 4\n")
    assert (state["field"], state["oracle"], state["prediction"], state["mode"]) == (
        "total",
        "20",
        None,
        "missing_field",
    )
    assert (accents["oracle"], accents["prediction"]) == ("caf\u00e9", "cafe\u0301")
    assert main(["show", audit, "s/c/state/m/0", "--arms"]) == 0
    assert "caf<U+00E9>" in (out := capsys.readouterr().out) and "cafe<U+0301>" in out
    assert last == {"arm": "last", **dict.fromkeys(("status", "field", "oracle", "prediction", "mode", "evidence"))}


def test_the_answers_to_a_task(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", audit, "s/c/output/m/0", "--settings", "--json"]) == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    of = {(one["setting"], one["sample"]): one for one in answers}
    assert len(answers) == len(HOSTILE) + 3
    assert of["other", 0]["status"] == "correct-valid" and of["other", 0]["prediction"] is None
    assert of["m", 1]["status"] == "no-response"


@pytest.mark.parametrize("option", ["--arms", "--settings"])
def test_a_table_is_printed_with_visible_text(audit: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", audit, "s/c/output/m/0", option]) == 0
    out = capsys.readouterr().out
    assert "wrong-valid" in out and "\x1b" not in out
    assert main(["show", audit, "s/c/nothing/m/0", option]) == 2
