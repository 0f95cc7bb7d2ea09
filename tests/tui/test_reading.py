"""Reading an item closely: lines that are not wrapped, folded programs, code points, copies elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot

from auditor.audit.review import MarkReviewed, QueueWish, ReviewSession, open_session
from auditor.compare.aligned_points import count_differences
from auditor.configuration.settings import Settings
from auditor.text import has_invisible
from auditor.tui.comparison import compare_texts
from auditor.tui.point_lines import compared_texts, point_lines
from auditor.tui.screens.code_points import CodePointScreen
from auditor.tui.screens.copying import CopyScreen
from auditor.tui.setup import Setup
from auditor.tui.widgets.footer import Footer
from tests.hostile import HOSTILE
from tests.tui.conftest import _reply, _task, audit_of
from tests.tui.driving import go_to, press, resize, reviewing, screen_of, screen_text, settle, widget_text
from tests.tui.hostile_audit import hostile_audit

Compare = Callable[[str, str], None]
WIDE = "key " * 30 + "x" * 100
SIZES = [(80, 24), (120, 40), (160, 50)]
PROGRAM = "".join(
    f"def part_{n}(x):\n    total = x\n    for i in range({n}):\n        total += i\n    return total\n\n\n"
    for n in range(9)
)
LONG = f"{PROGRAM}answer = 0\nfor n in range(9):\n    answer += part_3(n)\n    print(answer)\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    line = LONG[: LONG.index("    print(answer)")].count("\n") + 1
    checkpoint = {"line": line, "when": "before-iteration", "iteration": 3, "fields": ["answer"]}
    state = json.dumps({"answer": 17, "name": "a\u00a0b"}, ensure_ascii=False)
    tasks = [
        _task("wide", "output", oracle=f"{WIDE}5 end\nsame\n", source=f"print('{WIDE}')\n"),
        _task("long", "state", source=LONG, target="state", oracle=state, checkpoint=checkpoint),
        _task("alike", "output", oracle="caf\u00e9 total\u00a0is 1\n"),
        _task("equal", "output", oracle="1"),
    ]
    replies = [
        _reply("wide", "output", f"{WIDE}4 end\nsame\n"),
        _reply("long", "state", '{"answer": 18, "name": "a b"}'),
        _reply("alike", "output", "cafe\u0301 total is 2\n", reasoning="thought"),
        _reply("equal", "output", "1"),
    ]
    return audit_of(tmp_path_factory.mktemp("reading"), tasks, replies)


@pytest.fixture
def reading(file: Path) -> Iterator[ReviewSession]:
    session = open_session(file, "lm", QueueWish(where="", order="import"))
    yield session
    session.close()


def copying(pilot: Pilot[int]) -> CopyScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CopyScreen)
    return screen


# --- lines that are not wrapped --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_each_line_is_one_row_and_the_difference_is_in_sight(
    reading: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(reading, size) as pilot:
        panes = screen_of(pilot).panes
        await press(pilot, "w")
        shown = widget_text(panes.comparison)
        assert len(panes.comparison.lines) == panes.comparison.virtual_size.height == 3
        assert "x5 end" in shown[0] and "x4 end" in shown[1]
        assert panes.comparison.across.endswith(" of 225")
        compare_screen(f"unwrapped-{size[0]}x{size[1]}", screen_text(pilot))


async def test_lines_scroll_sideways_and_the_choice_stays(reading: ReviewSession) -> None:
    async with reviewing(reading, (120, 40)) as pilot:
        source = screen_of(pilot).panes.source
        await press(pilot, "w")
        pilot.app.screen.set_focus(source)
        assert widget_text(source)[0].startswith("   1  print('key key")
        await press(pilot, "ctrl+right", "shift+right")
        room = source.text_width - 1
        assert source.across == f"columns {room + room // 4 + 1:,}-{min(229, 2 * room + room // 4)} of 229"
        assert widget_text(source)[0].startswith("   1 …")
        await press(pilot, "end")
        assert widget_text(source)[0].endswith("x')")
        await press(pilot, "shift+right")
        assert widget_text(source)[0].endswith("x')")
        await press(pilot, "home")
        assert widget_text(source)[0].startswith("   1  print('key key")
        await press(pilot, "j", "k")
        assert source.virtual_size.height == 1
        await press(pilot, "w")
        assert source.virtual_size.height > 1 and source.across == ""
        await press(pilot, "shift+left")
        assert "Long lines are wrapped: w shows each line as one row." in screen_text(pilot)


async def test_the_setting_decides_how_a_review_begins(reading: ReviewSession) -> None:
    async with reviewing(reading, setup=Setup(Settings(wrap=False, fold="on"))) as pilot:
        panes = screen_of(pilot).panes
        assert panes.comparison.virtual_size.height == 3
        await go_to(pilot, "long", "state")
        assert "⋯ 7 lines: def part_0(x):" in screen_text(pilot)


async def test_wrapping_again_and_a_resize_keep_the_difference(reading: ReviewSession) -> None:
    async with reviewing(reading, (120, 40)) as pilot:
        comparison = screen_of(pilot).panes.comparison
        await press(pilot, "w")
        await resize(pilot, 90, 30)
        assert "x5 end" in "\n".join(widget_text(comparison))
        await press(pilot, "w")
        assert "5 end" in "\n".join(widget_text(comparison))


# --- folds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_program_that_does_not_fit_folds_away_from_the_checkpoint(
    reading: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(reading, size, Setup(Settings())) as pilot:
        await go_to(pilot, "long", "state")
        source = screen_of(pilot).panes.source
        lines = LONG.count("\n")
        shown = "\n".join(widget_text(source))
        assert f"▸{lines}      print(answer)" in shown and "⋯ 7 lines: def part_" in shown
        assert f"of {lines} lines" in source.extent or f"{lines} lines" in source.extent
        compare_screen(f"folded-{size[0]}x{size[1]}", screen_text(pilot))
        await press(pilot, "h")
        assert source.virtual_size.height == lines
        assert f"▸{lines}      print(answer)" in "\n".join(widget_text(source))
        await press(pilot, "h")
        assert sum("⋯ 7 lines" in line for line in source.lines) == 9


async def test_a_program_without_blocks_says_that_nothing_folds(reading: ReviewSession) -> None:
    async with reviewing(reading) as pilot:
        await press(pilot, "h")
        assert "This program has nothing to fold." in screen_text(pilot)


async def test_a_program_of_very_many_lines_folds_only_when_it_is_asked_to(tmp_path: Path) -> None:
    checkpoint = {"line": 9_000, "when": "after-line", "fields": ["x"]}
    source = "def f():\n    a = 1\n    b = 2\n    return a\n" * 3_000
    task = _task("c", "state", source=source, target="state", oracle='{"x": 1}', checkpoint=checkpoint)
    path = audit_of(tmp_path, [task], [_reply("c", "state", '{"x": 2}')])
    session = open_session(path, "lm", QueueWish(where=""))
    async with reviewing(session, setup=Setup(Settings())) as pilot:
        view = screen_of(pilot).panes.source
        assert len(view.lines) == 12_000 and view.chosen_line <= 9_000
        await press(pilot, "h")
        assert len(view.lines) < 3_100 and "▸ 9000" in "\n".join(widget_text(view))
    session.close()


async def test_what_is_folded_stays_counted_when_the_terminal_changes(reading: ReviewSession) -> None:
    async with reviewing(reading, (120, 40), Setup(Settings())) as pilot:
        await go_to(pilot, "long", "state")
        source = screen_of(pilot).panes.source
        for size in ((80, 24), (160, 50), (120, 100), (120, 40)):
            await resize(pilot, *size)
            folded = sum(fold.end - fold.start for fold in source._folds.values())
            assert folded + len(source.lines) - len(source._folds) == LONG.count("\n")
            assert (folded == 0) == (LONG.count("\n") <= source.scrollable_content_region.height)


# --- code points -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_code_points_of_each_difference(
    reading: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(reading, size) as pilot:
        await go_to(pilot, "alike")
        await press(pilot, "number_sign")
        assert isinstance(pilot.app.screen, CodePointScreen)
        shown = screen_text(pilot)
        assert "U+00E9   LATIN SMALL LETTER E WITH ACUTE" in shown and "U+0301   COMBINING ACUTE ACCENT" in shown
        assert "composition: the oracle has U+00E9" in shown and "≈" in shown and "≠ 1 of 3" in shown
        compare_screen(f"code-points-{size[0]}x{size[1]}", shown)
        await press(pilot, "right_square_bracket")
        assert "!U+00A0   NO-BREAK SPACE" in screen_text(pilot) and "≠ 2 of 3" in screen_text(pilot)
        await press(pilot, "left_square_bracket", "left_square_bracket")
        assert "U+0031   DIGIT ONE" in screen_text(pilot) and "≠ 3 of 3" in screen_text(pilot)
        await press(pilot, "number_sign")
        assert screen_of(pilot).panes.comparison.at == 2


async def test_code_points_of_a_state_are_those_of_the_field(reading: ReviewSession) -> None:
    async with reviewing(reading) as pilot:
        await go_to(pilot, "long", "state")
        await press(pilot, "right_square_bracket", "number_sign")
        shown = screen_text(pilot)
        assert "field name" in shown and "NO-BREAK SPACE" in shown
        await press(pilot, "escape", "j", "j", "number_sign")
        assert "The comparison shows no difference." in screen_text(pilot)


@pytest.mark.parametrize("width", [70, 130])
def test_hostile_code_points_show_nothing_invisible_and_fit(width: int) -> None:
    for text in HOSTILE.values():
        for oracle, prediction in ((text, f"{text}x"), (f"a{text}", text[:-1]), (text, text[::-1])):
            comparison = compare_texts(oracle, prediction, 40)
            assert comparison.diff is not None
            for at in range(min(5, len(comparison.differences))):
                texts = compared_texts(oracle, prediction, comparison, at)
                assert texts is not None
                lines = [line.text for line in point_lines(texts, width).lines if line.mark != "!"]
                assert not any(has_invisible(line) for line in lines)
                assert max(map(cell_len, lines)) <= width
            assert compared_texts(oracle, prediction, comparison, len(comparison.differences)) is None


async def test_hostile_items_are_read_closely_without_anything_invisible(tmp_path: Path) -> None:
    session = open_session(hostile_audit(tmp_path), "lm", QueueWish(where="", order="import"))
    async with reviewing(session, (80, 24)) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "w")
        for name in ("clipboard write", "lone surrogate", "bidi override", "nul", "wide"):
            screen.show(session.item([*HOSTILE].index(name)))
            await press(pilot, "number_sign")
            assert not has_invisible(screen_text(pilot).replace("\n", "")), name
            await press(pilot, "escape", "y", "a", "f")
            assert not has_invisible(screen_text(pilot).replace("\n", "")), name
            await press(pilot, "escape", "escape", "escape")
    session.close()


@given(st.text(st.sampled_from("ab1 \n漢\u0301"), max_size=40), st.text(st.sampled_from("ab1 \n漢\u0301"), max_size=40))
def test_each_difference_of_the_comparison_is_one_of_the_code_points(oracle: str, prediction: str) -> None:
    for width in (12, 1 << 30):
        comparison = compare_texts(oracle, prediction, width)
        assert comparison.diff is not None
        assert len(comparison.differences) == count_differences(comparison.diff)


async def test_a_long_field_opens_where_it_differs(tmp_path: Path) -> None:
    values = [{"a": 1, "s": "x" * 5_000 + end} for end in ("5 end", "4 end")]
    task = _task("c", "state", target="state", oracle=json.dumps(values[0]))
    path = audit_of(tmp_path, [task], [_reply("c", "state", json.dumps(values[1]))])
    session = open_session(path, "lm", QueueWish(where=""))
    async with reviewing(session) as pilot:
        comparison = screen_of(pilot).panes.comparison
        assert "5 end" in "".join(row.strip(" ┊=-+▸") for row in widget_text(comparison))
        await press(pilot, "w")
        shown = widget_text(comparison)
        assert any("5 end" in row for row in shown) and any("4 end" in row for row in shown)
    session.close()


# --- copies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_question_what_is_copied(
    reading: ReviewSession, compare_screen: Compare, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "cat")
    monkeypatch.setenv("VISUAL", "no-such-editor")
    async with reviewing(reading, size) as pilot:
        await press(pilot, "y")
        compare_screen(f"copy-what-{size[0]}x{size[1]}", screen_text(pilot))
        await press(pilot, "r")
        compare_screen(f"copy-where-{size[0]}x{size[1]}", screen_text(pilot))


async def test_a_text_goes_into_a_file_and_none_is_overwritten_unasked(
    reading: ReviewSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with reviewing(reading) as pilot:
        await go_to(pilot, "alike")
        await press(pilot, "y", "o", "f", "enter")
        (path,) = tmp_path.iterdir()
        assert path.name == "loops-alike-output-simulated-off-by-one-0-oracle.txt"
        assert path.read_bytes() == "caf\u00e9 total\u00a0is 1\n".encode()
        assert f"Written: {path.name}, 18 bytes." in screen_text(pilot)
        path.write_text("mine")
        await press(pilot, "y", "o", "f", "enter")
        assert copying(pilot)._message.message.endswith("it exists already. Enter once more replaces it.")
        assert path.read_text() == "mine"
        await press(pilot, "enter")
        assert path.read_bytes() == "caf\u00e9 total\u00a0is 1\n".encode()


async def test_another_name_is_not_replaced_by_the_enter_that_was_asked_for_the_first(
    reading: ReviewSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "ab"):
        (tmp_path / name).write_text("mine")
    async with reviewing(reading) as pilot:
        await press(pilot, "y", "o", "f", *["backspace"] * 80, "a", "enter", "b", "enter")
        assert "ab: it exists already." in screen_text(pilot)
        assert {path.read_text() for path in tmp_path.iterdir()} == {"mine"}
        await press(pilot, *["backspace"] * 2, *"no/x", "enter")
        assert "there is no folder no." in screen_text(pilot)
        await press(pilot, *["backspace"] * 4, "enter")
        assert "Write a name." in screen_text(pilot)
        await press(pilot, "escape", "escape", "escape", "j")
        assert screen_of(pilot).index == 1


async def test_the_clipboard_takes_what_terminals_take(reading: ReviewSession) -> None:
    async with reviewing(reading) as pilot:
        await go_to(pilot, "alike")
        await press(pilot, "y", "up", "down", "enter", "c")
        assert pilot.app.clipboard == "cafe\u0301 total is 2\n"
        assert "Sent to the terminal's clipboard: 18 bytes." in screen_text(pilot)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x" * 80_000, "80,013 bytes: terminals take 74,994"),
        ("\ud83d", "it is no valid UTF-8, which only a file takes"),
    ],
    ids=["large", "surrogate"],
)
async def test_the_clipboard_says_what_it_does_not_take(tmp_path: Path, text: str, sentence: str) -> None:
    reply = _reply("c", "output", "", response=f"{text}{'x' * 13}")
    path = audit_of(tmp_path, [_task("c", "output", oracle="1")], [reply])
    session = open_session(path, "lm", QueueWish(where=""))
    async with reviewing(session) as pilot:
        await press(pilot, "y", "r", "c")
        assert sentence in screen_text(pilot)
        assert pilot.app.clipboard == ""
    session.close()


async def test_what_there_is_not_cannot_be_copied_and_says_why(reading: ReviewSession) -> None:
    async with reviewing(reading) as pilot:
        await press(pilot, "y", "t")
        assert "reasoning: none was recorded." in screen_text(pilot)
        await press(pilot, "m")
        assert "prompt: none was recorded." in screen_text(pilot)
        await press(pilot, "ctrl+c")
        assert "Esc goes back." in screen_text(pilot)


@pytest.mark.parametrize(
    ("settings", "key", "sentence"),
    [
        (Settings(pager="no-such-program -x"), "p", "there is no program 'no-such-program', which the setting `pager`"),
        (Settings(pager="less 'x"), "p", "the setting `pager` is no command that can be read (No closing quotation)"),
        (Settings(editor="; rm -rf"), "e", "there is no program ';', which the setting `editor` names"),
        (Settings(pager="cat"), "p", "this terminal cannot be lent to another program. Write the text to a file."),
    ],
)
async def test_a_program_that_cannot_be_run_is_said(
    reading: ReviewSession, settings: Settings, key: str, sentence: str
) -> None:
    async with reviewing(reading, (160, 50), Setup(settings)) as pilot:
        await press(pilot, "y", "r", key)
        assert sentence in copying(pilot)._message.message


async def test_the_pane_with_the_focus_is_offered_first(reading: ReviewSession) -> None:
    async with reviewing(reading) as pilot:
        panes = screen_of(pilot).panes
        await go_to(pilot, "alike")
        for view, part in ((panes.source, "source"), (panes.reply, "reply"), (panes.comparison, "prediction")):
            screen_of(pilot).set_focus(view)
            await press(pilot, "y")
            screen = copying(pilot)
            assert screen._choices[screen._list.index].id == part
            await press(pilot, "escape")
        await press(pilot, "R")
        assert panes.part_in_focus == "prediction"
        screen_of(pilot).set_focus(panes.reply)
        assert panes.part_in_focus == "reasoning"


async def test_a_blind_review_copies_no_word_of_what_it_hides(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = open_session(file, "blind", QueueWish(where="", blind=True))
    async with reviewing(session) as pilot:
        await press(pilot, "y", "a", "f")
        assert "off-by-one" not in screen_text(pilot)
        await press(pilot, "enter")
        (path,) = tmp_path.iterdir()
        for word in ("off-by-one", "simulated", "wrong", "correct", "output", "state"):
            assert word not in path.name and f"{word}" not in path.read_text().partition("\n──")[0], word
        await press(pilot, "y", "m")
        assert "prompt: hidden in this review." in screen_text(pilot)
    session.close()


async def test_nothing_of_this_marks_an_item(reading: ReviewSession) -> None:
    async with reviewing(reading) as pilot:
        await press(pilot, "w", "h", "number_sign", "1", "space", "escape", "y", "1", "space", "escape", "w")
        review = reading.item(0).review
        assert review.tags == () and review.state.value == "not-reviewed"
        reading.submit(reading.item(0).response_id, MarkReviewed())


# --- clicks ----------------------------------------------------------------------------------------------------------


async def test_a_copy_that_is_chosen_with_the_mouse_goes_back_to_the_review(reading: ReviewSession) -> None:
    """The list's own handler would close the screen that it is a part of, and wait for itself for ever."""
    async with reviewing(reading, (120, 40)) as pilot:
        start = screen_of(pilot).index
        await press(pilot, "y")
        places = copying(pilot)
        await pilot.click("ChoiceList", offset=(5, 0))
        await settle(pilot)
        clipboard = [choice.id for choice in places._choices].index("clipboard")
        await pilot.click("ChoiceList", offset=(5, clipboard))
        await settle(pilot)
        assert "Sent to the terminal's clipboard" in screen_text(pilot)
        await press(pilot, "j")
        assert screen_of(pilot).index == start + 1


