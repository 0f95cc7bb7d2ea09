"""A review that takes items: what it goes to, what it holds, what it says when nothing is free."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from auditor.audit.again import parse_again
from auditor.audit.assignment import assign, own_items
from auditor.audit.leased_queue import clock, describe_held, describe_standing
from auditor.audit.leasing import AHEAD
from auditor.audit.review import (
    Defer,
    MarkReviewed,
    QueueWish,
    ReviewSession,
    Saved,
    ToggleTag,
    Undo,
    open_session,
)
from auditor.audit.tags import put_tags
from auditor.errors import InputError, NothingFreeError
from auditor.store.expr import Match, unparse
from auditor.store.file import now, open_file, open_for_reading, transaction
from auditor.store.leases import LEASE_SECONDS, Lease, Standing, expiry
from auditor.store.selection import matching_responses
from auditor.text import has_invisible
from tests.builders import make_audit
from tests.hostile import HOSTILE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an audit of 16 failures."""
    return make_audit(tmp_path / "a.db")


@contextmanager
def taking(path: Path, name: str, overlap: int = 1, *, blind: bool = False, where: str = "") -> Iterator[ReviewSession]:
    with closing(open_session(path, name, QueueWish(where, overlap=overlap, blind=blind))) as session:
        yield session


def held(path: Path) -> dict[str, list[int]]:
    """Return what everybody holds, as the file has it."""
    found: dict[str, list[int]] = {}
    with closing(sqlite3.connect(path)) as connection:
        sql = (
            "SELECT a.name, l.response_id FROM leases l JOIN annotators a ON a.id = l.annotator_id"
            " WHERE l.expires_at > ? ORDER BY 1, 2"
        )
        for name, item in connection.execute(sql, (now(),)):
            found.setdefault(name, []).append(item)
    return found


def wait_until(reached: Callable[[], bool]) -> None:
    """Wait for the thread that looks after what is held; the test's own limit ends a wait for nothing."""
    waiting = threading.Event()
    while not reached():
        waiting.wait(0.005)


def ids(session: ReviewSession) -> list[int]:
    return list(session.queue.ids())


def review_next(session: ReviewSession, index: int) -> int | None:
    """Mark the item at a place as reviewed and return the next place."""
    assert isinstance(session.submit(session.queue[index], MarkReviewed()), Saved)
    return session.next_open(index)


def test_two_reviews_share_the_items_out(path: Path) -> None:
    with taking(path, "ana") as ana, taking(path, "ben") as ben:
        sessions, seen = [ana, ben], [[ana.start_index()], [ben.start_index()]]
        going = [0, 1]
        while going:
            for who in list(going):
                following = review_next(sessions[who], seen[who][-1])
                if following is None:
                    going.remove(who)
                else:
                    seen[who].append(following)
        assert sorted(seen[0] + seen[1]) == list(range(16))
    assert held(path) == {}


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_each_item_is_reviewed_by_exactly_so_many_of_four(path: Path, overlap: int) -> None:
    for name in ("ana", "ben", "cem", "dora"):
        try:
            with taking(path, name, overlap) as session:
                index: int | None = session.start_index()
                while index is not None:
                    index = review_next(session, index)
        except NothingFreeError as error:
            assert f"16 items have {overlap} reviewer" in str(error)
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT n, count(*) FROM (SELECT count(*) AS n FROM reviews GROUP BY response_id) GROUP BY n"
        assert connection.execute(sql).fetchall() == [(overlap, 16)]


def test_a_few_items_are_held_ahead_and_given_back_at_the_end(path: Path) -> None:
    with taking(path, "ana") as ana:
        wait_until(lambda: held(path) == {"ana": sorted(ids(ana)[: 1 + AHEAD])})
        assert review_next(ana, ana.start_index()) == 1
        # What was reviewed stays held, so that an undo finds it.
        wait_until(lambda: held(path) == {"ana": sorted(ids(ana)[: 2 + AHEAD])})
    assert held(path) == {}


