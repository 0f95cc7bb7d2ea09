"""Keys on the review screen: what they write to the audit file and what the screen says of it."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from textual.command import CommandList, CommandPalette
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets import Input

from auditor.audit.review import MarkReviewed, QueueWish, Refused, ReviewSession, open_session
from auditor.model import ReviewState
from auditor.tui.actions import key_table
from auditor.tui.help_lines import SYMBOLS
from auditor.tui.screens.help import HelpView
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.widgets.footer import Footer
from auditor.tui.widgets.header import Header
from auditor.tui.widgets.tag_bar import TagBar
from tests.builders import make_audit
from tests.tui.conftest import _reply, _task, audit_of
from tests.tui.driving import go_to, press, resize, reviewing, screen_of, screen_text, settle


def saved(path: Path, index: int = 0) -> tuple[ReviewState, tuple[str, ...], str]:
    """Read an item's review through a second session, as another start of the program would."""
    session = open_session(path, "lm", QueueWish(where="", order="import"))
    review = session.item(index).review
    session.close()
    return review.state, review.tags, review.note


async def test_a_tag_key_puts_the_tag_on_and_takes_it_off_again(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "1")
        assert "[1 arithmetic]" in screen_text(pilot)
        assert saved(audit_file) == (ReviewState.IN_PROGRESS, ("arithmetic",), "")
        await press(pilot, "1")
        assert "[1 arithmetic]" not in screen_text(pilot)
        assert saved(audit_file) == (ReviewState.IN_PROGRESS, (), "")


async def test_space_marks_reviewed_and_goes_to_the_next_open_item(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "2", "space")
        assert "2 of 6" in screen_text(pilot)
        assert saved(audit_file) == (ReviewState.REVIEWED, ("state-transition",), "")


async def test_zero_marks_reviewed_without_tags_and_says_which_it_took_off(
    session: ReviewSession, audit_file: Path
) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "1", "0")
        assert "2 of 6" in screen_text(pilot)
        assert "nothing to tag (arithmetic taken off)" in screen_text(pilot)
        assert saved(audit_file) == (ReviewState.REVIEWED, (), "")


async def test_defer_goes_on_and_is_taken_back_by_the_same_key(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "s")
        assert "2 of 6" in screen_text(pilot)
        assert saved(audit_file)[0] is ReviewState.DEFERRED
        await press(pilot, "k")
        assert "» deferred" in screen_text(pilot)
        await press(pilot, "s")
        assert "1 of 6" in screen_text(pilot)
        assert saved(audit_file)[0] is not ReviewState.DEFERRED


async def test_undo_goes_to_the_item_it_acted_on_and_says_what_it_undid(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "1", "space", "j", "j", "u")
        assert "1 of 6" in screen_text(pilot)
        assert "undone: reviewed on digit-sums · output · simulated/off-by-one" in screen_text(pilot)
        assert session.item(0).review.state is ReviewState.IN_PROGRESS
        await press(pilot, "u")
        assert "undone: tag arithmetic on digit-sums" in screen_text(pilot)
        await press(pilot, "U")
        assert "done again: tag arithmetic on digit-sums" in screen_text(pilot)
        assert "[1 arithmetic]" in screen_text(pilot)


async def test_undo_works_across_restarts(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "3", "space", "4")
    again = open_session(audit_file, "lm", QueueWish(where="", order="import"))
    async with reviewing(again) as pilot:
        assert "2 of 6" in screen_text(pilot)
        await press(pilot, "u", "u")
        assert "1 of 6" in screen_text(pilot)
        assert "undone: reviewed on digit-sums" in screen_text(pilot)
    again.close()


async def test_undo_shows_an_item_that_is_not_in_the_queue(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "1")
    narrower = open_session(audit_file, "lm", QueueWish(where="study:rules", order="import"))
    async with reviewing(narrower) as pilot:
        assert "human-042" in screen_text(pilot)
        await press(pilot, "u")
        assert "undone: tag arithmetic on digit-sums" in screen_text(pilot)
        assert "- of 1" in screen_text(pilot)
    narrower.close()


async def test_nothing_to_undo_is_said_and_changes_nothing(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "u")
        assert "There is nothing to undo." in screen_text(pilot)
        assert "1 of 6" in screen_text(pilot)