async def test_a_double_click_on_a_list_answers_one_question(reading: ReviewSession) -> None:
    async with reviewing(reading, (120, 40)) as pilot:
        await press(pilot, "y")
        choices = copying(pilot)._choices
        last = max(place for place, choice in enumerate(choices) if not choice.why_not)
        await pilot.click("ChoiceList", offset=(5, last), times=2)
        await settle(pilot)
        assert f"Copy the {choices[last].name} where to?" in screen_text(pilot)


@pytest.mark.parametrize("key", ["a", "m", "o", "Q", "y"])
async def test_a_double_click_on_the_footer_goes_back_once(reading: ReviewSession, key: str) -> None:
    async with reviewing(reading, (160, 40)) as pilot:
        start = screen_of(pilot).index
        await press(pilot, key)
        footer = pilot.app.screen.query_one(Footer)
        closing = next(action for action in footer._actions if "escape" in action.keys)
        for _ in range(2):
            footer.post_message(Footer.Clicked(closing))
        await settle(pilot)
        await press(pilot, "j")
        assert screen_of(pilot).index == start + 1


async def test_evidence_that_has_no_room_is_reached_and_scrolled_by_keys(session: ReviewSession) -> None:
    async with reviewing(session, (80, 24)) as pilot:
        panes = screen_of(pilot).panes
        seen = set()
        panes._evidence.show_lines(["~ one line"])
        for _ in range(4):
            await press(pilot, "tab")
            seen.add(pilot.app.focused)
        assert panes._evidence not in seen, "all of it is shown"
        panes._evidence.show_lines([f"~ line {number}" for number in range(12)])
        await press(pilot)
        pilot.app.screen.set_focus(panes.comparison)
        await press(pilot, "tab")
        assert panes._evidence.has_focus
        await press(pilot, "end")
        assert "~ line 11" in screen_text(pilot)
        await press(pilot, "j")
        assert panes.comparison.has_focus
