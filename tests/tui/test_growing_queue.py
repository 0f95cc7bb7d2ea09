"""Screens of a queue whose items are still being found: they claim no more than is known, and nothing jumps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.errors import AuditorError
from auditor.tui.screens.queue import QueueScreen
from tests.builders import make_audit
from tests.gates import Gate
from tests.tui.driving import press, reviewing, screen_text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "demo.db")


async def until(pilot: Pilot[int], holds: Callable[[str], bool]) -> str:
    """Wait until the screen is as it should be, and return it."""
    while not holds(screen := screen_text(pilot)):
        await asyncio.sleep(0.01)
    return screen


def growing_session(path: Path, known: int) -> ReviewSession:
    """Open a session of which so many items are known at least."""
    session = open_session(path, "lm", QueueWish(order="import"))
    assert session.wait_for_rows(known) and not session.queue.complete
    return session


async def test_the_header_counts_on_until_all_items_are_known(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch, after=2)
    with closing(growing_session(path, 2)) as session:
        async with reviewing(session, (160, 40)) as pilot:
            assert "1 of 2+" in screen_text(pilot)
            await press(pilot, "j", "j")
            assert "This is the last item that was found. More are being looked for." in screen_text(pilot)
            await press(pilot, "k", "space", "space")
            screen = screen_text(pilot)
            assert "What was found is reviewed or deferred, 2 items. More are being looked for." in screen
            gate.open()
            screen = await until(pilot, lambda screen: " of 16" in screen and "· 14" in screen)
            assert " 2 of 16" in screen and "2 done" in screen
            await press(pilot, "space")
            assert " 3 of 16" in screen_text(pilot)


async def test_a_search_that_fails_is_told_on_the_review_screen(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch, after=2)
    gate.error = AuditorError("the disk is gone.")
    with closing(growing_session(path, 2)) as session:
        async with reviewing(session) as pilot:
            gate.open()
            screen = await until(pilot, lambda screen: "ended early" in screen)
            assert "1 of 2+" in screen and "the disk is gone." in screen


async def test_a_search_for_a_filter_is_stopped_and_what_it_found_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_session(path, "lm", QueueWish(order="import"))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "o")
            Gate(monkeypatch, after=2)
            await press(pilot, "slash", *[" ", "s", "a", "m", "p", "l", "e", ":", "0"], "enter")
            screen = await until(pilot, lambda screen: "looking for more" in screen)
            assert "1 of 2" in screen
            await press(pilot, "down", "ctrl+c")
            screen = screen_text(pilot)
            assert "The search is stopped: 2 items found so far." in screen
            assert "not all were looked for" in screen and "2 of 2" in screen
            assert session.queue.complete
            await press(pilot, "escape")
            assert not isinstance(pilot.app.screen, QueueScreen)
            assert "1 of 16" in screen_text(pilot)


async def test_leaving_the_queue_ends_the_search_for_its_filter(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_session(path, "lm")) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "o")
            Gate(monkeypatch, after=0)
            await press(pilot, "tab")
            await until(pilot, lambda screen: "looking for more" in screen)
            left = session.queue
            assert not left.progress.is_whole
            await press(pilot, "escape")
            assert left.complete
            assert "1 of 16" in screen_text(pilot)


async def slow_filter(pilot: Pilot[int], monkeypatch: pytest.MonkeyPatch, text: str) -> Gate:
    """Ask the queue for a filter of which nothing comes yet."""
    await press(pilot, "o")
    gate = Gate(monkeypatch, after=0)
    await press(pilot, "slash", "ctrl+u", *text, "enter")
    screen = await until(pilot, lambda screen: "Looking: no item of this filter so far" in screen)
    assert f"\n {text}\n" in screen and "ctrl+c stops." in screen
    return gate


async def test_a_slow_filter_that_leaves_nothing_keeps_its_field_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_session(path, "lm")) as session:
        async with reviewing(session) as pilot:
            gate = await slow_filter(pilot, monkeypatch, "zzz")
            gate.open()
            screen = await until(pilot, lambda screen: "No item is left by this filter." in screen)
            assert "\n zzz\n" in screen and "1 of 16" in screen
            await press(pilot, "escape")
            assert "1 of 16" in screen_text(pilot) and "zzz" not in screen_text(pilot)


async def test_a_slow_filter_shows_its_items_when_the_first_is_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_session(path, "lm")) as session:
        async with reviewing(session) as pilot:
            gate = await slow_filter(pilot, monkeypatch, "case:case-3")
            assert "1 of 16" in screen_text(pilot), "the table is as it was"
            gate.open()
            screen = await until(pilot, lambda screen: "1 of 4" in screen and "\n case:" not in screen)
            assert "Looking" not in screen


async def test_a_slow_filter_is_stopped_or_left_and_the_table_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_session(path, "lm")) as session:
        async with reviewing(session) as pilot:
            await slow_filter(pilot, monkeypatch, "zzz")
            await press(pilot, "ctrl+c")
            screen = screen_text(pilot)
            assert "The search is stopped: 0 items found so far." in screen and "\n zzz\n" in screen
            await press(pilot, "enter")
            await until(pilot, lambda screen: "Looking: no item of this filter so far" in screen)
            await press(pilot, "escape")
            screen = screen_text(pilot)
            assert "1 of 16" in screen and "zzz" not in screen and "Looking" not in screen
            assert all(queue.complete for queue in session._searches)
