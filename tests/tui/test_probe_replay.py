"""Probes on the replay screen: their moment, the visits of their line, what is counted, the steps around, fallbacks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.text import has_invisible
from auditor.tui.screens.replay import ReplayScreen
from auditor.tui.widgets.around_view import AroundView
from auditor.tui.widgets.variable_rows import VariableRows
from tests.hostile import HOSTILE
from tests.probed import WORKED, probe_audit, probe_task
from tests.tui.driving import go_to, press, resize, reviewing, screen_text, widget_text
from tests.walls import need_wall

SIZES = [(80, 24), (120, 40), (160, 50)]
CASE = "longest-run/loops/t03"
_SOME = ("clipboard write", "index expression", "long line", "closing tag", "bidi override")
Compare = Callable[[str, str], None]


@pytest.fixture
def audit(probe_template: Path, tmp_path: Path) -> Path:
    need_wall()
    return Path(shutil.copy(probe_template, tmp_path / "probes.db"))


@pytest.fixture
def session(audit: Path) -> Iterator[ReviewSession]:
    with closing(open_session(audit, "lm", QueueWish(where="target:probe", order="import"))) as opened:
        yield opened


def replay_of(pilot: Pilot[int]) -> ReplayScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ReplayScreen)
    return screen


async def open_probe(pilot: Pilot[int], name: str) -> ReplayScreen:
    await go_to(pilot, CASE, f"probe/{name}")
    await press(pilot, "t")
    return replay_of(pilot)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_screen_at_the_moment_of_a_probe(
    session: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(session, size) as pilot:
        await open_probe(pilot, "visit")
        compare_screen(f"replay-probe-{size[0]}x{size[1]}", screen_text(pilot))


async def test_the_keys_go_from_visit_to_visit_and_back_to_the_moment(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        screen = await open_probe(pilot, "count")
        assert screen.at == 19 and "├" in screen_text(pilot) and "═" in screen_text(pilot)
        steps = []
        for key in ("less_than_sign", "less_than_sign", "greater_than_sign", "greater_than_sign"):
            await press(pilot, key)
            steps.append(screen.at)
        assert steps == [15, 11, 15, 19]
        await press(pilot, "greater_than_sign")
        assert "Line 3 is not visited behind this step." in screen_text(pilot)
        await press(pilot, "g", *"5", "enter", "c")
        assert screen.at == 19
        await press(pilot, "g", *"probe", "enter")
        assert screen.at == 19
        await press(pilot, "g", *"99", "enter")
        assert "this run has no step 99: it has 23 steps, 0 to 22" in screen_text(pilot)


async def test_what_is_asked_about_is_marked_first_and_chosen(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        screen = await open_probe(pilot, "visit")
        assert widget_text(screen.query_one(VariableRows))[0] == "▸◆•run     3   was 2"
        await press(pilot, "minus")
        assert screen.at == 10  # where `run` changed before
        await press(pilot, "c", "comma")
        around = widget_text(screen.query_one(AroundView))
        assert "  ◆ 14   8  best = max(best, run)   run = 3" in around
        assert any(row.startswith(" ▶▸ 13   5  run += 1") for row in around)
        text = screen_text(pilot)
        assert "visit 2 of 2" in text and "◂ after time 2" in text and "? What of visit?" in text


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("wrong", "the recorded answer is false: they differ"),
        ("line", "and not which moment"),
        ("never", "This run has no such moment as the probe asks about"),
        ("words", "The record names no line"),
    ],
)
async def test_what_a_run_does_not_tell_is_said(session: ReviewSession, name: str, sentence: str) -> None:
    async with reviewing(session) as pilot:
        screen = await open_probe(pilot, name)
        await press(pilot, "i")
        assert sentence in " ".join(screen_text(pilot).split()) and screen.replay is not None
        assert screen.at == (12 if name == "wrong" else next(iter(WORKED[name].visits), 0))


async def test_a_probe_that_is_judged_and_one_in_a_blind_review_open_there_too(audit: Path) -> None:
    for wish, sentence in (
        (QueueWish(where="target:subject arm:probe/first", order="import"), "Probe to be judged"),
        (QueueWish(where="target:probe arm:probe/first", blind=True), "Probe and prediction"),
    ):
        with closing(open_session(audit, "ana", wish)) as session:
            async with reviewing(session) as pilot:
                await press(pilot, "t")
                assert replay_of(pilot).at == 8
                text = " ".join(screen_text(pilot).split())
                assert sentence in text and "The run answers 2, as is recorded." in text


async def test_hostile_probes_are_shown_with_every_character_visible(tmp_path: Path) -> None:
    need_wall()
    texts = [text for name, text in HOSTILE.items() if name in _SOME]
    assert len(texts) == len(_SOME)
    source = "\n".join(f"x{number} = {text!r}" for number, text in enumerate(texts))
    tasks = {
        f"h{number}": probe_task("visit", WORKED["visit"])
        | {"arm": f"probe/{number} {text}", "question": text or "none", "oracle": text, "source": source}
        | {"probe": {"kind": "value-at-visit", "line": number + 1, "n": 1, "variable": f"x{number}"}, "input": ""}
        for number, text in enumerate(texts)
    }
    with closing(open_session(probe_audit(tmp_path, tasks), "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            for index in range(len(session)):
                await press(pilot, "t", "full_stop")
                assert not any(has_invisible(row) for row in screen_text(pilot).split("\n"))
                if not index:
                    await resize(pilot, 80, 24)
                await press(pilot, "escape", "j")
