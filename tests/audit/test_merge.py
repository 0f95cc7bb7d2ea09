"""Merging audits: the same audit in whichever order, twice, and through bundles; nothing mixed, nothing lost."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor.store.file as store_file
from auditor.audit.annotations import write_bundle
from auditor.audit.assignment import assign
from auditor.audit.codebook_revising import revise_codebook
from auditor.audit.inspect import verify
from auditor.audit.merge import MergeOptions, Rename, merge, parse_rename
from auditor.codebook import find_codebook
from auditor.codebook_changes import Step, add_tag, define_tag, merge_tags, retire_tag
from auditor.errors import AuditorError
from auditor.formats.annotation_records import SampleDraw
from auditor.model import AnnotatorKind, ReviewState
from auditor.store.annotators import ensure_annotator, find_codebook_in_file
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import file_id, migrations, open_file, open_for_reading, transaction
from auditor.store.history import Actor, act, load_view, uuid7
from auditor.store.outdated import outdated_work
from auditor.store.pending import PendingAction, PendingActions, side_place
from auditor.store.places import iterate_places
from auditor.store.responses import insert_responses, response_hash
from auditor.store.reviews import (
    Bookmark,
    Decide,
    Defer,
    Intent,
    MarkAll,
    MarkFirst,
    MarkReviewed,
    NothingToTag,
    OwnProbe,
    PinMemo,
    PutTags,
    Redo,
    Reveal,
    ReviewView,
    Ruling,
    SetNote,
    SetValidity,
    ToggleTag,
    Undo,
    Validity,
    WriteProbe,
)
from auditor.store.selection import matching_responses
from auditor.store.tag_records import iterate_tag_records
from tests.builders import make_audit

START = datetime(2026, 3, 1, tzinfo=UTC)
CLOCK = count()


def tick() -> str:
    """Return a time that nothing else has, so that what comes later in a test is later."""
    return (START + timedelta(seconds=next(CLOCK))).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def do(
    path: Path,
    annotator: str,
    *acts: tuple[int, Intent],
    codebook: str = "execution",
    kind: AnnotatorKind = AnnotatorKind.PERSON,
    at: str | None = None,
    blind: bool = False,
) -> None:
    """Let an annotator act on items of a file."""
    with closing(open_file(path)) as connection:
        for response_id, intent in acts:
            with transaction(connection):
                book = ensure_codebook(connection, find_codebook(codebook))
                actor = Actor(ensure_annotator(connection, annotator, kind), book)
                act(connection, actor, response_id, intent, uuid=uuid7(), at=at or tick(), blind=blind)


def view(path: Path, annotator: str, response_id: int, codebook: str = "execution") -> ReviewView:
    with closing(open_for_reading(path)) as connection:
        row = connection.execute("SELECT id FROM annotators WHERE name = ?", (annotator,)).fetchone()[0]
        book = ensure_codebook(connection, find_codebook(codebook))
        return load_view(connection, Actor(row, book), response_id)


def copied(path: Path, name: str) -> Path:
    """Copy an audit file, as somebody does who takes it to another computer."""
    target = path.with_name(name)
    with closing(open_file(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, target)
    return target


def bundled(path: Path) -> dict[str, bytes]:
    """Return the files of the bundle of an audit file."""
    with TemporaryDirectory() as folder, closing(open_for_reading(path)) as connection:
        target = Path(folder) / "bundle"
        write_bundle(connection, path, target)
        return {str(file.relative_to(target)): file.read_bytes() for file in target.rglob("*") if file.is_file()}


def said(path: Path) -> list[object]:
    """Return what exports say of everybody's work."""
    with closing(open_for_reading(path)) as connection:
        return [*iterate_tag_records(connection), *iterate_places(connection)]


def problems(path: Path) -> list[str]:
    return [problem for check in verify(path) for problem in check.problems]


