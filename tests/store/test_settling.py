"""What events come to: in one history as they say, in histories that were written apart as the rules of joining say."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor.store.file as store_file
from auditor.model import ReviewState
from auditor.store.changes import Change, ReviewView, TagRules
from auditor.store.file import migrations, open_file
from auditor.store.history import EventHead, redo_target, undo_target

RULES = TagRules({"red": frozenset({"blue"}), "blue": frozenset({"red"}), "loud": frozenset()})


def test_an_older_file_s_events_and_revisions_are_told_what_they_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "audit.db"
    (number,) = (one.number for one in migrations() if one.path.stem.endswith("_merging"))
    with monkeypatch.context() as older:
        older.setattr(store_file, "migrations", lambda: migrations()[: number - 1])
        open_file(path, create=True).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO events (uuid, annotator_id, response_id, codebook_id, revision, action, change, origin,"
            " evidence_hash, at) VALUES (?, ?, ?, 1, 1, 'tag', '{}', 'review', x'00', '')",
            [("a", 1, 1), ("b", 2, 1), ("c", 1, 2), ("d", 1, 1), ("e", 1, 1)],
        )
        connection.executemany(
            "INSERT INTO codebook_revisions (codebook_id, revision, content_hash, text, created_at)"
            " VALUES (1, ?, x'00', '', '')",
            [(1,), (2,)],
        )
    with closing(open_file(path)) as connection:
        follows = connection.execute("SELECT follows FROM events ORDER BY id").fetchall()
        assert [row for (row,) in follows] == [None, None, None, 1, 4]
        assert connection.execute("SELECT follows FROM codebook_revisions ORDER BY revision").fetchall() == [
            ("[]",),
            ("[1]",),
        ]
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("UPDATE events SET follows = NULL")


def by_counting(newest_first: Iterable[EventHead], *, redo: bool) -> int | None:
    """Find the target as one may where no two histories were joined: undos and redos are a stack."""
    taken, skip = ("redo", 0) if redo else ("undo", 0)
    for event in newest_first:
        if event.action == taken:
            skip += 1
        elif redo and event.action != "undo":
            return None
        elif skip:
            skip -= 1
        elif redo:
            return event.undoes
        else:
            return event.undoes if event.action == "redo" else event.id
    return None


@given(st.lists(st.sampled_from(["tag", "undo", "redo"]), max_size=40))
def test_undo_and_redo_go_through_one_history_as_through_a_stack(keys: list[str]) -> None:
    history: list[EventHead] = []
    for number, key in enumerate(keys, 1):
        newest = history[::-1]
        assert undo_target(newest) == by_counting(newest, redo=False)
        assert redo_target(newest) == by_counting(newest, redo=True)
        undoes = undo_target(newest) if key == "undo" else redo_target(newest) if key == "redo" else None
        if key == "tag" or undoes is not None:
            history.append(EventHead(number, key, undoes))


def test_an_undo_belongs_to_the_event_that_it_names_whatever_stands_between() -> None:
    first, other, undone = EventHead(1, "tag", None), EventHead(2, "tag", None), EventHead(3, "undo", 1)
    assert undo_target([undone, other, first]) == 2
    assert redo_target([undone, other, first]) == 1
    assert undo_target([EventHead(4, "undo", 2), undone, other, first]) is None


@pytest.mark.parametrize(
    ("change", "view", "comes_to"),
    [
        pytest.param(
            Change(add=("blue",)), ReviewView(tags=("loud", "red")), ("in-progress", ("blue", "loud")), id="exclusive"
        ),
        pytest.param(
            Change(state=("in-progress", "not-reviewed"), remove=("red",)),
            ReviewView(ReviewState.REVIEWED, ("loud", "red")),
            ("in-progress", ("loud",)),
            id="nothing that has tags is not reviewed",
        ),
        pytest.param(
            Change(state=("in-progress", "reviewed")),
            ReviewView(ReviewState.DEFERRED, ("red",)),
            ("reviewed", ("red",)),
            id="the last word on the state",
        ),
        pytest.param(Change(add=("red",)), ReviewView(tags=("red",)), ("in-progress", ("red",)), id="said twice"),
    ],
)
def test_a_change_that_was_made_beside_others_says_the_last_word_on_what_it_is_about(
    change: Change, view: ReviewView, comes_to: tuple[str, tuple[str, ...]]
) -> None:
    after = change.joined(view, RULES).apply(view, "2026-01-01T00:00:00.000Z")
    assert (after.state.value, after.tags) == comes_to


def test_a_tag_that_was_taken_off_elsewhere_is_no_first_cause() -> None:
    view = ReviewView(ReviewState.REVIEWED, ("loud",), first_cause="red")
    after = Change(note=("", "later")).joined(view, RULES).apply(view, None)
    assert (after.note, after.first_cause) == ("later", "")
