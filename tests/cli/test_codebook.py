"""`auditor codebook`: every change from the command line, what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.tags import put_tags
from auditor.cli.main import main
from tests.builders import make_audit
from tests.hostile import HOSTILE


@pytest.fixture
def audit(tmp_path: Path) -> str:
    path = make_audit(tmp_path / "audit.db")
    for annotator in ("ana", "ben"):
        put_tags(path, annotator, "demo/case-0/output/model-a/0", ["copying"])
    put_tags(path, "ana", "demo/case-1/output/model-a/0", ["copying", "truncated"])
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["codebook", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def shown(capsys: pytest.CaptureFixture[str], audit: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(capsys, "show", audit, "--json")[1])
    return found


def test_a_change_says_whose_items_it_touches(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "retire", audit, "copying", "--dry-run")
    assert code == 0 and "copying: 2 items in 3 reviews of 2 annotators carry it.\n" in out
    assert "Nothing was changed." in out
    assert shown(capsys, audit)["revision"] == 1
    code, out, _ = run(capsys, "retire", audit, "copying")
    assert "execution revision 2: the tag copying retired." in out
    assert "3 reviews need another look under this revision.\n" in out and "auditor codebook stale" in out
    _, out, _ = run(capsys, "retire", audit, "oracle-disputed")
    assert "3 reviews need another look under this revision, as before." in out
    tag = next(tag for tag in shown(capsys, audit)["tags"] if tag["id"] == "copying")
    assert (tag["retired"], tag["key"], tag["items"], tag["annotators"]) == (True, None, 2, ["ana", "ben"])
    assert tag["reviews"] == 3
    row = next(line for line in run(capsys, "show", audit)[1].splitlines() if " copying " in line)
    assert row.split()[-4:] == ["2", "3", "2", "retired"]


def test_a_restored_tag_is_said_to_have_what_was_merged_away(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "merge", audit, "copying", "truncated")[0] == 0
    for options in (["--dry-run"], []):
        _, out, _ = run(capsys, "restore", audit, "copying", *options)
        assert "copying: 2 items in 3 reviews of 2 annotators carry it." in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "lost digit", "--definition", "d", "--key", "b"], "the tag lost-digit added"),
        (["rename", "copying", "copied wrongly"], "called 'copied wrongly'"),
        (["rename", "copying", "--id", "transcription"], "with the id transcription"),
        (["define", "copying", "--rule", "narrow", "--meaning"], "means something else now"),
        (["define", "copying", "--alone", "--wording"], "is worded differently"),
        (["merge", "copying", "truncated"], "merged into the tag truncated"),
        (["split", "copying", "--into", "lost=d", "--into", "truncated"], "split into lost, truncated"),
        (["move", "copying", "1"], "moved to place 1"),
        (["key", "copying", "b"], "has the key b"),
        (["key", "copying", "1"], "has the key 1, the tag arithmetic the key 5"),
        (["group", "copying", "Reading the task", "--one"], "at most one of which"),
        (["group", "copying", "--none"], "belongs to no group"),
    ],
    ids=" ".join,
)
def test_every_change_is_one_revision(
    audit: str, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    command, *rest = arguments
    code, out, err = run(capsys, command, audit, *rest, "--json")
    assert code == 0, err
    report = json.loads(out)
    assert words in report["words"] and report["revision"] == 2 and report["action"] == command
    assert [one["words"] for one in shown(capsys, audit)["revisions"]] == ["", report["words"]]
    assert main(["verify", audit]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rename", "copyin", "x"], "has no tag 'copyin'. Did you mean copying?"),
        (["rename", "copying", "Truncated"], "'Truncated'"),
        (["rename", "copying", "copying"], "so already"),
        (["rename", "copying"], "Give a NAME, or --id ID."),
        (["rename", "copying", "x" * 201], "has 201 characters"),
        (["rename", "copying", "a\x1b[2Jb"], "which does not show"),
        (["define", "copying", "--rule", "x"], "Give --meaning or --wording."),
        (["define", "copying", "--meaning"], "nothing is given"),
        (["merge", "copying", "copying"], "cannot be merged into itself"),
        (["split", "copying", "--into", "lost=d"], "at least two"),
        (["split", "copying", "--into", "lost=d", "--into", "Lost=e"], "same tag twice"),
        (["restore", "copying"], "is in use"),
        (["key", "copying", "u"], "cannot be a tag's"),
        (["group", "copying"], "Give a GROUP, or --none."),
        (["add", "copying", "--definition", "d"], "is there already"),
        (["add", "漢字", "--definition", "d"], "no id can be made"),
        (["add", "x", "--definition", ""], "has no definition"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_refused_is_a_sentence_and_changes_nothing(
    audit: str, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    command, *rest = arguments
    code, out, err = run(capsys, command, audit, *rest)
    assert (code, out) == (2, "") and sentence in err and "\x1b" not in err
    assert shown(capsys, audit)["revision"] == 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_names_and_definitions_of_any_kind_are_kept_or_refused_in_a_sentence(
    audit: str, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    # An argument of a process holds no NUL and no lone surrogate that is not an undecodable byte.
    code, _, err = run(capsys, "add", audit, text, "--id", "new", "--definition", f"means {text}")
    assert "should not have happened" not in err and "\x1b" not in err
    found = {tag["id"]: tag for tag in shown(capsys, audit)["tags"]}
    if code == 0:
        assert (found["new"]["name"], found["new"]["definition"]) == (text, f"means {text}")
    else:
        assert code == 2 and err.count("auditor:") == 1 and "new" not in found


def test_the_list_of_what_needs_another_look(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "stale", audit)[1] == "Nothing needs another look.\n"
    run(capsys, "split", audit, "copying", "--into", "lost=d", "--into", "doubled=d")
    stale = json.loads(run(capsys, "stale", audit, "--annotator", "ana", "--json")[1])["stale"]
    assert [one["why"] for one in stale] == ["copying was split into lost, doubled"] * 2
    assert {(one["annotator"], one["judged"], one["revision"]) for one in stale} == {("ana", 1, 2)}
    put_tags(Path(audit), "ana", "demo/case-1/output/model-a/0", ["lost"])
    stale = json.loads(run(capsys, "stale", audit, "--annotator", "ana", "--json")[1])["stale"]
    assert [one["item"] for one in stale] == ["demo/case-0/output/model-a/0"]
    code, _, err = run(capsys, "stale", audit, "--annotator", "bem")
    assert code == 2 and "there is no annotator 'bem'" in err


def test_a_codebook_goes_out_and_in_again(audit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book.yaml"
    assert run(capsys, "export", audit, "-o", str(book))[0] == 0
    code, _, err = run(capsys, "import", audit, str(book))
    assert code == 2 and "so already" in err
    text = book.read_text().replace("name: copying", "name: copied wrongly")
    book.write_text(text)
    assert "is called 'copied wrongly'" in run(capsys, "import", audit, str(book))[1]
    assert run(capsys, "export", audit)[1] == text
    code, _, err = run(capsys, "export", audit, "-o", str(book))
    assert code == 2 and "--force" in err
    book.write_text(text.replace("id: copying", "id: copying\n    retired: true"))
    code, _, err = run(capsys, "import", audit, str(book))
    assert code == 2 and "book.yaml:" in err and "has a key" in err
