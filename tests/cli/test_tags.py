"""`auditor tags`: exit codes, one sentence an error, and nothing raw on the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli.main import main
from auditor.formats.csv_table import csv_line
from tests.audit.hostile_run import STUDY, TEXTS, hostile_audit
from tests.builders import make_audit

ITEM = "demo/case-0/output/model-a/0"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def audit(tmp_path: Path) -> str:
    return str(make_audit(tmp_path / "a.db"))


def raw_controls(text: str) -> list[str]:
    return [char for char in text if char not in "\n\t" and (ord(char) < 32 or 127 <= ord(char) < 160)]


def test_put_list_and_import_work_together(audit: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["tags", "put", audit, "--annotator", "ana", "--item", ITEM, "--tag", "copying", "--note", "n"]) == 0
    assert main(["tags", "list", audit, "--json"]) == 0
    output = capsys.readouterr().out
    document = json.loads(output[output.index("{") :])
    (record,) = document["tags"]
    assert (record["item"], record["annotator"], record["tag"], record["note"]) == (ITEM, "ana", "copying", "n")
    file = tmp_path / "t.json"
    file.write_text(json.dumps(document))
    assert main(["tags", "import", audit, str(file), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["reviews"], report["unchanged"], report["refused"]) == (1, 0, 1, [])


def test_a_refused_row_gives_exit_code_one_with_its_line(audit: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"".join(map(csv_line, [("item", "tag"), (ITEM, "copying"), (f"{ITEM[:-1]}7", "[/]\x1b[2J")])))
    assert main(["tags", "import", audit, str(file), "--annotator", "ana"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "1 row of ana: 1 review changed, 0 as before\n"
    assert "t.csv:3: there is no item" in captured.err
    assert not raw_controls(captured.out + captured.err)


def test_an_import_that_refuses_everything_says_that_it_brought_nothing_in(
    audit: str, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"".join(map(csv_line, [("item", "tag", "annotator"), (ITEM, "copyin", "ana")])))
    assert main(["tags", "import", audit, str(file)]) == 1
    captured = capsys.readouterr()
    assert captured.out == "1 row read, nothing brought in\n" and captured.err.startswith("1 row refused:\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["put", "FILE", "--annotator", "ana", "--item", ITEM, "--tag", "copyin"],
        ["put", "FILE", "--annotator", "ana", "--item", "[/]\x1b", "--tag", "copying"],
        ["put", "FILE", "--annotator", " ", "--item", ITEM, "--tag", "copying"],
        ["put", "FILE", "--annotator", "ana", "--item", ITEM],
        ["put", "FILE", "--annotator", "ana", "--item", ITEM, "--none", "--codebook", "nothing"],
        ["list", "FILE", "--annotator", "cleo\x9b31m"],
        ["list", "FILE", "--where", "status:"],
        ["list", "missing.db"],
        ["import", "FILE", "missing.csv"],
        ["import", "FILE", "."],
        ["import", "missing.db", "missing.csv"],
        ["lost"],
    ],
)
def test_an_unusable_call_is_one_sentence_and_exit_code_two(audit: str, arguments: list[str], capsys: Capture) -> None:
    assert main(["tags", *(audit if one == "FILE" else one for one in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("auditor: ") and captured.err.count("\n") == 1
    assert "should not have happened" not in captured.err and not raw_controls(captured.err)


def test_a_list_of_some_tags_leaves_out_the_others_of_its_items(audit: str, capsys: Capture) -> None:
    put = ["tags", "put", audit, "--annotator", "ana", "--item", ITEM]
    assert main([*put, "--tag", "copying", "--tag", "arithmetic", "--note", "n"]) == 0
    for arguments, tags in (
        (["--where", "tag:copying"], ["arithmetic", "copying"]),
        (["--tag", "copying"], ["copying"]),
        (["--tag", "copying", "--tag", "arithmetic"], ["arithmetic", "copying"]),
        (["--tag", "other"], []),
    ):
        capsys.readouterr()
        assert main(["tags", "list", audit, "--json", *arguments]) == 0
        assert [record["tag"] for record in json.loads(capsys.readouterr().out)["tags"]] == tags
    assert main(["tags", "list", audit, "--tag", "other"]) == 0
    assert capsys.readouterr().out == "Nothing is left by the filter and the options.\n"
    assert main(["tags", "list", audit, "--tag", "copyin"]) == 2
    assert "there is no tag 'copyin'" in capsys.readouterr().err


def test_a_list_shows_the_columns_that_say_something(audit: str, capsys: Capture) -> None:
    put = ["tags", "put", audit, "--item", ITEM, "--tag", "copying", "--annotator"]
    assert main([*put, "ana"]) == 0
    capsys.readouterr()
    assert main(["tags", "list", audit]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["item", "annotator", "tag", "at"]
    assert main([*put, "judge", "--kind", "model", "--note", "why"]) == 0
    capsys.readouterr()
    assert main(["tags", "list", audit]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["item", "annotator", "kind", "tag", "at", "note"]


def test_a_list_of_nothing_says_so(audit: str, capsys: Capture) -> None:
    assert main(["tags", "list", audit]) == 0
    assert "Nobody has tagged" in capsys.readouterr().out
    assert main(["tags", "list", audit, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"tags": []}


def test_hostile_text_is_visible_in_the_table_and_exact_in_json(tmp_path: Path, capsys: Capture) -> None:
    audit = str(hostile_audit(tmp_path))
    names = ("study", "case", "arm", "setting", "annotator", "tag", "note")
    rows = [(STUDY.name, text, "output", "NA", "ana", "copying", text) for text in TEXTS]
    (tmp_path / "t.csv").write_bytes(b"".join(map(csv_line, [names, *rows])))
    assert main(["tags", "import", audit, str(tmp_path / "t.csv")]) == 0
    capsys.readouterr()
    assert main(["tags", "list", audit]) == 0
    table = capsys.readouterr().out
    assert not raw_controls(table)
    for word in ("[/some/path]", "␛]52;c;aGVsbG8=␛", "hello <U+D83D>", "nums[i]"):
        assert word in table.replace("\n", "")
    assert main(["tags", "list", audit, "--json"]) == 0
    document = capsys.readouterr().out
    assert not raw_controls(document)
    assert sorted(r["note"] for r in json.loads(document)["tags"]) == sorted(TEXTS)


@pytest.mark.parametrize("command", [[], ["list"], ["put"], ["import"]])
def test_help_says_what_it_does(command: list[str], capsys: Capture) -> None:
    assert main(["tags", *command, "--help"]) == 0
    text = capsys.readouterr().out
    assert "Usage: auditor tags" in text and (not command or f"auditor tags {command[0]} audit.db" in text)
