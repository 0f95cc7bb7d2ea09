"""The overview: every figure is that of the commands and opens what it counts; a blind review hides what it hides."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copy
from threading import Event
from typing import Any

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen

from auditor.audit.again import parse_again
from auditor.audit.flags.flag import FlagItems
from auditor.audit.invalidate import set_validity
from auditor.audit.overview import InState, Overview, Report, Tagged, count_overview, items_behind, read_overview
from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.cli.main import main
from auditor.model import ReviewState
from auditor.text import has_invisible
from auditor.tui.overview_lines import Closed, Figure, Filtered, Line, OtherScreen, laid_out
from auditor.tui.overview_words import Here, sections
from auditor.tui.screens.agreement import AgreementScreen
from auditor.tui.screens.codebook import CodebookScreen
from auditor.tui.screens.overview import OverviewScreen
from auditor.tui.screens.queue import QueueScreen
from auditor.tui.screens.review import ReviewScreen
from tests.audit.flagged_audit import flagged_audit
from tests.tui.agreement_audit import agreed_audit
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text, settle
from tests.tui.hostile_audit import hostile_audit

SIZES = [(80, 24), (120, 40), (160, 50)]
ALL = QueueWish(where="", order="import")
Compare = Callable[[str, str], None]
Opened = Callable[..., ReviewSession]
OF_THE_FILE = re.compile(r"[0-9.]+ [kM]B, file version [0-9]+, made [0-9-]+ with [0-9.a-z]+ *")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file in which ana, ben and a model reviewed the same items; tests work on copies."""
    return agreed_audit(tmp_path_factory.mktemp("agreed") / "agreed.db")


