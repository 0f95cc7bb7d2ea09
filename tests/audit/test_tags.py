"""Tags listed, put and imported: three states, nothing lost, nothing half, the same again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.tags import TagImportOptions, TagRecord, import_tags, list_tags, put_tags
from auditor.errors import AuditorError, InputError
from auditor.formats.csv_table import csv_line
from auditor.model import AnnotatorKind
from auditor.store.file import open_for_reading
from auditor.store.replay import replay_differences
from auditor.text import UndecodedText, json_line
from tests.audit.hostile_run import STUDY, TEXTS, hostile_audit
from tests.builders import make_audit

ITEM = "demo/case-0/output/model-a/0"
OTHER = "demo/case-1/output/model-a/0"
COLUMNS = ("item", "annotator", "tag")


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db")


def listed(path: Path, where: str = "", annotator: str | None = None) -> list[TagRecord]:
    with closing(open_for_reading(path)) as connection:
        return list(list_tags(connection, where, annotator))


def brief(path: Path) -> list[tuple[str, str, str | None, str]]:
    return [(r.item, r.annotator, r.tag, r.state) for r in listed(path)]


def events(path: Path) -> int:
    with closing(open_for_reading(path)) as connection:
        assert not replay_differences(connection)
        return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])


def csv(path: Path, rows: Sequence[Sequence[str]], columns: Sequence[str] = COLUMNS) -> Path:
    path.write_bytes(b"".join(map(csv_line, (columns, *rows))))
    return path


# --- put -----------------------------------------------------------------------------------------------------------


def test_put_tags_stand_beside_those_that_are_there(audit: Path) -> None:
    put_tags(audit, "ana", ITEM, ["copying"], note="first")
    put_tags(audit, "ana", ITEM, ["Arithmetic"])
    assert brief(audit) == [(ITEM, "ana", "arithmetic", "reviewed"), (ITEM, "ana", "copying", "reviewed")]
    assert {record.note for record in listed(audit)} == {"first"}


def test_put_none_takes_all_tags_off_and_says_reviewed(audit: Path) -> None:
    put_tags(audit, "ana", ITEM, ["copying"])
    put_tags(audit, "ana", ITEM, [], none=True)
    assert brief(audit) == [(ITEM, "ana", None, "reviewed")]


def test_the_same_put_again_is_no_event(audit: Path) -> None:
    assert put_tags(audit, "ana", ITEM, ["copying"]) is not None
    assert put_tags(audit, "ana", ITEM, ["copying"]) is None
    assert events(audit) == 1


@pytest.mark.parametrize(
    ("item", "tags", "none", "words"),
    [
        (ITEM, ["copyin"], False, "Did you mean copying"),
        ("demo/case-9/output/model-a/0", ["copying"], False, "there is no item demo/case-9"),
        ("demo", ["copying"], False, "is not made as study/case/arm/setting/sample"),
        ("demo/case-0/output/model-a/%ff", ["copying"], False, "is not made as"),
        (ITEM, [], False, "--none"),
        (ITEM, ["copying"], True, "--none"),
    ],
)
def test_a_put_that_cannot_be_done_changes_nothing(
    audit: Path, item: str, tags: list[str], none: bool, words: str
) -> None:
    with pytest.raises(AuditorError) as caught:
        put_tags(audit, "ana", item, tags, none=none)
    assert words in str(caught.value)
    with closing(open_for_reading(audit)) as connection:
        assert connection.execute("SELECT count(*) FROM annotators").fetchone() == (0,)


def test_kinds_of_annotators_are_kept_apart(audit: Path) -> None:
    put_tags(audit, "judge", ITEM, ["copying"], kind=AnnotatorKind.MODEL)
    put_tags(audit, "judge", OTHER, ["copying"])
    assert {record.kind for record in listed(audit)} == {"model"}
    with pytest.raises(InputError, match="of kind model"):
        put_tags(audit, "judge", ITEM, ["arithmetic"], kind=AnnotatorKind.PERSON)


# --- list ----------------------------------------------------------------------------------------------------------


def test_lists_are_narrowed_by_annotator_and_by_filter(audit: Path) -> None:
    put_tags(audit, "ana", ITEM, ["copying"])
    put_tags(audit, "ben", OTHER, ["arithmetic"])
    assert [record.item for record in listed(audit, annotator="ben")] == [OTHER]
    assert [record.item for record in listed(audit, "case:case-0")] == [ITEM]
    with pytest.raises(InputError, match="no annotator 'cleo'"):
        listed(audit, annotator="cleo")


def test_a_record_has_the_fields_of_the_contract(audit: Path) -> None:
    put_tags(audit, "ana", ITEM, [], none=True, note="n")
    (record,) = listed(audit)
    assert record._asdict() | {"at": ""} == {
        "item": ITEM,
        "study": "demo",
        "case": "case-0",
        "arm": "output",
        "setting": "model-a",
        "sample": 0,
        "annotator": "ana",
        "kind": "person",
        "tag": None,
        "note": "n",
        "at": "",
        "revision": 1,
        "state": "reviewed",
        "codebook": "execution",
        "blind": False,
        "revealed": None,
        "first_cause": False,
        "seconds": None,
        "invalid": None,
    }


# --- import --------------------------------------------------------------------------------------------------------


def test_rows_of_one_review_are_one_act_dated_as_the_file_says(audit: Path, tmp_path: Path) -> None:
    rows = [(ITEM, "ana", "copying", "2026-03-01T10:00:00+02:00"), (ITEM, "ana", "arithmetic", "2026-03-01T09:30:00")]
    report = import_tags(audit, csv(tmp_path / "t.csv", rows, (*COLUMNS, "at")))
    assert (report.rows, report.reviews, report.refusals, events(audit)) == (2, 1, [], 1)
    assert [(r.tag, r.at) for r in listed(audit)] == [
        ("arithmetic", "2026-03-01T09:30:00.000Z"),
        ("copying", "2026-03-01T09:30:00.000Z"),
    ]


def test_an_empty_tag_says_reviewed_and_none(audit: Path, tmp_path: Path) -> None:
    import_tags(audit, csv(tmp_path / "t.csv", [(ITEM, "ana", "")]))
    assert brief(audit) == [(ITEM, "ana", None, "reviewed")]


def test_the_second_import_changes_nothing(audit: Path, tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(ITEM, "ana", "copying"), (OTHER, "ana", "")])
    import_tags(audit, file)
    before = (brief(audit), events(audit))
    report = import_tags(audit, file)
    assert (report.reviews, report.unchanged) == (0, 2)
    assert (brief(audit), events(audit)) == before


def test_names_in_columns_do_as_well_as_an_item(audit: Path, tmp_path: Path) -> None:
    columns = ("study", "case", "arm", "setting", "sample", "annotator", "tag")
    rows = [("demo", "case-0", "output", "model-a", "0", "ana", "copying")]
    import_tags(audit, csv(tmp_path / "t.csv", rows, columns))
    without_sample = [(*row[:4], *row[5:]) for row in rows]
    assert import_tags(audit, csv(tmp_path / "u.csv", without_sample, (*columns[:4], *columns[5:]))).unchanged == 1
    assert brief(audit) == [(ITEM, "ana", "copying", "reviewed")]


BAD_ROWS: dict[str, tuple[dict[str, str], str]] = {
    "unknown item": ({"item": "demo/case-77/output/model-a/0"}, "there is no item demo/case-77/output/model-a/0"),
    "no key": ({"item": "a/b"}, "is not made as"),
    "unknown tag": ({"tag": "NA"}, "has no tag 'NA'"),
    "hostile tag": ({"tag": "[/]\x1b]0;x"}, "has no tag '[/]␛]0;x'"),
    "bad kind": ({"kind": "robot"}, "there is no kind 'robot': it is one of person, model, computed"),
    "bad time": ({"at": "yesterday"}, "at is 'yesterday'"),
    "bad state": ({"state": "done"}, "there is no state 'done'"),
    "bad revision": ({"revision": "two"}, "revision is 'two'"),
    "no annotator": ({"annotator": ""}, "it has no annotator"),
    "other kind": ({"annotator": "ana", "kind": "model"}, "is of kind person"),
    "unknown codebook": ({"codebook": "/etc/passwd"}, "there is no codebook '/etc/passwd'"),
    "item against names": ({"case": "case-3"}, "its item and its case name different things"),
}


@pytest.mark.parametrize(("change", "words"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_a_bad_row_is_refused_with_its_line_and_the_rest_comes_in(
    audit: Path, tmp_path: Path, change: dict[str, str], words: str
) -> None:
    put_tags(audit, "ana", OTHER, ["copying"])
    good = {"item": ITEM, "annotator": "ana", "tag": "copying"}
    columns = ("item", "case", "annotator", "tag", "kind", "at", "state", "revision", "codebook")
    bad = {"item": OTHER, "annotator": "ben", "tag": "copying"} | change
    rows = [[row.get(column, "") for column in columns] for row in (bad, good)]
    report = import_tags(audit, csv(tmp_path / "t.csv", rows, columns))
    (refusal,) = report.refusals
    assert refusal.where == "t.csv:2" and words in refusal.reason
    assert (ITEM, "ana", "copying", "reviewed") in brief(audit)


def test_half_a_review_is_never_brought_in(audit: Path, tmp_path: Path) -> None:
    rows = [(ITEM, "ana", "copying"), (ITEM, "ana", "copyin"), (OTHER, "ana", "copying")]
    report = import_tags(audit, csv(tmp_path / "t.csv", rows))
    assert [r.where for r in report.refusals] == ["t.csv:2", "t.csv:3"]
    assert "refused for t.csv:3" in report.refusals[0].reason
    assert brief(audit) == [(OTHER, "ana", "copying", "reviewed")]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(ITEM, "ana", ""), (ITEM, "ana", "copying")], "says that there is no tag, and another names one"),
        ([(ITEM, "ana", "no-attempt"), (ITEM, "ana", "copying")], "exclude each other"),
    ],
)
def test_contradictions_are_refused(audit: Path, tmp_path: Path, rows: list[tuple[str, str, str]], words: str) -> None:
    refusals = import_tags(audit, csv(tmp_path / "t.csv", rows)).refusals
    assert len(refusals) == len(rows) and all(words in refusal.reason for refusal in refusals)
    assert brief(audit) == []


def test_a_tag_that_stands_alone_takes_the_others_off_and_gives_way_to_them(audit: Path) -> None:
    put_tags(audit, "ana", ITEM, ["copying", "arithmetic"])
    put_tags(audit, "ana", ITEM, ["no-attempt"])
    assert [record.tag for record in listed(audit)] == ["no-attempt"]
    put_tags(audit, "ana", ITEM, ["copying"])
    assert [record.tag for record in listed(audit)] == ["copying"]


def test_tags_that_are_there_stay_and_are_counted_unless_replaced(audit: Path, tmp_path: Path) -> None:
    put_tags(audit, "ana", ITEM, ["arithmetic"], note="mine")
    file = csv(tmp_path / "t.csv", [(ITEM, "ana", "copying")])
    report = import_tags(audit, file)
    assert [r.tag for r in listed(audit)] == [
        "arithmetic",
        "copying",
    ] and "1 review with tags that are not in" in report.notes[0]
    assert {r.note for r in listed(audit)} == {"mine"}
    import_tags(audit, file, TagImportOptions(replace=True))
    assert [(r.tag, r.note) for r in listed(audit)] == [("copying", "")]


def test_an_unfinished_state_in_a_file_never_sets_a_finished_review_back(audit: Path, tmp_path: Path) -> None:
    put_tags(audit, "ana", ITEM, ["copying"])
    file = csv(tmp_path / "t.csv", [(ITEM, "ana", "copying", "in-progress")], (*COLUMNS, "state"))
    assert import_tags(audit, file).unchanged == 1
    import_tags(audit, file, TagImportOptions(replace=True))
    assert brief(audit) == [(ITEM, "ana", "copying", "in-progress")]


def test_what_the_file_does_not_say_comes_from_the_options(audit: Path, tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(ITEM, "false success")], ("item", "tag"))
    assert "no annotator" in import_tags(audit, file).refusals[0].reason
    import_tags(audit, file, TagImportOptions("judge", AnnotatorKind.MODEL, "prex"))
    assert [(r.annotator, r.kind, r.tag, r.codebook) for r in listed(audit)] == [
        ("judge", "model", "false-success", "prex")
    ]


def test_a_revision_that_this_file_does_not_hold_is_kept_and_told(audit: Path, tmp_path: Path) -> None:
    report = import_tags(audit, csv(tmp_path / "t.csv", [(ITEM, "ana", "copying", "7")], (*COLUMNS, "revision")))
    assert listed(audit)[0].revision == 7 and "revision" in report.notes[0]


BOOK = """name: loops
tags:
  - {id: one-short, name: one round short, definition: The reply leaves the loop early.}
  - {id: copying, name: copied, definition: Copies what is there.}
