"""`auditor places`: what is put is listed and read back; one sentence an error, nothing raw on the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.cli.main import main
from tests.builders import make_audit
from tests.cli.test_tags import raw_controls
from tests.hostile import HOSTILE

ITEM = "demo/case-3/output/model-a/0"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def audit(tmp_path: Path) -> str:
    return str(make_audit(tmp_path / "a.db"))


def put(audit: str, *words: str) -> int:
    return main(["places", "put", audit, "--annotator", "ana", "--item", ITEM, *words])


def test_put_list_export_and_import_work_together(audit: str, tmp_path: Path, capsys: Capture) -> None:
    assert put(audit, "--bookmark") == put(audit, "--line", "2", "--memo", "one too early") == 0
    assert put(audit, "--difference", "1", "--memo", "the sign") == put(audit, "--bookmark") == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"{ITEM}: bookmark",
        f"{ITEM}: memo on line 2",
        f"{ITEM}: memo on difference 1",
        "It was so already.",
    ]
    assert main(["places", "list", audit, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(p["place"], p["number"], p["quote"], p["text"]) for p in document["places"]] == [
        ("item", None, "", ""),
        ("line", 2, "x = 1", "one too early"),
        ("difference", 1, "right → wrong", "the sign"),
    ]
    other, file = str(make_audit(tmp_path / "b.db")), tmp_path / "p.json"
    file.write_text(json.dumps(document))
    assert main(["places", "import", other, str(file)]) == 0
    assert capsys.readouterr().out == "3 rows read: 3 brought in, 0 as before\n"
    assert main(["places", "import", other, str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == 3
    assert main(["export", "places", other, "-o", str(tmp_path / "p.csv")]) == 0
    assert put(audit, "--line", "2", "--memo", "") == put(audit, "--no-bookmark") == 0
    assert main(["places", "list", audit]) == 0
    assert "difference 1" in (listed := capsys.readouterr().out) and "line 2 " not in listed.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "either a bookmark or a memo"),
        (["--bookmark", "--memo", "x"], "either a bookmark or a memo"),
        (["--bookmark", "--line", "1"], "a bookmark is on the item as a whole"),
        (["--memo", "x"], "on one line or on one difference"),
        (["--memo", "x", "--line", "1", "--difference", "1"], "on one line or on one difference"),
        (["--memo", "x", "--line", "9"], "there is no line 9: the source has 4 lines"),
        (["--memo", "x", "--difference", "2"], "there is no difference 2"),
    ],
)
def test_what_cannot_be_put_is_refused_in_a_sentence(audit: str, capsys: Capture, words: list[str], said: str) -> None:
    assert put(audit, *words) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") <= 2
    assert main(["places", "list", audit]) == 0
    assert capsys.readouterr().out == "There are no bookmarks and no memos yet.\n"


@pytest.mark.parametrize("name", [name for name in HOSTILE if HOSTILE[name].strip() and "\0" not in HOSTILE[name]])
def test_no_memo_reaches_the_terminal_raw(audit: str, capsys: Capture, name: str) -> None:
    assert put(audit, "--line", "1", "--memo", HOSTILE[name]) == 0
    assert main(["places", "list", audit]) == 0
    captured = capsys.readouterr()
    assert not raw_controls(captured.out + captured.err)


def test_the_first_cause_is_put_and_listed(audit: str, capsys: Capture) -> None:
    words = ["tags", "put", audit, "--annotator", "ana", "--item", ITEM, "--tag", "copying"]
    assert main([*words, "--first", "arithmetic"]) == 0
    assert capsys.readouterr().out == f"{ITEM}: arithmetic¹, copying\n"
    assert main(["tags", "list", audit]) == 0
    assert "arithmetic¹" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"changed": False, "tags": None, "first_cause": None}
    assert main([*words[:6], "--none", "--first", "copying"]) == 2
