"""`auditor adjudicate` without its screen, and what exports and taxonomy make of decisions."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from auditor.cli.main import main
from auditor.codebook import load_codebook
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.reviews import PutTags
from tests.builders import make_audit
from tests.cli.test_tags import raw_controls
from tests.hostile import HOSTILE

ITEM, AGREED, OTHER = (f"demo/case-{case}/output/model-a/0" for case in (0, 1, 2))
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def audit(tmp_path: Path) -> str:
    """Return an audit with an item on which ana and ben differ, one on which they agree, and one of ana's alone."""
    audit = str(make_audit(tmp_path / "a.db"))
    for annotator, item, tags in (
        ("ana", ITEM, ["arithmetic", "copying"]),
        ("ben", ITEM, ["arithmetic"]),
        ("ana", AGREED, ["copying"]),
        ("ben", AGREED, ["copying"]),
        ("ana", OTHER, ["other"]),
    ):
        words = [word for tag in tags for word in ("--tag", tag)]
        assert main(["tags", "put", audit, "--annotator", annotator, "--item", item, *words]) == 0
    return audit


def decide(audit: str, *words: str, item: str = ITEM) -> int:
    return main(["adjudicate", audit, "--annotator", "lm", "--decide", item, *words])


def listed(audit: str, capsys: Capture, *words: str) -> str:
    capsys.readouterr()
    assert main(["adjudicate", audit, "--list", *words]) == 0
    return capsys.readouterr().out


def test_the_list_counts_and_names_what_differs(audit: str, capsys: Capture) -> None:
    out = listed(audit, capsys)
    assert "Codebook execution: 1 open, 1 unanimous, 1 reviewed by one annotator only." in out
    assert "copying ana, not ben" in out and AGREED not in out
    assert "all: copying" in listed(audit, capsys, "--where", "decision:unanimous")
    document = json.loads(listed(audit, capsys, "--json"))
    assert document["counts"] == {
        "open": 1,
        "stale": 0,
        "unresolved": 0,
        "adjudicated": 0,
        "unanimous": 1,
        "single": 1,
    }
    (item,) = document["items"]
    assert item["item"] == ITEM and [tag["source"] for tag in item["tags"]] == ["unanimous", "open"]
    assert item["tags"][1]["marks"] == {"ana": True, "ben": False}


def test_a_decision_is_made_changed_and_taken_back(audit: str, capsys: Capture) -> None:
    assert decide(audit, "--tag", "copying=yes", "--note", "line 2") == 0
    assert decide(audit, "--tag", "copying=yes", "--note", "line 2") == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [f"{ITEM}: copying yes", "It was so already."]
    assert decide(audit, "--tag", "copying=unresolved", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["changed"], document["state"], document["tags"][1]["by"]) == (True, "unresolved", "lm")
    assert decide(audit, "--take", "ben") == 0
    assert "copying no" in listed(audit, capsys)
    assert decide(audit, "--tag", "copying=open") == 0
    assert "1 tag of it still needs a decision." in capsys.readouterr().out
    assert main(["verify", audit]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--decide", ITEM, "--tag", "arithmetic=no"], "overrides everyone who reviewed the item (arithmetic)"),
        (["--decide", ITEM, "--tag", "copying"], "does not say what is decided. Write TAG=yes"),
        (["--decide", ITEM, "--tag", "copying=maybe"], "does not say what is decided"),
        (["--decide", ITEM], "nothing says what is decided"),
        (["--tag", "copying=yes"], "Name it with --decide ITEM"),
        (["--list", "--decide", ITEM], "two different things"),
        (["--json"], "--json goes with --list and with --decide"),
        (["--order", "odd"], "there is no order 'odd'"),
        (["--where", "decision:odd"], "there is no decision 'odd'"),
        (["--codebook", "prex"], "holds no codebook 'prex'"),
        ([], "needs a terminal"),
        (["--where", "arm:state"], "nobody has reviewed an item that the filter leaves"),
        (["--between", "ana,judge"], "no annotator 'judge'"),
    ],
)
def test_a_call_that_cannot_be_done_says_why(audit: str, capsys: Capture, words: list[str], said: str) -> None:
    before = Path(audit).read_bytes()
    assert main(["adjudicate", audit, "--annotator", "lm", *words]) == 2
    assert said in capsys.readouterr().err
    assert Path(audit).read_bytes() == before


