"""Bookmarks, memos, first causes and the timer on the screens: by keys, and what they leave in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.events import Paste

from auditor.audit.inspect import verify
from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.configuration.settings import Settings
from auditor.store.changes import Memo
from auditor.store.file import open_for_reading
from auditor.text import has_invisible
from auditor.tui.item_clock import ItemClock
from auditor.tui.screens.queue import QueueScreen
from auditor.tui.setup import Setup
from tests.hostile import HOSTILE
from tests.tui.driving import go_to, press, reviewing, screen_of, screen_text, settle, widget_text
from tests.tui.hostile_audit import hostile_audit

SIZES = [(80, 24), (120, 40), (160, 50)]


def memos(session: ReviewSession, index: int) -> tuple[Memo, ...]:
    return session.item(index).review.memos


def said(pilot: object) -> str:
    return screen_of(pilot)._tag_bar.message  # type: ignore[arg-type]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_an_item_with_all_of_them(
    session: ReviewSession, compare_screen: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    async with reviewing(session, size) as pilot:
        await go_to(pilot, "digit-sums", "state")
        await press(pilot, "1", "2", "f", "2", "l", "N", *"one iteration early", "enter")
        pilot.app.screen.set_focus(screen_of(pilot).panes.source)
        # Each change of the layout is over before the next key: rows and folds depend on the height.
        await press(pilot, *"JJJJJJJ")
        await press(pilot, "N")
        await press(pilot, *"adds the digits", "enter")
        await press(pilot, "n")
        await press(pilot, *"and a note", "enter")
        compare_screen(f"places-{size[0]}x{size[1]}", screen_text(pilot))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_queue_with_a_bookmark(
    session: ReviewSession, compare_screen: Callable[[str, str], None], size: tuple[int, int]
) -> None:
    async with reviewing(session, size) as pilot:
        await press(pilot, "1", "f", "2", "l", "o")
        compare_screen(f"places-queue-{size[0]}x{size[1]}", screen_text(pilot))


# --- bookmarks -----------------------------------------------------------------------------------------------------


async def test_bookmarks_are_put_found_and_undone(session: ReviewSession) -> None:
    async with reviewing(session, (160, 50)) as pilot:
        await press(pilot, "G")
        assert said(pilot) == "You have no bookmarks. l puts one on an item."
        await press(pilot, "j", "l")
        assert said(pilot) == "bookmark" and screen_text(pilot).startswith("★")
        assert "▸·★" in screen_text(pilot)
        await press(pilot, "G")
        assert said(pilot) == "This is the only item of the queue with a bookmark."
        await press(pilot, "j", "j", "l", "j")
        assert not screen_text(pilot).startswith("★")
        await press(pilot, "G")
        assert screen_of(pilot).index == 1 and said(pilot) == "Back at the first bookmark."
        await press(pilot, "G")
        assert screen_of(pilot).index == 3
        await press(pilot, "u")
        assert said(pilot).startswith("undone: bookmark taken off on ") or said(pilot).startswith("undone: bookmark")
        assert session.bookmarked() == {session.queue[1]}
    assert not [problem for check in verify(session.path) for problem in check.problems]


async def test_the_queue_screen_bookmarks_a_range_and_goes_along(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "J", "J", "l")
        queue = pilot.app.screen
        assert isinstance(queue, QueueScreen) and "bookmark: 3 items" in queue._message.message
        assert session.bookmarked() == set(session.queue.ids(0, 3))
        await press(pilot, "end", "G")
        assert queue.view.index == 0
        await press(pilot, "G", "l", "home", "G")
        assert queue.view.index == 2
        await press(pilot, "u", "G")
        assert session.bookmarked() == set(session.queue.ids(0, 3))
        await press(pilot, "home", "J", "J", "l", "G")
        assert session.bookmarked() == set() and "You have no bookmarks" in queue._message.message


async def test_bookmarks_outside_the_queue_are_said(audit_file: Path) -> None:
    with closing(open_session(audit_file, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "l")
    with closing(open_session(audit_file, "lm", QueueWish(where="case:cut-off"))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "G")
            assert said(pilot) == "No item of this queue has a bookmark; 1 item elsewhere has one."


# --- memos ---------------------------------------------------------------------------------------------------------


async def test_the_pane_decides_where_a_memo_is_and_the_title_says_it(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        index = await go_to(pilot, "long-output")
        await press(pilot, "right_square_bracket", "N")
        assert "Memo on difference 2   Enter saves, Esc leaves it as it was" in screen_text(pilot)
        await press(pilot, *"ten", "enter", "tab", "tab", "J", "J", "N")
        assert "Memo on line 3   Enter" in screen_text(pilot)
        await press(pilot, *"hm", "enter")
        assert memos(session, index) == (
            Memo("line", 3, "", "hm"),
            Memo("difference", 2, "line 33: 0 → line 33: 10", "ten"),
        )
        shown = screen_text(pilot)
        assert "✎ hm" in shown and "✎ ten" in shown and "✎ 2 memos" in shown
        await press(pilot, "tab", "N")
        assert said(pilot).startswith("A memo is pinned to a line of the source")


async def test_a_memo_is_changed_and_taken_away_by_the_same_key(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "N", *"abc", "enter", "N", "backspace", *"d", "enter")
        assert [memo.text for memo in memos(session, 0)] == ["abd"]
        await press(pilot, "N", "x", "escape")
        assert [memo.text for memo in memos(session, 0)] == ["abd"]
        await press(pilot, "N", "backspace", "backspace", "backspace", "enter")
        assert memos(session, 0) == () and said(pilot) == "memo on difference 1 taken out"
        await press(pilot, "u")
        assert [memo.text for memo in memos(session, 0)] == ["abd"] and "✎ abd" in screen_text(pilot)


async def test_going_to_a_memo_tells_it_where_there_is_room(session: ReviewSession) -> None:
    text = "a memo that is much longer than what is left behind its line [/] and goes on"
    async with reviewing(session) as pilot:
        await go_to(pilot, "long-output")
        await press(pilot, "N", *text, "enter", "right_square_bracket")
        assert said(pilot) == ""
        await press(pilot, "right_square_bracket")
        assert said(pilot) == f"✎ {text}" and text in screen_text(pilot)
        await press(pilot, "tab", "tab", "J", "N", *"here", "enter", "J")
        assert said(pilot) == ""
        await press(pilot, "K")
        assert said(pilot) == "✎ here"


async def test_a_line_is_chosen_with_the_mouse_too(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        source = screen_of(pilot).panes.source
        await pilot.click(source, offset=(12, 4))
        await settle(pilot)
        await press(pilot, "N", "m", "enter")
        assert memos(session, 0)[0].number == 5
        assert ">  5✎" in "\n".join(widget_text(source))


async def test_keys_in_a_memo_are_only_text(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "N", *"1duqlGNf0", "backspace")
        pilot.app.post_message(Paste("two\r\nlines"))
        await settle(pilot)
        await press(pilot, "enter")
        assert memos(session, 0)[0].text == "1duqlGNftwo\nlines"
        review = session.item(0).review
        assert (review.tags, review.note, review.bookmarked) == ((), "", False)


async def test_an_item_without_a_difference_takes_no_memo_there(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await go_to(pilot, "no-reply")
        await press(pilot, "N")
        assert said(pilot).startswith("A memo is pinned to a line of the source")
        assert not screen_of(pilot).is_writing


async def test_a_memo_that_was_begun_is_offered_where_it_was(session: ReviewSession) -> None:
    session.save_draft(session.queue[0], "half a me", "difference", 1)
    async with reviewing(session) as pilot:
        assert said(pilot) == "Unfinished memo on difference 1: N there continues it."
        await press(pilot, "n", *"note", "enter", "N", *"mo", "enter")
        assert (memos(session, 0)[0].text, session.item(0).review.note) == ("half a memo", "note")
        assert session.drafts_on(session.queue[0]) == []


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_audit(tmp_path_factory.mktemp("hostile-places"))


@pytest.fixture
def hostile_session(hostile_file: Path) -> Iterator[ReviewSession]:
    session = open_session(hostile_file, "lm", QueueWish(where="", order="import"))
    yield session
    session.close()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_memos_of_any_text_are_shown_literally(hostile_session: ReviewSession, size: tuple[int, int]) -> None:
    from auditor.audit.review import PinMemo

    for response_id, text in zip(hostile_session.queue.ids(), HOSTILE.values(), strict=False):
        hostile_session.submit(response_id, PinMemo("line", 1, text, text))
        hostile_session.submit(response_id, PinMemo("difference", 1, text, text))
    async with reviewing(hostile_session, size) as pilot:
        for index in range(len(hostile_session)):
            await press(pilot, "N")
            assert not has_invisible(screen_text(pilot).replace("\n", "")), index
            await press(pilot, "escape", "j")
        await press(pilot, "o")
        assert not has_invisible(screen_text(pilot).replace("\n", ""))


# --- first causes --------------------------------------------------------------------------------------------------


async def test_the_first_cause_is_marked_by_two_keys(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "1", "2", "f")
        assert said(pilot) == "Which tag came first? Its key marks it."
        await press(pilot, "1")
        assert said(pilot) == "first cause arithmetic" and "[1 arithmetic]¹" in screen_text(pilot)
        await press(pilot, "f")
        assert said(pilot) == "Which tag came first? Its key marks it; f again takes arithmetic back."
        await press(pilot, "f")
        assert session.item(0).review.first_cause == "" and "¹" not in screen_text(pilot)
        await press(pilot, "2")
        assert session.item(0).review.tags == ("arithmetic",)
        await press(pilot, "f", "3", "1")
        review = session.item(0).review
        assert len(review.tags) == 1 and review.first_cause == review.tags[0]
        await press(pilot, "u", "u")
        assert session.item(0).review.first_cause == ""


async def test_another_key_behind_it_does_what_it_always_does(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "1", "f", "j", "2")
        assert session.item(0).review.first_cause == session.item(1).review.first_cause == ""
        assert len(session.item(1).review.tags) == 1


# --- the timer -----------------------------------------------------------------------------------------------------


def test_the_clock_stands_while_nothing_happens() -> None:
    time = [100.0]
    clock = ItemClock(lambda: time[0])
    clock.go_to(1)
    time[0] += 10
    assert clock.seconds == 10
    time[0] += 500
    assert clock.seconds == 60
    clock.touch()
    time[0] += 5
    assert clock.take() == 65
    time[0] += 1
    clock.go_to(2)
    time[0] += 3
    clock.pause()
    time[0] += 50
    assert (clock.seconds, clock.take()) == (3, 3)
    clock.give_back(2, 3)
    assert clock.take() == 3
    clock.go_to(1)
    assert (clock.seconds, clock.take()) == (66, 1)


async def test_times_go_with_the_marks_only_where_they_are_wanted(audit_file: Path) -> None:
    for timer in (False, True):
        with closing(open_session(audit_file, f"timer-{timer}", QueueWish(where="", order="import"))) as session:
            async with reviewing(session, setup=Setup(settings=Settings(timer=timer))) as pilot:
                await press(pilot, "1", "l", "u", "space")
                shown = screen_text(pilot).splitlines()[0]
                assert ("  0:0" in shown) is timer
    with closing(open_for_reading(audit_file)) as connection:
        sql = "SELECT e.action, e.seconds IS NOT NULL FROM events e JOIN annotators a ON a.id = e.annotator_id"
        rows = connection.execute(f"{sql} ORDER BY e.id").fetchall()
    actions = ("tag", "bookmark", "undo", "reviewed")
    assert rows == [(action, 0) for action in actions] + [(action, int(action != "undo")) for action in actions]


async def test_the_clock_stands_while_another_page_is_open(session: ReviewSession) -> None:
    time = [0.0]
    async with reviewing(session, setup=Setup(settings=Settings(timer=True))) as pilot:
        screen = screen_of(pilot)
        screen.clock = ItemClock(lambda: time[0])
        screen.clock.go_to(session.queue[0])
        time[0] += 10
        await press(pilot, "question_mark")
        time[0] += 30
        await press(pilot, "escape")
        time[0] += 5
        await press(pilot, "1")
    with closing(open_for_reading(session.path)) as connection:
        assert connection.execute("SELECT sum(seconds) FROM events").fetchone() == (15.0,)


# --- others' -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blind", [False, True])
async def test_nobody_sees_another_s(audit_file: Path, blind: bool) -> None:
    with closing(open_session(audit_file, "ana", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            for _ in range(len(session)):
                await press(pilot, "f", "1", "l", "tab", "tab", "N", *"secret", "enter", "tab", "tab", "j")
    with closing(open_session(audit_file, "ben", QueueWish(where="", blind=blind))) as session:
        async with reviewing(session, (160, 50)) as pilot:
            for _ in range(len(session)):
                shown = screen_text(pilot)
                assert not [mark for mark in ("★", "✎", "¹", "secret") if mark in shown]
                await press(pilot, "j")
            await press(pilot, "G")
            assert "You have no bookmarks" in said(pilot)
