"""Probes in the review: the line that is asked about, the steps around it from a run beside the keys, dimensions."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, open_session
from auditor.configuration.settings import Settings
from auditor.execution.protection import RefusedError
from auditor.text import has_invisible
from auditor.tui.probe_finder import ProbeFinder
from auditor.tui.screens.replay import ReplayScreen
from auditor.tui.setup import Setup
from tests.hostile import HOSTILE
from tests.probed import WORKED, probe_audit, probe_task
from tests.tui.driving import press, reviewing, screen_of, screen_text, widget_text
from tests.walls import need_wall

SIZES = [(80, 24), (120, 40), (160, 50)]
JUDGED = QueueWish(where="target:subject arm:probe/visit", order="import", codebook="core-probes")
Compare = Callable[[str, str], None]


@pytest.fixture
def audit(probe_template: Path, tmp_path: Path) -> Path:
    need_wall()
    return Path(shutil.copy(probe_template, tmp_path / "probes.db"))


def answered(name: str, **others: Any) -> QueueWish:
    return QueueWish(where=f"target:probe arm:probe/{name}", **others)


def beside(pilot: Pilot[int]) -> str:
    """Return what stands beside the program, as one line."""
    panes = screen_of(pilot).panes
    rows = [*widget_text(panes.comparison), *widget_text(panes._evidence)]
    return " ".join(" ".join(rows).replace("┊", " ").split())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_probe_is_judged_with_its_line_marked_and_the_trace_around_it(
    audit: Path, compare_screen: Compare, size: tuple[int, int]
) -> None:
    with closing(open_session(audit, "lm", JUDGED)) as session:
        async with reviewing(session, size) as pilot:
            compare_screen(f"probe-judged-{size[0]}x{size[1]}", screen_text(pilot))


async def test_an_answer_stands_above_the_trace_around_what_was_asked(audit: Path, compare_screen: Compare) -> None:
    with closing(open_session(audit, "lm", answered("first"))) as session:
        async with reviewing(session) as pilot:
            compare_screen("probe-answered-120x40", screen_text(pilot))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("wrong", "! The run answers true, and the recorded answer is false: they differ."),
        ("line", "~ The recorded answer is 3. The record names line 5, which runs 2 times, and not which moment"),
    ],
)
async def test_what_the_run_says_against_a_record_is_said(audit: Path, name: str, sentence: str) -> None:
    with closing(open_session(audit, "lm", answered(name))) as session:
        async with reviewing(session) as pilot:
            assert sentence in beside(pilot)


async def test_a_blind_review_has_the_trace_too(audit: Path) -> None:
    with closing(open_session(audit, "lm", answered("visit", blind=True))) as session:
        async with reviewing(session) as pilot:
            assert "▸ 13 5 run += 1 ◆ 14 8 best = max(best, run) run = 3" in beside(pilot)


async def test_the_replay_takes_the_run_that_is_there(audit: Path) -> None:
    with closing(open_session(audit, "lm", answered("visit"))) as session:
        async with reviewing(session) as pilot:
            screen = screen_of(pilot)
            assert screen.item is not None
            known = screen.panes.probes.replay_of(screen.item)
            await press(pilot, "t")
            replay = pilot.app.screen
            assert isinstance(replay, ReplayScreen) and replay.replay is known is not None and replay.at == 14


async def test_items_that_are_passed_by_are_not_run_and_the_last_one_is(audit: Path) -> None:
    with closing(open_session(audit, "lm", QueueWish(where="target:probe", order="import"))) as session:
        async with reviewing(session) as pilot:
            screen = screen_of(pilot)
            await press(pilot, *["j"] * 8)
            assert screen.item is not None and screen.item.key.arm == "probe/never"
            assert "This run has no such moment as the probe asks about" in beside(pilot)
            assert len(screen.panes.probes._found) == 2  # the first, and this one


async def test_nothing_runs_where_that_is_set_and_dimensions_are_explained_all_the_same(
    audit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(ProbeFinder, "_look", run)
    with closing(open_session(audit, "lm", JUDGED)) as session:
        async with reviewing(session, setup=Setup(Settings(probe_runs=False))) as pilot:
            assert "State: the values of a variable are followed" in beside(pilot)
            assert "▸ 5 run += 1 ◂ after time 2" in " ".join(screen_text(pilot).split())


async def test_where_nothing_protects_that_is_said_and_the_review_goes_on(
    audit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: Any) -> None:
        raise RefusedError("this system offers no wall.", "Ask for it.")

    monkeypatch.setattr("auditor.execution.sandbox.strongest_protection", refuse)
    with closing(open_session(audit, "lm", JUDGED)) as session:
        async with reviewing(session) as pilot:
            assert beside(pilot).count("! not run: this system offers no wall.") == 1
            await press(pilot, "6", "space")
            assert session.counts()


async def test_hostile_probes_stand_there_with_every_character_visible(tmp_path: Path) -> None:
    need_wall()
    tasks = {}
    for number, name in enumerate(("clipboard write", "closing tag", "bidi override")):
        text = HOSTILE[name]
        asked = {"kind": "value-at-visit", "line": 1, "n": 1, "variable": "x"}
        tasks[f"h{number}"] = probe_task("visit", WORKED["visit"]) | {
            **{"arm": f"probe/{number} {text}", "question": text, "oracle": text, "dimensions": [text], "input": ""},
            **{"source": f"x = {text!r}  # {text}\nfor x in x:\n    pass\n", "probe": asked, "entry_point": text},
        }
    with closing(open_session(probe_audit(tmp_path, tasks), "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            for _ in tasks:
                assert not any(has_invisible(row) for row in screen_text(pilot).split("\n"))
                await press(pilot, "j")
