"""Very long texts on the screen: there at once, paged at once, and never cut without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.audit.review import QueueWish, ReviewSession, open_session
from tests.tui.conftest import _reply, _task, audit_of
from tests.tui.driving import go_to, press, reviewing, screen_of, screen_text, settle

TEXTS = {
    "one-line": "0123456789, " * 87_000,
    "many-lines": "abc def\n" * 50_000,
    "wide": "漢字 " * 350_000,
    "controls": "a\x1b\u202e " * 100_000,
}


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tasks, responses = [], []
    for name, text in TEXTS.items():
        middle = len(text) // 2
        tasks.append(_task(name, "output", oracle=text, input=text, source="x = 1\n" * 10_000))
        responses.append(_reply(name, "output", text[:middle] + "Z" + text[middle:]))
    tasks.append(_task("small", "output", oracle="1"))
    responses.append(_reply("small", "output", "2"))
    return audit_of(tmp_path_factory.mktemp("large"), tasks, responses)


@pytest.fixture
def large(large_file: Path) -> Iterator[ReviewSession]:
    session = open_session(large_file, "lm", QueueWish(where="", order="import"))
    yield session
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.timeout(60)
async def test_a_large_item_is_painted_and_paged(large: ReviewSession, name: str) -> None:
    async with reviewing(large) as pilot:
        await go_to(pilot, "small")
        screen = screen_of(pilot)
        index = next(index for index in range(len(large)) if large.item(index).key.case == name)
        item = large.item(index)
        screen.show(item)
        await settle(pilot)
        for view in (screen.panes.reply, screen.panes.input, screen.panes.comparison, screen.panes.source):
            view.scroll_by("end")
            view.scroll_by("page up")
            strips = view.render_lines(view.size.region)
            assert len(strips) == view.size.height


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
async def test_the_comparison_of_large_texts_opens_at_the_difference(large: ReviewSession, name: str) -> None:
    async with reviewing(large) as pilot:
        await go_to(pilot, name)
        comparison = screen_of(pilot).panes.comparison
        assert comparison.differences == 1
        shown = "\n".join(row.text for row in comparison.render_lines(comparison.size.region))
        assert "Z" in shown
        assert "comparing" not in shown


@pytest.mark.slow
async def test_what_is_not_laid_out_yet_is_counted_in_the_title(large: ReviewSession) -> None:
    async with reviewing(large) as pilot:
        screen = screen_of(pilot)
        await go_to(pilot, "small")
        screen.panes.reply.show_text("漢" * 500_000)
        assert screen.panes.reply.extent.endswith("% of 48,000 of 500,000 characters")
        await settle(pilot)
        assert screen.panes.reply.extent.endswith("% of 500,000 characters")


@pytest.mark.slow
async def test_leaving_a_large_item_drops_its_comparison(large: ReviewSession) -> None:
    async with reviewing(large) as pilot:
        large_index = await go_to(pilot, "wide")
        small_index = await go_to(pilot, "small")
        keys = ["j" if large_index > small_index else "k"] * abs(large_index - small_index)
        await press(pilot, *keys, *["k" if key == "j" else "j" for key in keys])
        assert " - 1\n" in screen_text(pilot)
