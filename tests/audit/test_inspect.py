"""What `info` counts, and that `verify` finds whatever was changed behind the history's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.inspect import info, item_keys, verify
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import Defer, MarkReviewed, SetNote, ToggleTag, open_session
from auditor.cli.main import main
from auditor.errors import AuditFileError
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = make_audit(tmp_path / "a.db")
    with closing(open_session(file, "ana")) as session:
        session.submit(1, ToggleTag("copying"))
        session.submit(1, SetNote("a carry"))
        session.submit(1, MarkReviewed())
        session.submit(2, Defer())
    return file


def change(path: Path, sql: str) -> None:
    """Change the file as somebody with another tool might."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


def failed(path: Path) -> dict[str, list[str]]:
    return {check.name: check.problems for check in verify(path) if check.problems}


def test_a_file_that_nobody_tampered_with_is_whole(path: Path) -> None:
    assert failed(path) == {}
    assert {check.name: check.checked for check in verify(path)} == {
        "the database is whole": 1,
        "every reference leads somewhere": 1,
        "programs have their SHA-256": 4,
        "tasks have their hashes": 8,
        "responses have their hashes": 16,
        "the history gives the current states": 4,
        "tags count as their codebooks say": 11,
        "kept counts of agreement are those of the reviews": 0,
        "what is said of executed tasks follows from their executions": 0,
    }


@pytest.mark.parametrize(
    ("sql", "check", "words"),
    [
        ("UPDATE applied_tags SET tag_id = tag_id + 1", "history", "copying"),
        ("DELETE FROM applied_tags", "history", "no tags"),
        ("UPDATE reviews SET state = 'reviewed' WHERE response_id = 2", "history", "deferred"),
        ("UPDATE reviews SET note = 'other' WHERE response_id = 1", "history", "a carry"),
        ("DELETE FROM reviews WHERE response_id = 2", "history", "nothing"),
        ("UPDATE responses SET reply = 'right' WHERE id = 3", "responses", "response 3"),
        ("UPDATE responses SET reply = NULL WHERE id = 3", "responses", "response 3"),
        ("UPDATE responses SET finish = 'length' WHERE id = 3", "responses", "response 3"),
        ("UPDATE programs SET source = source || ' ' WHERE id = 2", "programs", "program 2"),
        ("UPDATE tasks SET oracle = 'other' WHERE id = 2", "tasks", "task 2"),
        ("UPDATE tasks SET program_id = 3 WHERE id = 2", "tasks", "task 2"),
        ("""UPDATE tasks SET details = '{"facets": {"size": 9}}' WHERE id = 2""", "tasks", "task 2"),
        ("UPDATE responses SET setting_id = 77 WHERE id = 3", "reference", "settings"),
        ("DELETE FROM tags", "reference", "tags"),
        ("UPDATE tags SET counts_as = 2 WHERE id = 1", "codebooks", "arithmetic counts as state-transition"),
    ],
)
def test_verify_finds_what_was_changed(path: Path, sql: str, check: str, words: str) -> None:
    change(path, sql)
    problems = [text for name, texts in failed(path).items() if check in name for text in texts]
    assert problems and words in " ".join(problems)


def test_verify_lists_a_few_of_many_and_says_how_many_there_are(path: Path) -> None:
    change(path, "UPDATE responses SET reply = 'x' || id")
    (problems,) = failed(path).values()
    assert len(problems) <= 21


def test_verify_finds_a_damaged_database(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8192 * 5 : 8192 * 6] = b"\xff" * 8192
    path.write_bytes(data)
    try:
        assert failed(path)
    except AuditFileError as error:
        assert "damaged" in str(error)


def test_every_hostile_text_passes_verification(tmp_path: Path) -> None:
    names = list(HOSTILE)
    tasks = [task(name, input=HOSTILE[name], oracle=HOSTILE[name], facets={"f": HOSTILE[name]}) for name in names]
    answers = [response(name, response=HOSTILE[name], finish=HOSTILE[name]) for name in names]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, answers)], LoadOptions())
    assert failed(tmp_path / "a.db") == {}


def test_info_counts_what_is_there(path: Path) -> None:
    found = info(path)
    (study,) = found.studies
    assert (study.name, study.policy, study.codebook) == ("demo", "bytes", "execution")
    assert (study.cases, study.clusters, study.tasks, study.responses, study.graded) == (4, 4, 8, 16, 16)
    (annotator,) = found.annotators
    assert (annotator.name, annotator.kind, annotator.codebook, annotator.tags) == ("ana", "person", "execution", 1)
    assert annotator.states == {"not-reviewed": 0, "in-progress": 0, "reviewed": 1, "deferred": 1}
    assert (found.settings, found.codebooks) == (["model-a", "model-b"], {"execution": 1})
    assert (found.events, found.superseded, found.absent_cells) == (4, 0, 0)
    assert found.bytes == path.stat().st_size and found.version >= 2


def test_info_tells_superseded_and_absent_rows(tmp_path: Path) -> None:
    tasks = [task("c1"), task("c2")]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, [response()])], LoadOptions())
    changed = write_run(tmp_path / "run", tasks, [response(response="other")])
    load(tmp_path / "a.db", [changed], LoadOptions(replace=True))
    found = info(tmp_path / "a.db")
    assert (found.superseded, found.absent_cells, found.studies[0].responses) == (1, 1, 1)


def test_item_keys_come_in_the_order_that_was_asked_for(path: Path) -> None:
    keys = item_keys(path, [16, 1, 2])
    assert keys == ["demo/case-3/state/model-b/0", "demo/case-0/output/model-a/0", "demo/case-0/output/model-b/0"]


def test_marks_that_wait_beside_a_file_are_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_audit(tmp_path / "audit.db")
    beside = tmp_path / "audit.db.unsaved-ben@execution-0123456789ab-1.jsonl"
    beside.write_bytes(b"")
    for command in ("info", "verify"):
        assert main([command, str(path)]) == 0
        assert f"not in it yet ({beside.name})" in capsys.readouterr().out
    assert info(path).waiting == [beside.name]
    beside.unlink()
    assert main(["verify", str(path)]) == 0
    assert "wait beside" not in capsys.readouterr().out
