"""What is kept of a reveal: an event that nothing undoes, that is replayed, and that a reader of exports can see."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.review import (
    MarkReviewed,
    Pending,
    QueueWish,
    Refused,
    Reveal,
    Saved,
    SetNote,
    ToggleTag,
    Undo,
    open_session,
)
from auditor.audit.tags import TagImportOptions, import_tags, list_tags
from auditor.audit.taxonomy import taxonomies, taxonomy_records
from auditor.errors import InputError, UnsavedWorkError
from auditor.formats.record_writer import write_records
from auditor.store.file import open_file, open_for_reading
from auditor.store.replay import replay_differences
from auditor.store.selection import matching_responses
from auditor.store.tag_records import TagRecord
from tests.builders import make_audit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


def actions(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT annotator, action FROM history ORDER BY id").fetchall()


def reveals_of(path: Path) -> dict[str, str | None]:
    with closing(open_for_reading(path)) as connection:
        return {record.item: record.revealed for record in list_tags(connection)}


def test_a_reveal_is_in_the_history_once(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(blind=True))
    item = session.item(0).response_id
    assert session.submit(item, Reveal()) == Saved(
        item, session.item(0).review, "everything about the item is shown, and the history keeps that"
    )
    assert isinstance(session.submit(item, Reveal()), Saved)
    assert actions(path) == [("ana", "reveal")]


def test_what_waits_in_a_side_file_stays_blind_when_an_open_review_takes_it_up(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(blind=True))
    with closing(open_file(path)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        session.submit(session.item(0).response_id, ToggleTag("copying"))
        with pytest.raises(UnsavedWorkError):
            session.close()
        holder.execute("ROLLBACK")
    open_session(path, "ana").close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT action, blind FROM history").fetchall() == [("tag", 1)]


def test_undo_and_redo_pass_over_a_reveal(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(blind=True))
    item = session.item(0).response_id
    session.submit(item, Reveal())
    assert session.submit(item, Undo()) == Refused(None, "There is nothing to undo.")
    session.submit(item, ToggleTag("copying"))
    session.submit(session.item(1).response_id, Reveal())
    undone = session.submit(item, Undo())
    assert isinstance(undone, Saved) and undone.review.tags == () and undone.review.revealed
    assert session.item(0).hidden == session.item(1).hidden == frozenset()
    assert [action for _, action in actions(path)] == ["reveal", "tag", "reveal", "undo"]


def test_a_reveal_changes_no_review(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(blind=True))
    item = session.item(0).response_id
    session.submit(item, Reveal())
    assert reveals_of(path) == {}
    session.submit(item, SetNote("so"))
    before = session.item(0).review
    session.submit(session.item(1).response_id, MarkReviewed())
    session.submit(session.item(1).response_id, Reveal())
    assert session.item(0).review == before
    with closing(open_for_reading(path)) as connection:
        assert replay_differences(connection) == []


def test_verify_finds_a_reveal_that_was_taken_away_or_made_up(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(blind=True))
    session.submit(session.item(0).response_id, Reveal())
    session.close()
    with closing(open_file(path)) as connection:
        kept = connection.execute("SELECT * FROM reveals").fetchone()
        connection.execute("DELETE FROM reveals")
        (difference,) = replay_differences(connection)
        assert difference.endswith("the history has a reveal by event 1, the file holds no reveal")
        connection.execute("INSERT INTO reveals VALUES (?, ?, ?, ?)", kept)
        assert replay_differences(connection) == []


def test_a_reveal_waits_in_the_side_file_while_the_audit_file_is_locked(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(blind=True))
    item = session.item(0).response_id
    with closing(open_file(path)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        outcome = session.submit(item, Reveal())
        assert isinstance(outcome, Pending) and outcome.review.revealed
        assert session.item(0).hidden == frozenset()
        session.submit(item, ToggleTag("copying"))
        undone = session.submit(item, Undo())
        assert isinstance(undone, Pending) and undone.review.tags == () and undone.review.revealed
        (side,) = path.parent.glob("*.unsaved-*")
        for word in ("model-", "output", "state", "wrong_value"):
            assert word not in side.name and word not in side.read_text()
        with pytest.raises(UnsavedWorkError):
            session.close()
        holder.execute("ROLLBACK")
    again = open_session(path, "ana", QueueWish(blind=True))
    assert again.pending == 0 and again.item_by_id(item).hidden == frozenset()
    assert [action for _, action in actions(path)] == ["reveal", "tag", "undo"]
    with closing(open_for_reading(path)) as connection:
        assert replay_differences(connection) == []


def reviewed_three_ways(path: Path) -> None:
    """Review one item blind, one with a reveal after it, and one with a reveal before it."""
    session = open_session(path, "ana", QueueWish(blind=True))
    blind, after, before = (session.item(index).response_id for index in range(3))
    session.submit(before, Reveal())
    for item in (blind, after, before):
        session.submit(item, ToggleTag("copying"))
        session.submit(item, MarkReviewed())
    session.submit(after, Reveal())
    session.close()


def test_exports_tell_what_was_revealed_before_the_review_and_what_after(path: Path) -> None:
    reviewed_three_ways(path)
    assert sorted(map(str, reveals_of(path).values())) == ["None", "after", "before"]
    with closing(open_for_reading(path)) as connection:
        records = [row for row in taxonomy_records(taxonomies(connection)) if row["tag"] == "copying"]
    assert [(row["items"], row["blind"]) for row in records] == [(3, 2)]


def test_a_review_is_blind_when_all_of_it_was_done_blind(path: Path) -> None:
    for blind in (True, False):
        session = open_session(path, "ana", QueueWish(order=None if blind else "random", blind=blind))
        items = sorted(row.response_id for row in session.rows(0, len(session)))
        for item in items[:2] if blind else items[1:3]:
            session.submit(item, ToggleTag("copying"))
            session.submit(item, MarkReviewed())
        session.close()
    with closing(open_for_reading(path)) as connection:
        assert [record.blind for record in list_tags(connection)].count(True) == 1


def test_a_filter_leaves_out_what_was_marked_with_open_eyes(path: Path) -> None:
    reviewed_three_ways(path)
    with closing(open_for_reading(path)) as connection:
        found = {when: matching_responses(connection, f"revealed:{when}") for when in ("before", "after")}
        assert [len(ids) for ids in found.values()] == [1, 1] and found["before"] != found["after"]
        assert len(matching_responses(connection, "annotator:ana NOT revealed:before")) == 2
        with pytest.raises(InputError, match="no revealed 'never'"):
            matching_responses(connection, "revealed:never")


def test_reveals_come_along_with_exported_tags(path: Path, tmp_path: Path) -> None:
    reviewed_three_ways(path)
    other = make_audit(tmp_path / "other.db")
    file = tmp_path / "tags.csv"
    with closing(open_for_reading(path)) as connection, file.open("wb") as out:
        records = (record._asdict() for record in list_tags(connection))
        assert write_records(out, "csv", TagRecord._fields, records) == 3
    assert not import_tags(other, file, TagImportOptions()).refusals
    assert reveals_of(other) == reveals_of(path)
    with closing(open_for_reading(path)) as one, closing(open_for_reading(other)) as two:
        assert [row.blind for row in list_tags(one)] == [row.blind for row in list_tags(two)]
    assert import_tags(other, file, TagImportOptions()).unchanged == 3
    with closing(open_for_reading(other)) as connection:
        assert replay_differences(connection) == []