def test_the_next_one_is_known_without_the_file(path: Path) -> None:
    with taking(path, "ana") as ana, closing(open_file(path)) as other:
        wait_until(lambda: len(held(path)["ana"]) == 1 + AHEAD)
        other.execute("BEGIN IMMEDIATE")
        places = [ana.start_index()]
        for _ in range(AHEAD):
            ana.submit(ana.queue[places[-1]], MarkReviewed())
            following = ana.next_open(places[-1])
            assert following is not None
            places.append(following)
        assert places == list(range(1 + AHEAD))
        ana.submit(ana.queue[places[-1]], MarkReviewed())
        assert ana.next_open(places[-1]) is None
        assert (
            ana.why_none() == "Another process is writing to the file: the next item comes as soon as it can be taken."
        )
        assert ana.waits_for_another_process
        other.execute("ROLLBACK")
        assert ana.next_open(places[-1]) == 1 + AHEAD
        assert ana.retry_pending() == 0


def test_what_is_deferred_or_left_untouched_is_given_back_and_what_is_begun_is_kept(path: Path) -> None:
    with taking(path, "ana") as ana:
        items = ids(ana)
        wait_until(lambda: len(held(path)["ana"]) == 1 + AHEAD)
        ana.submit(items[0], Defer())
        ana.submit(items[1], ToggleTag("copying"))
        ana.stand_at(items[5], 5)
        wait_until(lambda: held(path)["ana"] == sorted([items[1], *items[5:9]]))


def test_an_expired_lease_returns_and_a_crashed_review_s_items_with_it(path: Path) -> None:
    crashed = open_session(path, "ben", QueueWish("", overlap=1))
    wait_until(lambda: len(held(path)["ben"]) == 1 + AHEAD)
    crashed.submit(crashed.queue[0], MarkReviewed())
    with taking(path, "ana") as ana:
        assert ana.start_index() == 1 + AHEAD or ana.start_index() == 2 + AHEAD
    assert crashed._leases is not None
    crashed._leases.close(give_back=False)  # as a kill would
    with closing(open_file(path)) as connection, transaction(connection):
        connection.execute("UPDATE leases SET expires_at = ?", (now(),))
    with taking(path, "ana") as ana:
        assert ana.start_index() == 1, "what ben reviewed counts, what he held does not"


def test_nothing_free_names_the_holder_and_the_time(path: Path) -> None:
    with taking(path, "ben", where="case:case-0 arm:output") as ben:
        wait_until(lambda: len(held(path).get("ben", [])) == 2)
        with closing(sqlite3.connect(path)) as connection:
            (until,) = connection.execute("SELECT max(expires_at) FROM leases").fetchone()
        sentence = f"Nothing is free: 2 items are held by ben until {clock(until)}."
        with pytest.raises(NothingFreeError, match=re.escape(sentence)):
            open_session(path, "ana", QueueWish("case:case-0 arm:output", overlap=1))
        with taking(path, "ana", where="case:case-0") as ana:
            index: int | None = ana.start_index()
            while index is not None:
                index = review_next(ana, index)
            assert ana.why_none() == sentence
            assert ben.next_open(0) == 1
            ben.submit(ben.queue[0], MarkReviewed())
            assert "1 item is held by ben until " in ana.why_none()
            assert "; 1 has 1 reviewer." in ana.why_none()
        with taking(path, "cem", overlap=2, where="case:case-0 arm:output") as cem:
            assert cem.start_index() == 0


def test_all_done_is_said_as_ever(path: Path) -> None:
    with taking(path, "ana", where="case:case-0 arm:output") as ana:
        assert review_next(ana, 0) == 1
        assert review_next(ana, 1) is None
        assert ana.why_none() == "All 2 items of this queue are reviewed or deferred."


