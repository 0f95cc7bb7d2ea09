"""The replay screen: going through a run, marks, arms, what is said where nothing runs, hostile and huge values."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.execution.protection import RefusedError
from auditor.execution.tracing import Budget
from auditor.store.reviews import PutTags
from auditor.text import has_invisible
from auditor.tui.parts.recording import Recording
from auditor.tui.screens.adjudication import AdjudicationScreen
from auditor.tui.screens.replay import ReplayScreen
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.setup import Setup
from auditor.tui.widgets.replay_source import ReplaySource
from auditor.tui.widgets.step_slider import StepSlider
from auditor.tui.widgets.text_view import TextView
from tests.hostile import HOSTILE
from tests.replayed import REPLIES, reply, tasks
from tests.store.test_history import Desk
from tests.tui.conftest import audit_of
from tests.tui.driving import go_to, press, resize, reviewing, screen_text, settle, widget_text
from tests.walls import need_wall

SIZES = [(80, 24), (120, 40), (160, 50)]
Compare = Callable[[str, str], None]


def size_id(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_wall()
    forever = tasks()[0] | {"case": "forever", "source": "while True:\n    pass\n"}
    cpp = tasks()[0] | {"case": "cpp", "language": "cpp", "source": "int main() {}"}
    others = [forever, cpp]
    replies = [reply("short-trace-final", "1\n", case=str(task["case"])) for task in others]
    return audit_of(tmp_path_factory.mktemp("replay"), [*tasks(), *others], [*REPLIES, *replies])


@pytest.fixture
def run_session(template: Path, tmp_path: Path) -> Iterator[ReviewSession]:
    path = Path(shutil.copy(template, tmp_path / "run.db"))
    opened = open_session(path, "lm", QueueWish(where="", order="import"))
    yield opened
    opened.close()


def replay_of(pilot: Pilot[int]) -> ReplayScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ReplayScreen)
    return screen


async def open_replay(pilot: Pilot[int], arm: str, case: str = "nand-like") -> ReplayScreen:
    await go_to(pilot, case, arm)
    await press(pilot, "t")
    return replay_of(pilot)


def seen(screen: ReplayScreen, *names: str) -> list[str]:
    assert screen.replay is not None
    state = screen.replay.trace.state(screen.at).variables
    return [state[name] for name in names]


# --- the worked example --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=size_id)
async def test_the_screen_at_the_checkpoint(
    run_session: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(run_session, size) as pilot:
        await open_replay(pilot, "inside-loop-state")
        compare_screen(f"replay-{size_id(size)}", screen_text(pilot))


@pytest.mark.parametrize("size", SIZES, ids=size_id)
async def test_the_screen_of_an_output(
    run_session: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(run_session, size) as pilot:
        await open_replay(pilot, "long-trace-final")
        await press(pilot, "full_stop")
        compare_screen(f"replay-output-{size_id(size)}", screen_text(pilot))


async def test_it_stops_where_the_checkpoint_says_and_goes_back_to_the_item(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "inside-loop-state")
        assert seen(screen, "ans", "cnt1", "dp1") == ["63250", "500", "500"]
        assert "iteration 502 of 1,002 · ◆ checkpoint" in screen_text(pilot)
        await press(pilot, "escape")
        below = pilot.app.screen
        assert isinstance(below, ReviewScreen) and below.item is not None
        assert below.item.key.arm == "inside-loop-state"
        await go_to(pilot, "nand-like", "post-loop-state")
        await press(pilot, "t")
        assert seen(replay_of(pilot), "ans", "cnt1", "dp1") == ["251502", "2", "2"]


async def test_the_keys_go_where_they_say(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "inside-loop-state")
        point = screen.at
        steps = []
        for key in ("comma", "full_stop", "x", "c", "left_square_bracket", "right_square_bracket", "right", "left"):
            await press(pilot, key)
            steps.append(screen.at - point)
        assert steps == [-1, 0, -2, 0, -6, 0, 1, 0]
        await press(pilot, "j", "k")
        assert screen.variables.chosen is not None and screen.variables.chosen.name == "ans"
        await press(pilot, "enter")
        assert seen(screen, "ans") == ["63252"] and "63252   was 63250" in screen_text(pilot)
        await press(pilot, "minus", "minus")
        assert seen(screen, "ans") == ["62750"]
        await press(pilot, "o")
        assert screen.at > point and "251502" in "".join(
            widget_text(screen.query_one("#replay-output TextView", TextView))
        )
        await press(pilot, "O")
        assert "No other output had been written before this step." in screen_text(pilot)
        await press(pilot, "equals_sign")
        assert "not known to be true together at any kept step" in screen_text(pilot)


async def test_a_step_is_named_in_a_field(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "inside-loop-state")
        await press(pilot, "g", *"12", "enter")
        assert screen.at == 12 and "Go to step" not in screen_text(pilot)
        await press(pilot, "g", *"+1000", "enter")
        assert screen.at == 1012
        await press(pilot, "g", *"nowhere", "enter")
        assert "Go to step" in screen_text(pilot) and "names no step" in screen_text(pilot)
        await press(pilot, "escape")
        assert "Go to step" not in screen_text(pilot) and replay_of(pilot).at == 1012


async def test_what_is_pressed_ahead_is_done_in_order(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "long-trace-final")
        await press(pilot, "g", *"0", "enter", *["full_stop"] * 200, *["comma"] * 50, "right_square_bracket")
        assert screen.at == 155


async def test_lines_are_dim_until_they_are_reached(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "short-trace-final")
        await press(pilot, "g", *"0", "enter")
        source = screen.query_one(ReplaySource)
        roles = [source.gutter_of(line).role for line in range(14)]
        assert roles[0] == "strong" and set(roles[1:]) == {"off"}
        await press(pilot, "g", *"last", "enter")
        roles = [source.gutter_of(line).role for line in range(14)]
        assert roles[13] == "strong" and set(roles[:8]) == {"gutter"}


async def test_the_arms_follow_each_other_and_a_run_is_kept_with_its_step(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "short-trace-final")
        await press(pilot, "g", *"7", "enter")
        first = screen.replay
        arms = []
        for _ in range(4):
            await press(pilot, "a")
            arms.append(screen.item.key.arm)
        assert arms == ["long-trace-final", "inside-loop-state", "post-loop-state", "short-trace-final"]
        # Three others have pushed the first run off the shelf.
        assert screen.replay is not first and screen.replay is not None and screen.at == screen.replay.opening
        await press(pilot, "g", *"7", "enter", "escape", "t")
        again = replay_of(pilot)
        assert again is not screen and again.at == 7 and again.replay is screen.replay


async def test_what_has_to_be_known_is_one_key_away(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        await open_replay(pilot, "inside-loop-state")
        await press(pilot, "i")
        shown = screen_text(pilot)
        for words in (
            "The program finished.",
            "This is the clean program",
            "Programs run behind a wall",
            "ans =\n 63250",
        ):
            assert words in shown
        await press(pilot, "escape")
        assert "Variables" in screen_text(pilot)


async def test_a_click_on_the_line_goes_to_its_step(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "inside-loop-state")
        slider = screen.query_one(StepSlider)
        await pilot.click(slider, offset=(2, 0))
        await settle(pilot)
        assert screen.replay is not None and screen.at == screen.replay.first
        await pilot.click(slider, offset=(slider.size.width - 3, 0))
        await settle(pilot)
        assert screen.at == screen.replay.last


async def test_resizing_back_and_forth_ends_with_the_same_screen(run_session: ReviewSession) -> None:
    async with reviewing(run_session, (120, 40)) as pilot:
        await open_replay(pilot, "inside-loop-state")
        before = screen_text(pilot)
        for size in ((80, 24), (40, 15), (160, 50), (120, 40)):
            await resize(pilot, *size)
        assert screen_text(pilot) == before


# --- where nothing runs --------------------------------------------------------------------------------------------


async def test_another_language_is_said_in_the_review(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        await go_to(pilot, "cpp", "short-trace-final")
        await press(pilot, "t")
        assert isinstance(pilot.app.screen, ReviewScreen)
        assert "replay is for Python programs, and this one is in C++." in screen_text(pilot)


async def _until_it_runs(pilot: Pilot[int]) -> ReplayScreen:
    await go_to(pilot, "forever", "short-trace-final")
    await pilot.press("t")
    while not isinstance(pilot.app.screen, ReplayScreen):
        await asyncio.sleep(0.005)
    screen = replay_of(pilot)
    while screen._recording._sandbox is None or screen._recording._sandbox._connection is None:
        await asyncio.sleep(0.005)
    return screen


async def test_a_program_that_runs_and_runs_is_stopped_by_going_back(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        await _until_it_runs(pilot)
        assert "The program runs in the sandbox" in screen_text(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ReviewScreen)


async def test_a_program_that_runs_and_runs_can_be_stopped_in_place(run_session: ReviewSession) -> None:
    async with reviewing(run_session) as pilot:
        await _until_it_runs(pilot)
        await pilot.press("full_stop")
        assert "There is no recorded run to go through." in screen_text(pilot)
        await press(pilot, "ctrl+c")
        assert replay_of(pilot).replay is None and "The program was stopped." in screen_text(pilot)
        await press(pilot, "i", "i", "escape")
        assert isinstance(pilot.app.screen, ReviewScreen)


async def test_where_nothing_protects_the_refusal_says_what_to_do(
    run_session: ReviewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**others: Any) -> None:
        raise RefusedError("programs are not run: this system offers no wall.")

    monkeypatch.setattr("auditor.execution.sandbox.strongest_protection", refuse)
    async with reviewing(run_session) as pilot:
        await open_replay(pilot, "short-trace-final")
        shown = screen_text(pilot)
        assert "this system offers no wall" in shown and "auditor trace --unsafe" in shown
        await press(pilot, "j", "full_stop", "c", "escape")
        assert isinstance(pilot.app.screen, ReviewScreen)


async def test_a_review_that_is_told_to_runs_programs_without_a_wall_and_says_so(
    run_session: ReviewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.execution.protection.WALLS", ())
    async with reviewing(run_session, setup=Setup(unsafe=True)) as pilot:
        screen = await open_replay(pilot, "short-trace-final")
        assert screen.replay is not None
        assert screen.replay.protection[:40] in screen_text(pilot)
        await press(pilot, "i")
        assert screen.replay.protection[:40] in screen_text(pilot)


async def test_a_blind_review_replays_without_a_word_of_what_it_hides(template: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(template, tmp_path / "blind.db"))
    with closing(
        open_session(path, "lm", QueueWish(where="arm:inside-loop-state", order="random", blind=True))
    ) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "t", "a")
            shown = screen_text(pilot)
            assert "would show what this blind review hides" in shown
            assert "inside-loop-state" not in shown and "model-a" not in shown
            assert seen(replay_of(pilot), "ans") == ["63250"]


# --- hostile and huge ----------------------------------------------------------------------------------------------

WIDE = "変数 = 漢字 = 'かな'\n"
HUGE = "huge = 'x' * 1_000_000\nmany = list(range(100_000))\nhuge += 'y'\nfor i in range(3):\n    many[i] = huge[:5]\n"


@pytest.fixture(scope="module")
def odd_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_wall()
    hostile = "import sys\nsys.stdout.reconfigure(errors='backslashreplace')\n"
    hostile += "".join(f"v{number} = {text!a}\nprint({text!a})\n" for number, text in enumerate(HOSTILE.values()))
    sources = {"hostile": hostile, "wide": WIDE, "huge": HUGE, "many": "".join(f"n{n} = {n}\n" for n in range(300))}
    sources["raised"] = "raise ValueError('one\\ntwo')\n"
    made = [tasks()[0] | {"case": case, "source": source} for case, source in sources.items()]
    return audit_of(
        tmp_path_factory.mktemp("odd"), made, [reply("short-trace-final", "x", case=case) for case in sources]
    )


@pytest.mark.parametrize("size", SIZES, ids=size_id)
async def test_hostile_values_and_outputs_are_visible_and_stay_in_their_places(
    odd_file: Path, size: tuple[int, int]
) -> None:
    with closing(open_session(odd_file, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, size) as pilot:
            screen = await open_replay(pilot, "short-trace-final", "hostile")
            await press(pilot, "g", *"last", "enter")
            for _ in range(len(HOSTILE)):
                await press(pilot, "j")
                lines = screen_text(pilot).splitlines()
                assert not any(has_invisible(line) for line in lines)
            assert screen.replay is not None
            for number, text in enumerate(HOSTILE.values()):
                assert screen.replay.trace.state(screen.at).variables[f"v{number}"] == repr(text)
            await press(pilot, "i")
            assert not any(has_invisible(line) for line in screen_text(pilot).splitlines())


@pytest.mark.parametrize("case", ["wide", "huge", "many"])
async def test_values_of_any_size_and_name_can_be_gone_through(odd_file: Path, case: str) -> None:
    with closing(open_session(odd_file, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (80, 24)) as pilot:
            screen = await open_replay(pilot, "short-trace-final", case)
            await press(pilot, "g", *"0", "enter", *["full_stop"] * 6, "j", "enter", "minus", "i")
            assert not any(has_invisible(line) for line in screen_text(pilot).splitlines())
            await press(pilot, "i", "w", "tab", "pagedown", "end", "home", "tab", "tab", "J", "K", "tab")
            assert screen.replay is not None and screen.at in screen.replay.trace


async def test_a_cut_value_says_how_long_it_is_and_a_message_stays_one_line(odd_file: Path) -> None:
    with closing(open_session(odd_file, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (80, 24)) as pilot:
            await open_replay(pilot, "short-trace-final", "huge")
            await press(pilot, "g", *"2", "enter", "i")
            assert "huge = (cut: 20,000 of 1,000,000 characters are shown)" in screen_text(pilot)
            await press(pilot, "escape", "escape")
            await open_replay(pilot, "short-trace-final", "raised")
            await press(pilot, "i")
            lines = [line for line in screen_text(pilot).splitlines() if "ended with" in line]
            assert len(lines) == 1 and "ended with ValueError in line 1: one␊two." in lines[0]
            await press(pilot, "i", "right_square_bracket")
            assert "This program has no loop." in screen_text(pilot)
            await press(pilot, "c")
            assert "This task has no checkpoint." in screen_text(pilot)


async def test_a_long_run_says_what_is_not_kept(run_session: ReviewSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recording, "budget", Budget(steps=600, before=300))
    async with reviewing(run_session) as pilot:
        screen = await open_replay(pilot, "long-trace-final")
        assert screen.replay is not None and screen.replay.trace.kept[0] == range(600)
        await press(pilot, "g", *"599", "enter", "full_stop")
        assert "Steps 600-" in screen_text(pilot) and "are not kept." in screen_text(pilot)
        await press(pilot, "comma", "comma")
        assert screen.at == 598 and "⋯" in screen_text(pilot)
        await press(pilot, "i")
        assert "The trace is cut (longer than are kept): kept are steps 0-599" in screen_text(pilot)


async def test_it_opens_over_the_adjudication_too(run_session: ReviewSession) -> None:
    for annotator, tag in (("ana", "arithmetic"), ("ben", "copying")):
        desk = Desk(run_session.path, annotator)
        desk.do(3, PutTags((tag,), None, replace=True))
        desk.connection.close()
    async with reviewing(run_session) as pilot:
        await press(pilot, "equals_sign")
        below = pilot.app.screen
        assert isinstance(below, AdjudicationScreen)
        await press(pilot, "t")
        assert seen(replay_of(pilot), "ans") == ["63250"]
        await press(pilot, "t")
        assert pilot.app.screen is below
