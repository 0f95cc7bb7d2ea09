"""The prompt of a task on the screen: one key away, visible whatever it holds, and nowhere in a blind review."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.audit.prompt_text import prompt_text
from auditor.audit.review import MarkReviewed, QueueWish, ReviewSession, open_session
from tests.hostile import HOSTILE
from tests.tui.conftest import _reply, _task, audit_of
from tests.tui.driving import press, reviewing, screen_text

PROMPT = {"system": "Answer as JSON.", "user": "What is printed?"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    tasks = [
        _task("asked", "output", oracle="1\n", prompt=PROMPT),
        _task("bare", "output", oracle="2\n"),
        _task("hostile", "output", oracle="3\n", prompt={"user": "\n".join(HOSTILE.values())}),
    ]
    return audit_of(tmp_path, tasks, [_reply(case, "output", "0\n") for case in ("asked", "bare", "hostile")])


@pytest.fixture
def prompts(path: Path) -> Iterator[ReviewSession]:
    opened = open_session(path, "lm", QueueWish(where="", order="import"))
    yield opened
    opened.close()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)])
async def test_the_prompt_is_one_key_away(prompts: ReviewSession, size: tuple[int, int]) -> None:
    async with reviewing(prompts, size) as pilot:
        before = screen_text(pilot)
        await press(pilot, "p")
        shown = screen_text(pilot)
        assert all(words in shown for words in ("─ Prompt", "── system ──", "── user ──", *PROMPT.values()))
        await press(pilot, "p")
        assert screen_text(pilot) == before


async def test_a_task_without_a_prompt_says_so(prompts: ReviewSession) -> None:
    async with reviewing(prompts) as pilot:
        await press(pilot, "p", "j")
        assert "(no prompt was recorded with this task)" in screen_text(pilot)
        await press(pilot, "escape", "p")
        assert "No prompt was recorded with this task." in screen_text(pilot)


async def test_no_control_character_of_a_prompt_reaches_the_screen(prompts: ReviewSession) -> None:
    async with reviewing(prompts) as pilot:
        await press(pilot, "j", "j", "p")
        shown = screen_text(pilot)
        assert "── user ──" in shown
        assert not [char for char in shown if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160)]


async def test_a_blind_review_hides_the_prompt_until_the_item_is_revealed(path: Path) -> None:
    session = open_session(path, "lm", QueueWish(where="case:asked,hostile", blind=True))
    try:
        async with reviewing(session) as pilot:
            asked = next(n for n in range(2) if session.item(n).key.case == "asked")
            await press(pilot, *["j"] * asked, "p")
            assert "The prompt would show what this blind review hides" in screen_text(pilot)
            session.submit(session.item(asked).response_id, MarkReviewed())
            await press(pilot, "v", "v", "p")
            assert PROMPT["user"] in screen_text(pilot)
            await press(pilot, "k" if asked else "j")
            assert "(the prompt is hidden)" in screen_text(pilot)
    finally:
        session.close()


def test_parts_that_are_no_texts_are_shown_as_json() -> None:
    assert (
        prompt_text({"user": [{"text": "é"}], "system": None})
        == "── user ──\n" + json.dumps([{"text": "é"}], ensure_ascii=False) + "\n"
    )
    assert prompt_text({}) is None