def test_a_blind_review_hears_of_nobody(path: Path) -> None:
    with taking(path, "ben", where="case:case-0 arm:output") as ben:
        wait_until(lambda: len(held(path).get("ben", [])) == 2)
        for overlap, refused in ((1, True), (2, False)):
            wish = QueueWish("case:case-0 arm:output", overlap=overlap, blind=True)
            if refused:
                with pytest.raises(NothingFreeError, match=r"^Nothing is free for you in this queue now\. "):
                    open_session(path, "ana", wish)
        with taking(path, "ana", where="case:case-0", blind=True) as ana:
            item = ana.item_by_id(ben.queue[0])
            assert item.standing == Standing(False, 0, (), None)
            assert describe_standing(item.standing, 1).startswith("This item is not yours to review.")
            index: int | None = ana.start_index()
            while index is not None:
                index = review_next(ana, index)
            assert ana.why_none() == "Nothing is free for you in this queue now."


def test_a_mark_on_somebody_else_s_item_is_kept_and_the_item_says_whose_it_is(path: Path) -> None:
    with taking(path, "ben") as ben, taking(path, "ana") as ana:
        taken = ben.queue[ben.start_index()]
        item = ana.item_by_id(taken)
        assert item.standing is not None
        assert re.match(
            r"This item is held by ben until \d\d:\d\d\. A mark is kept", describe_standing(item.standing, 1)
        )
        assert isinstance(ana.submit(taken, MarkReviewed()), Saved)
        assert ana.item_by_id(taken).standing is None, "it is ana's review now"
        ben.submit(taken, MarkReviewed())
        with taking(path, "cem") as cem:
            found = cem.item_by_id(taken).standing
            assert found is not None
            assert describe_standing(found, 1) == "This item has 1 reviewer already. A mark is kept all the same."


def test_a_second_window_of_the_same_person_takes_other_items(path: Path) -> None:
    with taking(path, "ana", overlap=2) as first, taking(path, "ana", overlap=2) as second:
        wait_until(lambda: len(held(path)["ana"]) == 2 * (1 + AHEAD))
        assert first.start_index() != second.start_index()
        item = second.item_by_id(first.queue[first.start_index()])
        assert item.standing is not None
        assert "You hold this item in another session until " in describe_standing(item.standing, 2)


def test_an_undo_finds_the_item_still_held(path: Path) -> None:
    with taking(path, "ana") as ana, taking(path, "ben") as ben:
        assert review_next(ana, 0) is not None
        ana.submit(ana.queue[0], Undo())
        assert ana.holds(ana.queue[0])
        assert ben.start_index() != 0
        assert ana.start_index() != 0, "the review stands at the item that came next"


def test_what_was_reviewed_elsewhere_meanwhile_is_passed_over(path: Path) -> None:
    with taking(path, "ana") as ana:
        wait_until(lambda: len(held(path)["ana"]) == 1 + AHEAD)
        for index in (5, 6):
            put_tags(path, "ben", str(ana.item(index).key), ["copying"])
        places: list[int | None] = [ana.start_index()]
        while places[-1] is not None and places[-1] < 8:
            places.append(review_next(ana, places[-1]))
        assert places == [0, 1, 2, 3, 4, 7, 8]


def test_what_the_own_review_deferred_is_not_offered_again(path: Path) -> None:
    with taking(path, "ana", where="case:case-0 arm:output") as ana:
        ana.submit(ana.queue[0], Defer())
        assert ana.next_open(0) == 1
        with taking(path, "ben", where="case:case-0 arm:output") as ben:
            assert ben.start_index() == 0


def test_where_all_is_reviewed_or_deferred_the_deferred_come_back(path: Path) -> None:
    with taking(path, "ana", where="case:case-0 arm:output") as ana:
        ana.submit(ana.queue[1], Defer())
        assert review_next(ana, 0) is None
    with (
        taking(path, "ben", where="case:case-0 arm:output") as ben,
        taking(path, "ana", where="case:case-0 arm:output") as ana,
    ):
        assert ben.start_index() == ana.start_index() == 1
        found = ana.item(1).standing
        assert found is not None and [one.annotator for one in found.holders] == ["ben"]


