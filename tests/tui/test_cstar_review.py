"""C* in the review: colours, the marked line, standard symbols, and both rules; of bad and hostile programs too."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.text import has_invisible
from auditor.tui.widgets.source_view import SourceView
from tests.tui.cstar_audit import BROKEN, DIVIDES, cstar_audit, hostile_cstar_audit
from tests.tui.driving import go_to, press, resize, reviewing, screen_of, screen_text

SIZES = [(80, 24), (120, 40), (160, 50)]
Compare = Callable[[str, str], None]
RULES, STANDARD = "ampersand", "exclamation_mark"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cstar_audit(tmp_path_factory.mktemp("cstar"))


@pytest.fixture
def cstar_session(template: Path, tmp_path: Path) -> Iterator[ReviewSession]:
    path = Path(shutil.copy(template, tmp_path / "cstar.db"))
    with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as opened:
        yield opened


@pytest.fixture
def hostile_session(tmp_path: Path) -> Iterator[ReviewSession]:
    wish = QueueWish(where="", order="import")
    with closing(open_session(hostile_cstar_audit(tmp_path), "lm", wish)) as opened:
        yield opened


def source_of(pilot: Pilot[int]) -> SourceView:
    return screen_of(pilot).panes.source


def keywords(source: SourceView) -> list[str]:
    """Return what is coloured as a keyword, in the order of the text."""
    shown = [(line, span) for line in range(len(source.lines)) for span in source.spans_of(line)]
    return [source.lines[line][span.start : span.end] for line, span in shown if span.role == "keyword"]


def row_with(pilot: Pilot[int], words: str) -> str:
    return next((line for line in screen_text(pilot).splitlines() if words in line), "")


# --- program and marked line ---------------------------------------------------------------------------------------


async def test_symbols_are_coloured_by_what_they_mean(cstar_session: ReviewSession) -> None:
    signs = {
        "S/Standard": ["while", "if", "else"],
        "S/KeywordSwap": ["while", "if", "else"],
        "S/KeywordObf": ["𐕕", "𐔸", "𐕎"],
        "S/KeywordObf/one-token": ["₪", "▷", "¥"],
    }
    async with reviewing(cstar_session) as pilot:
        for arm, words in signs.items():
            await go_to(pilot, "divides", arm)
            assert keywords(source_of(pilot)) == ["int", "int", "int", *words]


async def test_the_line_is_marked_where_execution_ends(cstar_session: ReviewSession) -> None:
    rows = [
        ("divides", "S/KeywordSwap", "✗10          ans = (i * n);  ◂ violates Rule 19 of S"),
        ("divides", "K/KeywordObf", "✗10          ans 𐕂 (i 𐕏 n);  ◂ violates Rule 7 of K"),
        ("stuck", "K/Standard", "✗ 1  ans = 3;  ◂ stuck: no rule applies"),
        ("broken", "S/Standard", "✗ 2  ans = = 3;  ◂ no C* program: column 7: expe"),
    ]
    async with reviewing(cstar_session) as pilot:
        for case, arm, row in rows:
            await go_to(pilot, case, arm)
            assert row in screen_text(pilot)
        # What is known is shown at once when the item comes back.
        await press(pilot, "j", "k")
        assert row in screen_text(pilot)


async def test_nothing_is_marked_of_a_program_that_succeeds_or_is_not_known(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        for case in ("valid", "nested", "unknown"):
            await go_to(pilot, case, "S/Standard")
            assert "◂" not in screen_text(pilot)


async def test_a_long_program_opens_at_the_marked_line(template: Path, tmp_path: Path) -> None:
    from tests.tui.conftest import audit_of
    from tests.tui.cstar_audit import cstar_reply, cstar_task

    source = f"int a;\n{'a = a + 1;' + chr(10)}" * 1 + "a = (a + 1);\n" * 3_000 + "a = (a / 0);\n" + "a = 1;\n" * 500
    task = cstar_task("long", "S/KeywordObf", source, 19)
    path = audit_of(tmp_path, [task], [cstar_reply(task, 19)])
    with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (80, 24)) as pilot:
            assert "a 𐕂 (a 𐕏 0);  ◂ violates Rule 19 of S" in screen_text(pilot)
            await press(pilot, STANDARD)
            assert "a = (a / 0);  ◂ violates Rule 19 of S" in screen_text(pilot)


# --- standard symbols ----------------------------------------------------------------------------------------------


async def test_one_key_shows_the_program_in_standard_symbols(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        for arm in ("S/KeywordSwap", "S/KeywordObf", "S/KeywordObf/one-token", "K/KeywordObf"):
            await go_to(pilot, "divides", arm)
            source, before = source_of(pilot), screen_text(pilot)
            await press(pilot, STANDARD)
            assert list(source.lines) == DIVIDES.rstrip("\n").split("\n")
            shown = screen_text(pilot)
            assert "~ standard source, never shown to the model" in shown and "◂ violates Rule" in shown
            assert keywords(source) == ["int", "int", "int", "while", "if", "else"]
            await press(pilot, STANDARD)
            assert screen_text(pilot) == before


async def test_it_stays_so_from_item_to_item_and_says_so_only_where_it_is_so(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        await go_to(pilot, "divides", "S/KeywordSwap")
        await press(pilot, STANDARD, "j")
        assert "~ standard source" in screen_text(pilot)
        await press(pilot, "k", "k")
        assert screen_of(pilot).item is not None and "~ standard source" not in screen_text(pilot)
        await press(pilot, STANDARD)
        assert "This is no C* program in other symbols" in screen_text(pilot)


async def test_the_place_in_a_program_stays(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session, (80, 24)) as pilot:
        await go_to(pilot, "divides", "S/KeywordObf")
        await press(pilot, "tab", "tab", "tab", "home", "J", "J")
        source = source_of(pilot)
        before = (source.scroll_offset.y, source.chosen_line)
        await press(pilot, STANDARD)
        assert (source.scroll_offset.y, source.chosen_line) == before


async def test_prompts_are_shown_in_standard_symbols_as_far_as_that_is_known(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session, (160, 50)) as pilot:
        await go_to(pilot, "divides", "S/KeywordObf")
        await press(pilot, "p")
        assert "𐕂" in screen_text(pilot)
        await press(pilot, STANDARD)
        shown = screen_text(pilot)
        assert "~ standard prompt, never shown to the model" in shown and "𐕂" not in shown
        await press(pilot, "p")
        await go_to(pilot, "divides", "S/KeywordSwap")
        await press(pilot, "p")
        shown = screen_text(pilot)
        assert "~ standard program in the prompt, never shown" in shown
        assert "Is `a - b` a well-known thing?" in shown and "ans = (i / n);" in shown


async def test_prompts_of_other_arms_are_shown_in_standard_symbols_too(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session, (160, 50)) as pilot:
        await go_to(pilot, "divides", "S/KeywordObf")
        await press(pilot, "a", "p")
        assert "𐕂" in screen_text(pilot)
        await press(pilot, STANDARD)
        shown = screen_text(pilot)
        assert "~ standard prompt, never shown to the model" in shown and "𐕂" not in shown
        await press(pilot, "escape", STANDARD)
        assert "Prompts are shown as the model was shown them; p shows this one." in screen_text(pilot)
        await press(pilot, "escape", STANDARD, "m", "p")
        assert "~ standard prompt, never shown to the model" in screen_text(pilot)


# --- both rules ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_both_rules(cstar_session: ReviewSession, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with reviewing(cstar_session, size) as pilot:
        await go_to(pilot, "divides", "S/KeywordSwap")
        await press(pilot, RULES)
        compare_screen(f"rules-{size[0]}x{size[1]}", screen_text(pilot))


SAID = [
    ("divides", "S/Standard", ("Rule 20  remainder: left operand", "(adjacent number)", "(same family)")),
    ("divides", "S/KeywordSwap", ("Rule 7 of the other semantics, K:", "(other formalism)", "v1 * v2")),
    ("divides", "S/KeywordObf", ("Rule 23  remainder by zero", "(same family)", "𐕞")),
    ("divides", "S/KeywordObf/one-token", ("There is no such rule: S ends at Rule 78.", "(no such rule)", "□")),
    ("divides", "K/KeywordObf", ("= Oracle: error, Rule 7", "No rule is cited.", "false success")),
    ("valid", "S/Standard", ("No rule is violated.", "Both say success: there is no rule to compare.")),
    ("nested", "S/Standard", ("No rule is violated.", "+ Prediction: error, Rule 73", "false error")),
    ("broken", "S/Standard", ("No rule number can be read.", "unparsed rule")),
    ("stuck", "K/Standard", ("The rule that is cited is the one that is violated.",)),
    ("nowhere", "plain", ("neither the facet semantics nor the arm says S or K.",)),
]


async def test_what_is_said_of_the_rules(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        for case, arm, words in SAID:
            await go_to(pilot, case, arm)
            await press(pilot, RULES)
            shown = screen_text(pilot)
            assert [one for one in words if one not in shown] == []
            await press(pilot, RULES)
            assert "─ Source ─" in screen_text(pilot)


async def test_the_rules_follow_items_symbols_and_sizes(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        await go_to(pilot, "divides", "S/KeywordSwap")
        await press(pilot, RULES, "j")
        assert "v1 𐕏 v2" in screen_text(pilot)
        await press(pilot, STANDARD)
        before = screen_text(pilot)
        assert "v1 / v2" in before and "~ standard rules, never shown to the model" in before
        await resize(pilot, 80, 24)
        assert "│" not in row_with(pilot, "Oracle: error")
        await resize(pilot, 120, 40)
        assert screen_text(pilot) == before
        await press(pilot, "r")
        assert "─ Reply ─" in screen_text(pilot)
        await press(pilot, RULES, "escape")
        assert "Oracle and prediction" in screen_text(pilot)


async def test_the_names_of_the_rules_stand_below_their_numbers(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        await go_to(pilot, "divides", "S/Standard")
        shown = screen_text(pilot)
        assert "= Rule 19: quotient by zero (arithmetic)" in shown
        assert "+ Rule 20: remainder: left operand (arithmetic)" in shown


# --- other items, blind reviews, hostile texts ---------------------------------------------------------------------


async def test_other_items_say_why_not(session: ReviewSession) -> None:
    async with reviewing(session, (160, 50)) as pilot:
        assert "& rules" not in screen_text(pilot)
        await press(pilot, RULES)
        assert "This task asks for no rule of C*." in screen_text(pilot)
        await go_to(pilot, "human-042", "S/Standard")
        assert "& rules" in screen_text(pilot) and "! standard" not in screen_text(pilot)


async def test_a_blind_review_shows_nothing_that_would_tell(template: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(template, tmp_path / "blind.db"))
    wish = QueueWish(where='arm:"K/KeywordObf"', order="random", blind=True)
    with closing(open_session(path, "lm", wish)) as session:
        async with reviewing(session) as pilot:
            assert "◂" not in screen_text(pilot) and "quotient" not in screen_text(pilot)
            assert keywords(source_of(pilot))[3:] == ["𐕕", "𐔸", "𐕎"]
            for key in (RULES, STANDARD):
                await press(pilot, key)
                assert "would show what this blind review hides" in screen_text(pilot)
            await press(pilot, "v", "v")
            assert "◂ violates Rule 7 of K" in screen_text(pilot)
            await press(pilot, STANDARD)
            assert "~ standard source" in screen_text(pilot)


async def test_hostile_programs_and_citations_are_shown_literally(hostile_session: ReviewSession) -> None:
    async with reviewing(hostile_session) as pilot:
        panes = screen_of(pilot).panes
        for spelling in ((), (STANDARD,)):
            await press(pilot, *spelling)
            for index in range(len(hostile_session)):
                item = hostile_session.item(index)
                panes.show_item(item)
                panes.toggle_rules()
                assert not any(map(has_invisible, [*panes.source.lines, *panes._rules.lines])), item.key
                panes.toggle_rules()
        await press(pilot, "G")
        assert not has_invisible(screen_text(pilot).replace("\n", ""))


async def test_a_program_that_is_none_is_shown_as_it_is(cstar_session: ReviewSession) -> None:
    async with reviewing(cstar_session) as pilot:
        await go_to(pilot, "broken", "S/Standard")
        assert list(source_of(pilot).lines) == BROKEN.rstrip("\n").split("\n")
