"""Where a review begins, how far it is, and how a queue is described."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.review import (
    Defer,
    Intent,
    MarkReviewed,
    NothingToTag,
    QueueWish,
    ReviewState,
    SetNote,
    ToggleTag,
    Undo,
    describe_progress,
    open_session,
)
from tests.builders import make_audit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


def work(path: Path, *marks: tuple[int, Intent], where: str = "status:wrong") -> None:
    """Do marks on items of a queue in one session."""
    session = open_session(path, "ana", QueueWish(where=where))
    for index, intent in marks:
        session.submit(session.item(index).response_id, intent)
    session.close()


def start(path: Path, where: str = "status:wrong") -> tuple[int, ReviewState]:
    """Return where a new session begins, and the state of that item."""
    session = open_session(path, "ana", QueueWish(where=where))
    index = session.start_index()
    state = session.item(index).review.state
    session.close()
    return index, state


@pytest.mark.parametrize("last", [MarkReviewed(), NothingToTag(), SetNote("later"), ToggleTag("copying"), Undo()])
def test_a_review_never_begins_at_a_reviewed_item(path: Path, last: Intent) -> None:
    work(path, (3, MarkReviewed()), (3, SetNote("x")), (3, last))
    assert start(path)[1] is not ReviewState.REVIEWED


def test_without_the_filter_it_begins_at_the_next_open_item(path: Path) -> None:
    work(path, *[(index, MarkReviewed()) for index in range(4)], where="status:wrong arm:output setting:model-a")
    index, state = start(path)
    assert state is ReviewState.NOT_REVIEWED
    session = open_session(path, "ana")
    before = session.item((index - 1) % len(session))
    assert before.review.state is ReviewState.REVIEWED


def test_deferred_items_come_after_the_open_ones(path: Path) -> None:
    count = len(open_session(path, "ana"))
    work(path, (1, Defer()), *[(index, MarkReviewed()) for index in range(count) if index != 1])
    assert start(path) == (1, ReviewState.DEFERRED)
    work(path, (1, MarkReviewed()))
    assert start(path) == (1, ReviewState.REVIEWED)


def test_counts_follow_undo_and_items_outside_the_queue(path: Path) -> None:
    work(path, (0, MarkReviewed()))
    session = open_session(path, "ana", QueueWish(where="status:wrong arm:state"))
    assert session.counts()[ReviewState.REVIEWED] == 0
    session.submit(session.item(0).response_id, MarkReviewed())
    session.submit(session.item(0).response_id, Undo())
    session.submit(session.item(0).response_id, Undo())
    assert describe_progress(session.counts()) == f"0 reviewed, 0 deferred, 0 begun, {len(session)} open"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "status:wrong · smallest"),
        ({"where": "", "order": "random", "seed": 7}, "everything · random, seed 7"),
        ({"take": 3}, "status:wrong · smallest · the first 3"),
        ({"take": 2, "per": ("setting", "arm")}, "status:wrong · smallest · 2 per setting, arm"),
    ],
)
def test_the_description_says_which_items_and_in_which_order(
    path: Path, options: dict[str, object], words: str
) -> None:
    assert open_session(path, "ana", QueueWish(**options)).description == words  # type: ignore[arg-type]