async def test_keys_typed_at_once_act_on_the_item_that_is_on_the_screen_then(
    session: ReviewSession, audit_file: Path
) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "1", "space", "2", "space", "3", "space")
        assert "4 of 6" in screen_text(pilot)
    tags = [saved(audit_file, index)[1] for index in range(4)]
    assert tags == [("arithmetic",), ("state-transition",), ("control-flow",), ()]


async def test_the_note_takes_every_key_as_text(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "n", "1", "space", "d", "space", "u", "space", "q", "0", "j", "backspace", "enter", "2")
        assert "note: 1 d u q0" in screen_text(pilot)
        assert "1 of 6" in screen_text(pilot)
    assert saved(audit_file) == (ReviewState.IN_PROGRESS, ("state-transition",), "1 d u q0")


async def test_escape_leaves_the_note_as_it_was(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "n", "a", "b", "enter", "n", "c", "left", "up", "escape")
        assert "note: ab" in screen_text(pilot)
        await press(pilot, "1")
    assert saved(audit_file) == (ReviewState.IN_PROGRESS, ("arithmetic",), "ab")


async def test_after_a_note_the_same_pane_has_the_focus(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        for _ in range(4):
            await press(pilot, "tab")
            before = pilot.app.screen.focused
            await press(pilot, "n", "x", "enter")
            assert pilot.app.screen.focused is before
            await press(pilot, "n", "x", "escape")
            assert pilot.app.screen.focused is before


async def test_the_queue_keeps_the_item_in_sight(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "many.db", cases=60)
    session = open_session(path, "lm")
    async with reviewing(session, (160, 50)) as pilot:
        for index in (0, 1, 90, 239, 100, 45, 0):
            await screen_of(pilot).action_choose(index)
            await settle(pilot)
            assert any(line.startswith("▸") for line in screen_text(pilot).splitlines()), index
        await screen_of(pilot).action_choose(150)
        for size in ((120, 40), (150, 20), (200, 60)):
            await resize(pilot, *size)
        assert any(line.startswith("▸") for line in screen_text(pilot).splitlines())
    session.close()


async def test_a_paste_with_newlines_stays_in_the_note(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "n")
        pilot.app.post_message(Paste("first\r1 q\nlast"))
        await settle(pilot)
        await press(pilot, "enter")
        assert "note: first␊1 q␊last" in screen_text(pilot)
    assert saved(audit_file)[2] == "first\n1 q\nlast"


async def test_quitting_from_a_note_would_lose_it_and_is_not_done(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "n", "x", "ctrl+q")
        assert pilot.app.is_running
        await press(pilot, "enter")
        assert session.item(0).review.note == "x"


async def test_moving_marks_nothing_and_stops_at_the_ends(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "k")
        assert "This is the first item." in screen_text(pilot)
        await press(pilot, *["j"] * 6)
        assert "This is the last item." in screen_text(pilot)
        assert "6 of 6" in screen_text(pilot)
    assert {saved(audit_file, index)[0] for index in range(6)} == {ReviewState.NOT_REVIEWED}


async def test_the_end_of_the_queue_is_said(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, *["space"] * 6)
        assert "All 6 items of this queue are reviewed or deferred." in screen_text(pilot)
        assert session.counts()[ReviewState.REVIEWED] == 6


async def test_space_comes_around_to_items_that_are_still_open(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, *["j"] * 5, "space")
        assert "1 of 6" in screen_text(pilot)
        assert "Back at the first item that is still open." in screen_text(pilot)


async def test_open_items_are_gone_to_without_marking(session: ReviewSession) -> None:
    for index in (1, 2, 4):
        session.submit(session.item(index).response_id, MarkReviewed())
    async with reviewing(session) as pilot:
        await press(pilot, "minus")
        assert "4 of 6" in screen_text(pilot)
        await press(pilot, "plus")
        assert "6 of 6" in screen_text(pilot)
        await press(pilot, "asterisk")
        assert "1 of 6" in screen_text(pilot)
        await press(pilot, "asterisk")
        assert "This is the first open item." in screen_text(pilot)
        await press(pilot, "minus")
        assert "6 of 6" in screen_text(pilot) and "No open item comes before" in screen_text(pilot)
        await press(pilot, "plus")
        assert "1 of 6" in screen_text(pilot) and "Back at the first item" in screen_text(pilot)
        assert session.counts()[ReviewState.REVIEWED] == 3


async def test_where_no_item_is_open_the_keys_for_open_ones_say_so(session: ReviewSession) -> None:
    for index in range(6):
        session.submit(session.item(index).response_id, MarkReviewed())
    async with reviewing(session) as pilot:
        for key in ("plus", "minus", "asterisk"):
            await press(pilot, key)
            assert "All 6 items of this queue are reviewed or deferred." in screen_text(pilot)
            await press(pilot, "c")


async def test_a_review_that_goes_on_behind_open_items_says_so(audit_file: Path, session: ReviewSession) -> None:
    session.submit(session.item(3).response_id, MarkReviewed())
    again = open_session(audit_file, "lm", QueueWish(where="", order="import"))
    async with reviewing(again) as pilot:
        assert "5 of 6" in screen_text(pilot)
        told = "goes on after your last mark; 3 open items come before this one: * goes to the first of them."
        assert told in " ".join(screen_text(pilot).split())
        await press(pilot, "asterisk")
        assert "1 of 6" in screen_text(pilot) and "your last mark" not in screen_text(pilot)
    again.close()


async def test_an_action_that_cannot_be_done_says_why(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await go_to(pilot, "human-042", "S/Standard")
        await press(pilot, "i")
        assert "This task has no input." in screen_text(pilot)
        await press(pilot, "R")
        assert "No reasoning was recorded with this reply." in screen_text(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)])
