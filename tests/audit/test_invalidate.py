"""Invalid predictions: what is left out where, whose word holds, and that an act is whole or not there at all."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.agree import doubts_of_agreement, ratings_from_audit
from auditor.audit.grade import grade_file
from auditor.audit.inspect import info, verify
from auditor.audit.invalidate import list_invalid, set_validity, take_back
from auditor.audit.merge import merge
from auditor.audit.tabulate import accuracy
from auditor.audit.tags import list_tags, put_tags
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.store.file import open_file, open_for_reading
from auditor.store.kept_agreement import kept_counts
from auditor.store.selection import matching_responses
from tests.audit.test_merge import copied
from tests.builders import make_audit
from tests.hostile import HOSTILE

ITEM = "demo/case-0/output/model-a/0"


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    """Return an audit of 4 cases, 2 arms and 2 settings, of which model-a gets the two arms of case 0 right."""
    replies = {(0, "output", "model-a"): "right", (0, "state", "model-a"): "right"}
    path = make_audit(tmp_path / "audit.db", replies=dict(replies))
    for who in ("ana", "ben"):
        put_tags(path, who, ITEM, ["copying"])
        put_tags(path, who, "demo/case-1/output/model-a/0", ["arithmetic"])
    return path


def holds(path: Path) -> None:
    assert [problem for check in verify(path) for problem in check.problems] == []


def invalid(path: Path, where: str = "") -> list[str]:
    with closing(open_for_reading(path)) as connection:
        return [str(item.key) for item in list_invalid(connection, where)]


def counts(path: Path, where: str = "") -> list[tuple[int, int, int]]:
    with closing(open_for_reading(path)) as connection:
        table = accuracy(connection, rows=("setting",), cols=(), where=where, replicates=100)
    cells = sorted(table.cells, key=lambda cell: str(cell.row))
    return [(cell.correct, cell.completed, cell.planned) for cell in cells]


def test_an_invalid_prediction_is_in_no_number_and_every_number_says_so(
    audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert counts(audit) == [(2, 8, 8), (0, 8, 8)]
    found = set_validity(audit, "lm", "case:case-0 setting:model-a", "wrong checkpoint")
    assert (len(found.changed), found.tasks, found.reviewed, found.already, found.invalid) == (2, 2, 1, 0, 2)
    assert counts(audit) == [(0, 6, 6), (0, 8, 8)]
    assert counts(audit, "invalid:yes,no") == [(2, 8, 8), (0, 8, 8)]
    with closing(open_for_reading(audit)) as connection:
        assert len(matching_responses(connection)) == 14
        assert len(matching_responses(connection, "invalid:yes")) == 2
        assert [pair.items for pair in kept_counts(connection, "execution")] == [1]
        kept = [record for record in list_tags(connection) if record.item == ITEM]
    assert [(record.tag, record.invalid) for record in kept] == [("copying", "wrong checkpoint")] * 2
    assert ratings_from_audit(audit).n_items == 1
    assert ratings_from_audit(audit, where="invalid:yes,no").n_items == 2
    assert doubts_of_agreement(audit) == (1, 0)
    report = grade_file(audit)
    assert (report.invalid, report.graded, report.responses) == (2, 16, 16)
    assert (info(audit).invalid, report.statuses.total()) == (2, 14)
    holds(audit)
    file = str(audit)
    for command in (
        ["accuracy", file],
        ["grade", file],
        ["agreement", file],
        ["queue", file, "--where", "case:case-0"],
    ):
        assert main(command) == 0
        assert "invalid (invalid:yes)" in capsys.readouterr().out
    assert main(["info", file]) == 0
    assert "Invalid: 2 responses" in capsys.readouterr().out
    assert main(["accuracy", file, "--rows", "invalid", "--cols", "", "--json"]) == 0
    assert sorted(json.loads(capsys.readouterr().out)["rows"]) == ["no", "yes"]


def test_an_act_is_taken_back_as_one_and_a_restored_prediction_counts_again(audit: Path) -> None:
    set_validity(audit, "lm", "arm:state", "one")
    set_validity(audit, "lm", "case:case-1", "two")
    assert len(invalid(audit)) == 10
    assert len(take_back(audit, "lm").changed) == 2
    assert len(invalid(audit)) == 8
    set_validity(audit, "ben", "case:case-0", "it was right", restore=True)
    assert len(invalid(audit)) == 6
    with pytest.raises(InputError, match="all count already"):
        set_validity(audit, "ben", "case:case-0 arm:state", "again", restore=True)
    # What somebody else said later holds, and the undo of an older word does not bring that back.
    set_validity(audit, "lm", "case:case-0 arm:state", "one")
    assert len(invalid(audit)) == 8
    take_back(audit, "lm")
    assert len(invalid(audit)) == 6
    take_back(audit, "lm")
    assert invalid(audit) == []
    with pytest.raises(InputError, match="nothing that holds"):
        take_back(audit, "lm")
    holds(audit)


def test_words_of_two_people_come_together_in_a_merge_in_either_order(audit: Path) -> None:
    set_validity(audit, "lm", "arm:state", "one")
    other = copied(audit, "other.db")
    set_validity(audit, "ana", "arm:state case:case-1", "fine", restore=True)
    set_validity(other, "ben", "case:case-1", "wrong prompt")
    first, second = copied(audit, "first.db"), copied(other, "second.db")
    merge(first, [other])
    merge(second, [audit])
    assert invalid(first) == invalid(second)
    assert [item for item in invalid(first) if "case-1" in item] == [
        "demo/case-1/output/model-a/0",
        "demo/case-1/output/model-b/0",
    ]
    merge(first, [second])
    for path in (first, second):
        holds(path)


def test_a_reason_may_hold_anything(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reason = " ".join(HOSTILE.values())
    set_validity(audit, "lm", "case:case-2 arm:output", reason)
    with closing(open_for_reading(audit)) as connection:
        assert {item.why.reason for item in list_invalid(connection)} == {reason}
    assert main(["invalidate", str(audit), "--list"]) == 0
    assert not {"\x1b", "\r", "\x9b", "\x00"} & set(capsys.readouterr().out)
    holds(audit)


def test_an_undo_counts_what_it_took_back_and_names_the_first_few(
    audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_validity(audit, "lm", "status:wrong", "wrong prompt")
    assert main(["invalidate", str(audit), "--undo", "--annotator", "lm"]) == 0
    first, *keys, more, left = capsys.readouterr().out.splitlines()
    assert first.startswith("14 predictions on ") and first.endswith(" are what they were before.")
    assert len(keys) == 5 and more == "  … and 9 more; --json lists all." and left == "Invalid in all: 0."


KILLED = """
import os, signal, sys
from pathlib import Path
from auditor.audit import invalidate
from auditor.store import history

