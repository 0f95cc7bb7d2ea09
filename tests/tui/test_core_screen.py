"""CoRE's figures on the screen: each opens what it counts; what is undefined says why; blind, hostile, empty."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.command import CommandList
from textual.pilot import Pilot

from auditor.audit.again import parse_again
from auditor.audit.core_overview import CoreFigures, CoreItems, core_items, count_core
from auditor.audit.grade import grade_file
from auditor.audit.invalidate import set_validity
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.store.file import open_for_reading
from auditor.text import has_invisible
from auditor.tui.core_lines import core_sections
from auditor.tui.overview_lines import Closed, Figure, Filtered, laid_out
from auditor.tui.screens.core import CoreScreen
from auditor.tui.screens.overview import OverviewScreen
from auditor.tui.screens.queue import QueueScreen
from tests.runs import write_run
from tests.tui.core_audit import STUDY, core_task, hostile_core_audit
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text

SIZES = [(80, 24), (120, 40), (160, 50)]
ALL = QueueWish(where="", order="import")
CORE = "semicolon"
Compare = Callable[[str, str], None]
Opened = Callable[..., ReviewSession]


@pytest.fixture
def audit(core_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(core_template, tmp_path / "core.db"))


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Return a function that opens a session, which is closed at the end."""
    sessions = []

    def open_one(path: Path, wish: QueueWish = ALL) -> ReviewSession:
        sessions.append(open_session(path, "lm", wish))
        return sessions[-1]

    yield open_one
    for session in sessions:
        session.close()


def counted_of(path: Path) -> CoreFigures:
    with closing(open_for_reading(path)) as connection:
        return count_core(connection, lambda found: None)


def figures_of(found: CoreFigures) -> dict[str, Figure]:
    first, second = core_sections(found, 78)
    lines = laid_out([*first, *second], 78)
    return {span.figure.key: span.figure for line in lines for span in line if span.figure is not None}


def is_core(pilot: Pilot[int]) -> bool:
    return isinstance(pilot.app.screen, CoreScreen)


def core_of(pilot: Pilot[int]) -> CoreScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CoreScreen)
    return screen


async def choose(pilot: Pilot[int], key: str) -> None:
    """Go to a figure with the keys."""
    await press(pilot, "home")
    view = core_of(pilot).view
    while view.figure is not None and view.figure.key != key:
        row = [span.figure.key for span in view.shown[view.index] if span.figure]
        before = view.figure.key
        aside = "left" if key in row and row.index(key) < row.index(before) else "right"
        await press(pilot, aside if key in row else "j")
        assert view.figure.key != before, f"there is no figure {key}"


async def test_three_sizes_and_what_is_behind_a_cell(audit: Path, opened: Opened, compare_screen: Compare) -> None:
    session = opened(audit)
    before = session.queue
    async with reviewing(session, SIZES[0]) as pilot:
        await press(pilot, CORE)
        for size in SIZES:
            await resize(pilot, *size)
            compare_screen(f"core-{size[0]}x{size[1]}", screen_text(pilot))
        for size in ((40, 10), (30, 8), SIZES[0]):
            await resize(pilot, *size)
            assert len(screen_text(pilot).splitlines()) == size[1]
        await choose(pilot, "heat hasty functional")
        assert "hasty on code of functional: I_s 0.00 %." in screen_text(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, QueueScreen) and len(session) == 8
        await press(pilot, "escape")
        figure = core_of(pilot).view.figure
        assert figure is not None and figure.key == "heat hasty functional" and session.queue is before
        await choose(pilot, "superficial hasty")
        await press(pilot, "enter", "enter")
        item = screen_of(pilot).item
        assert len(session) == 2 and item is not None and item.key.arm.startswith("probe/")


