"""The consistency of a problem on the screen: three sizes, along the marks, from review and queue, blind, hostile."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.text import has_invisible
from auditor.tui.screens.consistency import ConsistencyScreen
from auditor.tui.screens.queue import QueueScreen
from tests.tui.core_audit import hostile_core_audit
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text

SIZES = [(80, 24), (120, 40), (160, 50)]
Compare = Callable[[str, str], None]
STRIP = "colon"
OF_HASTY = "setting:hasty sample:0"


@pytest.fixture
def audit(core_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(core_template, tmp_path / "core.db"))


@pytest.fixture
def session(audit: Path) -> Iterator[ReviewSession]:
    with closing(open_session(audit, "lm", QueueWish(where=OF_HASTY, order="import"))) as opened:
        yield opened


def strip_of(pilot: Pilot[int]) -> ConsistencyScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ConsistencyScreen)
    return screen


def row_with(pilot: Pilot[int], words: str) -> str:
    return next((line for line in screen_text(pilot).splitlines() if words in line), "")


async def test_three_sizes_and_back(session: ReviewSession, compare_screen: Compare) -> None:
    async with reviewing(session, SIZES[0]) as pilot:
        await press(pilot, STRIP)
        for size in SIZES:
            await resize(pilot, *size)
            compare_screen(f"consistency-{size[0]}x{size[1]}", screen_text(pilot))
        await resize(pilot, *SIZES[0])
        await press(pilot, "end")
        compare_screen("consistency-probe-80x24", screen_text(pilot))
        for size in ((40, 10), (30, 8), (200, 60)):
            await resize(pilot, *size)
            assert len(screen_text(pilot).splitlines()) == size[1]
        await press(pilot, "escape")
        assert screen_of(pilot).item is not None


async def test_the_cursor_goes_along_all_marks_and_enter_reviews_the_one_it_is_at(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        start = screen_of(pilot).item
        await press(pilot, STRIP)
        assert "I 0.00 % · I_s 33.33 % · W 0.00 % · W_s 50.00 %" in screen_text(pilot)
        assert row_with(pilot, "▸ loops 4/4").split()[3:] == ["▸✓", "✓", "✓", "✓"]
        await press(pilot, "down", "right", "right")
        assert "while-index/t03: ✗ wrong." in screen_text(pilot)
        await press(pilot, "down", "down")
        assert "probe/p1: ✗ wrong. State. What is the value of `run`" in screen_text(pilot)
        assert "▸ while" not in screen_text(pilot) and "▸ ✗  probe/p1" in screen_text(pilot)
        await press(pilot, "up")
        assert "functional/t03: ✓ right." in screen_text(pilot)
        await press(pilot, "home", "left", "left", "left", "k", "end", "j", "pageup", "pageup", "pageup", "pagedown")
        assert "functional/t01: ✓ right." in screen_text(pilot)
        await press(pilot, "r")
        assert "Reply" in screen_text(pilot)
        await press(pilot, "escape", "right", "enter")
        shown = screen_of(pilot).item
        assert shown is not None and start is not None and shown.key.case == "longest-run/functional/t02"
        await press(pilot, STRIP, "tab", "tab", "enter")
        shown = screen_of(pilot).item
        assert shown is not None and (shown.key.setting, shown.key.case) == ("careful", "longest-run/functional/t02")
        assert "outside the queue" in screen_text(pilot)


async def test_other_settings_and_samples_keep_the_place(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, STRIP, "down", "down", "right", "greater_than_sign")
        assert "hasty · sample 1" in screen_text(pilot) and "functional/t02: · no reply." in screen_text(pilot)
        assert "functional 3/4" in screen_text(pilot)
        await press(pilot, "shift+tab")
        assert "careful · sample 0" in screen_text(pilot) and "functional/t02: ✓ right." in screen_text(pilot)
        assert "I 100.00 %" in screen_text(pilot) and "setting 1 of 3" in screen_text(pilot)
        await press(pilot, "less_than_sign")
        assert "This setting has only one sample." in screen_text(pilot)
        await press(pilot, "tab", "tab", "ctrl+c")
        assert "Esc goes back." in screen_text(pilot)
        await pilot.click("#outputs NumberGrid", offset=(22, 1))
        assert "while-index/t01" in screen_text(pilot)
        await pilot.click("#probes ProbeRows", offset=(8, 1))
        assert "probe/p2: ✓ right." in screen_text(pilot)


async def test_what_has_no_row_cannot_be_reviewed(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, STRIP, "tab", "enter")
        shown = screen_text(pilot)
        assert "loops/t01: · no reply." in shown and "(the file holds no response here)" in shown
        assert "The file holds no response here." in shown
        assert strip_of(pilot).panel.item is None
        await press(pilot, "right", "r")
        assert "loops/t02: ✓ right." in screen_text(pilot) or "Reply" in screen_text(pilot)


async def test_from_the_queue_and_to_an_item_that_it_leaves_out(audit: Path) -> None:
    wish = QueueWish(where="setting:hasty status:wrong", order="import")
    with closing(open_session(audit, "lm", wish)) as session:
        async with reviewing(session) as pilot:
            total = len(session)
            await press(pilot, "o", STRIP, "escape")
            assert isinstance(pilot.app.screen, QueueScreen)
            await press(pilot, STRIP, "home", "enter")
            assert "The filter leaves this item out, so it stands alone" in screen_text(pilot)
            assert len(session) == 1
            await press(pilot, "escape")
            assert len(session) == total
            await press(pilot, STRIP, "home", "enter", "enter")
            shown = screen_of(pilot).item
            assert shown is not None and shown.key.case == "longest-run/loops/t03"
        async with reviewing(session) as pilot:
            await press(pilot, "o", STRIP, "enter")
            assert screen_of(pilot).item is not None


async def test_a_blind_review_shows_none_and_other_items_say_why(audit: Path) -> None:
    with closing(open_session(audit, "blind", QueueWish(where="", blind=True))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, STRIP)
            assert "Consistency shows whose items are right, and this review is blind" in screen_text(pilot)
            await press(pilot, "v", "v", "o", STRIP)
            assert "Consistency shows whose items are right, and this review is blind" in screen_text(pilot)
            assert "strip" not in screen_text(pilot).splitlines()[-1]


async def test_hostile_texts_are_shown_literally(tmp_path: Path) -> None:
    audit = hostile_core_audit(tmp_path)
    with closing(open_session(audit, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (120, 40)) as pilot:
            await press(pilot, STRIP)
            for _ in range(6):
                await press(pilot, *["right"] * 5, "pagedown")
                assert not has_invisible(screen_text(pilot).replace("\n", ""))
            await press(pilot, "end", "enter")
            assert screen_of(pilot).item is not None
