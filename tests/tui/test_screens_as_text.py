"""Screens compared as text: where everything stands at three sizes; look at `snapshots` when one differs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from auditor.audit.review import ReviewSession
from tests.tui.driving import go_to, press, resize, reviewing, screen_text

SIZES = [(80, 24), (120, 40), (160, 50)]
ITEMS = {
    "text": ("digit-sums", "output"),
    "state": ("digit-sums", "state"),
    "lines": ("long-output", "output"),
    "no-answer": ("cut-off", "output"),
    "no-response": ("no-reply", "output"),
    "verdict": ("human-042", "S/Standard"),
}

Compare = Callable[[str, str], None]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("kind", ITEMS)
async def test_an_item_of_every_kind(
    session: ReviewSession, compare_screen: Compare, kind: str, size: tuple[int, int]
) -> None:
    async with reviewing(session, size) as pilot:
        await go_to(pilot, *ITEMS[kind])
        compare_screen(f"{kind}-{size[0]}x{size[1]}", screen_text(pilot))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_begun_item_with_tag_and_note(
    session: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(session, size) as pilot:
        await press(pilot, "1", "n", *"one step early", "enter", "space", "2", "n", *"writing")
        compare_screen(f"note-{size[0]}x{size[1]}", screen_text(pilot))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_help(session: ReviewSession, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with reviewing(session, size) as pilot:
        await press(pilot, "question_mark")
        compare_screen(f"help-{size[0]}x{size[1]}", screen_text(pilot))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_nothing_changes_its_place_between_items(session: ReviewSession, size: tuple[int, int]) -> None:
    async with reviewing(session, size) as pilot:
        for _ in range(len(session)):
            await press(pilot, "j")  # once round: what shows more of an item has moved, and stays
        places = set()
        for _ in range(len(session)):
            places.add(tuple((type(w).__name__, w.region) for w in pilot.app.screen.query("*") if w.region.area))
            await press(pilot, "j")
        assert len(places) == 1


async def test_every_size_shows_the_tags_and_the_state(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        for size in ((40, 15), (60, 20), (80, 24), (99, 30), (100, 30), (149, 40), (150, 40), (300, 90), (80, 24)):
            await resize(pilot, *size)
            shown = screen_text(pilot)
            assert "1 arithmetic" in shown and "z other" in shown and "· open" in shown, size
            assert len(shown.splitlines()) == size[1]


async def test_resizing_back_and_forth_ends_with_the_same_screen(session: ReviewSession) -> None:
    async with reviewing(session, (120, 40)) as pilot:
        await go_to(pilot, "long-output")
        before = screen_text(pilot)
        for size in ((80, 24), (160, 50), (120, 40)):
            await resize(pilot, *size)
        assert screen_text(pilot) == before
