"""Bookmarks, memos and first causes as a review session and the commands have them; in and out as files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.export import ExportOptions, write_export
from auditor.audit.inspect import verify
from auditor.audit.places import import_places, list_places, put_place, quote_at
from auditor.audit.review import (
    Bookmark,
    MarkFirst,
    MarkReviewed,
    Pending,
    PinMemo,
    QueueWish,
    ReviewSession,
    Saved,
    ToggleTag,
    Undo,
    open_session,
)
from auditor.audit.session_summary import summarise_session
from auditor.audit.tags import import_tags, list_tags, put_tags
from auditor.audit.taxonomy import taxonomies, taxonomy_document, taxonomy_records
from auditor.errors import InputError
from auditor.formats.csv_table import csv_line
from auditor.store.changes import Memo
from auditor.store.file import open_for_reading
from auditor.store.selection import matching_responses
from tests.audit.hostile_run import TEXTS, hostile_audit
from tests.audit.test_review import locked
from tests.builders import make_audit

ITEM = "demo/case-0/output/model-a/0"
OTHER = "demo/case-3/state/model-b/0"
MEMO_COLUMNS = ("item", "annotator", "place", "number", "text")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


def found(path: Path, where: str) -> list[int]:
    with closing(open_for_reading(path)) as connection:
        return matching_responses(connection, where)


def places(path: Path) -> list[tuple[str, str, str, int | None, str, str]]:
    with closing(open_for_reading(path)) as connection:
        return [(p.item, p.annotator, p.place, p.number, p.quote, p.text) for p in list_places(connection)]


def problems(path: Path) -> list[str]:
    return [problem for check in verify(path) for problem in check.problems]


def submit(session: ReviewSession, index: int, *intents: Bookmark | PinMemo | ToggleTag | MarkFirst | Undo) -> Saved:
    answers = [session.submit(session.queue[index], intent) for intent in intents]
    saved = [answer for answer in answers if isinstance(answer, Saved)]
    assert len(saved) == len(intents)
    return saved[-1]


# --- in a session --------------------------------------------------------------------------------------------------


def test_the_way_to_the_next_bookmark_wraps_around(path: Path) -> None:
    with closing(open_session(path, "ana")) as session:
        assert session.next_bookmarked(0) is None
        for index in (2, 5):
            assert submit(session, index, Bookmark()).message == "bookmark"
        assert [session.next_bookmarked(index) for index in (0, 2, 4, 5, 15)] == [2, 5, 5, 2, 2]
        assert [row.bookmarked for row in session.rows(1, 3)] == [False, True, False]
        assert submit(session, 2, Bookmark()).message == "bookmark taken off"
        assert session.next_bookmarked(0) == 5 == session.next_bookmarked(5)
    with closing(open_session(path, "ana", QueueWish(where="arm:nothing OR case:case-0"))) as session:
        assert len(session.bookmarked()) == 1 and session.next_bookmarked(0) is None


def test_what_is_kept_beside_a_locked_file_counts_at_once(path: Path) -> None:
    with closing(open_session(path, "ana")) as session:
        submit(session, 1, Bookmark())
        with locked(path):
            first = session.submit(session.queue[3], Bookmark())
            second = session.submit(session.queue[1], Bookmark())
            third = session.submit(session.queue[3], PinMemo("line", 1, "q", "m"))
            fourth = session.submit(session.queue[3], MarkFirst("copying"), None, 3.5)
            assert all(isinstance(done, Pending) for done in (first, second, third, fourth))
            assert session.next_bookmarked(0) == 3 and session.rows(3, 1)[0].bookmarked
            review = session.item(3).review
            assert (review.bookmarked, review.first_cause, review.memos) == (
                True,
                "copying",
                (Memo("line", 1, "q", "m"),),
            )
            session._marks.abandon()  # as a killed process leaves it
    with closing(open_session(path, "ana")) as session:
        assert session.item(3).review == review
        assert session.bookmarked() == {session.queue[3]}
        assert submit(session, 0, Undo()).response_id == session.queue[3]
        assert session.item(3).review.first_cause == ""
        with closing(open_for_reading(path)) as connection:
            assert connection.execute("SELECT sum(seconds) FROM events").fetchone() == (3.5,)
    assert problems(path) == []


def test_the_quote_says_what_stands_at_a_place(path: Path) -> None:
    with closing(open_session(path, "ana")) as session:
        item = session.item(len(session) - 1)
        assert quote_at(item, "line", 1) == "x = 0"
        assert quote_at(item, "difference", 1) == "right → wrong"
        with pytest.raises(InputError, match="there is no line 5: the source has 4 lines"):
            quote_at(item, "line", 5)
        with pytest.raises(InputError, match="there is no difference 2: oracle and prediction have 1 difference"):
            quote_at(item, "difference", 2)
        submit(session, len(session) - 1, PinMemo("line", 1, "as it was", "m"))
        assert session.quote_at(session.item(len(session) - 1), "line", 1) == "as it was"


def test_a_memo_s_draft_is_apart_from_the_note_s(path: Path) -> None:
    with closing(open_session(path, "ana")) as session:
        item = session.queue[0]
        session.save_draft(item, "a note")
        session.save_draft(item, "a memo", "line", 2)
    with closing(open_session(path, "ana")) as session:
        assert [(draft.place, draft.number, draft.text) for draft in session.drafts_on(item)] == [
            ("", 0, "a note"),
            ("line", 2, "a memo"),
        ]
        session.drop_draft(item)
        draft = session.draft_for(item, "line", 2)
        assert session.draft_for(item) is None and draft is not None and draft.text == "a memo"
        session.drop_draft(item, "line", 2)


def test_bookmarks_and_memos_are_nobody_else_s(path: Path) -> None:
    with closing(open_session(path, "ana")) as session:
        submit(session, 0, Bookmark(), PinMemo("line", 1, "", "carry"), MarkFirst("copying"))
    for wish in (QueueWish(blind=True), QueueWish()):
        with closing(open_session(path, "ben", wish)) as session:
            reviews = [session.item(index).review for index in range(len(session))]
            assert not any(review.bookmarked or review.memos or review.first_cause for review in reviews)
            assert session.bookmarked() == set()
            with closing(session.table()) as table:
                table.use_columns(("bookmark", "memos", "first"))
                cells = [row.cells for row in table.rows(session.queue.ids())]
            assert {value for cell in cells for value in cell.values()} == {None}


def test_a_blind_review_refuses_what_would_tell_of_others(path: Path) -> None:
    put_place(path, "ana", ITEM, bookmark=True)
    put_place(path, "ana", ITEM, memo=("line", 1, "unlikely word"))
    with pytest.raises(InputError, match="cannot be filtered by bookmarked"):
        open_session(path, "ben", QueueWish(where="bookmarked:ana", blind=True))
    with closing(open_session(path, "ben", QueueWish(blind=True))) as session:
        with pytest.raises(InputError, match="bookmarked is hidden"):
            session.find_items("bookmarked:ana")
        queue = session.find_items("unlikely")
        queue.wait_until(lambda: False, 5)
        assert queue.complete and len(queue) == 0
        with closing(session.table()) as table:
            assert "bookmarked" not in table.known()


def test_the_filter_finds_bookmarks_by_name_and_memos_by_word(path: Path) -> None:
    put_place(path, "ana", ITEM, bookmark=True)
    put_place(path, "ben", OTHER, bookmark=True)
    put_place(path, "ben", OTHER, memo=("difference", 1, "The Carry is lost"))
    one, two = found(path, "bookmarked:ana"), found(path, "bookmarked:ben")
    assert len(one) == len(two) == 1 and one != two
    assert sorted(found(path, "bookmarked:ana,ben")) == sorted(one + two)
    assert found(path, '"carry is"') == two
    assert found(path, "bookmarked:ana NOT carry") == one
    assert found(path, "bookmarked:nobody") == []


# --- in and out ----------------------------------------------------------------------------------------------------


def test_places_come_back_as_the_same_bytes(tmp_path: Path) -> None:
    path, other = hostile_audit(tmp_path / "a.db"), hostile_audit(tmp_path / "b.db")
    with closing(open_for_reading(path)) as connection:
        ids = matching_responses(connection)
    with closing(open_session(path, "[/] ana\x1b", QueueWish(where="", order="import"))) as session:
        memos = [text for text in TEXTS if text.strip()]
        for response_id, text in zip(ids, memos, strict=False):
            item = session.item_by_id(response_id)
            line = len(item.task.source.removesuffix("\n").split("\n"))
            session.submit(response_id, PinMemo("line", line, session.quote_at(item, "line", line), text))
        session.submit(ids[3], Bookmark())
    for suffix in ("csv", "jsonl"):
        written = tmp_path / f"places.{suffix}"
        assert write_export(path, "places", written).rows == len(memos) + 1
        first, again = import_places(other, written), import_places(other, written)
        assert (first.refusals, again.changed, again.refusals) == ([], 0, [])
        back = tmp_path / f"back.{suffix}"
        write_export(other, "places", back)
        assert back.read_bytes() == written.read_bytes()
    assert problems(other) == []


def test_rows_that_cannot_be_used_are_listed_and_the_others_come_in(path: Path, tmp_path: Path) -> None:
    rows = [
        (ITEM, "ana", "item", "", ""),
        (OTHER, "ana", "line", "4", "the last one"),
        (OTHER, "ana", "line", "5", "beyond"),
        (OTHER, "ana", "line", "", "where"),
        (OTHER, "ana", "difference", "1", ""),
        (ITEM, "ana", "item", "", "a text"),
        (ITEM, "ana", "margin", "1", "m"),
        (f"{ITEM[:-1]}9", "ana", "item", "", ""),
        (ITEM, "", "item", "", ""),
    ]
    file = tmp_path / "p.csv"
    file.write_bytes(b"".join(map(csv_line, (MEMO_COLUMNS, *rows))))
    report = import_places(path, file)
    assert (report.rows, report.changed, report.annotators) == (9, 2, {"ana"})
    reasons = {refusal.where: refusal.reason for refusal in report.refusals}
    for line, words in (
        (4, "there is no line 5: the source has 4 lines"),
        (5, "on which line the memo is"),
        (6, "a memo without a text"),
        (7, "no number and no text"),
        (8, "there is no place 'margin': it is one of item, line, difference"),
        (9, "there is no item"),
        (10, "it has no annotator"),
    ):
        assert words in reasons.pop(f"p.csv:{line}")
    assert not reasons
    assert places(path) == [
        (ITEM, "ana", "item", None, "", ""),
        (OTHER, "ana", "line", 4, "print(x)", "the last one"),
    ]


def test_an_imported_memo_stands_instead_of_the_one_that_is_there(path: Path, tmp_path: Path) -> None:
    put_place(path, "ana", OTHER, memo=("line", 1, "before"))
    file = tmp_path / "p.csv"
    file.write_bytes(b"".join(map(csv_line, (MEMO_COLUMNS, (OTHER, "ana", "line", "1", "after")))))
    assert import_places(path, file).notes == ["1 memo had another text before; the history keeps it."]
    assert [text for *_, text in places(path)] == ["after"]
    assert put_place(path, "ana", OTHER, memo=("line", 1, "after")) is None
    put_place(path, "ana", OTHER, memo=("line", 1, ""))
    assert places(path) == []
    assert problems(path) == []


def test_an_export_of_no_places_says_so(path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no bookmarks and no memos"):
        write_export(path, "places", tmp_path / "p.csv")
    put_place(path, "ana", ITEM, bookmark=True)
    with pytest.raises(InputError, match="that the filter and the annotators leave"):
        write_export(path, "places", tmp_path / "p.csv", ExportOptions("arm:state"))
    assert not (tmp_path / "p.csv").exists()


# --- first causes --------------------------------------------------------------------------------------------------


def first_causes(path: Path) -> list[tuple[str, str | None, bool]]:
    with closing(open_for_reading(path)) as connection:
        return [(record.item, record.tag, record.first_cause) for record in list_tags(connection)]


def test_first_causes_and_times_come_back_as_the_same_bytes(path: Path, tmp_path: Path) -> None:
    put_tags(path, "ana", ITEM, ["arithmetic"], first="copying")
    put_tags(path, "ana", OTHER, ["copying"])
    with closing(open_session(path, "ben")) as session:
        session.submit(session.queue[0], MarkFirst("arithmetic"), None, 12.5)
    assert first_causes(path)[:2] == [(ITEM, "arithmetic", False), (ITEM, "copying", True)]
    for suffix in ("csv", "jsonl"):
        other, written = make_audit(tmp_path / f"{suffix}.db"), tmp_path / f"tags.{suffix}"
        write_export(path, "tags", written)
        assert import_tags(other, written).refusals == []
        assert import_tags(other, written).unchanged == 3
        write_export(other, "tags", tmp_path / f"back.{suffix}")
        assert (tmp_path / f"back.{suffix}").read_bytes() == written.read_bytes()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("copying", "true"), ("arithmetic", "true")], "only one tag of a review can be the first cause"),
        ([("", "true")], "a row without a tag cannot be the first cause"),
        ([("copying", "yes")], "must be true or false"),
    ],
)
def test_a_file_with_no_clear_first_cause_is_refused(
    path: Path, tmp_path: Path, rows: list[tuple[str, str]], words: str
) -> None:
    file = tmp_path / "t.csv"
    lines = [("item", "annotator", "tag", "first_cause"), *((ITEM, "ana", *row) for row in rows)]
    file.write_bytes(b"".join(map(csv_line, lines)))
    report = import_tags(path, file)
    assert len(report.refusals) == len(rows) and words in report.refusals[0].reason
    assert first_causes(path) == []


def test_an_import_without_first_causes_leaves_those_that_are_there(path: Path, tmp_path: Path) -> None:
    put_tags(path, "ana", ITEM, ["arithmetic"], first="copying")
    file = tmp_path / "t.csv"
    file.write_bytes(b"".join(map(csv_line, [("item", "annotator", "tag"), (ITEM, "ana", "other")])))
    import_tags(path, file)
    assert [tag for _, tag, first in first_causes(path) if first] == ["copying"]


def test_the_taxonomy_counts_first_causes_of_reviewed_items(path: Path) -> None:
    put_tags(path, "ana", ITEM, ["arithmetic"], first="copying")
    put_tags(path, "ana", OTHER, ["copying"])
    with closing(open_session(path, "ana")) as session:  # begun only
        session.submit(session.queue[5], MarkFirst("copying"))
    with closing(open_for_reading(path)) as connection:
        found = taxonomies(connection)
        counts = {record["tag"]: (record["items"], record["first_cause"]) for record in taxonomy_records(found)}
        document = "\n".join(taxonomy_document(connection, found))
    assert (counts["copying"], counts["arithmetic"], counts["other"]) == ((2, 1), (1, 0), (0, 0))
    assert "| first cause |" in document and "| ana | person | 2 | 2 | 100.0 % | 2 | 1 |" in document


# --- what a sitting brought ----------------------------------------------------------------------------------------


def test_the_summary_counts_memos_and_says_the_median_time(path: Path) -> None:
    with closing(open_session(path, "ana")) as session:
        submit(session, 7, Bookmark())
        assert summarise_session(path, "ana", session.codebook_name, 0) == ""
        submit(session, 7, PinMemo("line", 1, "", "m"))
        assert summarise_session(path, "ana", session.codebook_name, 0) == "In this sitting: 1 memo."
        for index, seconds in ((0, 10.0), (1, 65.0), (2, 300.0)):
            session.submit(session.queue[index], ToggleTag("copying"), None, seconds)
            session.submit(session.queue[index], MarkReviewed())
        text = summarise_session(path, "ana", session.codebook_name, 0)
    assert text == "In this sitting: 3 items reviewed (copying 3); 1 memo; 1:05 an item (median of 3)."