def events(path: Path) -> int:
    with closing(open_for_reading(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db")


def test_two_people_s_copies_become_one_audit_in_either_order_and_twice(audit: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    other = copied(audit, "b.db")
    do(audit, "ana", (1, MarkReviewed()), (2, NothingToTag()))
    do(other, "ben", (1, ToggleTag("arithmetic")), (1, SetNote("off by one")), (1, MarkReviewed()))
    first, second = copied(audit, "ab.db"), copied(other, "ba.db")
    report = merge(first, [other])
    assert [(one.becomes, one.events, one.new) for one in report.annotators] == [("ben", 3, True)]
    assert (report.known, report.conflicts, report.unjoined) == ({str(other): 1}, [], [])
    merge(second, [audit])
    assert bundled(first) == bundled(second)
    assert view(first, "ben", 1) == view(other, "ben", 1)
    again = merge(first, [other])
    assert (again.changed, again.events, events(first)) == (False, 0, 6)
    assert problems(first) == problems(second) == []


def test_one_person_s_work_on_two_computers_is_put_together_with_the_last_word_on_each_thing(audit: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")), (3, ToggleTag("arithmetic")))
    other = copied(audit, "b.db")
    do(audit, "ana", (1, ToggleTag("arithmetic")), (1, SetNote("here")), (2, MarkReviewed()))
    do(other, "ana", (1, ToggleTag("copying")), (1, SetNote("there")), (1, MarkReviewed()))
    do(other, "ana", (3, NothingToTag()))
    first, second = copied(audit, "ab.db"), copied(other, "ba.db")
    (conflict,) = merge(first, [other]).conflicts
    merge(second, [audit])
    assert bundled(first) == bundled(second)
    assert view(first, "ana", 1) == view(second, "ana", 1) == conflict.result
    assert (conflict.here.note, conflict.there.note) == ("here", "there")
    assert (conflict.result.note, conflict.result.tags) == ("there", ("arithmetic",))
    assert conflict.result.state is ReviewState.REVIEWED
    assert view(first, "ana", 3).tags == ()
    assert problems(first) == problems(second) == []


def test_work_on_two_computers_that_git_put_together_is_listed_too(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")), (2, ToggleTag("copying")))
    other = copied(audit, "b.db")
    do(audit, "ana", (1, SetNote("here")))
    do(other, "ana", (1, SetNote("there")), (2, SetNote("only there")))
    both = copied(other, "both.db")
    merge(both, [audit])
    with closing(open_for_reading(both)) as connection:
        write_bundle(connection, both, tmp_path / "folder")
    first = copied(audit, "first.db")
    (conflict,) = merge(first, [tmp_path / "folder"]).conflicts
    assert [one.note for one in (conflict.here, conflict.there, conflict.result)] == ["here", "there", "there"]
    assert merge(first, [tmp_path / "folder"]).conflicts == []


def test_going_on_after_a_merge_is_no_conflict(audit: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    other = copied(audit, "b.db")
    do(other, "ana", (1, SetNote("later")), (1, MarkReviewed()))
    assert merge(audit, [other]).conflicts == []
    assert view(audit, "ana", 1).note == "later"


def test_a_clock_that_was_set_back_turns_nobody_s_words_around(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ana", (1, SetNote("first")), at="2026-03-01T10:00:00.000Z")
    do(other, "ana", (1, SetNote("second")), at="2026-03-01T09:00:00.000Z")
    do(audit, "ana", (2, MarkReviewed()), at="2026-03-01T09:30:00.000Z")
    merge(audit, [other])
    assert view(audit, "ana", 1).note == "second"
    assert problems(audit) == []


def test_undo_after_a_merge_takes_back_what_was_done_last_wherever_that_was(audit: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    other = copied(audit, "b.db")
    do(audit, "ana", (2, ToggleTag("copying")), (2, Undo()))
    do(other, "ana", (3, ToggleTag("arithmetic")))
    merge(audit, [other])
    do(audit, "ana", (1, Undo()))
    assert view(audit, "ana", 3).tags == ()
    do(audit, "ana", (1, Undo()))
    assert view(audit, "ana", 1).tags == ()
    assert problems(audit) == []


def test_tags_that_exclude_each_other_are_not_both_there_after_a_merge(tmp_path: Path) -> None:
    audit = make_audit(tmp_path / "a.db", codebook="prex")
    do(audit, "ana", (1, MarkReviewed()), codebook="prex")
    other = copied(audit, "b.db")
    do(audit, "ana", (1, ToggleTag("false-error")), codebook="prex")
    do(other, "ana", (1, ToggleTag("wrong-rule")), codebook="prex")
    merge(audit, [other])
    assert view(audit, "ana", 1, "prex").tags == ("wrong-rule",)
    assert problems(audit) == []


def test_nothing_to_tag_is_the_last_word_on_all_tags(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(audit, "ana", (1, ToggleTag("copying")))
    do(other, "ana", (1, NothingToTag()))
    merge(audit, [other])
    assert (view(audit, "ana", 1).tags, view(audit, "ana", 1).state) == ((), ReviewState.REVIEWED)
    assert problems(audit) == []


def test_everything_that_a_person_can_enter_comes_along(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ana", (1, Reveal()), (1, PutTags(("copying",), "n\ud83d\0", first_cause="copying")), blind=True)
    do(other, "ana", (1, Bookmark()), (1, PinMemo("line", 1, "print(x)", "why?")), (2, Defer()))
    do(other, "ana", (1, MarkAll((3, 4), on=True, tag="arithmetic")), (1, Undo()), (1, Redo()))
    do(other, "ana#2", (1, NothingToTag()))
    do(other, "judge", (1, PutTags(("copying",))), kind=AnnotatorKind.MODEL)
    merge(audit, [other])
    for annotator, item in (("ana", 1), ("ana", 2), ("ana", 3), ("ana", 4), ("ana#2", 1), ("judge", 1)):
        assert view(audit, annotator, item) == view(other, annotator, item)
    assert bundled(audit) == bundled(other)
    with closing(open_for_reading(audit)) as connection:
        names = connection.execute("SELECT name, kind, pass_of IS NOT NULL FROM annotators ORDER BY name").fetchall()
        blind = connection.execute("SELECT count(*) FROM events WHERE blind").fetchone()
    assert names == [("ana", "person", 0), ("ana#2", "person", 1), ("judge", "model", 0)]
    assert blind == (1,)
    assert problems(audit) == []


# --- whose ---------------------------------------------------------------------------------------------------------


def test_the_same_name_in_files_that_were_imported_apart_has_to_be_told(tmp_path: Path) -> None:
    audit, other = make_audit(tmp_path / "a.db"), make_audit(tmp_path / "b.db")
    for path in (audit, other):
        do(path, "ana", (1, ToggleTag("copying")))
        do(path, "ana#2", (1, NothingToTag()))
    before = bundled(audit)
    with pytest.raises(
        AuditorError, match=r"ana is in .*nothing says whether that is the same person: give `auditor merge` --same ana"
    ):
        merge(audit, [other])
    assert bundled(audit) == before
    apart, one = copied(audit, "apart.db"), copied(audit, "one.db")
    merge(apart, [other], MergeOptions(renames=(Rename(str(other), "ana", "anna"),)))
    with closing(open_for_reading(apart)) as connection:
        rows = connection.execute("SELECT name FROM annotators ORDER BY name").fetchall()
    assert [name for (name,) in rows] == ["ana", "ana#2", "anna", "anna#2"]
    merge(one, [other], MergeOptions(same=("ana",)))
    assert events(one) == 4
    # From now on the files say it themselves.
    for path in (apart, one):
        do(other, "ana", (2, MarkReviewed()))
        assert merge(path, [other]).events >= 1
        assert problems(path) == []
    assert view(apart, "anna", 2).state is ReviewState.REVIEWED


def test_a_new_name_that_somebody_has_is_refused(tmp_path: Path) -> None:
    audit, other = make_audit(tmp_path / "a.db"), make_audit(tmp_path / "b.db")
    do(audit, "ana", (1, NothingToTag()))
    do(other, "ben", (1, NothingToTag()))
    with pytest.raises(AuditorError, match=r"the annotator ben cannot be called so: .*a\.db or .*b\.db has somebody"):
        merge(audit, [other], MergeOptions(renames=(Rename(str(other), "ben", "ana"),)))
    merge(audit, [other])
    do(other, "ben", (2, NothingToTag()))
    with pytest.raises(AuditorError, match="knows them under another one"):
        merge(audit, [other], MergeOptions(renames=(Rename(str(other), "ben", "bert"),)))
    # Whoever says that they are one can put two names together.
    third = make_audit(tmp_path / "c.db")
    do(third, "Ana", (2, NothingToTag()))
    merge(audit, [third], MergeOptions(same=("ana",), renames=(Rename(str(third), "Ana", "ana"),)))
    assert view(audit, "ana", 2).state is ReviewState.REVIEWED
    assert problems(audit) == []


@pytest.mark.parametrize(
    ("renames", "same"),
    [([("ana", "ben")], ("ben",)), ([("ana", "x"), ("ben", "x")], ()), ([("ana", "x"), ("ben", "x")], ("x",))],
)
def test_two_people_of_a_file_never_become_one(
    tmp_path: Path, renames: list[tuple[str, str]], same: tuple[str, ...]
) -> None:
    audit, other = make_audit(tmp_path / "a.db"), make_audit(tmp_path / "b.db")
    for path in (audit, other):
        do(path, "ana", (1, ToggleTag("copying")))
        do(path, "ben", (1, NothingToTag()))
    wishes = MergeOptions(same, tuple(Rename(str(other), name, becomes) for name, becomes in renames))
    with pytest.raises(AuditorError, match="cannot be called so"):
        merge(audit, [other], wishes)
    assert events(audit) == 2


@pytest.mark.parametrize(
    ("renames", "words"),
    [([("zed", "x")], "has no annotator of that name"), ([("ana", "x"), ("ana", "y")], "gives 'ana' of .* two names")],
)
def test_a_rename_that_cannot_be_meant_is_refused(tmp_path: Path, renames: list[tuple[str, str]], words: str) -> None:
    audit, other = make_audit(tmp_path / "a.db"), make_audit(tmp_path / "b.db")
    do(other, "ana", (1, ToggleTag("copying")))
    with pytest.raises(AuditorError, match=words):
        merge(audit, [other], MergeOptions(renames=tuple(Rename(str(other), *one) for one in renames)))
    assert events(audit) == 0


def test_of_many_names_the_first_are_shown(tmp_path: Path) -> None:
    audit, other = make_audit(tmp_path / "a.db"), make_audit(tmp_path / "b.db")
    for path in (audit, other):
        play(path, [(f"p{number}", 1, NothingToTag(), 1) for number in range(8)])
    with pytest.raises(AuditorError, match=r"the annotators p0, p1, p2, p3, p4 and 3 more are in .*the same people"):
        merge(audit, [other])


def test_a_person_and_a_program_are_never_one(tmp_path: Path) -> None:
    audit, other = make_audit(tmp_path / "a.db"), make_audit(tmp_path / "b.db")
    do(audit, "gpt", (1, ToggleTag("copying")))
    do(other, "gpt", (1, ToggleTag("copying")), kind=AnnotatorKind.MODEL)
    with pytest.raises(AuditorError, match=r"a person and a program at once.*--rename .*b.db:gpt=NEW"):
        merge(audit, [other], MergeOptions(same=("gpt",)))
    merge(audit, [other], MergeOptions(renames=(Rename(str(other), "gpt", "gpt-judge"),)))
    assert problems(audit) == []


@pytest.mark.parametrize(
    ("text", "others", "read"),
    [
        ("b.db:ana=anna", ["b.db", "c.db"], ("b.db", "ana", "anna")),
        ("ana=anna", ["b.db"], ("b.db", "ana", "anna")),
        ("a=b.db:x=y=z", ["a=b.db"], ("a=b.db", "x=y", "z")),
        ("ana=anna", ["b.db", "c.db"], None),
        ("b.db:ana", ["b.db"], None),
        ("b.db:=x", ["b.db"], None),
    ],
)
def test_a_rename_names_a_file_and_two_names(
    text: str, others: Sequence[str], read: tuple[str, str, str] | None
) -> None:
    if read is None:
        with pytest.raises(AuditorError, match="OTHER:NAME=NEW"):
            parse_rename(text, others)
    else:
        assert parse_rename(text, others) == read


# --- codebooks -----------------------------------------------------------------------------------------------------


def revise_all(path: Path, *steps: Step) -> None:
    for step in steps:
        revise_codebook(path, step, codebook="execution")


def books(path: Path) -> list[tuple[int, str, str]]:
    with closing(open_for_reading(path)) as connection:
        sql = "SELECT revision, hex(content_hash), follows FROM codebook_revisions ORDER BY revision"
        return connection.execute(sql).fetchall()


def test_revisions_of_one_side_come_along_and_events_keep_theirs(audit: Path) -> None:
    other = copied(audit, "b.db")
    revise_all(other, lambda book: add_tag(book, "Units", "A wrong unit."), lambda book: retire_tag(book, "copying"))
    do_under_newest(other, "ben", 1, "units")
    merge(audit, [other])
    assert books(audit) == books(other)
    assert bundled(audit) == bundled(other)
    with closing(open_for_reading(audit)) as connection:
        assert connection.execute("SELECT revision FROM events").fetchall() == [(3,)]
    assert problems(audit) == []


def do_under_newest(path: Path, annotator: str, response_id: int, tag: str) -> None:
    with closing(open_file(path)) as connection, transaction(connection):
        book = find_codebook_in_file(connection, "execution")
        assert book is not None
        actor = Actor(ensure_annotator(connection, annotator), book)
        act(connection, actor, response_id, ToggleTag(tag), uuid=uuid7(), at=tick())


def test_changes_of_both_sides_become_one_codebook_the_same_in_either_order(audit: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")), (1, MarkReviewed()))
    other = copied(audit, "b.db")
    revise_all(audit, lambda book: add_tag(book, "Units", "A wrong unit."))
    revise_all(other, lambda book: merge_tags(book, "copying", "arithmetic"))
    do_under_newest(audit, "ana", 2, "units")
    do_under_newest(other, "ben", 2, "arithmetic")
    first, second = copied(audit, "ab.db"), copied(other, "ba.db")
    (book,) = merge(first, [other]).codebooks
    assert (book.revisions, book.newest, book.joined) == (2, 4, True)
    merge(second, [audit])
    assert bundled(first) == bundled(second)
    assert [follows for _, _, follows in books(first)] == ["[]", "[1]", "[1]", "[2, 3]"]
    with closing(open_for_reading(first)) as connection:
        stored = find_codebook_in_file(connection, "execution")
        assert stored is not None
        assert stored.codebook.find_tag("units").name == "Units"
        assert stored.codebook.counts_as["copying"] == "arithmetic"
        # What was judged before the codebook changed elsewhere needs another look.
        assert [(one.annotator, one.tag) for one in outdated_work(connection, stored.id, None)] == [("ana", "copying")]
    assert not merge(first, [other, second]).changed
    assert problems(first) == problems(second) == []


def test_changes_that_contradict_each_other_are_listed_and_nothing_is_merged(audit: Path) -> None:
    other = copied(audit, "b.db")
    for path, words in ((audit, "One thing."), (other, "Another thing.")):
        revise_all(path, partial(define_tag, tag="copying", definition=words, meaning=True))
        do(path, path.stem, (1, NothingToTag()))
    before = bundled(audit)
    with pytest.raises(AuditorError, match=r"the tag copying has two values of definition: .*Nothing was changed"):
        merge(audit, [other])
    assert bundled(audit) == before
    revise_all(audit, partial(define_tag, tag="copying", definition="Another thing.", meaning=True))
    merge(audit, [other])
    assert problems(audit) == []
    assert view(audit, "b", 1).state is ReviewState.REVIEWED


# --- decisions -----------------------------------------------------------------------------------------------------


def ruling(verdict: str, tag: str = "copying") -> Decide:
    return Decide((Ruling(tag, verdict, "since", (("ana", True), ("ben", False))),))


def test_decisions_of_two_adjudicators_are_both_kept_and_listed_where_they_differ(audit: Path) -> None:
    do(audit, "ana", (1, PutTags(("copying",))))
    do(audit, "ben", (1, NothingToTag()))
    other = copied(audit, "b.db")
    do(audit, "cem", (1, ruling("present")), (1, ruling("absent", "arithmetic")))
    do(other, "dan", (1, ruling("absent")), (1, ruling("absent", "arithmetic")))
    first, second = copied(audit, "ab.db"), copied(other, "ba.db")
    (conflict,) = merge(first, [other]).decisions
    assert (conflict.item, conflict.tag) == ("demo/case-0/output/model-a/0", "copying")
    assert [(who, verdict) for who, verdict, _ in conflict.verdicts] == [("cem", "present"), ("dan", "absent")]
    merge(second, [audit])
    assert bundled(first) == bundled(second)
    assert merge(first, [other]).decisions == []
    do(first, "dan", (1, Undo()), (1, Undo()), (1, Redo()))
    assert problems(first) == problems(second) == []


def test_a_decision_is_possible_beside_one_of_the_last_day_that_there_is(audit: Path) -> None:
    do(audit, "ana", (1, PutTags(("copying",))))
    do(audit, "cem", (1, ruling("present")), at="9999-12-31T23:59:59.999Z")
    do(audit, "dan", (1, ruling("absent")))
    assert view(audit, "dan", 1).rulings[0].verdict == "absent"
    assert problems(audit) == []


def test_a_decision_names_people_as_they_are_called_here(tmp_path: Path) -> None:
    audit, other = make_audit(tmp_path / "a.db"), make_audit(tmp_path / "b.db")
    do(audit, "ana", (1, NothingToTag()))
    do(other, "ana", (1, PutTags(("copying",))))
    do(other, "dan", (1, ruling("present")))
    merge(audit, [other], MergeOptions(renames=(Rename(str(other), "ana", "anna"),)))
    assert view(audit, "dan", 1).rulings[0].marks == (("anna", True), ("ben", False))
    assert problems(audit) == []
    assert not merge(audit, [other]).changed


# --- items ---------------------------------------------------------------------------------------------------------


def test_what_is_about_other_cases_is_listed_and_left_out(tmp_path: Path) -> None:
    audit = make_audit(tmp_path / "a.db", cases=1)
    other = make_audit(tmp_path / "b.db", cases=2, replies={(0, "output", "model-a"): "another wrong answer"})
    do(other, "ben", (1, NothingToTag()), (2, NothingToTag()), (5, ToggleTag("copying")), (5, MarkReviewed()))
    report = merge(audit, [other])
    assert [(one.item, one.reason, one.events) for one in report.unjoined] == [
        ("demo/case-0/output/model-a/0", "the audit file holds other contents under this name", 1),
        ("demo/case-1/output/model-a/0", "there is no such response in the audit file", 2),
    ]
    assert events(audit) == report.events == 1
    assert problems(audit) == []


def test_work_on_a_reply_that_was_replaced_here_is_kept_and_does_not_count(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ben", (1, NothingToTag()))
    with closing(open_file(audit)) as connection, transaction(connection):
        row = (1, 1, 0, response_hash("new", None, "stop", None), "stop", "new")
        insert_responses(connection, [row], replace=True)
    report = merge(audit, [other])
    assert (report.events, report.on_replaced, report.unjoined) == (1, 1, [])
    with closing(open_for_reading(audit)) as connection:
        assert list(iterate_tag_records(connection)) == []
    assert problems(audit) == []


def test_of_two_assignments_the_later_counts_and_parts_of_one_come_together(audit: Path) -> None:
    assign(audit, ["ana", "ben"], where="arm:output")
    other = copied(audit, "b.db")
    assign(other, ["cem", "dan"], where="arm:state", when="replace")
    do(audit, "ana", (1, NothingToTag()))
    do(other, "cem", (2, NothingToTag()))
    first, second = copied(audit, "ab.db"), copied(other, "ba.db")
    report = merge(first, [other])
    assert (report.assignments, "which was drawn later" in report.notes[0]) == (1, True)
    report = merge(second, [audit])
    assert (report.assignments, "it was drawn later" in report.notes[0]) == (0, True)
    assert bundled(first) == bundled(second)
    assert not merge(first, [other]).changed


def test_a_sample_comes_along_and_the_larger_one_counts(audit: Path) -> None:
    draw = SampleDraw(5, ("setting",), "random")
    assign(audit, ["ana", "ben"], where="", draw=draw, seed=3)
    do(audit, "ana", (1, NothingToTag()))
    other, fresh = copied(audit, "b.db"), make_audit(audit.parent / "fresh.db")
    assert merge(fresh, [audit]).assignments == 1
    assert bundled(fresh) == bundled(audit)
    assign(other, ["ana", "ben"], draw=draw._replace(take=7), when="add")
    first, second = copied(audit, "ab.db"), copied(other, "ba.db")
    assert (merge(first, [other]).assignments, merge(second, [audit]).assignments) == (1, 0)
    assert bundled(first) == bundled(second) == bundled(other)
    with closing(open_for_reading(first)) as connection:
        assert len(matching_responses(connection, "assigned:ben")) == 14


# --- what cannot be merged -----------------------------------------------------------------------------------------


def test_what_is_no_audit_gets_a_sentence_and_nothing_is_made_or_changed(audit: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("hello " * 200)
    newer = copied(audit, "newer.db")
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 99")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.db").symlink_to(audit)
    for name, words in {
        "absent.db": "there is no audit file",
        "empty.db": "is empty",
        "text.db": "no SQLite database",
        "newer.db": "written by a newer auditor",
        "folder": "is a folder",
        "a.db": "is the audit file itself",
        "link.db": "is the audit file itself",
    }.items():
        for dry_run in (False, True):
            with pytest.raises(AuditorError, match=words):
                merge(audit, [tmp_path / name], MergeOptions(dry_run=dry_run))
    with pytest.raises(AuditorError, match="there is no audit file"):
        merge(tmp_path / "absent.db", [audit])
    with pytest.raises(AuditorError, match="there is no audit file"):
        merge(tmp_path / "absent.db", [audit], MergeOptions(dry_run=True))
    assert not (tmp_path / "absent.db").exists()
    assert problems(audit) == []


def test_an_older_file_is_read_and_stays_as_it_is(audit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other, older = copied(audit, "b.db"), tmp_path / "older.db"
    do(other, "ben", (1, ToggleTag("copying")), (1, SetNote("old")), (1, MarkReviewed()), (1, Undo()))
    with monkeypatch.context() as before:
        before.setattr(store_file, "migrations", lambda: migrations()[:9])
        with closing(open_file(older, create=True)) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("ATTACH ? AS newer", (str(other),))
            tables = connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
                connection.execute(f"DELETE FROM main.{table}")
                connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = older.read_bytes()
    assert merge(audit, [older]).events == 4
    assert older.read_bytes() == content
    assert not list(tmp_path.glob("older.db.*"))
    assert bundled(audit) == bundled(other)
    assert problems(audit) == []


def test_a_file_that_somebody_writes_to_is_left_alone(audit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = copied(audit, "b.db")
    do(other, "ben", (1, NothingToTag()))
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr("auditor.audit.merge.open_file", partial(open_file, busy_seconds=0.05))
    with closing(open_file(audit)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(AuditorError, match="another process is writing"):
            merge(audit, [other])
        holder.execute("ROLLBACK")
    assert merge(audit, [other]).events == 1


DIE_WITH_CHANGES_BESIDE = """
import os, signal, sys
from pathlib import Path
from auditor.audit.tags import put_tags
from auditor.store.file import open_file
open_ = open_file(Path(sys.argv[1]))
put_tags(Path(sys.argv[1]), "ben", "demo/case-0/output/model-a/0", ["copying"])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("dry_run", [True, False])
def test_changes_that_wait_beside_another_file_are_read_and_stay_where_they_are(audit: Path, dry_run: bool) -> None:
    other = copied(audit, "b.db")
    subprocess.run([sys.executable, "-c", DIE_WITH_CHANGES_BESIDE, other], check=False)
    wal = other.with_name("b.db-wal")
    before = other.read_bytes(), wal.read_bytes()
    assert before[1]
    assert merge(audit, [other], MergeOptions(dry_run=dry_run)).events == 1
    assert (other.read_bytes(), wal.read_bytes()) == before
    assert events(audit) == (0 if dry_run else 1)


def test_nothing_is_left_beside_another_file(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ben", (1, NothingToTag()))
    before = other.read_bytes()
    assert merge(audit, [other]).events == 1
    assert other.read_bytes() == before
    assert [one.name for one in other.parent.glob("b.db*")] == ["b.db"]


def test_a_damaged_file_is_named_and_not_the_one_that_is_merged_into(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ben", *((row, SetNote("long " * 2000)) for row in range(1, 17)))
    with closing(open_file(other)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("SELECT max(rootpage) FROM sqlite_master WHERE name = 'events'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with other.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(AuditorError, match=r"b\.db is damaged.*Restore a copy"):
        merge(audit, [other])
    assert problems(audit) == []


def test_a_file_that_is_named_twice_is_read_once(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ben", (1, NothingToTag()))
    report = merge(audit, [other, other])
    assert (report.events, report.known) == (1, {str(other): 0})


def test_marks_that_wait_beside_the_other_file_are_told_of(audit: Path) -> None:
    other = copied(audit, "b.db")
    with closing(open_file(other)) as connection:
        place = side_place(other, file_id(connection), "ben", "execution")
    unsaved = PendingActions(place)
    unsaved.append(PendingAction(uuid7(), tick(), 1, b"", NothingToTag()))
    (note,) = merge(audit, [other]).notes
    assert "marks wait beside" in note
    assert unsaved.path is not None
    assert unsaved.path.name in note
    unsaved.clear()
    assert merge(audit, [other]).notes == []


def test_a_dry_run_says_the_same_and_changes_nothing(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ben", (1, NothingToTag()))
    content = audit.read_bytes()
    tried = merge(audit, [other], MergeOptions(dry_run=True))
    assert audit.read_bytes() == content
    assert tried == merge(audit, [other])


KILLED = """
import os, signal, sys
from pathlib import Path
from auditor.audit.merge import merge

def die(what, done, total):
    if what == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

merge(Path(sys.argv[1]), [Path(sys.argv[2])], progress=die)
"""


@pytest.mark.parametrize("step", ["writing events", "working out the reviews"])
def test_a_merge_that_is_killed_half_way_has_changed_nothing(audit: Path, step: str) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    other = copied(audit, "b.db")
    do(audit, "ana", (2, NothingToTag()))
    do(other, "ana", (1, MarkReviewed()))
    before = bundled(audit)
    done = subprocess.run([sys.executable, "-c", KILLED, str(audit), str(other), step], check=False)
    assert done.returncode == -signal.SIGKILL
    assert bundled(audit) == before
    assert problems(audit) == []
    assert merge(audit, [other]).events == 1


def test_an_interrupted_merge_has_changed_nothing(audit: Path) -> None:
    other = copied(audit, "b.db")
    do(other, "ben", (1, NothingToTag()))

    def interrupt(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(AuditorError, match="Nothing was changed") as caught:
        merge(audit, [other], progress=interrupt)
    assert caught.value.exit_code == 130
    assert (events(audit), problems(audit)) == (0, [])


# --- anything in any order -----------------------------------------------------------------------------------------

INTENTS: tuple[Intent, ...] = (
    ToggleTag("copying"),
    ToggleTag("arithmetic"),
    MarkReviewed(),
    NothingToTag(),
    Defer(),
    SetNote("one"),
    SetNote("two"),
    SetValidity(Validity("invalid", "wrong prompt")),
    SetValidity(Validity("valid", "it was right")),
    MarkFirst("copying"),
    Bookmark(),
    PinMemo("line", 1, "print(x)", "memo"),
    WriteProbe(OwnProbe("branch", 1, 2, None, "Does it?", ("Logic",), "true", "boolean", 9, 3)),
    WriteProbe(OwnProbe("branch", 1, 2, None, "Does it hold?", (), "true", "boolean", 9, 3, True)),
    PinMemo("line", 1, "print(x)", ""),
    MarkAll((1, 2, 3), on=True, tag="copying"),
    Reveal(),
    Decide((Ruling("copying", "present", "so", (("ana", True),)),)),
    Decide((Ruling("copying", "absent", "not so", ()), Ruling("arithmetic", "unresolved", "", ())), ()),
    Decide((), ("copying",)),
    Undo(),
    Undo(),
    Redo(),
)
ACTS = st.lists(
    st.tuples(st.sampled_from(["ana", "ben"]), st.integers(1, 3), st.sampled_from(INTENTS), st.integers(0, 30)),
    max_size=10,
)


def play(path: Path, acts: Sequence[tuple[str, int, Intent, int]]) -> None:
    """Let two people act, by clocks that go back and forth."""
    with closing(open_file(path)) as connection, transaction(connection):
        book = ensure_codebook(connection, find_codebook("execution"))
        for annotator, response_id, intent, minute in acts:
            actor = Actor(ensure_annotator(connection, annotator), book)
            at = f"2026-03-01T10:{minute:02}:00.000Z"
            act(connection, actor, response_id, intent, uuid=uuid7(), at=at)


@settings(max_examples=6)
@given(ACTS, ACTS, ACTS, ACTS)
def test_whatever_two_people_do_on_two_computers_comes_to_the_same_audit(
    before: list[tuple[str, int, Intent, int]],
    here: list[tuple[str, int, Intent, int]],
    there: list[tuple[str, int, Intent, int]],
    after: list[tuple[str, int, Intent, int]],
) -> None:
    with TemporaryDirectory() as folder:
        one = make_audit(Path(folder) / "a.db", cases=3, arms=("output",), settings=("model-a",))
        play(one, before)
        other = copied(one, "b.db")
        play(one, here)
        play(other, there)
        third = copied(one, "c.db")
        merge(one, [other])
        merge(other, [third])
        assert problems(one) == problems(other) == []
        if events(one):
            assert bundled(one) == bundled(other)
            assert said(one) == said(other)
        assert not merge(one, [other, third]).changed
        # Both go on from what is the same now, and meet again.
        play(one, after)
        play(other, there)
        third = copied(one, "c.db")
        merge(one, [other])
        merge(other, [third])
        assert problems(one) == problems(other) == []
        if events(one):
            assert bundled(one) == bundled(other)
            assert said(one) == said(other)
