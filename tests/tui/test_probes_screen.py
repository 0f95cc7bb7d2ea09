"""The probes of a run on the screen: three sizes, writing, changing, withdrawing, undoing, stopping, hostile texts."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.inspect import verify
from auditor.audit.own_probes import list_probes, write_probe
from auditor.audit.probe_runs import Wanted
from auditor.audit.review import QueueWish, ReviewSession, WriteProbe, open_session
from auditor.store.changes import OwnProbe
from auditor.store.file import open_for_reading
from auditor.store.own_probes import ProbeRecord
from auditor.text import has_invisible
from auditor.tui.screens.probes import ProbesScreen
from auditor.tui.screens.replay import ReplayScreen
from tests.hostile import HOSTILE
from tests.tui.core_audit import core_audit
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text
from tests.walls import need_wall

SIZES = [(80, 24), (120, 40), (160, 50)]
Compare = Callable[[str, str], None]
PROBES = "quotation_mark"
RUN = "longest-run/loops/t03"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_wall()
    path = core_audit(tmp_path_factory.mktemp("core"))
    write_probe(path, "ben", RUN, Wanted("value-at-exit", 3, 1, "best"), question="How long?")
    return path


@pytest.fixture
def audit(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path / "core.db"))


@pytest.fixture
def session(audit: Path) -> Iterator[ReviewSession]:
    with closing(open_session(audit, "lm", QueueWish(where=f"case:{RUN} setting:hasty", order="import"))) as opened:
        yield opened


def records(session: ReviewSession, annotator: str = "lm") -> list[ProbeRecord]:
    with closing(open_for_reading(session.path)) as connection:
        return list(list_probes(connection, "", annotator))


def probes_of(pilot: Pilot[int]) -> ProbesScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ProbesScreen)
    return screen


def typed(text: str) -> list[str]:
    names = {" ": "space", "?": "question_mark", "[": "left_square_bracket", "]": "right_square_bracket", ",": "comma"}
    return [names.get(char, char) for char in text]


async def test_three_sizes_of_list_and_editor(session: ReviewSession, compare_screen: Compare) -> None:
    async with reviewing(session, SIZES[0]) as pilot:
        await press(pilot, PROBES)
        for size in SIZES:
            await resize(pilot, *size)
            shown = screen_text(pilot).replace(records(session, "ben")[0].at[:16].replace("T", " "), "2026-01-01 10:00")
            compare_screen(f"probes-{size[0]}x{size[1]}", shown)
        await resize(pilot, *SIZES[0])
        await press(pilot, "down", "enter")
        compare_screen("probes-writing-80x24", screen_text(pilot))
        for size in ((40, 10), (30, 8), (200, 60)):
            await resize(pilot, *size)
            assert len(screen_text(pilot).splitlines()) == size[1]
        await press(pilot, "escape", "escape")
        assert screen_of(pilot).item is not None
    assert records(session) == []


async def test_a_proposal_is_said_in_other_words_withdrawn_and_undone(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, PROBES)
        await press(pilot, "down")
        proposed = probes_of(pilot)._rows.row
        assert proposed is not None and proposed.annotator is None
        await press(pilot, "enter", *typed(" Think [b]twice?"), "enter")
        (record,) = records(session)
        assert record.probe == proposed.probe._replace(question=f"{proposed.probe.question} Think [b]twice?")
        shown = screen_text(pilot)
        assert f"probe {record.name} written." in shown and "2 written" in shown
        row = probes_of(pilot)._rows.row
        assert row is not None and row.annotator == "lm" and row.is_own
        # The same pieces once more change what is written.
        await press(pilot, "enter", "!", "enter")
        assert f"probe {record.name} changed." in screen_text(pilot)
        await press(pilot, "delete")
        assert [one.state for one in records(session)] == ["withdrawn"]
        await press(pilot, "delete", "u", "u")
        assert f"undone: probe {record.name} withdrawn." in screen_text(pilot)
        await press(pilot, "U")
        assert [one.state for one in records(session)] == ["withdrawn"]
        await press(pilot, "u", "u", "u")
        assert records(session) == [] and "1 written" in screen_text(pilot)
        await press(pilot, "escape", "j", "1", "k")
        await press(pilot, PROBES, "u")
        assert "undone: tag arithmetic on " in screen_text(pilot)
        await press(pilot, "home", "enter")
        assert "ben wrote this; n writes one of your own." in screen_text(pilot)
        await press(pilot, "delete")
        assert "ben wrote this; you withdraw what you wrote." in screen_text(pilot)
    assert [problem for check in verify(session.path) for problem in check.problems] == []


async def test_a_probe_is_made_of_its_pieces_and_only_the_run_gives_the_answer(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, PROBES)
        await press(pilot, "n")
        # Nothing is written twice: these pieces are ben's.
        assert "kind: value-at-exit" in screen_text(pilot)
        await press(pilot, "enter")
        assert "ben wrote this probe already" in screen_text(pilot)
        # The next kinds that the run answers at the line: one is the study's own, and one is new.
        await press(pilot, *["up"] * 5, "tab")
        assert "kind: loop-count" in screen_text(pilot)
        await press(pilot, "enter")
        assert "the study core asks this of the run already" in screen_text(pilot)
        await press(pilot, "tab", "down", "down", "tab", "down", "tab", "down", "tab")
        pieces = ("kind: value-at-iteration", "line: 3", "n: 2", "variable: run", "dimensions: Arithmetic")
        assert all(f" {piece}" in screen_text(pilot) for piece in pieces)
        await press(pilot, "down", "tab", *["up"] * 4, "tab")
        # Our words follow the pieces.
        assert "question: When iteration 3 of the loop in line 3" in screen_text(pilot)
        await press(pilot, "enter")
        (record,) = records(session)
        assert (record.name, record.probe.answer) == ("value-at-iteration/line-3/3/run", "2")
        assert record.probe.dimensions == ("Arithmetic",)
        assert record.probe.question.startswith("When iteration 3 of the loop in line 3")
        # What says no probe, or what the run does not answer, is refused in a sentence and stays.
        await press(pilot, "n", *["up"] * 4, "9", "9", "enter")
        assert "does not run" in screen_text(pilot) and probes_of(pilot).is_writing
        await press(pilot, "x", "enter")
        assert "but must be a whole number from 1" in screen_text(pilot)
        await press(pilot, "ctrl+c")
        assert "Enter saves the probe, Esc leaves it." in screen_text(pilot)
        await press(pilot, "escape")
    assert len(records(session)) == 1


async def test_rows_are_narrowed_and_a_replay_opens_at_its_place(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "t")
        await press(pilot, *["full_stop"] * 4)
        await press(pilot, PROBES)
        row = probes_of(pilot)._rows.row
        assert row is not None
        total = probes_of(pilot)._rows.total
        await press(pilot, "end", "tab")
        row = probes_of(pilot)._rows.row
        assert row is not None and f"Only what is about line {row.probe.line}." in screen_text(pilot)
        assert all(
            probes_of(pilot)._rows.row_at(index).probe.line == row.probe.line
            for index in range(probes_of(pilot)._rows.total)
        )
        await press(pilot, "tab")
        if row.probe.variable:
            assert f"Only what is about {row.probe.variable}." in screen_text(pilot)
            await press(pilot, "tab")
        assert "All probes again." in screen_text(pilot) and probes_of(pilot)._rows.total == total
        await press(pilot, "pageup", "pagedown", "k", "j", "J", "K", "w", "w", "home")
        await pilot.click("#probes-list AskedRows", offset=(10, 1))
        assert probes_of(pilot)._rows.index == 1
        await press(pilot, "ctrl+c")
        assert "Esc goes back" in screen_text(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ReplayScreen)


async def test_a_draft_waits_for_whoever_comes_back(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, PROBES)
        await press(pilot, "down", "enter", "h", "a")
    async with reviewing(session) as pilot:
        assert 'Unfinished probe: " goes on with it.' in screen_text(pilot)
        await press(pilot, PROBES)
        assert "You began a probe and did not save it: n goes on with it." in screen_text(pilot)
        await press(pilot, "n", "x", "enter")
        assert records(session)[0].probe.question.endswith("hax")
        await press(pilot, "escape", "j", "k")
        assert "Unfinished probe" not in screen_text(pilot)


async def test_what_cannot_be_asked_is_said(audit: Path, tmp_path: Path) -> None:
    with closing(open_session(audit, "lm", QueueWish(where="case:longest-run/loops/t02", order="import"))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, PROBES)
            await press(pilot, "enter")
            shown = screen_text(pilot)
            assert "Nothing is proposed of this run." in shown and "No probe is listed." in shown
            await press(pilot, "n", "escape")
            assert not probes_of(pilot).is_writing


async def test_a_program_that_runs_is_stopped(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, PROBES, "ctrl+c")
        assert "The program was stopped." in screen_text(pilot)
        await press(pilot, "n")
        assert "There is no recorded run to ask about." in screen_text(pilot)
        await press(pilot, "escape")
        await press(pilot, PROBES)
        assert "1 written, 2 in the study, 14 proposed" in screen_text(pilot)


async def test_a_blind_review_has_nobody_elses_probes(audit: Path) -> None:
    wish = QueueWish(where="", blind=True)
    with closing(open_session(audit, "blind", wish)) as session:
        async with reviewing(session) as pilot:
            while (item := screen_of(pilot).item) is None or item.task.case != RUN:
                await press(pilot, "j")
            await press(pilot, PROBES)
            shown = screen_text(pilot)
            assert "0 written" in shown and "ben" not in shown and "How long?" not in shown


async def test_hostile_questions_are_shown_literally(audit: Path) -> None:
    with closing(open_session(audit, "[b]lm\x1b[2J", QueueWish(where=f"case:{RUN}", order="import"))) as session:
        for line, text in enumerate(HOSTILE.values(), 1):
            text = "".join(HOSTILE.values())[:1500] if line == 1 else text
            probe = OwnProbe(
                "value-at-visit", line, 1, text or "v", text or "none", (text or "x",), '"\\u001b"', "string", 9, 3
            )
            session.submit(session.queue[0], WriteProbe(probe))
        async with reviewing(session, (120, 40)) as pilot:
            await press(pilot, PROBES)
            for _ in range(4):
                assert not has_invisible(screen_text(pilot).replace("\n", ""))
                await press(pilot, "pagedown")
            await press(pilot, "home")
            for _ in range(3):
                await press(pilot, *["J"] * 12)
                assert not has_invisible(screen_text(pilot).replace("\n", ""))
            await press(pilot, "enter")
            assert not has_invisible(screen_text(pilot).replace("\n", ""))
            await press(pilot, "escape", "escape")