@pytest.fixture
def path(template: Path, tmp_path: Path) -> Path:
    return Path(copy(template, tmp_path / "agreed.db"))


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Return a function that opens a session, which is closed at the end."""
    sessions = []

    def open_one(path: Path, annotator: str = "ana", wish: QueueWish = ALL) -> ReviewSession:
        sessions.append(open_session(path, annotator, wish))
        return sessions[-1]

    yield open_one
    for session in sessions:
        session.close()


def is_on(pilot: Pilot[int], kind: type[Screen[None]]) -> bool:
    return isinstance(pilot.app.screen, kind)


def overview_of(pilot: Pilot[int]) -> OverviewScreen:
    screen = pilot.app.screen
    assert isinstance(screen, OverviewScreen)
    return screen


def here_of(session: ReviewSession) -> Here:
    names = (session.path.name, session.annotator, session.codebook_name)
    return Here(*names, len(session.choices), session.description, session.counts(), hidden=session.hidden)


def lines_of(found: Overview, here: Here) -> list[Line]:
    first, second = sections(found, here, 78)
    return laid_out([*first, *second], 78)


def figures_of(lines: list[Line]) -> list[Figure]:
    return [span.figure for line in lines for span in line if span.figure is not None]


async def choose(pilot: Pilot[int], key: str) -> None:
    """Go to a figure with the keys."""
    await press(pilot, "home")
    screen = overview_of(pilot)
    seen = set()
    while screen.view.figure is not None and screen.view.figure.key != key:
        before = screen.view.figure.key
        assert (before, "j") not in seen, f"there is no figure {key}"
        row = [span.figure.key for span in screen.view.shown[screen.view.index] if span.figure]
        beside = "right" if key in row[row.index(before) :] else "left"
        await press(pilot, beside if key in row else "j")
        seen.add((before, "j"))


# --- figures ---------------------------------------------------------------------------------------------------------


def check_figures(session: ReviewSession, begin: str = "") -> int:
    """Hold every figure whose key begins so against what it opens; return how many were held against a number."""
    checked = 0
    for figure in figures_of(lines_of(read_overview(session.path), here_of(session))):
        if not figure.key.startswith(begin):
            continue
        if isinstance(figure.opens, Filtered):
            queue = session.find_items(figure.opens.where)
            queue.wait_for_rows(10**9)
            assert queue.error is None, (figure, queue.error)
            found = len(queue)
        elif isinstance(figure.opens, InState | Tagged | FlagItems):
            found = len(items_behind(session.path, figure.opens))
        else:
            continue
        assert figure.items in (None, found), figure
        checked += figure.items is not None
    return checked


def test_every_figure_opens_as_many_items_as_it_counts(path: Path, session: ReviewSession, opened: Opened) -> None:
    assert check_figures(opened(path)) == 30
    assert check_figures(session) > 10


def test_figures_of_a_file_with_everything_that_is_flagged_open_what_they_count(tmp_path: Path, opened: Opened) -> None:
    session = opened(flagged_audit(tmp_path / "flagged.db"))
    assert check_figures(session, "warning ") == 11
    assert check_figures(session) == 29


def test_invalid_responses_are_warned_of_and_opened(path: Path, opened: Opened) -> None:
    set_validity(path, "ana", "case:case-3", "the prompt was cut")
    session = opened(path)
    found = read_overview(path)
    assert found.doubtful is not None and found.doubtful.invalid == 2
    assert found.by_study is not None and found.by_study.cells[0].completed == 58
    assert any(figure.key == "warning invalid" for figure in figures_of(lines_of(found, here_of(session))))
    check_figures(session)


def test_the_command_gives_what_the_screen_shows(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["overview"]
    overview = read_overview(path)
    assert overview.tags is not None and overview.progress is not None and overview.by_arm is not None
    assert found["complete"] is True and all(piece is not None for piece in found.values())
    assert found["tags"] == [one._asdict() for one in overview.tags]
    assert [one["reviewed"] for one in found["progress"]] == [one.reviewed for one in overview.progress] == [55, 60, 30]
    assert [cell["correct"] for cell in found["by_arm"]["cells"]] == [cell.correct for cell in overview.by_arm.cells]
    assert found["modes"] == [{"mode": "wrong_value", "wrong": 60}]


def test_an_empty_overview_says_that_it_is_counting_and_a_stopped_one_that_it_stopped(session: ReviewSession) -> None:
    words = "\n".join(span.text for line in lines_of(Overview(), here_of(session)) for span in line)
    assert words.count("counting …") == 9 and "none" not in words
    here = here_of(session)._replace(stopped=True)
    assert "not counted" in "\n".join(span.text for line in lines_of(Overview(), here) for span in line)
    whole = replace(read_overview(session.path), complete=False, stale=frozenset({"modes", "doubtful"}))
    words = "\n".join("".join(span.text for span in line) for line in lines_of(whole, here_of(session)))
    assert "Warnings  of before, counting again …" in words and words.count("of before") == 2
    words = "\n".join("".join(span.text for span in line) for line in lines_of(whole, here))
    assert words.count("of before, not counted again") == 2


def test_many_rows_are_cut_and_say_so_and_many_columns_go_on_below(session: ReviewSession) -> None:
    whole = read_overview(session.path)
    assert whole.settings is not None
    settings = tuple(whole.settings[0]._replace(setting=f"m{number}") for number in range(70))
    words = [
        "".join(span.text for span in line) for line in lines_of(replace(whole, settings=settings), here_of(session))
    ]
    assert "  … and 10 more rows; auditor info FILE --json lists all." in words and "  m59" in "\n".join(words)
    assert max(map(len, words)) <= 80


# --- the screen ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_what_it_looks_like(path: Path, opened: Opened, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with reviewing(opened(path), size) as pilot:
        await press(pilot, "dollar_sign")
        lines = OF_THE_FILE.sub("size, version, day and program".ljust(77), screen_text(pilot)).split("\n")
        shown = "\n".join(line.rstrip() for line in lines)
        compare_screen(f"overview-{size[0]}x{size[1]}", shown)


async def test_a_figure_opens_its_items_and_the_queue_of_before_comes_back(path: Path, opened: Opened) -> None:
    session = opened(path, wish=QueueWish(where="arm:state", order="import"))
    before = session.queue
    async with reviewing(session, (80, 24)) as pilot:
        await press(pilot, "dollar_sign")
        await choose(pilot, "progress execution/ana deferred")
        assert "ana has deferred 5 items under execution." in screen_text(pilot)
        await press(pilot, "enter")
        assert is_on(pilot, QueueScreen) and len(session) == 5
        await press(pilot, "escape")
        chosen = overview_of(pilot).view.figure
        assert chosen is not None and chosen.key == "progress execution/ana deferred" and session.queue is before
        await choose(pilot, "rate arm model-a output")
        await press(pilot, "enter")
        assert len(session) == 30 and session.queue.selection is not None
        await press(pilot, "j", "enter")
        assert is_on(pilot, ReviewScreen) and screen_of(pilot).index == 1 and len(session) == 30


async def test_marks_made_behind_a_figure_are_counted_when_it_is_shown_again(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (160, 50)) as pilot:
        await press(pilot, "dollar_sign")
        await choose(pilot, "progress execution/ana deferred")
        await press(pilot, "enter", "0", "escape")
        progress = overview_of(pilot).found.progress
        assert progress is not None and (progress[0].reviewed, progress[0].deferred) == (56, 4)
        figure = overview_of(pilot).view.figure
        assert figure is not None and figure.text == "4"


async def test_other_screens_are_opened_and_left(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (120, 40)) as pilot:
        await press(pilot, "dollar_sign", "enter")
        assert is_on(pilot, CodebookScreen)
        await press(pilot, "escape")
        await choose(pilot, "shared execution")
        await press(pilot, "enter")
        assert is_on(pilot, AgreementScreen)
        await press(pilot, "escape")
        await choose(pilot, "queue deferred")
        await press(pilot, "enter")
        assert is_on(pilot, QueueScreen)
        await press(pilot, "escape", "escape")
        assert is_on(pilot, ReviewScreen)
        await press(pilot, "o", "dollar_sign", "enter")
        assert "The codebook is opened from the review" in screen_text(pilot)
        await press(pilot, "ctrl+c")
        assert "Esc goes back." in screen_text(pilot)
        await press(pilot, "dollar_sign")
        assert is_on(pilot, QueueScreen)


async def test_the_keys_go_through_sections_and_columns(path: Path, opened: Opened) -> None:
    async with reviewing(opened(path), (160, 50)) as pilot:
        await press(pilot, "dollar_sign")
        screen = overview_of(pilot)
        await press(pilot, "right")
        assert screen.view is screen.lists[1] and screen.view.figure is not None
        assert screen.view.figure.key == "rate study model-a demo"
        await press(pilot, "tab", "right")
        assert screen.view.figure.key == "rate arm model-a state"
        await press(pilot, "end", "left", "left", "left")
        assert screen.view is screen.lists[0]
        await press(pilot, "end", "tab")
        assert screen.view is screen.lists[1]
        await press(pilot, "shift+tab")
        assert screen.view is screen.lists[0]
        await resize(pilot, 80, 24)
        before = screen.view.figure
        await press(pilot, "pageup", "pagedown", "end", "k")
        assert screen.view is screen.lists[0] and screen.view.figure != before
        await pilot.click("#overview-first", offset=(3, 1))
        assert screen.view.figure is not None


@pytest.mark.parametrize("how", ["ctrl+c", "escape"])
async def test_counting_can_be_stopped_and_goes_on_when_the_screen_is_opened_again(
    path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    reached, going_on = Event(), Event()

    def slow(connection: sqlite3.Connection, path: Path, report: Report, **given: Any) -> Overview:
        """Count as usual, but wait after the first pieces until the test goes on."""

        def told(found: Overview) -> None:
            report(found)
            if found.progress is not None:
                reached.set()
                going_on.wait()

        return count_overview(connection, path, told, **given)

    monkeypatch.setattr("auditor.tui.screens.overview.count_overview", slow)
    async with reviewing(opened(path), (80, 24)) as pilot:
        pilot.app.post_message(Key("dollar_sign", "$"))
        await asyncio.to_thread(reached.wait)
        pilot.app.post_message(Key(how, None))
        while is_on(pilot, OverviewScreen) and not overview_of(pilot).stopped:
            await asyncio.sleep(0.005)
        going_on.set()
        await settle(pilot)
        assert is_on(pilot, OverviewScreen) == (how == "ctrl+c")
        if how == "ctrl+c":
            shown = screen_text(pilot)
            assert "The counting was stopped" in shown and "stopped: what is here may be of before" in shown
            assert not overview_of(pilot).found.complete and overview_of(pilot).found.progress is not None
            await press(pilot, "escape")
        await press(pilot, "dollar_sign")
        assert overview_of(pilot).found.complete and "stopped" not in screen_text(pilot)


# --- what is hidden --------------------------------------------------------------------------------------------------


async def test_a_blind_review_shows_nothing_that_it_hides(path: Path, opened: Opened) -> None:
    session = opened(path, "cleo", QueueWish(where="", blind=True))
    async with reviewing(session, (160, 50)) as pilot:
        await press(pilot, "dollar_sign")
        screen, shown = overview_of(pilot), screen_text(pilot)
        hidden = ("model-a", "ana", "ben", "judge", "wrong_value", "arithmetic", "graded", "0.0/0.0", "of several")
        assert not [word for word in hidden if word in shown]
        found = screen.found
        assert found.complete and (found.progress, found.tags, found.settings, found.modes, found.by_arm) == (None,) * 5
        assert found.doubtful is not None and found.doubtful.status is None and found.studies is not None
        await choose(pilot, "study demo cases")
        await press(pilot, "enter")
        assert is_on(pilot, QueueScreen) and len(session) == 60


async def test_a_second_pass_hides_what_was_said(path: Path, opened: Opened) -> None:
    session = opened(path, "ana", QueueWish(where="", again=parse_again("10", at_once=True)))
    async with reviewing(session, (160, 50)) as pilot:
        await press(pilot, "dollar_sign")
        shown = screen_text(pilot)
        assert "model-a" in shown and "arithmetic" not in shown and "ben" not in shown
        await choose(pilot, "study demo cases")
        await press(pilot, "enter")
        assert "a second pass goes through the items that were drawn for it" in screen_text(pilot)


async def test_hostile_names_are_shown_literally_and_open_their_items(tmp_path: Path, opened: Opened) -> None:
    session = opened(hostile_audit(tmp_path), "lm [/] \x1b[2J")
    async with reviewing(session, (80, 24)) as pilot:
        await press(pilot, "1", "space", "dollar_sign")
        for size in SIZES[::2]:
            await resize(pilot, *size)
            for _ in range(3):
                shown = screen_text(pilot)
                assert not has_invisible(shown.replace("\n", "")), shown
                await press(pilot, "pagedown")
    assert check_figures(session, "rate study") > 40


def test_a_closed_figure_says_why(session: ReviewSession) -> None:
    figures = figures_of(lines_of(read_overview(session.path), here_of(session)._replace(unsaved=2)))
    closed = [figure for figure in figures if isinstance(figure.opens, Closed)]
    assert [figure.text for figure in closed][:1] == ["2 marks not in the file yet"]
    assert {figure.opens.name for figure in figures if isinstance(figure.opens, OtherScreen)} == {"codebook", "queue"}
    assert InState("ana", "execution", ReviewState.REVIEWED) not in [figure.opens for figure in figures]
