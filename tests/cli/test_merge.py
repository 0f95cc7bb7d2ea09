"""`auditor merge`, and annotations through `export` and `import`: what is printed, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli.main import main
from auditor.store.reviews import MarkReviewed, NothingToTag, SetNote, ToggleTag
from tests.audit.test_merge import copied, do, events
from tests.builders import make_audit
from tests.hostile import HOSTILE


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make_audit(Path("a.db").absolute())


def test_a_merge_says_what_came_in_and_what_differs(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    other = copied(audit, "b.db")
    do(audit, "ana", (1, SetNote("here")), (1, MarkReviewed()))
    do(other, "ana", (1, SetNote("there")))
    do(other, "ben", (1, NothingToTag()))
    assert main(["merge", "a.db", "b.db", "--dry-run"]) == 0
    tried = capsys.readouterr().out
    assert tried.endswith("Dry run: nothing was changed.\n")
    assert main(["merge", "a.db", "b.db"]) == 0
    text = capsys.readouterr().out
    assert tried.startswith(text)
    assert text.splitlines()[0] == "2 events new, 1 known"
    assert "1 item on which somebody went on in both; the last word counts:" in text
    assert "reviewed: copying; note 'here'" in text
    assert main(["merge", "a.db", "b.db"]) == 0
    assert capsys.readouterr().out == "Nothing new.\n"


def test_a_note_that_is_cut_says_so(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = copied(audit, "b.db")
    do(audit, "ana", (1, SetNote("x" * 30)))
    do(other, "ana", (1, SetNote("x" * 30 + "y")))
    assert main(["merge", "a.db", "b.db", "--same", "ana"]) == 0
    text = capsys.readouterr().out
    assert f"note '{'x' * 30}'  " in text
    assert f"note '{'x' * 30}'…" in text


def test_the_json_lists_everything(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    other = copied(audit, "b.db")
    do(audit, "ana", (1, SetNote("here")))
    do(other, "ana", (1, SetNote("there")))
    assert main(["merge", "a.db", "b.db", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["events"], found["known"], found["dry_run"]) == (1, {"b.db": 1}, False)
    assert found["annotators"] == [
        {"other": "b.db", "name": "ana", "becomes": "ana", "kind": "person", "events": 1, "new": False}
    ]
    (conflict,) = found["conflicts"]
    assert [conflict[side]["note"] for side in ("here", "there", "result")] == ["here", "there", "there"]
    assert other.exists()


def test_who_is_who_can_be_told(tmp_path: Path, audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = make_audit(tmp_path / "b.db")
    for path in (audit, other):
        do(path, "ana", (1, NothingToTag()))
    assert main(["merge", "a.db", "b.db"]) == 2
    error = capsys.readouterr().err
    assert "the annotator ana is in a.db and b.db, and nothing says whether that is the same person" in error
    assert "give `auditor merge` --same ana if so, else --rename b.db:ana=NEW. Nothing was changed." in error
    assert main(["merge", "a.db", "b.db", "--rename", "anna"]) == 2
    assert "--rename anna: this names no file, or no two names" in capsys.readouterr().err
    assert main(["merge", "a.db", "b.db", "--rename", "ana=anna", "--dry-run"]) == 0
    assert "ana → anna" in capsys.readouterr().out
    assert main(["merge", "a.db", "b.db", "--same", "ana"]) == 0
    assert events(audit) == 2


def test_a_name_that_is_nobodys_is_refused_with_the_nearest(
    tmp_path: Path, audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    do(make_audit(tmp_path / "b.db"), "ana", (1, NothingToTag()))
    assert main(["merge", "a.db", "b.db", "--same", "anna"]) == 2
    assert "--same names 'anna', and nothing that is merged has an annotator" in (error := capsys.readouterr().err)
    assert "Did you mean ana?" in error


def test_what_is_left_out_is_listed_and_the_exit_code_says_so(
    tmp_path: Path, audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = make_audit(tmp_path / "b.db", cases=5)
    do(other, "ben", (17, NothingToTag()))
    assert main(["merge", "a.db", "b.db"]) == 1
    done = capsys.readouterr()
    assert done.out == "Nothing was brought in.\n"
    assert "1 event on 1 item left out:" in done.err
    assert "b.db: demo/case-4/output/model-a/0: there is no such response in the audit file (1 event)." in done.err


def test_hostile_names_and_notes_reach_no_terminal(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [name for name in HOSTILE.values() if name.strip()][:20]
    for name in names:
        do(audit, name, (1, SetNote("before")))
    other = copied(audit, "b.db")
    for name in names:
        do(audit, name, (1, SetNote("here")))
        do(other, name, (1, SetNote(name)))
    assert main(["merge", "a.db", "b.db"]) == 0
    text = capsys.readouterr().out
    assert not {char for char in text if not char.isprintable()} - {"\n"}


def test_annotations_go_out_to_a_folder_and_come_in_again(
    tmp_path: Path, audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    do(audit, "ana", (1, NothingToTag()))
    assert main(["export", "annotations", "a.db", "-o", "bundle"]) == 0
    assert "1 event written to bundle" in capsys.readouterr().err
    make_audit(tmp_path / "b.db")
    assert main(["import", "b.db", "bundle", "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Dry run: nothing was changed."
    assert main(["import", "b.db", "bundle"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "1 event new"
    assert main(["import", "b.db", "bundle", "--study", "demo"]) == 2
    assert "--study does not go with an annotations bundle" in capsys.readouterr().err
    assert main(["import", "absent.db", "bundle"]) == 2
    assert "there is no audit file absent.db" in capsys.readouterr().err
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "-"], "annotations are a folder"),
        (["-o", "bundle", "--where", "status:wrong"], "--where does not go with annotations"),
        (["-o", "bundle", "--annotator", "zoe"], "there is no annotator 'zoe'"),
        (["-o", "nowhere/bundle"], "there is no folder nowhere"),
        (["-o", "a.db"], "it is a file"),
    ],
)
def test_an_export_that_cannot_be_says_why(
    audit: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    do(audit, "ana", (1, NothingToTag()))
    assert main(["export", "annotations", str(audit), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_cases_and_annotations_can_come_in_one_command(
    tmp_path: Path, audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    do(audit, "ana", (1, NothingToTag()))
    assert main(["export", "annotations", "a.db", "-o", "bundle"]) == 0
    assert main(["export", "run", "a.db", "-o", "run"]) == 0
    capsys.readouterr()
    assert main(["import", "new.db", "bundle", "run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["responses"]["new"], found["annotations"]["events"]) == (16, 1)
    assert main(["import", "other.db", "bundle", "run", "--dry-run"]) == 2
    assert "Import the cases first" in capsys.readouterr().err
