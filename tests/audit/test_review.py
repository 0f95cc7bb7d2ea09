"""The review session: what a screen reads, and that nothing a person enters is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from auditor.audit.codebook_revising import revise_codebook
from auditor.audit.review import (
    Defer,
    Intent,
    MarkAll,
    MarkReviewed,
    NothingToTag,
    Pending,
    QueueWish,
    Redo,
    Refused,
    ReviewSession,
    ReviewState,
    Saved,
    SetNote,
    ToggleTag,
    Undo,
    open_session,
)
from auditor.codebook_changes import merge_tags
from auditor.errors import AuditorError, UnsavedWorkError
from auditor.store.file import open_file
from auditor.store.replay import replay_differences
from tests.builders import make_audit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file's write lock as another process would."""
    with closing(open_file(path)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.execute("ROLLBACK")


def tags_in_file(path: Path) -> list[tuple[str, int, str]]:
    """Return (annotator, response, tag) as they stand in the file."""
    with closing(sqlite3.connect(path)) as connection:
        sql = (
            "SELECT a.name, p.response_id, k.name FROM applied_tags p JOIN annotators a ON a.id = p.annotator_id"
            " JOIN tags k ON k.id = p.tag_id ORDER BY 1, 2, 3"
        )
        return connection.execute(sql).fetchall()


def side_files(path: Path) -> list[str]:
    return [p.name for p in path.parent.glob("*.unsaved-*")]


def first_item(session: ReviewSession) -> int:
    return session.item(0).response_id


def test_the_queue_holds_the_failures_with_the_smallest_program_first(path: Path) -> None:
    session = open_session(path, "ana")
    rows = session.rows(0, len(session))
    assert [row.lines for row in rows] == sorted(row.lines for row in rows)
    assert {row.status for row in rows} == {"wrong-valid"}
    assert session.description == "status:wrong · smallest"


def test_an_item_has_everything_that_a_screen_shows(path: Path) -> None:
    item = open_session(path, "ana").item(0)
    assert (item.oracle_text, item.response.text, item.task.source) == ("right", "wrong", "print(x)\n")
    assert item.grade is not None and item.grade.finding.mode == "wrong_value"
    assert str(item.key) == "demo/case-0/output/model-a/0"


def test_a_saved_action_is_in_the_file_when_submit_returns(path: Path) -> None:
    session = open_session(path, "ana")
    result = session.submit(first_item(session), ToggleTag("copying"))
    assert isinstance(result, Saved) and result.review.tags == ("copying",)
    assert tags_in_file(path) == [("ana", first_item(session), "copying")]


def test_counts_and_next_open_follow_the_work(path: Path) -> None:
    session = open_session(path, "ana")
    intents: list[Intent] = [MarkReviewed(), Defer(), ToggleTag("copying")]
    for index, intent in enumerate(intents):
        session.submit(session.item(index).response_id, intent)
    counts = session.counts()
    assert [counts[state] for state in ReviewState] == [len(session) - 3, 1, 1, 1]
    assert session.next_open(-1) == 2
    assert session.next_open(len(session) - 1) == 2


def test_there_is_no_next_item_when_all_are_done(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(where="case:case-0 arm:output setting:model-a"))
    assert len(session) == 1
    session.submit(first_item(session), NothingToTag())
    assert session.next_open(0) is None


def test_a_new_session_begins_where_the_last_one_ended(path: Path) -> None:
    session = open_session(path, "ana")
    session.submit(session.item(2).response_id, ToggleTag("copying"))
    session.close()
    again = open_session(path, "ana")
    assert again.start_index() == 2
    again.submit(again.item(2).response_id, MarkReviewed())
    again.close()
    assert open_session(path, "ana").start_index() == 3
    assert open_session(path, "ben").start_index() == 0


def test_undo_says_what_it_undid_and_where(path: Path) -> None:
    session = open_session(path, "ana")
    item = session.item(1).response_id
    session.submit(item, ToggleTag("copying"))
    undone = session.submit(first_item(session), Undo())
    assert isinstance(undone, Saved)
    assert (undone.response_id, undone.message) == (item, "undone: tag copying")
    assert isinstance(session.submit(item, Undo()), Refused)
    redone = session.submit(item, Redo())
    assert isinstance(redone, Saved) and redone.review.tags == ("copying",)


def test_the_second_annotator_sees_nothing_of_the_first(path: Path) -> None:
    first = open_session(path, "ana")
    first.submit(first_item(first), ToggleTag("copying"))
    first.submit(first_item(first), SetNote("a carry was lost"))
    first.submit(first_item(first), MarkReviewed())
    second = open_session(path, "ben")
    assert len(second) == len(first)
    assert second.item(0).review.tags == () and second.item(0).review.note == ""
    assert second.rows(0, 1)[0].state is ReviewState.NOT_REVIEWED
    assert second.counts()[ReviewState.NOT_REVIEWED] == len(second)


def test_a_locked_file_keeps_every_action_beside_it_and_writes_them_later(path: Path) -> None:
    session = open_session(path, "ana")
    one, two = session.item(0).response_id, session.item(1).response_id
    with locked(path):
        results = [
            session.submit(one, ToggleTag("copying")),
            session.submit(one, MarkReviewed()),
            session.submit(two, ToggleTag("arithmetic")),
            session.submit(two, Undo()),
            session.submit(two, ToggleTag("other")),
        ]
        assert all(isinstance(result, Pending) for result in results)
        assert session.pending == 5
        assert session.item(0).review.state is ReviewState.REVIEWED
        assert session.item(1).review.tags == ("other",)
        assert session.rows(0, 2)[0].tags == ("copying",)
        assert side_files(path) and tags_in_file(path) == []
    assert session.retry_pending() == 0
    assert side_files(path) == []
    assert tags_in_file(path) == [("ana", one, "copying"), ("ana", two, "other")]
    assert session.item(1).review.tags == ("other",)


def test_undo_reaches_back_into_the_file_while_it_is_locked(path: Path) -> None:
    session = open_session(path, "ana")
    one, two = session.item(0).response_id, session.item(1).response_id
    session.submit(one, ToggleTag("copying"))
    with locked(path):
        session.submit(two, ToggleTag("other"))
        results = [session.submit(two, intent) for intent in (Undo(), Undo(), Undo(), Redo())]
        assert [getattr(result, "response_id", None) for result in results] == [two, one, None, one]
        assert isinstance(results[2], Refused)
    session.close()
    assert tags_in_file(path) == [("ana", one, "copying")]
    with closing(open_file(path)) as connection:
        assert replay_differences(connection) == []


@pytest.mark.parametrize(
    ("done", "state", "words"),
    [
        ("", ReviewState.DEFERRED, "deferred 3 items"),
        ("reviewed", ReviewState.REVIEWED, "3 items reviewed"),
        ("nothing", ReviewState.REVIEWED, "3 items reviewed without tags"),
    ],
)
def test_an_act_on_several_items_is_one_while_the_file_is_locked_too(
    path: Path, done: str, state: ReviewState, words: str
) -> None:
    session = open_session(path, "ana")
    ids = tuple(session.item(index).response_id for index in range(3))
    with locked(path):
        outcome = session.submit(ids[0], MarkAll(ids, True, done=done))
        assert isinstance(outcome, Pending) and session.counts()[state] == 3
        again = session.submit(ids[0], MarkAll(ids, True, done=done))
        assert isinstance(again, Saved) and not again.recorded
        session.submit(ids[0], Undo())
        assert session.counts()[state] == 0
        session.submit(ids[0], Redo())
        session._marks.abandon()  # as a killed process leaves it
    later = open_session(path, "ana")
    assert later.pending == 0 and later.counts()[state] == 3
    undone = later.submit(ids[0], Undo())
    assert isinstance(undone, Saved) and undone.message == f"undone: {words}"
    assert later.counts()[state] == 0
    with closing(open_file(path)) as connection:
        assert replay_differences(connection) == []


def test_a_failure_in_the_middle_of_an_act_leaves_all_items_as_they_were(path: Path) -> None:
    session = open_session(path, "ana")
    ids = tuple(session.item(index).response_id for index in range(3))
    with closing(sqlite3.connect(path)) as other:
        other.execute(
            "CREATE TRIGGER no_more BEFORE INSERT ON events WHEN (SELECT count(*) FROM events) = 2"
            " BEGIN SELECT RAISE(ABORT, 'no more'); END"
        )
    assert isinstance(session.submit(ids[0], MarkAll(ids, True, "copying")), Pending)
    assert tags_in_file(path) == []
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TRIGGER no_more")
    assert session.retry_pending() == 0
    assert [tag for *_, tag in tags_in_file(path)] == ["copying"] * 3


def test_what_was_kept_beside_the_file_is_written_by_the_next_session(path: Path) -> None:
    session = open_session(path, "ana")
    item = first_item(session)
    with locked(path):
        session.submit(item, ToggleTag("copying"))
        session.submit(item, SetNote("lost \ud83d"))
        session._marks.abandon()  # as a killed process leaves it: the side file stays
    again = open_session(path, "ana")
    assert again.pending == 0
    assert again.item(0).review.tags == ("copying",) and again.item(0).review.note == "lost \ud83d"
    assert side_files(path) == []


def test_tags_kept_beside_the_file_are_on_the_item_whatever_was_merged_meanwhile(path: Path) -> None:
    session = open_session(path, "ana")
    item, other = session.item(0).response_id, session.item(1).response_id
    session.submit(item, ToggleTag("other"))
    with locked(path):
        for tag in ("arithmetic", "copying"):
            assert isinstance(session.submit(item, ToggleTag(tag)), Pending)
        session.submit(item, Undo())
        for intent in (ToggleTag("copying"), MarkReviewed()):
            session.submit(item, intent)
        for tag in ("arithmetic", "copying"):
            session.submit(other, ToggleTag(tag))
        session.submit(other, Undo())
        session._marks.abandon()
    revise_codebook(path, lambda book: merge_tags(book, "arithmetic", "copying"))
    with closing(open_session(path, "ana")) as session:
        assert session.pending == 0
        assert session.item_by_id(item).review.tags == ("copying", "other")
        assert session.item_by_id(other).review.tags == ("copying",), "the undo took the second tag back, not the first"
        for _ in range(4):
            session.submit(item, Undo())
        assert session.item_by_id(item).review.tags == ("other",)
    with closing(open_file(path)) as connection:
        assert not list(replay_differences(connection))


def test_a_side_file_that_was_written_already_changes_nothing_more(path: Path) -> None:
    """As a power cut leaves it that comes between the last mark's way into the audit file and the side file's end."""
    session = open_session(path, "ana")
    item = first_item(session)
    session.submit(item, ToggleTag("copying"))
    session.submit(item, MarkReviewed())
    with locked(path):
        session.submit(item, Undo())
        (side,) = (path.parent / name for name in side_files(path))
        kept = side.read_bytes()
    session.close()
    side.write_bytes(kept)
    with closing(open_session(path, "ana")) as session:
        assert session.counts()[ReviewState.IN_PROGRESS] == 1
        assert session.item_by_id(item).review.tags == ("copying",)
    assert side_files(path) == []


def test_a_side_file_that_cannot_be_taken_away_holds_nothing_any_more(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(path, "ana")
    with locked(path):
        session.submit(first_item(session), ToggleTag("copying"))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert session.retry_pending() == 0
    assert isinstance(session.submit(first_item(session), ToggleTag("other")), Saved)
    session.close()
    (side,) = side_files(path)
    assert (path.parent / side).read_bytes() == b""


def test_a_half_written_line_of_the_side_file_costs_only_itself(path: Path) -> None:
    session = open_session(path, "ana")
    item = first_item(session)
    with locked(path):
        session.submit(item, ToggleTag("copying"))
        session._marks.abandon()
    side = path.parent / side_files(path)[0]
    side.write_bytes(side.read_bytes() + b'{"uuid": "0199')
    again = open_session(path, "ana")
    assert again.item(0).review.tags == ("copying",)


def test_a_second_session_leaves_the_unsaved_work_of_a_running_one_to_it(path: Path) -> None:
    session = open_session(path, "ana")
    with locked(path):
        session.submit(first_item(session), ToggleTag("copying"))
        other = open_session(path, "ana")
        assert other.pending == 0
        other.submit(other.item(1).response_id, ToggleTag("other"))
        assert len(side_files(path)) == 2
    session.close()
    other.close()
    assert side_files(path) == []
    assert [tag for _, _, tag in tags_in_file(path)] == ["copying", "other"]


def test_a_review_begins_while_another_process_writes_when_the_file_knows_the_annotator(path: Path) -> None:
    open_session(path, "ana").close()
    with locked(path):
        open_session(path, "ana").close()


def test_marks_after_the_file_was_deleted_are_kept_beside_it_and_said_to_be(path: Path) -> None:
    session = open_session(path, "ana")
    path.unlink()
    result = session.submit(first_item(session), ToggleTag("copying"))
    assert isinstance(result, Pending) and "moved, deleted or replaced" in result.message
    with pytest.raises(UnsavedWorkError, match=r"1 of your last marks are not in the audit file yet.*They are kept in"):
        session.close()
    assert len(side_files(path)) == 1


def test_marks_after_the_log_of_the_file_was_deleted_are_kept_beside_it(path: Path) -> None:
    session = open_session(path, "ana")
    assert isinstance(session.submit(first_item(session), ToggleTag("copying")), Saved)
    path.with_name(f"{path.name}-wal").unlink()
    result = session.submit(first_item(session), ToggleTag("arithmetic"))
    assert isinstance(result, Pending) and "-wal was deleted" in result.message
    with pytest.raises(UnsavedWorkError):
        session.close()
    again = open_session(path, "ana")
    assert set(again.item(0).review.tags) == {"copying", "arithmetic"}
    again.close()


def test_marks_that_a_full_disk_refuses_are_kept_elsewhere_and_nothing_says_otherwise(path: Path) -> None:
    session, note = open_session(path, "ana"), "long " * 100_000
    writer = session._marks._writer
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")
    result = session.submit(first_item(session), SetNote(note))
    assert isinstance(result, Pending)
    full = f"{path}: the disk is full."
    assert result.message == f"NOT SAVED: {full} Your mark is kept in a side file and tried again."
    with pytest.raises(UnsavedWorkError) as error:
        session.close()
    assert str(error.value).startswith(f"1 of your last marks are not in the audit file yet. {full} They are kept in ")
    with closing(open_session(path, "ana")) as session:
        assert session.item(0).review.note == note and session.pending == 0


def test_a_review_of_a_file_that_was_read_only_says_that_a_new_one_can_write_it(path: Path) -> None:
    session = open_session(path, "ana")
    session._marks._writer.close()
    session._marks._writer = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    result = session.submit(first_item(session), ToggleTag("copying"))
    assert isinstance(result, Pending)
    why = f"{path} could not be written when the review opened it, and now it can: leave and begin again."
    assert result.message == f"NOT SAVED: {why} Your mark is kept in a side file and tried again."
    with pytest.raises(UnsavedWorkError, match="leave and begin again"):
        session.close()
    open_session(path, "ana").close()
    assert tags_in_file(path) == [("ana", 1, "copying")]


def test_another_audit_put_at_the_path_during_a_review_is_left_alone(path: Path, tmp_path: Path) -> None:
    session = open_session(path, "ana")
    item = first_item(session)
    moved = path.rename(tmp_path / "moved.db")
    make_audit(path)
    assert isinstance(session.submit(item, ToggleTag("copying")), Pending)
    with pytest.raises(UnsavedWorkError):
        session.close()
    assert tags_in_file(path) == []
    assert open_session(path, "ana").pending == 0
    for side in list(path.parent.glob("*.unsaved-*")):
        side.rename(side.with_name(side.name.replace(path.name, moved.name)))
    path.unlink()
    session = open_session(moved, "ana")
    assert session.pending == 0 and session.item_by_id(item).review.tags == ("copying",)


def test_a_mark_on_a_reply_that_an_import_replaced_is_refused(path: Path) -> None:
    session = open_session(path, "ana")
    item = first_item(session)
    with closing(open_file(path)) as connection:
        connection.execute("UPDATE responses SET superseded_at = '2026-01-01T00:00:00Z' WHERE id = ?", (item,))
    result = session.submit(item, ToggleTag("copying"))
    assert isinstance(result, Refused) and "replaced this reply" in result.message
    assert tags_in_file(path) == []


def test_marks_that_could_be_kept_nowhere_are_counted_and_said_to_be_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_session(path, "ana")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with locked(path):
        monkeypatch.setattr("auditor.store.pending._append", refuse)
        result = session.submit(first_item(session), ToggleTag("copying"))
        assert isinstance(result, Pending) and "in memory only" in result.message
        assert session.in_memory_only == 1
        with pytest.raises(UnsavedWorkError, match="lost"):
            session.close()
    assert side_files(path) == []


def test_an_unknown_tag_changes_nothing(path: Path) -> None:
    session = open_session(path, "ana")
    assert isinstance(session.submit(first_item(session), ToggleTag("nonsense")), Refused)
    assert tags_in_file(path) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"where": "setting:none"}, "no response matches"),
        ({"where": "nonsense:1"}, "there is no dimension"),
        ({"order": "nonsense"}, "there is no order"),
        ({"codebook": "nonsense"}, "nonsense"),
        ({"per": ("nonsense",), "take": 1}, "there is no dimension"),
    ],
)
def test_a_session_that_cannot_be_opened_says_why(path: Path, arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(AuditorError, match=sentence):
        open_session(path, "ana", QueueWish(**arguments))  # type: ignore[arg-type]  # a table of wrong calls


def test_take_and_per_keep_the_first_of_each_group(path: Path) -> None:
    session = open_session(path, "ana", QueueWish(take=1, per=("arm", "setting")))
    rows = session.rows(0, len(session))
    assert len(rows) == 4 and {row.case for row in rows} == {"case-0"}


def test_a_random_order_is_the_same_for_the_same_seed(path: Path) -> None:
    def order(seed: int) -> list[int]:
        session = open_session(path, "ana", QueueWish(order="random", seed=seed))
        return [row.response_id for row in session.rows(0, len(session))]

    assert order(7) == order(7) != order(8)
    assert sorted(order(7)) == sorted(order(8))
