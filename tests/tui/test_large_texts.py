"""Very long texts on the screen: there at once, paged at once, and never cut without a word."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.tui.unwrapped import UnwrappedText
from auditor.tui.wrapping import WrappedText
from tests.tui.conftest import _reply, _task, audit_of
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text, settle

TEXTS = {
    "one-line": "0123456789, " * 87_000,
    "many-lines": "abc def\n" * 50_000,
    "wide": "漢字 " * 100_000,
    "controls": "a\x1b\u202e " * 75_000,
}

MEASURED_TEXTS = {"wide": "漢字 " * 60_000, "controls": "a\x1b\u202e " * 30_000}
"""Texts whose characters have to be measured, which takes long."""
_MOST_AT_ONCE = 140_000
"""Measured characters of one layout that a key may wait for; all of a text has more."""


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # The review begins at the small one: only what a test is about takes its time.
    tasks, responses = [_task("small", "output", oracle="1")], [_reply("small", "output", "2")]
    for name, text in TEXTS.items():
        middle = len(text) // 2
        tasks.append(_task(name, "output", oracle=text, input=text, source="x = 1\n" * 10_000))
        responses.append(_reply(name, "output", text[:middle] + "Z" + text[middle:]))
    for name, text in MEASURED_TEXTS.items():
        everywhere = {"source": text, "input": text, "prompt": {"user": text}}
        tasks.append(_task(f"{name}-everywhere", "output", oracle="1", **everywhere))
        responses.append(_reply(f"{name}-everywhere", "output", "2", response=text, reasoning=text))
    checkpoint = {"line": 30_000, "when": "after-line", "fields": ["x"]}
    source = "".join(f"x = {n}  # 行\n" for n in range(1, 40_001))
    tasks.append(_task("far", "state", target="state", oracle='{"x": 1}', source=source, checkpoint=checkpoint))
    responses.append(_reply("far", "state", '{"x": 2}'))
    return audit_of(tmp_path_factory.mktemp("large"), tasks, responses)


@pytest.fixture
def large(large_file: Path) -> Iterator[ReviewSession]:
    session = open_session(large_file, "lm", QueueWish(where="", order="import"))
    yield session
    session.close()


async def choose(pilot: Pilot[int], case: str) -> None:
    """Go to an item as a click on its row does: past all that are between."""
    session = screen_of(pilot).session
    index = next(index for index in range(len(session)) if session.item(index).key.case == case)
    await screen_of(pilot).action_choose(index)
    await settle(pilot)
    assert screen_of(pilot).index == index


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.timeout(60)
async def test_a_large_item_is_painted_and_paged(large: ReviewSession, name: str) -> None:
    async with reviewing(large) as pilot:
        await choose(pilot, name)
        screen = screen_of(pilot)
        for view in (screen.panes.reply, screen.panes.input, screen.panes.comparison, screen.panes.source):
            view.scroll_by("end")
            view.scroll_by("page up")
            strips = view.render_lines(view.size.region)
            assert len(strips) == view.size.height


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
async def test_the_comparison_of_large_texts_opens_at_the_difference(large: ReviewSession, name: str) -> None:
    async with reviewing(large) as pilot:
        await choose(pilot, name)
        comparison = screen_of(pilot).panes.comparison
        assert comparison.differences == 1
        shown = "\n".join(row.text for row in comparison.render_lines(comparison.size.region))
        assert "Z" in shown
        assert "comparing" not in shown


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many characters each layout measures that is made in the thread of the keys."""
    found: list[int] = []
    for layout in (WrappedText, UnwrappedText):
        make = layout.__init__

        def counting(self: WrappedText, lines: Sequence[str], width: int, make: Callable[..., None] = make) -> None:
            if threading.current_thread() is threading.main_thread():
                found.append(sum(len(line) for line in lines if not line.isascii()))
            make(self, lines, width)

        monkeypatch.setattr(layout, "__init__", counting)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURED_TEXTS)
async def test_no_key_waits_for_the_layout_of_a_large_text(
    large: ReviewSession, measured: list[int], name: str
) -> None:
    async with reviewing(large) as pilot:
        await choose(pilot, f"{name}-everywhere")
        await press(pilot, "i", "escape", "r", "R", "escape", "p", "w", "escape", "end", "h")
        await resize(pilot, 100, 30)
        assert screen_of(pilot).panes.source.is_whole
        assert max(measured) < _MOST_AT_ONCE


@pytest.mark.slow
async def test_a_large_program_opens_at_its_checkpoint_and_keeps_its_place(large: ReviewSession) -> None:
    async with reviewing(large) as pilot:
        await choose(pilot, "far")
        source = screen_of(pilot).panes.source
        assert "▸30000" in screen_text(pilot)
        screen_of(pilot).set_focus(source)
        await press(pilot, "end")
        first, last = source.visible_lines()
        await resize(pilot, 110, 40)
        assert last == 40_000 and source.visible_lines()[0] == first
        await press(pilot, "w")
        assert source.visible_lines()[0] == first


@pytest.mark.slow
async def test_what_is_not_laid_out_yet_is_counted_in_the_title(large: ReviewSession) -> None:
    async with reviewing(large) as pilot:
        screen = screen_of(pilot)
        screen.panes.reply.show_text("漢" * 500_000)
        assert screen.panes.reply.extent.endswith("% of 48,000 of 500,000 characters")
        await settle(pilot)
        assert screen.panes.reply.extent.endswith("% of 500,000 characters")


@pytest.mark.slow
async def test_leaving_a_large_item_drops_its_comparison(large: ReviewSession) -> None:
    async with reviewing(large) as pilot:
        # One after the other, so that the comparison is still being made when its item is left.
        assert large.item(1).key.case == "one-line"
        await press(pilot, "j", "k")
        assert " - 1\n" in screen_text(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.timeout(60)
async def test_a_large_item_is_not_wrapped_and_scrolled_sideways(large: ReviewSession, name: str) -> None:
    async with reviewing(large) as pilot:
        await press(pilot, "w")
        await choose(pilot, name)
        panes = screen_of(pilot).panes
        assert "Z" in "".join(row.text for row in panes.comparison.render_lines(panes.comparison.size.region))
        for view in (panes.reply, panes.input, panes.comparison, panes.source):
            assert view.virtual_size.height == len(view.lines)
            for how in ("page right", "left", "right", "page left"):
                view.scroll_across(how)
            view.scroll_by("end")
            assert len(view.render_lines(view.size.region)) == view.size.height
        await press(pilot, "h", "w")
        assert "Z" in "".join(row.text for row in panes.comparison.render_lines(panes.comparison.size.region))
