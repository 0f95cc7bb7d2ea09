"""The review screen where several people take items: what it says of an item that is somebody else's."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.leasing import AHEAD
from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.model import ReviewState
from auditor.store.file import now, open_file, transaction
from tests.builders import make_audit
from tests.tui.driving import press, reviewing, screen_of, screen_text, settle

BEN = "Benedikta"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an audit of 16 failures."""
    return make_audit(tmp_path / "a.db")


@pytest.fixture
def ben(path: Path) -> Iterator[ReviewSession]:
    """Return the review of somebody who holds the first two items, all of the filter."""
    wish = QueueWish("case:case-0 arm:output", overlap=1)
    with closing(open_session(path, BEN, wish)) as session:
        assert session.next_open(session.start_index()) == 1
        yield session


def of_ana(path: Path, where: str = "case:case-0", *, blind: bool = False) -> ReviewSession:
    return open_session(path, "ana", QueueWish(where, overlap=1, blind=blind))


def place_of(session: ReviewSession, ben: ReviewSession) -> int:
    """Return where an item that ben holds is in a session's queue."""
    index = session.index_of(ben.queue[0])
    assert index is not None
    return index


async def test_an_item_of_somebody_else_is_passed_over_and_named_where_it_is_reached(
    path: Path, ben: ReviewSession
) -> None:
    with closing(of_ana(path)) as session:
        async with reviewing(session, (80, 24)) as pilot:
            screen = screen_of(pilot)
            assert screen.index not in (0, 1) and BEN not in screen_text(pilot)
            await press(pilot, *["k"] * screen.index)
            assert re.search(rf"This item is held by {BEN} until \d\d:\d\d\. A mark is kept all", screen_text(pilot))
            await press(pilot, "1")
            assert "[1 arithmetic]" in screen_text(pilot), "a mark is never refused"


async def test_when_nothing_is_free_the_message_names_the_holder_and_the_time(path: Path, ben: ReviewSession) -> None:
    with closing(of_ana(path)) as session:
        async with reviewing(session, (80, 24)) as pilot:
            await press(pilot, "space", "space")
            assert re.search(rf"Nothing is free: 2 items are held by {BEN} until \d\d:\d\d\. ─", screen_text(pilot))
            ben.close()
            await press(pilot, "space")
            assert screen_of(pilot).item.standing is None  # type: ignore[union-attr]  # an item is shown
            assert screen_of(pilot).index == 0


async def test_a_blind_review_names_and_counts_nobody(path: Path, ben: ReviewSession) -> None:
    with closing(of_ana(path, blind=True)) as session:
        async with reviewing(session, (120, 40)) as pilot:
            screen = screen_of(pilot)
            steps = place_of(session, ben) - screen.index
            await press(pilot, *["j" if steps > 0 else "k"] * abs(steps))
            shown = screen_text(pilot)
            assert "This item is not yours to review. A mark is kept all the same." in shown and BEN not in shown
            await press(pilot, "space", "space", "space", "space", "space")
            shown = screen_text(pilot)
            assert "Nothing is free for you in this queue now." in shown and BEN not in shown


async def test_an_item_that_was_lost_meanwhile_is_told_of_without_a_key(path: Path) -> None:
    """A computer that slept comes back to a lease that has ended and to somebody who took the item."""
    with closing(of_ana(path, "")) as session:
        async with reviewing(session, (80, 24)) as pilot:
            assert session._leases is not None
            with closing(open_file(path)) as connection, transaction(connection):
                connection.execute("UPDATE leases SET expires_at = ?", (now(),))
            session._leases._held = {}  # as the clock would have it
            with closing(open_session(path, BEN, QueueWish("", overlap=1))):
                screen_of(pilot)._sharing._start()
                await settle(pilot)
                assert f"This item is held by {BEN} until " in screen_text(pilot)


async def review_what_is_held(pilot: Pilot[int], path: Path) -> sqlite3.Connection:
    """Lock the file and review all that a session holds; return the connection that has the lock."""
    sql = "SELECT count(*) FROM leases"
    other = open_file(path)
    while other.execute(sql).fetchone() != (1 + AHEAD,):
        await asyncio.sleep(0.005)
    other.execute("BEGIN IMMEDIATE")
    await press(pilot, *["space"] * (1 + AHEAD))
    return other


async def test_the_item_that_a_lock_keeps_away_comes_without_a_key_when_the_lock_ends(path: Path) -> None:
    with closing(of_ana(path, "")) as session:
        async with reviewing(session, (120, 24)) as pilot:
            with closing(await review_what_is_held(pilot, path)) as other:
                assert "is writing to the file: the next item comes as soon as it can be taken." in screen_text(pilot)
                assert screen_of(pilot).index == AHEAD
                other.execute("ROLLBACK")
            while screen_of(pilot).index == AHEAD:
                await pilot.pause(0.01)
            await settle(pilot)
            assert screen_of(pilot).index == AHEAD + 1 and "is writing" not in screen_text(pilot)
            assert session.retry_pending() == 0
            assert session.counts()[ReviewState.REVIEWED] == 1 + AHEAD


async def test_who_does_something_else_is_not_taken_away_from_it(path: Path) -> None:
    with closing(of_ana(path, "")) as session:
        async with reviewing(session, (120, 24)) as pilot:
            with closing(await review_what_is_held(pilot, path)) as other:
                await press(pilot, "n", "x")
                other.execute("ROLLBACK")
            awaiting = screen_of(pilot)._moving._awaiting
            while awaiting._timer is not None:
                await pilot.pause(0.01)
            await press(pilot, "y", "enter")
            assert screen_of(pilot).index == AHEAD and "note: xy" in screen_text(pilot)


async def test_without_an_overlap_nothing_is_held_and_nothing_is_said(path: Path, ben: ReviewSession) -> None:
    with closing(open_session(path, "ana", QueueWish("case:case-0 arm:output"))) as session:
        async with reviewing(session, (80, 24)) as pilot:
            assert screen_of(pilot).index == 0 and BEN not in screen_text(pilot)
            await press(pilot, "space", "space")
            assert "All 2 items of this queue are reviewed or deferred." in screen_text(pilot)
            with closing(open_file(path)) as connection:
                sql = "SELECT DISTINCT a.name FROM leases l JOIN annotators a ON a.id = l.annotator_id"
                assert connection.execute(sql).fetchall() == [(BEN,)]