def test_a_long_review_keeps_what_it_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from auditor.audit import leasing

    with taking(path, "ana") as ana:
        wait_until(lambda: len(held(path)["ana"]) == 1 + AHEAD)
        late = expiry(now(), LEASE_SECONDS - 61 + 1)
        monkeypatch.setattr(leasing, "now", lambda: late)
        ana.stand_at(ana.queue[0], 0)
        with closing(sqlite3.connect(path)) as connection:
            least = "SELECT min(expires_at) FROM leases"
            wait_until(lambda: connection.execute(least).fetchone() == (expiry(late, LEASE_SECONDS),))


def test_a_review_holds_its_items_on_when_the_clock_is_set_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from auditor.audit import leasing

    with taking(path, "ana") as ana:
        wait_until(lambda: len(held(path)["ana"]) == 1 + AHEAD)
        early = expiry(now(), -7200)
        monkeypatch.setattr(leasing, "now", lambda: early)
        assert not ana.holds(ana.queue[0])
        ana.stand_at(ana.queue[0], 0)
        wait_until(lambda: ana.holds(ana.queue[0]))
        with closing(sqlite3.connect(path)) as connection:
            least = "SELECT DISTINCT taken_at, expires_at FROM leases"
            assert connection.execute(least).fetchall() == [(early, expiry(early, LEASE_SECONDS))]


@pytest.mark.parametrize("wish", [QueueWish(again=parse_again("1"), overlap=1), QueueWish(stale=True, overlap=1)])
def test_what_does_not_go_with_an_overlap_says_so(path: Path, wish: QueueWish) -> None:
    with pytest.raises(InputError, match="--overlap shares out what you have not reviewed yet, and --"):
        open_session(path, "ana", wish)


def test_a_time_is_told_with_its_date_where_the_clock_alone_would_mislead() -> None:
    assert len(clock(expiry(now(), LEASE_SECONDS))) == len("14:05")
    assert len(clock(expiry(now(), 26 * 3600))) == len("2026-01-02 14:05")


def test_many_holders_are_told_in_a_sentence() -> None:
    until = "2026-01-01T12:05:00.000Z"
    leases = [Lease(number, name, until) for number, name in enumerate(["ana", "ben", "ben", "cem", "dora", "eve"])]
    told = describe_held(leases, "ana").replace(clock(until), "12:05")
    assert told == (
        "2 items are held by ben until 12:05, 1 by you, in another session, until 12:05, 1 by cem until 12:05,"
        " 2 by 2 others"
    )


@pytest.mark.parametrize("name", [name for name, text in HOSTILE.items() if text.strip()])
def test_a_name_of_any_kind_is_held_under_found_and_shown(path: Path, name: str) -> None:
    who = HOSTILE[name]
    with taking(path, who) as session, taking(path, "ana") as ana:
        item = ana.item_by_id(session.queue[session.start_index()])
        assert item.standing is not None
        (holder,) = item.standing.holders
        assert holder.annotator == who
        for told in (describe_standing(item.standing, 1), describe_held([holder], "ana")):
            assert not has_invisible(told) and len(told) < 200
        with closing(open_for_reading(path)) as connection:
            mine = matching_responses(connection, unparse(Match("held", (who,))))
        assert item.response_id in mine


def test_what_is_assigned_is_taken_as_well(path: Path) -> None:
    assign(path, ["ana", "ben", "cem"], overlap=2, where="")
    mine, bens = (QueueWish(own_items(path, name, None), overlap=1) for name in ("ana", "ben"))
    with closing(open_session(path, "ana", mine)) as ana, closing(open_session(path, "ben", bens)) as ben:
        assert ana.queue[ana.start_index()] != ben.queue[ben.start_index()]
        assert set(ids(ana)) & set(ids(ben)), "some items are assigned to both"