"""


def test_a_codebook_given_as_a_file_is_brought_in_for_the_rows_that_name_it(audit: Path, tmp_path: Path) -> None:
    book = tmp_path / "mine.yaml"
    book.write_text(BOOK)
    rows = [
        (ITEM, "ana", "one-short", "loops"),
        (OTHER, "ana", "arithmetic", "execution"),
        (OTHER, "ben", "copied", ""),
    ]
    file = csv(tmp_path / "t.csv", rows, (*COLUMNS, "codebook"))
    (refusal, unnamed) = import_tags(audit, file).refusals
    assert "`auditor export codebook FILE -o BOOK.yaml` writes it" in refusal.reason and "--codebook" in refusal.reason
    assert "no tag 'copied'" in unnamed.reason
    report = import_tags(audit, file, TagImportOptions(codebook=str(book)))
    assert (report.refusals, report.reviews, report.unchanged) == ([], 2, 1)
    assert [(r.annotator, r.tag, r.codebook) for r in listed(audit)] == [
        ("ana", "one-short", "loops"),
        ("ana", "arithmetic", "execution"),
        ("ben", "copying", "loops"),
    ]
    assert import_tags(audit, file, TagImportOptions(codebook="loops")).unchanged == 3


def test_columns_without_a_meaning_are_named(audit: Path, tmp_path: Path) -> None:
    report = import_tags(audit, csv(tmp_path / "t.csv", [(ITEM, "ana", "copying", "x")], (*COLUMNS, "remark")))
    assert "remark" in report.notes[0]


def test_json_lines_and_the_document_of_a_list_are_read_alike(audit: Path, tmp_path: Path) -> None:
    put_tags(audit, "ana", ITEM, ["copying"], note="n")
    put_tags(audit, "ana", OTHER, [], none=True)
    records = [record._asdict() for record in listed(audit)]
    lines, document = tmp_path / "t.jsonl", tmp_path / "t.json"
    lines.write_bytes(b"".join(json_line(record) + b"\n" for record in records))
    document.write_text(json.dumps({"tags": records}, indent=2))
    for number, file in enumerate((lines, document)):
        other = make_audit(tmp_path / f"other-{number}.db")
        assert not import_tags(other, file).refusals
        assert [record._asdict() for record in listed(other)] == records


def test_bad_json_lines_are_refused_one_by_one(audit: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    good = json.dumps({"item": ITEM, "annotator": "ana", "tag": "copying"})
    file.write_text(f'{{"item": \n{good}\n{{"item": "{ITEM}", "annotator": "ana"}}\n{{"item": 3, "tag": null}}\n')
    report = import_tags(audit, file)
    assert [r.where for r in report.refusals] == ["t.jsonl:1", "t.jsonl:3", "t.jsonl:4"]
    assert brief(audit) == [(ITEM, "ana", "copying", "reviewed")]


@pytest.mark.parametrize(
    "data", [b"", b"item,annotator\n", b"annotator,tag\n", b"\xff\xfei\x00", b'item,tag,annotator\n"x\n']
)
def test_an_unusable_file_changes_nothing(audit: Path, tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(data)
    with pytest.raises(InputError):
        import_tags(audit, file)
    assert events(audit) == 0


def test_hostile_names_and_notes_come_in_by_item_and_by_names(tmp_path: Path) -> None:
    audit = hostile_audit(tmp_path)
    rows = [(STUDY.name, text, "output", "NA", "0", f"ann {text}", "copying", text) for text in TEXTS]
    columns = ("study", "case", "arm", "setting", "sample", "annotator", "tag", "note")
    assert import_tags(audit, csv(tmp_path / "t.csv", rows, columns)).refusals == []
    records = listed(audit)
    assert sorted(record.note for record in records) == sorted(TEXTS) == sorted(record.case for record in records)
    by_item = [(record.item, record.annotator, "copying") for record in records]
    assert import_tags(audit, csv(tmp_path / "u.csv", by_item)).unchanged == len(TEXTS)
    (raw,) = [record for record in records if isinstance(record.case, UndecodedText)]
    assert isinstance(raw.note, UndecodedText) and events(audit) == len(TEXTS)