async def test_reply_input_and_reasoning_are_one_key_away(session: ReviewSession, size: tuple[int, int]) -> None:
    async with reviewing(session, size) as pilot:
        await go_to(pilot, "digit-sums")
        await press(pilot, "home")
        before = screen_text(pilot)
        await press(pilot, "r")
        assert '{"output": "63240 17 done\\n"}' in screen_text(pilot)
        assert "─ Oracle" not in screen_text(pilot)
        await press(pilot, "r")
        assert screen_text(pilot) == before
        await press(pilot, "i")
        assert "─ Input" in screen_text(pilot)
        await press(pilot, "escape")
        assert screen_text(pilot) == before
        await press(pilot, "R")
        assert "First, total is 0." in screen_text(pilot)


async def test_tab_goes_through_the_panes_and_the_page_keys_scroll_the_focused_one(session: ReviewSession) -> None:
    async with reviewing(session, (100, 24)) as pilot:
        await go_to(pilot, "long-output")
        screen = screen_of(pilot)
        before = screen.panes.comparison.scroll_offset.y
        await press(pilot, "pagedown")
        assert screen.panes.comparison.scroll_offset.y > before
        await press(pilot, "home")
        assert screen.panes.comparison.scroll_offset.y == 0
        order = []
        for _ in range(4):
            await press(pilot, "tab")
            order.append(screen.focused)
        assert order == [screen.panes.reply, screen.panes.source, screen.panes.input, screen.panes.comparison]
        await press(pilot, "tab", "tab", "J", "J", "K")
        assert screen.panes.source.scroll_offset.y == 1
        await press(pilot, "end")
        assert "print(total)" in screen_text(pilot)


