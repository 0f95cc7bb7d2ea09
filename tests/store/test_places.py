"""Bookmarks, memos and first causes in the history: whose they are, what they touch, and that undo is exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.model import ReviewState
from auditor.store.file import now, transaction
from auditor.store.history import act, seconds_at, uuid7
from auditor.store.places import bookmarked_responses, iterate_places
from auditor.store.replay import replay_differences
from auditor.store.reviews import (
    Bookmark,
    MarkAll,
    MarkFirst,
    MarkReviewed,
    Memo,
    NothingToTag,
    PinMemo,
    PutTags,
    Redo,
    Reveal,
    ReviewView,
    ToggleTag,
    Undo,
)
from auditor.store.tag_records import iterate_tag_records
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.store.test_history import Desk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


@pytest.fixture
def desk(path: Path) -> Desk:
    return Desk(path)


# --- bookmarks and memos -------------------------------------------------------------------------------------------


def test_a_bookmark_is_put_taken_off_and_brought_back(desk: Desk) -> None:
    desk.do(1, Bookmark())
    assert desk.view(1).bookmarked and bookmarked_responses(desk.connection, desk.actor) == {1}
    assert desk.do(1, Bookmark(True)) is None
    desk.do(1, Bookmark())
    assert bookmarked_responses(desk.connection, desk.actor) == set()
    undone = desk.do(1, Undo())
    assert undone is not None and undone.of == "unbookmark" and desk.view(1).bookmarked
    assert replay_differences(desk.connection) == []


def test_bookmarks_on_several_items_are_one_act(desk: Desk) -> None:
    desk.do(2, Bookmark())
    done = desk.do(1, MarkAll((1, 2, 3), True, bookmark=True))
    assert done is not None and [row for row, _ in done.others] == [3]
    assert bookmarked_responses(desk.connection, desk.actor) == {1, 2, 3}
    desk.do(1, Undo())
    assert bookmarked_responses(desk.connection, desk.actor) == {2}


def test_a_memo_is_written_changed_and_taken_away(desk: Desk) -> None:
    desk.do(1, PinMemo("line", 2, "x = 1", "one too early"))
    desk.do(1, PinMemo("difference", 1, "a → b", "the carry"))
    desk.do(1, PinMemo("line", 2, "another quote", "two too early"))
    assert desk.view(1).memos == (
        Memo("line", 2, "x = 1", "two too early"),
        Memo("difference", 1, "a → b", "the carry"),
    )
    desk.do(1, PinMemo("line", 2, "", " \n"))
    assert desk.view(1).memos == (Memo("difference", 1, "a → b", "the carry"),)
    assert desk.do(1, PinMemo("line", 2, "", "")) is None
    desk.do(1, Undo())
    desk.do(1, Undo())
    assert desk.view(1).memo_at("line", 2) == Memo("line", 2, "x = 1", "one too early")
    desk.do(1, Redo())
    assert desk.view(1).memo_at("line", 2) == Memo("line", 2, "x = 1", "two too early")
    assert replay_differences(desk.connection) == []


@pytest.mark.parametrize("name", [name for name in HOSTILE if HOSTILE[name].strip()])
def test_any_memo_is_kept_exactly(desk: Desk, name: str) -> None:
    desk.do(1, PinMemo("line", 1, HOSTILE[name], HOSTILE[name]))
    assert desk.view(1).memos == (Memo("line", 1, HOSTILE[name], HOSTILE[name]),)
    assert replay_differences(desk.connection) == []


def test_bookmarks_and_memos_leave_the_review_as_it_was(desk: Desk) -> None:
    with transaction(desk.connection):
        act(desk.connection, desk.actor, 1, MarkReviewed(), uuid=uuid7(), at="2026-01-01T00:00:00.000Z", blind=True)
    desk.do(1, Reveal())
    before = list(iterate_tag_records(desk.connection))
    assert (before[0].blind, before[0].revealed) == (True, "after")
    desk.do(1, Bookmark())
    desk.do(1, PinMemo("line", 1, "", "seen later"))
    desk.do(1, Undo())
    desk.do(1, Redo())
    assert list(iterate_tag_records(desk.connection)) == before
    assert desk.view(1).updated_at == "2026-01-01T00:00:00.000Z"


def test_what_only_has_a_bookmark_is_not_begun(desk: Desk) -> None:
    desk.do(1, Bookmark())
    desk.do(2, PinMemo("line", 1, "", "m"))
    assert {desk.view(one).state for one in (1, 2)} == {ReviewState.NOT_REVIEWED}
    assert list(iterate_tag_records(desk.connection)) == []


def test_everybody_has_their_own(path: Path, desk: Desk) -> None:
    ben, second = Desk(path, "ben"), Desk(path, "ana#2")
    desk.do(1, Bookmark())
    desk.do(1, PinMemo("line", 1, "", "ana's"))
    assert ben.view(1) == second.view(1) == ReviewView()
    assert ben.do(1, Undo()) is None
    second.do(1, PinMemo("line", 1, "", "a second look"))
    found = [(one.annotator, one.place, one.text) for one in iterate_places(desk.connection)]
    assert found == [("ana", "item", ""), ("ana", "line", "ana's"), ("ana#2", "line", "a second look")]


@pytest.mark.parametrize("table", ["bookmarks", "memos"])
def test_a_replay_notices_a_place_that_is_gone(desk: Desk, table: str) -> None:
    desk.do(1, Bookmark())
    desk.do(2, PinMemo("line", 1, "", "m"))
    desk.connection.execute(f"DELETE FROM {table}")
    assert "the history gives" in replay_differences(desk.connection)[0]


def test_an_undo_leaves_a_memo_that_an_import_wrote_since(desk: Desk) -> None:
    desk.do(1, PinMemo("line", 1, "", "mine"))
    with transaction(desk.connection):
        intent = PinMemo("line", 1, "", "of a file")
        act(desk.connection, desk.actor, 1, intent, uuid=uuid7(), at=now(), origin="import")
    desk.do(1, Undo())
    assert desk.view(1).memos[0].text == "of a file"
    assert replay_differences(desk.connection) == []


# --- first causes --------------------------------------------------------------------------------------------------


def test_the_first_cause_is_one_of_the_tags_and_goes_with_it(desk: Desk) -> None:
    desk.do(1, ToggleTag("arithmetic"))
    desk.do(1, ToggleTag("copying"))
    desk.do(1, MarkFirst("copying"))
    assert desk.view(1).first_cause == "copying"
    assert desk.do(1, MarkFirst("copying")) is None
    taken = desk.do(1, ToggleTag("copying"))
    assert taken is not None and taken.change.first == ("copying", "")
    assert (desk.view(1).tags, desk.view(1).first_cause) == (("arithmetic",), "")
    desk.do(1, Undo())
    assert (desk.view(1).tags, desk.view(1).first_cause) == (("arithmetic", "copying"), "copying")
    desk.do(1, NothingToTag())
    assert desk.view(1).first_cause == ""
    desk.do(1, Undo())
    desk.do(1, MarkFirst("arithmetic"))
    assert desk.view(1).first_cause == "arithmetic"
    desk.do(1, MarkFirst(""))
    assert desk.view(1).first_cause == ""
    assert replay_differences(desk.connection) == []


def test_marking_a_tag_that_is_not_there_puts_it_on_in_the_same_act(desk: Desk) -> None:
    done = desk.do(1, MarkFirst("arithmetic"))
    assert done is not None and done.action == "tag"
    view = desk.view(1)
    assert (view.tags, view.first_cause, view.state) == (("arithmetic",), "arithmetic", ReviewState.IN_PROGRESS)
    desk.do(1, Undo())
    assert (desk.view(1).tags, desk.view(1).first_cause) == ((), "")


def test_a_tag_that_takes_the_place_of_the_first_cause_does_not_become_it(tmp_path: Path) -> None:
    desk = Desk(make_audit(tmp_path / "audit.db", codebook="prex"), codebook="prex")
    desk.do(1, MarkFirst("false-error"))
    desk.do(1, ToggleTag("wrong-rule"))
    assert (desk.view(1).tags, desk.view(1).first_cause) == (("wrong-rule",), "")
    desk.do(1, Undo())
    assert desk.view(1).first_cause == "false-error"


def test_an_undo_marks_nothing_first_that_is_no_tag_any_more(desk: Desk) -> None:
    desk.do(1, ToggleTag("arithmetic"))
    desk.do(1, MarkFirst("arithmetic"))
    desk.do(1, MarkFirst(""))
    with transaction(desk.connection):
        intent = PutTags(("copying",), replace=True)
        act(desk.connection, desk.actor, 1, intent, uuid=uuid7(), at=now(), origin="import")
    desk.do(1, Undo())
    assert (desk.view(1).tags, desk.view(1).first_cause) == (("copying",), "")
    assert replay_differences(desk.connection) == []


def test_a_replay_notices_another_first_cause(desk: Desk) -> None:
    desk.do(1, MarkFirst("arithmetic"))
    desk.connection.execute("UPDATE reviews SET first_cause_id = NULL")
    assert "first arithmetic" in replay_differences(desk.connection)[0]


# --- time ----------------------------------------------------------------------------------------------------------


def test_times_of_an_item_add_up_and_change_nothing_else(desk: Desk) -> None:
    for intent, seconds in ((ToggleTag("copying"), 12.5), (Bookmark(), 2.0), (MarkReviewed(), None)):
        with transaction(desk.connection):
            act(desk.connection, desk.actor, 1, intent, uuid=uuid7(), at=now(), seconds=seconds)
    assert seconds_at(desk.connection, desk.actor, 1) == 14.5
    assert seconds_at(desk.connection, desk.actor, 2) is None
    assert [record.seconds for record in iterate_tag_records(desk.connection)] == [14.5]
    assert replay_differences(desk.connection) == []
