"""The diagnosis export: a row an item, annotator and tag, with why it cannot be said whether the tag was used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auditor.audit.codebook_revising import revise_codebook
from auditor.audit.diagnosis import COLUMNS, WHYS
from auditor.audit.export import ExportOptions, write_export
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import Defer, QueueWish, ToggleTag, Undo, open_session
from auditor.audit.tags import put_tags
from auditor.codebook_changes import add_tag, merge_tags, rename_tag, retire_tag
from auditor.errors import InputError
from auditor.formats.csv_table import read_csv
from auditor.text import from_json_line
from tests.audit.hostile_run import TEXTS, hostile_audit
from tests.builders import make_audit
from tests.runs import response, task, write_run

ALL = QueueWish(where="", order="import")


def key(case: int) -> str:
    return f"demo/case-{case}/output/model-a/0"


def diagnosed(path: Path, **options: Any) -> dict[tuple[str, str, str], tuple[bool | None, str]]:
    """Return what is said of each item, annotator and tag; every row is another one."""
    target = path.with_name("d.jsonl")
    report = write_export(path, "diagnosis", target, ExportOptions(force=True, **options))
    rows = [from_json_line(line) for line in target.read_bytes().split(b"\n")[:-1]]
    assert all(tuple(row) == COLUMNS and row["why"] in WHYS for row in rows) and report.rows == len(rows)
    found = {(row["item"], row["annotator"], row["tag"]): (row["used"], row["why"]) for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file in which ana reviewed, began and deferred items, and ben reviewed one."""
    path = make_audit(tmp_path / "audit.db", arms=("output",), settings=("model-a",))
    session = open_session(path, "ana", ALL)
    items = [session.item(index).response_id for index in range(4)]
    for item, intents in ((items[1], (ToggleTag("copying"),)), (items[2], (ToggleTag("other"), Defer()))):
        for intent in intents:
            session.submit(item, intent)
    session.submit(items[3], ToggleTag("copying"))
    session.submit(items[3], Undo())
    session.close()
    put_tags(path, "ana", key(0), ["copying"])
    put_tags(path, "ben", key(0), [], none=True)
    return path


def test_present_and_absent_are_only_said_of_reviewed_items(path: Path) -> None:
    found = diagnosed(path)
    assert found[key(0), "ana", "copying"] == (True, "present")
    assert found[key(0), "ana", "other"] == (False, "absent")
    assert found[key(0), "ben", "copying"] == (False, "absent")
    assert found[key(1), "ana", "copying"] == (None, "in progress, put so far")
    assert found[key(1), "ana", "other"] == (None, "in progress")
    assert found[key(2), "ana", "other"] == (None, "deferred, put so far")
    assert found[key(2), "ana", "copying"] == (None, "deferred")
    assert found[key(1), "ben", "copying"] == (None, "not reviewed")
    assert {item for item, _, _ in found} == {key(0), key(1), key(2)}, "what was taken back is nothing that was done"
    assert len(found) == 3 * 2 * 11


def test_a_tag_that_came_later_is_not_absent_and_a_renamed_one_is_the_same(path: Path) -> None:
    revise_codebook(path, lambda book: add_tag(book, "off by one", "One too many or too few."))
    revise_codebook(path, lambda book: rename_tag(book, "copying", "miscopied", "miscopied"))
    put_tags(path, "ben", key(1), ["other"])
    found = diagnosed(path)
    assert found[key(0), "ana", "off-by-one"] == (None, "tag added after that review")
    assert found[key(1), "ben", "off-by-one"] == (False, "absent")
    assert found[key(0), "ana", "miscopied"] == (True, "present")
    assert found[key(0), "ben", "miscopied"] == (False, "absent")
    assert not [tag for _, _, tag in found if tag == "copying"]


def test_a_retired_tag_is_not_absent_where_it_could_not_be_put_and_a_merged_one_counts_as_the_other(path: Path) -> None:
    revise_codebook(path, lambda book: retire_tag(book, "copying"))
    put_tags(path, "ben", key(2), ["other"])
    found = diagnosed(path)
    assert found[key(0), "ana", "copying"] == (True, "present")
    assert found[key(0), "ben", "copying"] == (False, "absent")
    assert found[key(2), "ben", "copying"] == (None, "tag retired before that review")


def test_a_merged_tag_counts_as_the_one_that_it_was_merged_into(path: Path) -> None:
    revise_codebook(path, lambda book: merge_tags(book, "copying", "other"))
    found = diagnosed(path)
    assert found[key(0), "ana", "other"] == (True, "present")
    assert not [tag for _, _, tag in found if tag == "copying"]


def test_a_review_of_content_that_was_replaced_is_told_from_none(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    load(path, [write_run(tmp_path / "a", [task()], [response()])], LoadOptions())
    put_tags(path, "ana", "s/c1/output/m/0", ["copying"])
    load(path, [write_run(tmp_path / "b", [task(source="print(2)\n")], [response()])], LoadOptions(replace=True))
    found = diagnosed(path)
    assert set(found.values()) == {(None, "reviewed before the content was replaced")} and len(found) == 11
    put_tags(path, "ben", "s/c1/output/m/0", ["copying"])
    found = diagnosed(path)
    assert found["s/c1/output/m/0", "ben", "copying"] == (True, "present")
    assert found["s/c1/output/m/0", "ana", "copying"] == (None, "reviewed before the content was replaced")


def test_filter_and_annotators_leave_rows_out(path: Path) -> None:
    found = diagnosed(path, annotators=("ben",), where="case:case-0,case-1")
    assert {(item, who) for item, who, _ in found} == {(key(0), "ben")}
    with pytest.raises(InputError, match="nobody has done anything with an item that the filter leaves"):
        diagnosed(path, where="case:case-3")


def test_a_file_without_reviews_says_so(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    with pytest.raises(InputError, match="nobody has reviewed anything that could be diagnosed"):
        diagnosed(path)


def test_hostile_names_are_exact_in_csv_and_json_lines(tmp_path: Path) -> None:
    path = hostile_audit(tmp_path)
    session = open_session(path, "[/] \x1b]52;c;x\x07", ALL)
    for index in range(len(session)):
        session.submit(session.item(index).response_id, ToggleTag("copying"))
    session.close()
    found = diagnosed(path)
    assert {who for _, who, _ in found} == {"[/] \x1b]52;c;x\x07"}
    target = tmp_path / "d.csv"
    write_export(path, "diagnosis", target)
    rows = [row.fields for row in read_csv(target, *COLUMNS)]
    assert len(rows) == len(found) and {row["case"] for row in rows} == set(TEXTS)