def test_an_adjudicator_is_a_person_with_a_name(audit: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    put = ["tags", "put", audit, "--annotator", "judge", "--kind", "model", "--item", OTHER, "--none"]
    assert main(put) == 0
    assert main(["adjudicate", audit, "--annotator", "judge", "--decide", ITEM, "--tag", "copying=yes"]) == 2
    assert "only people adjudicate" in capsys.readouterr().err
    assert main(["adjudicate", audit, "--decide", ITEM, "--tag", "copying=yes"]) == 2
    assert "who decides?" in capsys.readouterr().err
    assert "1 open" in listed(audit, capsys, "--between", "ana,judge")


def test_final_tags_are_exported_or_it_says_that_none_are_adjudicated(
    audit: str, capsys: Capture, tmp_path: Path
) -> None:
    target = tmp_path / "final.csv"
    export = ["export", "tags", audit, "--adjudicated", "-o", str(target), "--force"]
    assert main([*export, "--where", "case:case-0"]) == 2
    assert "none adjudicated: no item that the filter leaves has final tags (1 with something open)" in (
        capsys.readouterr().err
    )
    assert not target.exists()
    assert main(export) == 0
    said = capsys.readouterr().err
    assert "none adjudicated: on all 1 item everybody agrees." in said and "1 item with something open was left" in said
    assert decide(audit, "--tag", "copying=no") == 0
    assert main(export) == 0
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["tag"], r["decision"], r["source"], r["decided_by"]) for r in rows] == [
        ("arithmetic", "present", "unanimous", "ana/ben"),
        ("copying", "absent", "adjudicated", "lm"),
        ("copying", "present", "unanimous", "ana/ben"),
    ]
    assert all(row["at"] for row in rows)
    assert main(["tags", "import", audit, str(target), "--annotator", "gold"]) == 2
    assert "these are decisions, which are no annotator's tags" in capsys.readouterr().err
    assert main(["export", "responses", audit, "--adjudicated", "-o", str(target)]) == 2
    assert main([*export, "--annotator", "ana"]) == 2
    assert "decisions are nobody's own" in capsys.readouterr().err


def test_the_taxonomy_counts_decisions_first_and_says_so(audit: str, tmp_path: Path) -> None:
    document, table = tmp_path / "t.md", tmp_path / "t.jsonl"
    assert main(["export", "taxonomy", audit, "-o", str(document)]) == 0
    assert "Decided by" not in document.read_text()
    assert decide(audit, "--tag", "copying=no") == 0
    assert main(["export", "taxonomy", audit, "-o", str(document), "--force"]) == 0
    text = document.read_text()
    assert "Decided by lm: 2 items with final tags, of which all annotators agree on 1." in text
    assert "| decided | decision | 1 | 2 | 50.0 % | 1 |" in text
    assert main(["export", "taxonomy", audit, "-o", str(table)]) == 0
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    copying = {row["kind"]: row for row in reversed(rows) if row["tag"] == "copying"}
    assert (copying["decision"]["items"], copying["decision"]["agreed"], copying["decision"]["exemplar"]) == (
        1,
        1,
        AGREED,
    )
    assert copying["person"]["items"] == 2, "each annotator's own counts stand beside it"
    assert main(["export", "taxonomy", audit, "-o", str(table), "--annotator", "ana", "--force"]) == 0
    assert {json.loads(line)["kind"] for line in table.read_text().splitlines()} == {"person"}


def test_the_queue_finds_items_by_how_they_stand(audit: str, capsys: Capture) -> None:
    assert decide(audit, "--tag", "copying=no") == 0
    capsys.readouterr()
    assert main(["queue", audit, "--columns", "item,decision", "--where", "arm:output setting:model-a", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["decision"] for row in rows] == ["adjudicated", "unanimous", "single", None]
    assert main(["queue", audit, "--where", "decision:adjudicated", "--columns", "item", "--json"]) == 0
    assert [row["item"] for row in json.loads(capsys.readouterr().out)["rows"]] == [ITEM]


def test_no_name_or_note_reaches_the_terminal_raw(tmp_path: Path, capsys: Capture) -> None:
    book = tmp_path / "book.yaml"
    tags = [text for text in HOSTILE.values() if text.strip() and "\ud83d" not in text and "\udc80" not in text]
    names = list(dict.fromkeys(tags))[:30]
    lines = "".join(f"  - id: t{n}\n    name: tag {n}\n    definition: x\n" for n, _ in enumerate(names))
    book.write_text(f"name: odd\ntags:\n{lines}")
    path = make_audit(tmp_path / "a.db")
    connection = open_file(path)
    for number, name in enumerate(names, 1):
        with transaction(connection):
            stored = ensure_codebook(connection, load_codebook(book))
            actor = Actor(ensure_annotator(connection, f"a{name}"), stored)
            tagged = (f"t{number - 1}",)
            act(
                connection,
                actor,
                1,
                PutTags(tagged, name),
                uuid=uuid7(),
                at="2026-01-01T00:00:00.000Z",
                origin="import",
            )
    connection.close()
    for words in (["--list"], ["--list", "--json"], ["--decide", ITEM, "--tag", "t0=yes"]):
        assert main(["adjudicate", str(path), "--annotator", "lm\x1b[2J", "--codebook", "odd", *words]) == 0
        captured = capsys.readouterr()
        assert not raw_controls(captured.out + captured.err)


def test_the_name_of_a_later_pass_adjudicates_nothing(audit: str, capsys: Capture) -> None:
    assert main(["adjudicate", audit, "--annotator", "lm#2"]) == 2
    assert "'lm#2' is the name of a later pass of 'lm'" in capsys.readouterr().err