async def test_it_is_opened_from_overview_palette_and_queue(audit: Path, opened: Opened) -> None:
    async with reviewing(opened(audit), SIZES[1]) as pilot:
        await press(pilot, "dollar_sign")
        screen = pilot.app.screen
        assert isinstance(screen, OverviewScreen)
        while screen.view.figure is not None and screen.view.figure.key != "core":
            await press(pilot, "tab")
        assert "1 problem with 3 implementations are asked for 12 outputs and 2 probes" in screen_text(pilot)
        await press(pilot, "enter")
        await press(pilot, "end")
        assert core_of(pilot).found.complete
        await press(pilot, "escape")
        assert screen is pilot.app.screen_stack[-1]
        await press(pilot, CORE)
        figure = core_of(pilot).view.figure
        assert figure is not None and figure.key.startswith("problem partial")
        await press(pilot, "ctrl+c")
        assert "Esc goes back." in screen_text(pilot)
        await press(pilot, "q", "q", "o", CORE)
        await choose(pilot, "exposure 2")
        await press(pilot, "enter", "enter")
        item = screen_of(pilot).item
        assert item is not None and item.key.setting == "hasty"
        await press(pilot, "ctrl+p")
        await press(pilot, *"CoRE's fig")
        found = pilot.app.screen.query_one(CommandList)
        while found.option_count != 1 or found.highlighted is None:
            await pilot.pause(0.02)
        await press(pilot, "enter")
        while not is_core(pilot):
            await pilot.pause(0.02)


def test_every_figure_opens_as_many_items_as_it_is_made_of(audit: Path, opened: Opened) -> None:
    figures = figures_of(counted_of(audit))
    session = opened(audit)
    for key, expected in {
        "heat careful loops": 4,
        "heat partial loops": 3,
        "heat hasty loops": 8,
        "exposure 1": 3,
        "exposure 4": 3,
        "measure partial I": 11,
        "measure hasty W_s": 4,
        "measure careful RCS": 14,
        "problem hasty longest-run I_s": 24,
    }.items():
        opens = figures[key].opens
        assert isinstance(opens, CoreItems) and len(core_items(audit, opens)) == expected, key
    filtered = {key: one for key, one in figures.items() if isinstance(one.opens, Filtered)}
    assert {key: one.text for key, one in filtered.items() if key.startswith("superficial")} == {
        "superficial careful": "0",
        "superficial hasty": "2",
        "superficial partial": "0",
    }
    for figure in filtered.values():
        assert isinstance(figure.opens, Filtered)
        queue = session.find_items(figure.opens.where)
        queue.wait_for_rows(10**9)
        assert len(queue) == figure.items, figure
    assert figures["exposure 2"].words.startswith("50.00 % (in most orders 25.00 to 75.00 %) of 4 failing pairs")
    set_validity(audit, "ana", "setting:partial", "asked wrongly")
    assert not core_items(audit, CoreItems(setting="partial"))


def test_what_is_doubtful_of_the_heat_map_is_said_below_it(audit: Path) -> None:
    set_validity(audit, "ana", "case:longest-run/loops/t01 setting:hasty", "asked wrongly")
    first, _ = core_sections(counted_of(audit), 200)
    told = "\n".join("".join(span.text for span in line) for line in first[0].lines)
    assert "Left out as invalid" in told and "Fuller blocks" not in told and "replicates" not in told


def test_an_undefined_cell_and_an_undefined_measure_say_why(tmp_path: Path) -> None:
    """Two studies: one setting saw only the loops, the other only a program with a while, and nobody a probe."""
    loops, other = core_task("loops", "t01"), core_task("while-index", "t01") | {"study": "more", "problem": "other"}
    for task, setting in ((loops, "a"), (other, "b")):
        reply = {key: task[key] for key in ("study", "case", "arm")} | {"setting": setting, "response": "2"}
        run = write_run(tmp_path / setting, [task], [reply], studies={task["study"]: STUDY})
        assert not load(tmp_path / "two.db", [run], LoadOptions()).refusals
    grade_file(tmp_path / "two.db")
    found = counted_of(tmp_path / "two.db")
    figures = figures_of(found)
    cell = figures["heat a while-index"]
    assert isinstance(cell.opens, Closed) and cell.text == "\N{EN DASH} "
    assert cell.opens.why.startswith("a on code of while-index: undefined. These settings were asked for no output")
    assert figures["heat a loops"].text == "█ 100.00 "
    assert figures["measure a W"].words.startswith("W of a is undefined. The problem has no probes.")
    assert figures["problem b other RCS"].words.startswith("RCS of b on other is undefined. The problem has no probes.")
    words = "\n".join(span.text for line in laid_out(core_sections(found, 78)[0], 78) for span in line)
    assert "no setting fails on an implementation here" in words and "no probe of a run" in words