real, left = history.act, [int(sys.argv[2])]

def act(*given, **named):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given, **named)

invalidate.act = act
invalidate.set_validity(Path(sys.argv[1]), "lm", "status:wrong", "wrong prompt")
"""


def test_an_act_that_is_killed_half_way_has_changed_nothing(audit: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(audit), "9"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (invalid(audit), info(audit).invalid) == ([], 0)
    holds(audit)
    assert len(set_validity(audit, "lm", "status:wrong", "wrong prompt").changed) == 14


def test_what_cannot_be_used_is_said_and_changes_nothing(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(audit)
    for arguments, words in (
        (["--reason", "x", "--annotator", "lm"], "nothing says which predictions"),
        (["--where", "arm:state", "--annotator", "lm"], "nothing says why"),
        (["--where", "arm:state", "--reason", " ", "--annotator", "lm"], "nothing says why"),
        (["--where", "arm:stat", "--reason", "x", "--annotator", "lm"], "no response matches"),
        (["--where", "(", "--reason", "x", "--annotator", "lm"], ""),
        (["--where", "arm:state", "--reason", "x"], "who says so"),
        (["--undo", "--reason", "x", "--annotator", "lm"], "whole act"),
        (["--undo", "--annotator", "nobody"], "no annotator"),
        (["--list", "--undo"], "changes nothing"),
    ):
        assert main(["invalidate", file, *arguments]) == 2
        assert words in capsys.readouterr().err
    dry = ["--where", "arm:state", "--reason", "x", "--annotator", "lm", "--dry-run", "--json"]
    assert main(["invalidate", file, *dry]) == 0
    assert len(json.loads(capsys.readouterr().out)["changed"]) == 8
    assert main(["invalidate", file, "--list"]) == 0
    assert "Nothing is invalid." in capsys.readouterr().out
    with closing(open_file(audit)) as connection:
        assert connection.execute("SELECT count(*) FROM annotators WHERE name = 'lm'").fetchone() == (0,)


# --- asked again ---------------------------------------------------------------------------------------------------


def test_recollected_replies_take_the_place_of_invalid_ones_also_where_they_are_the_same(
    audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_validity(audit, "lm", "case:case-0 setting:model-a", "wrong checkpoint")
    file, again = str(audit), audit.with_name("again")
    assert main(["export", "requests", file, "--where", "invalid:yes", "-o", str(again), "--quiet"]) == 0
    asked = [json.loads(line) for line in (again / "requests.jsonl").read_text().splitlines()]
    assert [(one["arm"], one["setting"], one["sample"], one["why"], one["reason"]) for one in asked] == [
        ("output", "model-a", 0, "invalid", "wrong checkpoint"),
        ("state", "model-a", 0, "invalid", "wrong checkpoint"),
    ]
    assert asked[0]["source"] == "print(x)\n"
    assert len((again / "tasks.jsonl").read_text().splitlines()) == 2
    # Nothing changes by importing it as it is, and nothing is planned by it that was not before.
    before = counts(audit)
    assert main(["import", file, str(again), "--recollected"]) == 0
    assert "still invalid: 2 responses" in capsys.readouterr().out
    assert (counts(audit), len(invalid(audit))) == (before, 2)
    key = {"study": "demo", "case": "case-0", "setting": "model-a", "finish": "stop"}
    replies = [{**key, "arm": "output", "response": "right"}, {**key, "arm": "state", "response": "wrong"}]
    (again / "responses.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    assert main(["import", file, str(again)]) == 1
    assert "--recollected lets this one take its place" in capsys.readouterr().err
    for _ in range(2):
        assert main(["import", file, str(again), "--recollected"]) == 0
        assert (invalid(audit), info(audit).superseded) == ([], 2)
    grade_file(audit)
    assert counts(audit) == [(1, 8, 8), (0, 8, 8)]
    with closing(open_for_reading(audit)) as connection:
        assert [record.tag for record in list_tags(connection) if record.item == ITEM] == []
        history = connection.execute(
            "SELECT count(*) FROM events e JOIN responses r ON r.id = e.response_id WHERE r.superseded_at IS NOT NULL"
        ).fetchone()
    assert history == (4,)
    holds(audit)
    assert main(["export", "requests", file, "-o", str(audit.with_name("none.jsonl"))]) == 2
    assert "nothing is to be asked" in capsys.readouterr().err


def test_a_reply_that_was_replaced_with_its_task_is_to_be_asked_and_others_stay_invalid(
    audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = audit.with_name("run")
    assert main(["export", "run", str(audit), "-o", str(run), "--quiet"]) == 0
    set_validity(audit, "lm", "case:case-0,case-1 arm:output", "wrong oracle")
    lines = [json.loads(line) for line in (run / "tasks.jsonl").read_text().splitlines()]
    for task in lines:
        if (task["case"], task["arm"]) == ("case-0", "output"):
            task["source"] = "print('other')\n"
        if (task["case"], task["arm"]) == ("case-1", "output"):
            task["oracle"] = "wrong"
    (run / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in lines))
    (run / "responses.jsonl").unlink()
    assert main(["import", str(audit), str(run), "--replace"]) == 0
    assert "2 invalid responses answer tasks that were replaced" in capsys.readouterr().out
    assert invalid(audit) == ["demo/case-1/output/model-a/0", "demo/case-1/output/model-b/0"]
    target = audit.with_name("ask.jsonl")
    assert main(["export", "requests", str(audit), "-o", str(target), "--quiet"]) == 0
    asked = [json.loads(line) for line in target.read_text().splitlines()]
    assert [(one["case"], one["setting"], one["why"]) for one in asked] == [
        ("case-0", "model-a", "absent"),
        ("case-0", "model-b", "absent"),
        ("case-1", "model-a", "invalid"),
        ("case-1", "model-b", "invalid"),
    ]
    report = grade_file(audit)
    assert (report.invalid, report.statuses["correct-valid"]) == (2, 1)
    set_validity(audit, "lm", "case:case-1", "the oracle is right now", restore=True)
    assert grade_file(audit).statuses["correct-valid"] == 3
    holds(audit)


def test_an_exported_run_says_what_is_invalid_and_an_import_takes_that_in(audit: Path, tmp_path: Path) -> None:
    set_validity(audit, "lm", "case:case-2", "wrong\x00prompt")
    run, other = tmp_path / "run", tmp_path / "other.db"
    assert main(["export", "run", str(audit), "-o", str(run), "--quiet"]) == 0
    for _ in range(2):
        assert main(["import", str(other), str(run)]) == 0
        assert invalid(other) == invalid(audit)
    with closing(open_for_reading(other)) as here, closing(open_for_reading(audit)) as there:
        assert list(list_invalid(here)) == list(list_invalid(there))
    take_back_of = set_validity(other, "ana", "case:case-2", "fine", restore=True)
    assert (len(take_back_of.changed), main(["import", str(other), str(run)]), invalid(other)) == (4, 0, [])
    holds(other)


def test_what_a_run_says_of_invalid_replies_is_taken_as_it_can_be(audit: Path, tmp_path: Path) -> None:
    run, other = tmp_path / "run", tmp_path / "other.db"
    assert main(["export", "run", str(audit), "-o", str(run), "--quiet"]) == 0
    lines = [json.loads(line) for line in (run / "responses.jsonl").read_text().splitlines()]
    said: list[object] = [True, None, "late", {"reason": 3}, {"reason": "x", "by": "", "at": "yesterday"}]
    for line, value in zip(lines, said, strict=False):
        line["invalid"] = value
    (run / "responses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["import", str(other), str(run)]) == 0
    with closing(open_for_reading(other)) as connection:
        found = [(item.why.reason, item.why.annotator) for item in list_invalid(connection)]
    assert found == [("x", "import")]
    again = tmp_path / "again"
    assert main(["export", "run", str(other), "-o", str(again), "--quiet"]) == 0
    kept = [json.loads(line).get("invalid") for line in (again / "responses.jsonl").read_text().splitlines()]
    assert kept[:4] == [True, None, "late", {"reason": 3}] and kept[4]["by"] == "import"
    holds(other)


def test_a_word_that_the_history_cannot_take_in_is_refused_and_the_rest_comes_in(
    audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    set_validity(audit, "lm", "case:case-2", "wrong prompt")
    run, other = tmp_path / "run", tmp_path / "other.db"
    assert main(["export", "run", str(audit), "-o", str(run), "--quiet"]) == 0
    head = run / "run.toml"
    head.write_text(head.read_text().replace('codebook = "execution"', 'codebook = "nobody-has-it"'))
    assert main(["import", str(other), str(run)]) == 1
    assert "some came as invalid, and count now" in capsys.readouterr().err
    assert (invalid(other), info(other).studies[0].responses) == ([], 16)
    holds(other)
