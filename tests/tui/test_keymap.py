"""Key maps: what they change on every screen, what is refused with which sentence, and what the screen shows then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from auditor.audit.review import ReviewSession
from auditor.configuration.keymap_file import keymap_of
from auditor.configuration.toml_file import TomlFile
from auditor.errors import AuditorError
from auditor.model import ReviewState
from auditor.tui.actions import ACTIONS, SCREENS, Action
from auditor.tui.actions.key_names import parse_key, shown_key, writes
from auditor.tui.actions.keymap import MappedKeys, map_keys
from auditor.tui.app import ReviewApp
from auditor.tui.setup import Setup
from tests.tui.driving import press, reviewing, screen_of, screen_text, settle

TAG_KEYS = {"1": "arithmetic", "2": "state transition", "b": "[/] bad format"}


def mapped(text: str, screens: dict[str, tuple[Action, ...]] = SCREENS) -> MappedKeys:
    file = keymap_of(TomlFile(Path("keymap.toml"), text))
    assert file.problems == ()
    return map_keys(file.entries, screens, TAG_KEYS)


def action(actions: Sequence[Action], id_: str) -> Action:
    (found,) = (each for each in actions if each.id == id_)
    return found


# --- names of keys -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "key", "shown"),
    [
        ("x", "x", "x"),
        ("X", "X", "X"),
        ("é", "é", "é"),
        ("]", "right_square_bracket", "]"),
        ("?", "question_mark", "?"),
        ("question_mark", "question_mark", "?"),
        (" ", "space", "space"),
        ("Space", "space", "space"),
        ("Esc", "escape", "Esc"),
        ("RETURN", "enter", "Enter"),
        ("PgDn", "pagedown", "PgDn"),
        ("F5", "f5", "F5"),
        ("Ctrl+X", "ctrl+x", "ctrl+x"),
        ("ctrl + del", "ctrl+delete", "ctrl+Del"),
        ("shift+Tab", "shift+tab", "shift+tab"),
    ],
)
def test_a_key_is_known_by_the_names_that_people_use(written: str, key: str, shown: str) -> None:
    assert parse_key(written) == key
    assert shown_key(key) == shown


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("entr", "no key is called 'entr'. Did you mean enter?"),
        ("f21", "no key is called 'f21'. Did you mean f2?"),
        ("zzzz", "no key is called 'zzzz'."),
        ("\x1b", "'␛' is no key. Write a name, such as tab or enter."),
        ("ctrl+i", "a terminal cannot tell 'ctrl+i' from tab. Choose another key."),
        ("Ctrl+M", "a terminal cannot tell 'Ctrl+M' from enter. Choose another key."),
        ("ctrl+[", "a terminal cannot tell 'ctrl+[' from escape. Choose another key."),
        ("ctrl+h", "a terminal cannot tell 'ctrl+h' from backspace. Choose another key."),
        ("ctrl+j", "a terminal cannot tell 'ctrl+j' from enter. Choose another key."),
        ("shift+g", "'shift+g' is written G."),
        ("ctrl+1", "not every terminal has 'ctrl+1'. Choose a plain key, or ctrl and a letter."),
        ("alt+x", "not every terminal has 'alt+x'. Choose a plain key, or ctrl and a letter."),
        ("ctrl+shift+x", "not every terminal has 'ctrl+shift+x'. Choose a plain key, or ctrl and a letter."),
    ],
)
def test_what_is_no_key_or_none_of_its_own_is_refused(written: str, sentence: str) -> None:
    with pytest.raises(AuditorError) as caught:
        parse_key(written)
    assert str(caught.value) == sentence


def test_every_default_key_can_be_written_in_a_key_map() -> None:
    for each in ACTIONS:
        for key in each.keys:
            assert parse_key(shown_key(key)) == key


def test_keys_that_a_text_needs_are_told_from_the_others() -> None:
    assert all(map(writes, ["a", "é", "right_square_bracket", "space", "backspace", "left", "ctrl+left", "shift+home"]))
    assert not any(map(writes, ["enter", "escape", "f2", "ctrl+s"]))


# --- the map -------------------------------------------------------------------------------------------------------


def test_an_entry_changes_the_keys_and_what_is_shown_of_them() -> None:
    screens, problems = mapped('item.defer = "x"\n[queue]\nnext = ["e", "down"]\n')
    assert problems == ()
    defer, following = action(screens["review"], "item.defer"), action(screens["review"], "queue.next")
    assert (defer.keys, defer.shown_key, defer.sentence) == (("x",), "x", defer.description)
    assert (following.keys, following.shown_key) == (("e", "down"), "e")
    assert following.sentence == "Go to the next item without marking. Also down."
    unchanged = [each for each in screens["review"] if each.id not in ("item.defer", "queue.next")]
    assert unchanged == [each for each in ACTIONS if each.id not in ("item.defer", "queue.next")]


def test_two_actions_can_swap_their_keys() -> None:
    screens, problems = mapped('queue.next = "k"\nqueue.previous = "j"\n')
    assert problems == ()
    assert action(screens["review"], "queue.next").keys == ("k",)


def test_an_entry_without_keys_takes_them_away() -> None:
    screens, problems = mapped('look.input = ""\nlook.reply = []\n')
    assert problems == ()
    assert action(screens["review"], "look.input").keys == ()
    assert action(screens["review"], "look.reply").shown_key == ""


def test_every_screen_with_the_action_follows() -> None:
    following = action(ACTIONS, "queue.next")
    screens, problems = mapped('queue.next = "x"\n', {"one": ACTIONS, "other": (following,)})
    assert problems == ()
    assert [each.keys for each in screens["other"]] == [("x",)]


def test_keys_may_be_shared_by_what_acts_at_different_times() -> None:
    screens, problems = mapped('item.reviewed = ["enter", "space"]\n')
    assert problems == ()
    assert action(screens["review"], "item.reviewed").keys == ("enter", "space")


MISTAKES = [
    ('item.defr = "x"', "keymap.toml:1: item.defr: there is no such action. Did you mean item.defer?"),
    ('zzz = "x"', "keymap.toml:1: zzz: there is no such action."),
    ('"a\\u001b" = "x"', "keymap.toml: a␛: there is no such action."),
    ('item.tag = "x"', "keymap.toml:1: item.tag: its keys are not in the key map: the codebook gives them."),
    ('program.quit = ""', "keymap.toml:1: program.quit: this cannot be without a key. Its default is q."),
    ("note.save = []", "keymap.toml:1: note.save: this cannot be without a key. Its default is Enter."),
    ('item.defer = "entr"', "keymap.toml:1: item.defer: no key is called 'entr'. Did you mean enter?"),
    ('item.defer = ["x", "1"]', "keymap.toml:1: item.defer: 1 is the key of the tag 'arithmetic'. Choose another key."),
    ('item.defer = "b"', "keymap.toml:1: item.defer: b is the key of the tag '[/] bad format'. Choose another key."),
    (
        'note.save = "x"',
        "keymap.toml:1: note.save: x is needed for the text that is being written."
        " Choose Enter, Esc, a function key, or ctrl and a letter.",
    ),
    (
        'item.defer = "u"',
        "keymap.toml:1: item.defer: u is the key of work.undo too (its default). Give one of them another key.",
    ),
    (
        'item.defer = "x"\n\nwork.undo = "x"',
        "keymap.toml:3: work.undo: x is the key of item.defer too (keymap.toml:1). Give one of them another key.",
    ),
    (
        'program.help = "ctrl+c"',
        "keymap.toml:1: program.help: ctrl+c is the key of program.interrupt too (its default)."
        " Give one of them another key.",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), MISTAKES)
def test_a_mistake_costs_its_entry_only_and_is_told_with_its_line(text: str, sentence: str) -> None:
    screens, problems = mapped(text + '\n[look]\ninput = "f2"\n')
    assert problems == (sentence,)
    assert action(screens["review"], "look.input").keys == ("f2",)
    changed = {each.id for each, default in zip(screens["review"], ACTIONS, strict=True) if each != default}
    assert changed <= {"look.input", "item.defer"}


def test_an_entry_that_relied_on_a_refused_one_is_refused_with_it() -> None:
    screens, problems = mapped('item.defer = "u"\nwork.undo = "1"\n')
    assert [problem.split(": ")[1] for problem in problems] == ["work.undo", "item.defer"]
    assert screens["review"] == ACTIONS


# --- on the screen -------------------------------------------------------------------------------------------------


async def test_footer_help_palette_and_keys_follow_the_map(session: ReviewSession) -> None:
    screens = map_keys(
        keymap_of(TomlFile(Path("keymap.toml"), 'item.defer = "f4"\nqueue.next = "f6"\nlook.input = ""\n')).entries,
        SCREENS,
        {},
    ).screens
    async with reviewing(session, (160, 50), Setup(screens=screens)) as pilot:
        footer = screen_text(pilot).splitlines()[-1]
        assert "F4 defer" in footer and "F6 next" in footer and "s defer" not in footer and "input" not in footer
        first = session.item(0).response_id
        await press(pilot, "s", "j")
        assert screen_of(pilot).index == 0
        assert session.item(0).review.state is ReviewState.NOT_REVIEWED
        await press(pilot, "f4")
        assert session.item_by_id(first).review.state is ReviewState.DEFERRED
        await press(pilot, "f6")
        assert screen_of(pilot).index == 2
        await press(pilot, "question_mark")
        shown = screen_text(pilot)
        assert "F4  Put the item off" in shown and "F6  Go to the next item" in shown
        assert " -  Show the input on the whole screen" in shown
        await press(pilot, "escape", "ctrl+p", *"next item")
        while "next item  (F6)" not in screen_text(pilot):
            await pilot.pause(0.02)


async def test_a_remapped_screen(session: ReviewSession, compare_screen: Callable[[str, str], None]) -> None:
    text = 'item.defer = "f4"\nitem.reviewed = ["enter", "space"]\nqueue.next = ["e", "down"]\nlook.input = ""\n'
    screens = map_keys(keymap_of(TomlFile(Path("keymap.toml"), text)).entries, SCREENS, {}).screens
    async with reviewing(session, (120, 40), Setup(screens=screens)) as pilot:
        await press(pilot, "question_mark")
        compare_screen("keymap-120x40", screen_text(pilot))


async def test_a_small_screen_names_the_keys_of_the_map_beside_input_and_reply(session: ReviewSession) -> None:
    text = 'look.input = "f6"\nlook.reply = "f7"\n'
    screens = map_keys(keymap_of(TomlFile(Path("keymap.toml"), text)).entries, SCREENS, {}).screens
    async with reviewing(session, (80, 24), Setup(screens=screens)) as pilot:
        assert " F6 input  40" in screen_text(pilot) and " F7 reply  {" in screen_text(pilot)


async def test_the_help_scrolls_and_closes_with_the_keys_of_the_map(session: ReviewSession) -> None:
    text = 'queue.next = "f6"\nprogram.help = "f2"\nprogram.quit = "f4"\n'
    screens = map_keys(keymap_of(TomlFile(Path("keymap.toml"), text)).entries, SCREENS, {}).screens
    async with reviewing(session, (80, 24), Setup(screens=screens)) as pilot:
        before = screen_text(pilot)
        await press(pilot, "f2")
        opened = screen_text(pilot)
        await press(pilot, "f6")
        assert screen_text(pilot) != opened
        await press(pilot, "f4")
        assert screen_text(pilot) == before


async def test_a_note_is_saved_and_left_by_the_keys_of_the_map(session: ReviewSession) -> None:
    text = 'note.save = "ctrl+s"\nnote.leave = "f3"\nitem.reviewed = "enter"\n'
    screens = map_keys(keymap_of(TomlFile(Path("keymap.toml"), text)).entries, SCREENS, {}).screens
    async with reviewing(session, (120, 40), Setup(screens=screens)) as pilot:
        first = session.item(0).response_id
        await press(pilot, "n", "a")
        assert "ctrl+s saves, F3 leaves it as it was" in screen_text(pilot)
        await press(pilot, "enter", "b", "ctrl+s")
        assert session.item_by_id(first).review.note == "a\nb"
        await press(pilot, "n", "c", "f3")
        assert session.item_by_id(first).review.note == "a\nb"
        await press(pilot, "enter")
        assert session.item_by_id(first).review.state is ReviewState.REVIEWED


async def test_no_key_of_the_program_goes_before_the_map(session: ReviewSession) -> None:
    text = 'item.defer = "ctrl+q"\nitem.note = "ctrl+p"\nprogram.quit = "q"\nprogram.palette = "f2"\n'
    screens = map_keys(keymap_of(TomlFile(Path("keymap.toml"), text)).entries, SCREENS, {}).screens
    async with reviewing(session, (120, 40), Setup(screens=screens)) as pilot:
        first = session.item(0).response_id
        await press(pilot, "ctrl+q")
        assert session.item_by_id(first).review.state is ReviewState.DEFERRED
        await press(pilot, "ctrl+p", "x")
        assert "Note   Enter saves" in screen_text(pilot)
        await press(pilot, "escape")
        await press(pilot, "f2")
        while "Search: action, tag or theme" not in screen_text(pilot):
            await pilot.pause(0.02)


@pytest.mark.parametrize("opened_by", ["question_mark", "ctrl+p"])
async def test_ctrl_q_leaves_from_every_page(session: ReviewSession, opened_by: str) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, opened_by)
        await press(pilot, "ctrl+q")
        assert pilot.app.return_value == 0


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_mistakes_in_a_configuration_are_told_once_and_leave_tags_and_keys_in_sight(
    session: ReviewSession, size: tuple[int, int]
) -> None:
    async with reviewing(session, size) as pilot:
        without = screen_text(pilot).splitlines()
    problems = ("keymap.toml:3: the first mistake.", "keymap.toml:5: another one.", "keymap.toml:7: a third.")
    async with ReviewApp(session, Setup(problems=problems)).run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        shown = screen_text(pilot)
    assert "the first mistake." in shown and "2 more: auditor config check" in shown and "another" not in shown
    bar = next(row for row, line in enumerate(without) if line.startswith("  1 "))
    assert shown.splitlines()[bar:] == without[bar:]