def test_a_file_without_grades_or_without_such_tasks_says_what_to_do(tmp_path: Path, session: ReviewSession) -> None:
    assert "no task here is an output or a probe of a problem" in counted_of(session.path).nothing
    task = core_task("loops", "t01")
    reply = {key: task[key] for key in ("study", "case", "arm")} | {"setting": "a", "sample": 0, "response": "2"}
    load(tmp_path / "a.db", [write_run(tmp_path / "run", [task], [reply], studies={"core": STUDY})], LoadOptions())
    assert "Run: auditor grade FILE" in counted_of(tmp_path / "a.db").nothing


async def test_an_empty_screen_has_words_and_no_figure(session: ReviewSession) -> None:
    async with reviewing(session, SIZES[0]) as pilot:
        await press(pilot, CORE)
        assert "Nothing to show" in screen_text(pilot) and "cluster is" in screen_text(pilot)
        await press(pilot, "j", "right", "tab", "enter")
        assert "There is no figure yet." in screen_text(pilot)
        await press(pilot, "escape", "dollar_sign")
        assert "CoRE" not in screen_text(pilot)


async def test_a_blind_review_shows_none_of_it_and_a_second_pass_opens_no_items(audit: Path, opened: Opened) -> None:
    async with reviewing(opened(audit, QueueWish(where="", blind=True)), SIZES[1]) as pilot:
        await press(pilot, CORE)
        assert "this review is blind" in screen_text(pilot)
        await press(pilot, "dollar_sign", CORE)
        assert isinstance(pilot.app.screen, OverviewScreen) and "heat map" not in screen_text(pilot)


async def test_items_that_come_back_are_not_exchanged(audit: Path, opened: Opened) -> None:
    async with reviewing(opened(audit), SIZES[1]) as pilot:
        await press(pilot, "1", "space", "0", "space")
    again = opened(audit, QueueWish(where="", again=parse_again("2", at_once=True)))
    async with reviewing(again, SIZES[1]) as pilot:
        await press(pilot, CORE)
        await choose(pilot, "heat hasty loops")
        await press(pilot, "enter")
        assert "a second pass goes through the items that were drawn for it" in screen_text(pilot)


async def test_hostile_names_are_shown_literally_and_open_their_items(tmp_path: Path, opened: Opened) -> None:
    session = opened(hostile_core_audit(tmp_path))
    figures = figures_of(counted_of(session.path))
    assert all(not has_invisible(one.words) and not has_invisible(one.text) for one in figures.values())
    cells = [one for key, one in figures.items() if key.startswith("heat ")]
    assert len(cells) > 40 and all(isinstance(one.opens, CoreItems) for one in cells)
    assert all(len(core_items(session.path, one.opens)) == 1 for one in cells if isinstance(one.opens, CoreItems))
    async with reviewing(session, SIZES[0]) as pilot:
        await press(pilot, CORE)
        for size in SIZES[::2]:
            await resize(pilot, *size)
            for _ in range(3):
                shown = screen_text(pilot)
                assert not has_invisible(shown.replace("\n", "")), shown
                await press(pilot, "pagedown")


def test_counting_stops_between_cells_and_tells_how_far_it_is(audit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.audit.core_overview._TELL_SECONDS", 0.0)
    told: list[CoreFigures] = []

    def report(found: CoreFigures) -> None:
        told.append(found)
        if found.doing == "heat map 4 of 9":
            raise InterruptedError

    with closing(open_for_reading(audit)) as connection, pytest.raises(InterruptedError):
        count_core(connection, report)
    assert [one.doing for one in told] == ["reading the replies", "heat map", *(f"heat map {n} of 9" for n in range(5))]
    whole = counted_of(audit)
    assert told[-1].over(whole).measures == whole.measures and told[-1].over(whole).heat_map is whole.heat_map
    words = "\n".join(
        span.text for line in laid_out(core_sections(CoreFigures(), 78, stopped=True)[0], 78) for span in line
    )
    assert words.count("not counted: it was stopped") == 3
