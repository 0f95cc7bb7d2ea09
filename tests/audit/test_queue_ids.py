"""A queue that grows: what is known while it does, how it ends, and that nothing is left of it."""

from __future__ import annotations

import sqlite3
import threading
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.queue_ids import QueueProgress, ReviewQueue, find_queue
from auditor.audit.queue_words import (
    describe_all_done,
    describe_back,
    describe_last,
    describe_scope,
    describe_search,
    describe_total,
)
from auditor.audit.review import MarkReviewed, QueueWish, ReviewState, open_session
from auditor.store.selection import Selection
from tests.builders import make_audit
from tests.gates import Gate

SMALLEST = Selection("status:wrong", "smallest")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db")


def searching() -> list[threading.Thread]:
    """Return the threads that look for items."""
    return [thread for thread in threading.enumerate() if thread.name == "queue"]


def test_what_was_found_keeps_its_place_while_more_comes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch, after=2)
    queue = find_queue(path, SMALLEST)
    assert queue.wait_for_rows(2)
    before = queue.ids()
    progress = queue.progress
    assert not progress.is_whole
    assert not queue.wait_for_rows(len(before) + 1, 0.01)
    gate.open()
    assert queue.wait_for_rows(1000) and queue.complete
    assert queue.progress == QueueProgress(16, 8, 8, True)
    assert queue.progress.is_whole
    assert queue.ids(0, len(before)) == before
    assert [queue.index_of(one) for one in queue.ids()] == list(range(16))


def test_cancelling_ends_the_thread_and_keeps_what_is_known(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Gate(monkeypatch, after=2)
    queue = find_queue(path, SMALLEST)
    queue.wait_for_rows(2)
    queue.make_way(3600)
    queue.cancel()
    assert searching() == []
    progress = queue.progress
    assert progress.complete and not progress.is_whole
    assert progress.found == len(queue) < 16
    assert queue.error is None and progress.ended_early == "The search for more was stopped."
    assert list(path.parent.iterdir()) == [path]


def test_a_search_that_fails_says_so_and_keeps_what_is_known(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch, after=2)
    gate.error = sqlite3.OperationalError("disk I/O error")
    queue = find_queue(path, SMALLEST)
    queue.wait_for_rows(2)
    gate.open()
    queue.wait_for_rows(1000)
    assert 2 <= len(queue) < 16
    assert "disk I/O error" in str(queue.error)
    assert queue.progress.ended_early == f"The search for more ended early: {queue.error}"
    assert describe_total(queue.progress) == f"{len(queue)}+"


def test_items_that_are_waited_for_come_while_keys_go_first(path: Path) -> None:
    queue = find_queue(path, SMALLEST)
    queue.make_way(3600)
    assert queue.wait_for_rows(16)
    assert len(queue) == 16


def test_a_search_rests_in_the_middle_of_a_query(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.audit.queue_ids._LONGEST_REST_SECONDS", 3600)
    resting = threading.Event()
    rest = ReviewQueue._rest

    def rest_at_once(queue: ReviewQueue) -> bool:
        queue.make_way(3600)
        resting.set()
        return rest(queue)

    monkeypatch.setattr(ReviewQueue, "_rest", rest_at_once)
    queue = find_queue(path, SMALLEST, steps=1)
    assert resting.wait(60)
    assert len(queue) == 0 and not queue.complete
    assert queue.wait_for_rows(16)
    queue.cancel()
    assert len(queue) == 16


def test_states_of_items_that_come_later_are_counted_when_they_come(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_session(path, "ana")) as session:
        for index in (15, 0):
            session.submit(session.item(index).response_id, MarkReviewed())
    gate = Gate(monkeypatch, after=2)
    with closing(open_session(path, "ana", QueueWish(order="import"))) as session:
        assert session.counts()[ReviewState.REVIEWED] <= 1
        gate.open()
        session.wait_for_rows(1000)
        assert session.counts()[ReviewState.REVIEWED] == 2
        assert session.counts()[ReviewState.NOT_REVIEWED] == 14


def test_who_waits_for_the_first_item_is_told_how_far_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch, after=0)
    monkeypatch.setattr("auditor.audit.queue_ids._WAITING_SECONDS", 0.01)
    told: list[tuple[int, int]] = []

    def waiting(scanned: int, total: int) -> None:
        told.append((scanned, total))
        gate.open()

    with closing(open_session(path, "ana", QueueWish(take=2, order="computed"), waiting=waiting)) as one:
        one.wait_for_rows(2)
        assert len(one) == 2
    assert all(scanned <= total for scanned, total in told)


def test_an_interrupt_while_the_first_item_is_waited_for_leaves_nothing_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Gate(monkeypatch, after=0)
    monkeypatch.setattr("auditor.audit.queue_ids._WAITING_SECONDS", 0.01)

    def interrupt(scanned: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_session(path, "ana", QueueWish(order="computed"), waiting=interrupt)
    assert searching() == []
    assert list(path.parent.iterdir()) == [path]


def test_a_queue_takes_a_few_bytes_an_item() -> None:
    ids = range(1, 100_001)
    tracemalloc.start()
    try:
        queue = ReviewQueue(ids)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(queue) == 100_000 and queue[99_999] == 100_000
    assert taken < 20 * len(queue)


@pytest.mark.parametrize(
    ("progress", "total", "search", "last", "done"),
    [
        (
            QueueProgress(1214, 9, 9, True),
            "1,214",
            "",
            "This is the last item.",
            "All 1,214 items of this queue are reviewed or deferred.",
        ),
        (
            QueueProgress(1214, 1, 8, False),
            "1,214+",
            "looking for more … 12 %",
            "This is the last item that was found. More are being looked for.",
            "What was found is reviewed or deferred, 1,214 items. More are being looked for.",
        ),
        (
            QueueProgress(1, 0, 0, False),
            "1+",
            "looking for more …",
            "This is the last item that was found. More are being looked for.",
            "What was found is reviewed or deferred, 1 item. More are being looked for.",
        ),
        (
            QueueProgress(2, 1, 8, True, "The disk is gone."),
            "2+",
            "not all were looked for",
            "This is the last item that was found. The disk is gone.",
            "What was found is reviewed or deferred, 2 items. The disk is gone.",
        ),
    ],
)
def test_no_sentence_claims_more_than_is_known(
    progress: QueueProgress, total: str, search: str, last: str, done: str
) -> None:
    assert describe_total(progress) == total
    assert describe_search(progress) == search
    assert describe_last(progress) == last
    assert describe_all_done(progress) == done
    assert describe_scope(progress).endswith("of this filter") is progress.is_whole
    assert describe_back(progress).startswith("Back at the first item that is still open.")
    assert describe_back(progress).endswith("open.") is progress.is_whole
