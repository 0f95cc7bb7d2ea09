"""Going through a C* program rule by rule: both semantics, all notations, what cannot run, hostile programs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.text import has_invisible
from auditor.tui.screens.cstar_replay import CStarReplayScreen
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.widgets.step_slider import StepSlider
from tests.hostile import HOSTILE
from tests.tui.conftest import audit_of
from tests.tui.cstar_audit import cstar_audit, cstar_reply, cstar_task, hostile_cstar_audit
from tests.tui.driving import go_to, press, resize, reviewing, screen_text, settle

SIZES = [(80, 24), (120, 40), (160, 50)]
Compare = Callable[[str, str], None]
STANDARD, NEXT, PREVIOUS = "exclamation_mark", "greater_than_sign", "less_than_sign"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cstar_audit(tmp_path_factory.mktemp("cstar"))


@pytest.fixture
def cstar_session(template: Path, tmp_path: Path) -> Iterator[ReviewSession]:
    path = Path(shutil.copy(template, tmp_path / "cstar.db"))
    with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as opened:
        yield opened


def replay_of(pilot: Pilot[int]) -> CStarReplayScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CStarReplayScreen)
    return screen


async def open_run(pilot: Pilot[int], case: str, arm: str) -> CStarReplayScreen:
    await go_to(pilot, case, arm)
    await press(pilot, "t")
    return replay_of(pilot)


def construct(screen: CStarReplayScreen) -> str:
    """Return what is marked as the construct of the step."""
    source = screen.source
    spans = [(line, span) for line in range(len(source.lines)) for span in source.spans_of(line)]
    return " ".join(source.lines[line][span.start : span.end] for line, span in spans if span.role == "construct")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_screen_at_the_violation(
    cstar_session: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(cstar_session, size) as pilot:
        await open_run(pilot, "divides", "S/KeywordSwap")
        compare_screen(f"rule-by-rule-{size[0]}x{size[1]}", screen_text(pilot))


@pytest.mark.parametrize(
    ("arm", "rules", "words"),
    [
        ("S/KeywordSwap", [19, 1, 1, 65], "⟨v1 * v2, σ, χ⟩ → ⟨ERROR, σ, χ⟩"),
        ("K/KeywordObf", [7, 1, 1, 22], "⟨k⟩ I1 𐕏 I2 … ⟨/k⟩ ⇒ ⟨k⟩ 𐕞 ⟨/k⟩"),
    ],
)
async def test_it_opens_at_the_violation_and_steps_by_rules_of_the_task(
    cstar_session: ReviewSession, arm: str, rules: list[int], words: str
) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "divides", arm)
        assert words in screen_text(pilot)
        seen = []
        for _ in rules:
            assert screen.replay is not None
            rule = screen.replay.rule(screen.at)
            assert rule is not None
            seen.append(rule.number)
            await press(pilot, "comma")
        assert seen == rules
        await press(pilot, *["full_stop"] * len(rules))
        assert screen.replay is not None and screen.at == screen.replay.last
        assert "This is the last step." not in screen_text(pilot)
        await press(pilot, "full_stop")
        assert "This is the last step." in screen_text(pilot)


async def test_the_construct_is_marked_also_in_standard_symbols(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "divides", "S/KeywordObf/one-token")
        assert construct(screen) == "(i ■ n)"
        await press(pilot, STANDARD)
        shown = screen_text(pilot)
        assert construct(screen) == "(i / n)" and "⟨v1 / v2, σ, χ⟩" in shown
        assert "~ standard source, never shown to the model" in shown and "~ standard rule" in shown
        await press(pilot, "comma")
        assert construct(screen) == "n"
        await press(pilot, STANDARD, "comma", "comma")
        assert construct(screen) == "▷ ((n ◆ 0))"
        # It opens in the symbols that the review shows.
        await press(pilot, "escape", STANDARD, "t")
        assert "~ standard source" in screen_text(pilot)


async def test_statements_iterations_and_ends(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "divides", "S/Standard")
        assert screen.replay is not None
        places = []
        for key in ("O", NEXT, NEXT, NEXT, PREVIOUS, "right_square_bracket", "right_square_bracket", "o", "O", "x"):
            await press(pilot, key)
            place = screen.replay.place(screen.at)
            places.append((screen.at, place.line if place else 0))
        assert [line for _, line in places] == [0, 1, 2, 3, 2, 5, 5, 10, 0, 10]
        assert places[7][0] == places[9][0] == screen.replay.last
        await press(pilot, "O", "comma")
        assert "Nothing has happened before." in screen_text(pilot)
        await press(pilot, PREVIOUS)
        assert "No statement begins before this step." in screen_text(pilot)
        await press(pilot, "left_square_bracket")
        assert "No iteration of the loop in line 5 begins before this step." in screen_text(pilot)


async def test_changes_of_a_variable(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "divides", "S/Standard")
        await press(pilot, "O", NEXT, NEXT, NEXT, "j")
        assert screen.variables.chosen is not None and screen.variables.chosen.name == "n"
        await press(pilot, "enter")
        assert "•n" in screen_text(pilot) and "2   was 0" in screen_text(pilot)
        assert "─ Variables ─ n = 2, was 0 ─" in screen_text(pilot)
        await press(pilot, "enter", "enter")
        assert "0   was 1" in screen_text(pilot)
        await press(pilot, "enter")
        assert "n does not change behind this step." in screen_text(pilot)
        await press(pilot, "minus", "i")
        shown = screen_text(pilot)
        assert "n, 1 digit:" in shown and "Rule 5  " in shown and "Rule 63" in shown


async def test_a_step_is_named_in_a_field(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "nested", "S/Standard")
        for text, at in (("12", 12), ("+5", 17), ("-7", 10), ("first", 0), ("last", len(screen.replay.recording))):  # type: ignore[union-attr]
            await press(pilot, "g", *text, "enter")
            assert screen.at == at
        await press(pilot, "g", *"violation", "enter")
        assert "Go to step" in screen_text(pilot) and "no step violates a rule." in screen_text(pilot)
        await press(pilot, "escape", "x")
        assert "No step of this run violates a rule." in screen_text(pilot)


async def test_a_success_is_said_and_nothing_is_marked(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "valid", "S/Standard")
        shown = screen_text(pilot)
        assert screen.at == 0 and "No rule has been applied yet." in shown and "◂" not in shown
        assert "= verdict  success  + success" in shown and "Under S the program runs to its end" in shown
        await press(pilot, "right_square_bracket")
        assert "This program has no loop." in screen_text(pilot)


async def test_the_arms_follow_each_other_and_runs_are_kept_with_their_steps(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "nested", "S/Standard")
        await press(pilot, "g", *"9", "enter")
        first = screen.replay
        await press(pilot, "a")
        assert screen.item.key.arm == "K/Standard" and "semantics K" in screen_text(pilot)
        await press(pilot, "a")
        assert screen.replay is first and screen.at == 9
        await press(pilot, "escape", "t")
        assert replay_of(pilot).replay is first and replay_of(pilot).at == 9


async def test_clicks_and_sizes(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        screen = await open_run(pilot, "divides", "S/Standard")
        before = screen_text(pilot)
        for size in ((80, 24), (40, 15), (160, 50), (120, 40)):
            await resize(pilot, *size)
        assert screen_text(pilot) == before
        slider = screen.query_one(StepSlider)
        await pilot.click(slider, offset=(2, 0))
        await settle(pilot)
        assert screen.at == 0
        await press(pilot, "tab", "pagedown", "tab", "end", "home", "tab", "J", "K", "w", "w", "ctrl+c")
        assert "Esc goes back." in screen_text(pilot)


# --- what does not run, or not to an end ---------------------------------------------------------------------------


async def test_a_text_that_is_no_program_is_shown_with_the_place_of_its_error(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        await open_run(pilot, "broken", "S/Standard")
        shown = screen_text(pilot)
        assert "✗ 2  ans = = 3;  ◂ no C* program: column 7" in shown
        assert "The text is no C* program: line 2, column 7: expected a value, but '=' stands there." in shown
        await press(pilot, "full_stop")
        assert "There is no recorded run to go through." in screen_text(pilot)
        await press(pilot, "i", STANDARD, "i", "escape")
        assert isinstance(pilot.app.screen, ReviewScreen)


@pytest.mark.parametrize(
    ("case", "arm", "words"),
    [
        ("unknown", "S/Standard", "the facets notation and shift name no notation of C*."),
        ("nowhere", "plain", "neither the facet semantics nor the arm says S or K."),
    ],
)
async def test_where_the_semantics_are_not_known_the_review_says_so(
    cstar_session: ReviewSession, case: str, arm: str, words: str
) -> None:
    async with reviewing(cstar_session) as pilot:
        await go_to(pilot, case, arm)
        await press(pilot, "t")
        assert isinstance(pilot.app.screen, ReviewScreen) and words in screen_text(pilot)


async def test_a_blind_item_is_not_run(template: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(template, tmp_path / "blind.db"))
    wish = QueueWish(where="case:divides", order="random", blind=True)
    with closing(open_session(path, "lm", wish)) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "t")
            assert isinstance(pilot.app.screen, ReviewScreen)
            assert "hidden in this blind review" in screen_text(pilot)
            await press(pilot, "v", "v", "t")
            assert replay_of(pilot).replay is not None


async def test_a_stuck_program_has_no_verdict(tmp_path: Path) -> None:

    stuck = cstar_task("stuck", "K/Standard", "int a;\na = 3;\nint a;\n", None)
    path = audit_of(tmp_path, [stuck], [cstar_reply(task, 7) for task in (stuck,)])
    with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            screen = await open_run(pilot, "stuck", "K/Standard")
            assert "? verdict  no verdict  + error" in screen_text(pilot)
            assert "✗ 3  int a;  ◂ stuck: no rule applies" in screen_text(pilot)
            await press(pilot, "o")
            assert screen.at == screen.replay.last == 2  # type: ignore[union-attr]


async def test_a_state_is_compared_at_every_step(tmp_path: Path) -> None:
    source = "int a;\nint b;\na = 3;\nb = a;\na = 4;\n"
    task = cstar_task("state", "S/Standard", source, None) | {"target": "state", "oracle": '{"a": 4, "b": 3}'}
    reply = cstar_reply(task, None) | {
        "response": '{"output": "{\\"a\\": 3, \\"b\\": 3, \\"z\\": true}"}',
        "study": "loops",
    }
    path = audit_of(tmp_path, [task | {"study": "loops"}], [reply])
    with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            await open_run(pilot, "state", "S/Standard")
            await press(pilot, "o")
            shown = screen_text(pilot)
            assert "≠ a  4          + 3" in shown and "= b  3          + 3" in shown and "≠ z  not there" in shown
            await press(pilot, "comma")
            assert "= a  3          + 3" in screen_text(pilot)


async def test_hostile_texts_are_no_programs_and_are_shown_literally(tmp_path: Path) -> None:
    wish = QueueWish(where="", order="import")
    with closing(open_session(hostile_cstar_audit(tmp_path), "lm", wish)) as session:
        async with reviewing(session) as pilot:
            await see_hostile_runs(pilot, session)


async def see_hostile_runs(pilot: Pilot[int], session: ReviewSession) -> None:
    await press(pilot, "t")
    screen, seen = replay_of(pilot), 0
    for index in range(0, len(session), 3):
        item = session.item(index)
        subject = screen.subject._replace(program=screen.subject.program._replace(source=item.task.source))
        screen._begin(item, subject)
        await settle(pilot)
        assert not has_invisible(screen_text(pilot).replace("\n", "")), item.key
        seen += 1
    assert seen > len(HOSTILE) // 4