async def test_the_comparison_opens_at_the_first_difference_and_steps_through_them(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await go_to(pilot, "long-output")
        assert "▸- line 20: 4" in screen_text(pilot)
        assert "≠ 1 of 2" in screen_text(pilot)
        await press(pilot, "right_square_bracket")
        assert "▸- line 33: 0" in screen_text(pilot)
        await press(pilot, "right_square_bracket", "left_square_bracket")
        assert "▸- line 33: 0" in screen_text(pilot)


async def test_a_click_on_a_tag_or_on_a_queue_row_does_what_the_key_does(session: ReviewSession) -> None:
    async with reviewing(session, (160, 50)) as pilot:
        await pilot.click(TagBar, offset=(4, 1))
        await settle(pilot)
        assert session.item(0).review.tags == ("arithmetic",)
        await pilot.click("#queue QueueColumn", offset=(5, 3))
        await settle(pilot)
        assert "4 of 6" in screen_text(pilot)


async def test_help_shows_keys_symbols_and_the_codebook(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "question_mark")
        shown = " ".join(" ".join(pilot.app.screen.query_one(HelpView).lines).split())
        for key, description in key_table():
            assert f"{key} {description}" in shown
        for symbol, meaning in SYMBOLS:
            assert f"{symbol} {meaning}" in shown
        assert f"{session.codebook_title} {' '.join(session.codebook_description.split())}" in shown
        for choice in session.choices:
            assert f"{choice.key} {choice.name} {choice.group}" in shown
            for text in (choice.definition, choice.decision_rule, choice.example):
                assert " ".join(text.split()) in shown
        await press(pilot, "escape", "1")
        assert session.item(0).review.tags == ("arithmetic",)


async def test_help_goes_from_section_to_section_and_to_the_codebook_with_its_key(session: ReviewSession) -> None:
    async with reviewing(session, (80, 24)) as pilot:

        def first() -> str:
            return screen_text(pilot).splitlines()[1].strip(" ▁▂▃▄▅▆▇█")

        await press(pilot, "question_mark")
        assert "Mark · Move" in screen_text(pilot) and "Q: the codebook" in screen_text(pilot)
        top = first()
        await press(pilot, "tab")
        assert first() == "Mark"
        await press(pilot, "tab")
        assert first() == "Move"
        await press(pilot, "shift+tab")
        assert first() == "Mark"
        await press(pilot, "Q")
        assert first().startswith(f"Codebook {session.codebook_name}, revision 1")
        await press(pilot, "end", "tab")
        assert first() == top, "beyond the end it begins again"
        await press(pilot, "shift+tab")
        assert first().startswith("Codebook")


async def test_help_opens_at_the_tag_just_put_on_and_a_tag_s_key_goes_to_it(session: ReviewSession) -> None:
    async with reviewing(session, (80, 24)) as pilot:
        await press(pilot, "2")
        assert "─ tag state transition: A statement is reached" in screen_text(pilot)
        await press(pilot, "question_mark")
        assert "2  state transition" in screen_text(pilot).splitlines()[1]
        await press(pilot, "5")
        assert "5  copying" in screen_text(pilot).splitlines()[1]
        await press(pilot, "escape", "j", "question_mark")
        assert "Mark" in screen_text(pilot).splitlines()[1]
    assert [session.item(index).review.tags for index in (0, 1)] == [("state-transition",), ()]


async def test_the_header_says_how_much_is_done(session: ReviewSession) -> None:
    for size in ((40, 15), (80, 24), (120, 40), (160, 50)):
        async with reviewing(session, size) as pilot:
            done = session.counts()[ReviewState.REVIEWED]
            await press(pilot, "1")
            assert f" of 6  {done} done  " in screen_text(pilot).splitlines()[0]
            await press(pilot, "space")
            assert f" of 6  {done + 1} done  " in screen_text(pilot).splitlines()[0]


def test_a_filter_that_was_cut_gets_the_room_that_the_codebook_left() -> None:
    header = Header("audit.db", "status:wrong sample:0 · smallest", "ana", "codebook execution r1")
    header.show_position(25, "400", 23)
    shown = {width: "".join(text for text, _ in header.row(width)) for width in (70, 80)}
    assert "  status:wrong sample:0…  ana  saved" in shown[70]
    assert "  status:wrong sample:0 · smallest  ana  saved" in shown[80]


async def test_the_column_of_the_queue_leaves_out_what_the_file_has_only_once(tmp_path: Path) -> None:
    replies = [_reply("add", "output", "1", sample=sample) for sample in range(3)]
    path = audit_of(tmp_path, [_task("add", "output", oracle="2")], replies)
    with closing(open_session(path, "ana", QueueWish())) as session:
        async with reviewing(session, (160, 50)) as pilot:
            rows = [line[:50].split("│")[0].split() for line in screen_text(pilot).splitlines()[2:5]]
    assert rows == [["▸·", "add", "0"], ["·", "add", "1"], ["·", "add", "2"]]


@pytest.mark.parametrize("width", range(30, 130, 5))
def test_parts_of_the_header_are_two_spaces_apart(width: int) -> None:
    header = Header("a-long-file-name.db", "status:wrong arm:loop · random, seed 0", "zoe", "codebook c r1")
    header.show_position(11, "214", 38)
    shown = "".join(text for text, _ in header.row(width))
    assert " 12 of 214  " in shown and shown.endswith("  saved ✓ ")
    assert len(shown) == width
    assert "zoe  saved" in shown or "zoe  codebook c r1  saved" in shown
    assert (" 38 done  " in shown) == (width >= 40)
    assert "  codebook c r1  " in shown or "codebook" not in shown
    assert ("seed 0  " in shown) <= ("a-long-file-name.db  " in shown)


async def test_a_narrow_terminal_shows_the_start_of_input_and_reply(session: ReviewSession) -> None:
    async with reviewing(session, (80, 24)) as pilot:
        await go_to(pilot, "digit-sums")
        lines = screen_text(pilot).splitlines()
        assert " i input  40␊" in lines
        assert ' r reply  {"output": "63240 17 done\\n"}' in lines
        await go_to(pilot, "no-reply")
        assert " r reply  (none)" in screen_text(pilot).splitlines()


@pytest.mark.parametrize(
    ("width", "keys"), [(60, "space 0 s n u q ?"), (80, "space 0 s n u r i q ?"), (100, "space 0 s n u j k r i q ?")]
)
async def test_the_footer_keeps_the_keys_that_matter(session: ReviewSession, width: int, keys: str) -> None:
    async with reviewing(session, (width, 15)) as pilot:
        words = screen_text(pilot).splitlines()[-1].split("  ")
        assert [word.split()[0] for word in words] == keys.split()


async def test_a_double_click_on_a_tag_puts_it_on_and_not_off_again(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await pilot.click(TagBar, offset=(4, 1), times=2)
        await settle(pilot)
        item = screen_of(pilot).item
        assert item is not None and len(item.review.tags) == 1


async def test_a_click_on_the_footer_does_what_the_key_does(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        row = screen_text(pilot).splitlines()[-1]
        for word, shown in (("j next", "2 of 6"), ("space done", "3 of 6"), ("? help", "Esc closes")):
            await pilot.click(Footer, offset=(row.index(word) + 2, 0))
            await settle(pilot)
            assert shown in screen_text(pilot)
    assert session.item(1).review.state is ReviewState.REVIEWED


async def test_a_click_on_the_footer_saves_the_note(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "n", "x")
        row = screen_text(pilot).splitlines()[-1]
        await pilot.click(Footer, offset=(row.index("save the note"), 0))
        await settle(pilot)
        assert "note: x" in screen_text(pilot)


async def test_the_queue_tells_rows_of_a_case_apart(tmp_path: Path) -> None:
    arms = ("inside-loop-state", "post-loop-state")
    path = make_audit(tmp_path / "alike.db", cases=2, arms=arms, settings=("simulated/careful", "simulated/off-by-one"))
    session = open_session(path, "lm")
    async with reviewing(session, (160, 50)) as pilot:
        await press(pilot, "1", "5", "space")
        rows = [line.split("│")[0] for line in screen_text(pilot).splitlines()[2:10]]
        assert len({row[2:] for row in rows}) == len(rows) == 8
        assert rows[0].split() == ["✓", "case-0", "inside-loo…", "careful", "[1", "5]"]
    session.close()


async def choose_in_palette(pilot: Pilot[int], words: str) -> None:
    """Search the palette for words that one command has, and take it."""
    await press(pilot, "ctrl+p")
    await press(pilot, *words)
    found = pilot.app.screen.query_one(CommandList)
    while found.option_count != 1 or found.highlighted is None:
        await pilot.pause(0.02)
    await press(pilot, "enter")
    while isinstance(pilot.app.screen, CommandPalette):
        await pilot.pause(0.02)
    await settle(pilot)


async def test_the_palette_finds_actions_and_themes(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await choose_in_palette(pilot, "reply  (r")
        assert "─ Oracle" not in screen_text(pilot)
        await choose_in_palette(pilot, "theme: auditor-contrast")
        assert pilot.app.theme == "auditor-contrast"
        await choose_in_palette(pilot, "tag: copying")
        assert session.item(0).review.tags == ("copying",)
        await choose_in_palette(pilot, "defer")
        assert session.item(0).review.state is ReviewState.DEFERRED


@pytest.mark.parametrize("page", ["ctrl+p", "question_mark"])
async def test_a_page_opens_right_behind_a_note_that_closes(session: ReviewSession, page: str) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "n", "x", "escape", page)
        await press(pilot, "escape")
        while pilot.app.screen is not pilot.app.screen_stack[0]:
            await pilot.pause(0.02)
        assert "Enter saves" not in screen_text(pilot)


async def test_the_palette_says_when_it_finds_nothing(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "ctrl+p")
        await press(pilot, *"xyzzy")
        for _ in range(100):
            await pilot.pause(0.02)
            if "nothing found" in screen_text(pilot):
                break
        assert "nothing found" in screen_text(pilot)


async def test_escape_typed_twice_takes_away_the_palette_alone(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "ctrl+p")
        await press(pilot, "escape", "escape", "1")
        assert isinstance(pilot.app.screen, ReviewScreen)
        assert session.item(0).review.tags == ("arithmetic",)


async def test_the_palette_takes_in_no_control_character(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "ctrl+p")
        field = pilot.app.screen.query_one(Input)
        for text in ("a\u202eb", "x\x9b31m", "\ud83d", "\U000e0041", "y[/]"):
            pilot.app.screen.post_message(Paste(text))
            await pilot.pause()
        assert field.value == "y[/]"


async def test_the_first_item_opens_at_its_checkpoint(audit_file: Path) -> None:
    session = open_session(audit_file, "lm", QueueWish(where="arm:state", order="import"))
    for size in ((80, 16), (80, 24), (120, 24)):
        async with reviewing(session, size) as pilot:
            assert "▸14 " in screen_text(pilot), size
    session.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the write lock of an audit file."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


async def test_a_locked_file_is_said_and_loses_nothing(session: ReviewSession, audit_file: Path) -> None:
    async with reviewing(session) as pilot:
        with locked(audit_file):
            await press(pilot, "1", "space", "2")
            screen_of(pilot)._retrying.start()
            await settle(pilot)
            assert "NOT SAVED" in screen_text(pilot) and "tried again." in screen_text(pilot)
            assert "[2 state transition]" in screen_text(pilot)
        for _ in range(100):
            if not session.pending:
                break
            await pilot.pause(0.05)
        await settle(pilot)
        assert "saved ✓" in screen_text(pilot)
    assert saved(audit_file) == (ReviewState.REVIEWED, ("arithmetic",), "")
    assert saved(audit_file, 1)[1] == ("state-transition",)


async def test_a_lock_that_is_gone_at_the_first_try_again_is_not_spoken_of(
    session: ReviewSession, audit_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.tui.parts.retrying.FIRST_SECONDS", 1000)
    monkeypatch.setattr("auditor.tui.parts.retrying._SECONDS", 1000)
    async with reviewing(session) as pilot:
        with locked(audit_file):
            await press(pilot, "1")
            assert "saving …" in screen_text(pilot) and "NOT SAVED" not in screen_text(pilot)
            assert "[1 arithmetic]" in screen_text(pilot)
        screen_of(pilot)._retrying.start()
        await settle(pilot)
        shown = screen_text(pilot)
        assert "saved ✓" in shown and "All that waited" not in shown
    assert saved(audit_file)[1] == ("arithmetic",)


async def test_a_failing_write_is_a_sentence_that_stays_until_the_mark_is_saved(
    session: ReviewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reviewing(session) as pilot:
        header = pilot.app.screen.query_one(Header)
        with monkeypatch.context() as broken:
            broken.setattr(session, "submit", _fail)
            await press(pilot, "1")
        assert header.state.words.startswith("NOT SAVED, press the key again: OSError: the disk [/] is gone")
        assert "[1 arithmetic]" not in screen_text(pilot)
        await press(pilot, "j", "2")
        assert "NOT SAVED" in screen_text(pilot)
        await press(pilot, "k", "1")
        assert "saved ✓" in screen_text(pilot)
        assert "[1 arithmetic]" in screen_text(pilot)


def _fail(*arguments: object) -> Refused:
    raise OSError("the disk [/] is gone")


async def test_the_screen_stays_alive_while_a_write_hangs(
    session: ReviewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, written = threading.Event(), threading.Event()
    submit = session.submit

    def slow(*arguments: object) -> object:
        gate.wait(20)
        written.set()
        return submit(*arguments)  # type: ignore[arg-type]

    async with reviewing(session) as pilot:
        monkeypatch.setattr(session, "submit", slow)
        pilot.app.post_message(Key("1", "1"))
        await pilot.resize_terminal(160, 50)
        # On a busy machine the screen follows later, but not only when the write is over.
        while "─ Queue" not in screen_text(pilot) and not written.is_set():
            await asyncio.sleep(0.005)
        assert not written.is_set()
        gate.set()
        await settle(pilot)
        await press(pilot)
        assert "[1 arithmetic]" in screen_text(pilot)


async def test_ctrl_c_asks_once_and_then_leaves(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "ctrl+c")
        assert "Press q or ctrl+c once more to leave. Every mark is saved." in screen_text(pilot)
        await press(pilot, "1", "ctrl+c")
        assert pilot.app.is_running
        await pilot.press("ctrl+c")
    assert pilot.app.return_value == 0


async def test_the_footer_greys_what_cannot_be_done(audit_file: Path) -> None:
    with closing(open_session(audit_file, "lm", QueueWish(where="case:human-042 arm:S/Standard"))) as session:
        async with reviewing(session) as pilot:
            drawn = pilot.app.screen.query_one(Footer).render_line(0)
            colours = {segment.text: segment.style and segment.style.color for segment in drawn}
    assert colours["j"] == colours["k"] != colours["n"]


async def test_a_text_that_an_item_does_not_have_gives_its_place_in_the_footer_away(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await go_to(pilot, "digit-sums")
        assert " i input " in screen_text(pilot)
        await go_to(pilot, "human-042", "S/Standard")
        assert " i input " not in screen_text(pilot)


async def test_a_key_that_does_nothing_says_so_and_help_is_named(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "x")
        assert "No such key here: x. ? helps." in screen_text(pilot)
        await press(pilot, "enter")
        assert "No such key here: Enter. ? helps." in screen_text(pilot)
        await press(pilot, "x", "1")
        assert "No such key" not in screen_text(pilot) and session.item(0).review.tags == ("arithmetic",)
        await press(pilot, "left_shift")
        assert "No such key" not in screen_text(pilot)
        await press(pilot, "n", "x", "f9", "enter")
        assert session.item(0).review.note == "x" and "No such key" not in screen_text(pilot)
        await press(pilot, "o", "x")
        assert "No such key here: x. ? helps." in screen_text(pilot)


async def test_a_tag_whose_rule_asks_for_a_note_says_so_until_there_is_one(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "z")
        assert "tag other, n writes a note: Say in the note what you saw" in screen_text(pilot)
        await press(pilot, "n", "x", "enter", "z", "z")
        assert "[z other]" in screen_text(pilot) and "n writes a note" not in screen_text(pilot)
        await press(pilot, "1")
        assert "n writes a note" not in screen_text(pilot)


async def test_keys_typed_behind_the_one_that_leaves_do_nothing(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        app = pilot.app
        for key in ("q", "1", "j", "o"):
            app.post_message(Key(key, key))
        await app._close_messages()
    assert session.item(0).review.tags == ()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_message_that_says_what_to_do_is_shown_to_its_end_and_moves_nothing(
    session: ReviewSession, size: tuple[int, int]
) -> None:
    words = f"{'Something long happened to this item. ' * 5}The key X puts that right."
    async with reviewing(session, size) as pilot:
        before = screen_text(pilot)
        screen = screen_of(pilot)
        screen.say(words)
        await settle(pilot)
        said = screen_text(pilot)
        assert words in " ".join(said.replace("─", " ").split())
        changed = [
            at for at, (one, two) in enumerate(zip(before.split("\n"), said.split("\n"), strict=True)) if one != two
        ]
        assert changed == list(range(changed[0], changed[0] + len(changed))), "only the rows of the message differ"
        await pilot.resize_terminal(size[0] - 8, size[1])
        await settle(pilot)
        assert words in " ".join(screen_text(pilot).replace("─", " ").split())
        await pilot.resize_terminal(*size)
        await settle(pilot)
        screen.say(words, brief=True)
        await settle(pilot)
        assert sum(one != two for one, two in zip(before.split("\n"), screen_text(pilot).split("\n"), strict=True)) == 1
        screen.say("")
        await settle(pilot)
        assert screen_text(pilot) == before


async def test_what_saving_a_note_says_has_all_its_rows_when_the_field_is_gone(
    session: ReviewSession,
) -> None:
    words = "The disk is full, and so your mark is kept beside the file, until there is room. " * 2
    async with reviewing(session, (80, 24)) as pilot:
        await press(pilot, "n")
        screen_of(pilot).say(words, refused=True)
        await screen_of(pilot)._note._close()
        await settle(pilot)
        shown = " ".join(" ".join(screen_text(pilot).split("\n")).split())
        assert f"─ {words[:40]}" in shown and words[-30:].strip() in shown
