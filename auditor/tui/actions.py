"""The one registry of what a person can do on a screen; footer, help, palette, bindings and key table come from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Situation(NamedTuple):
    """What decides whether an action can be done now."""

    items: int = 1
    """Items in the queue."""
    writing_note: bool = False
    has_input: bool = True
    has_reasoning: bool = True
    differences: int = 1
    """Places where oracle and prediction differ in the comparison shown."""


WhyNot = Callable[[Situation], "str | None"]
"""Returns the sentence that says why an action cannot be done now, or None when it can."""


def _always(situation: Situation) -> str | None:
    return None


def _needs_input(situation: Situation) -> str | None:
    return None if situation.has_input else "This task has no input."


def _needs_reasoning(situation: Situation) -> str | None:
    return None if situation.has_reasoning else "No reasoning was recorded with this reply."


def _needs_others(situation: Situation) -> str | None:
    return None if situation.items > 1 else "This is the only item in the queue."


def _needs_difference(situation: Situation) -> str | None:
    return None if situation.differences else "The comparison shows no difference."


@dataclass(frozen=True)
class Action:
    """One thing a person can do."""

    id: str
    """`area.verb`; key maps name actions by it."""
    keys: tuple[str, ...]
    """Textual's names of the keys; empty where the codebook gives the keys."""
    shown_key: str
    method: str
    """The screen's method is `action_<method>`."""
    label: str
    """One or two words for the footer; empty = not in the footer."""
    description: str
    """One sentence for help, palette and key table."""
    group: str
    arguments: tuple[str, ...] = ()
    why_not: WhyNot = _always
    while_writing: bool = False
    """Whether the keys act while a note is written; all others are only text then."""
    rank: int = 5
    """Lower stays longer in a narrow footer."""
    name: str = ""
    """What the palette calls it where the footer has no label."""

    @property
    def short_name(self) -> str:
        """Return what it is called in a list of actions."""
        return self.name or self.label


_MARK, _MOVE, _LOOK, _REST = "Mark", "Move", "Look", "Program"

TAG = Action(
    "item.tag",
    (),
    "tag keys",
    "toggle_tag",
    "tag",
    "Put the tag with this key on the item, or take it off again.",
    _MARK,
    rank=4,
)
"""Bound once for every tag of the codebook."""

ACTIONS: tuple[Action, ...] = (
    TAG,
    Action(
        "item.reviewed",
        ("space",),
        "space",
        "mark_reviewed",
        "done",
        "Reviewed as it is tagged now, then the next open item.",
        _MARK,
        rank=0,
        name="reviewed",
    ),
    Action(
        "item.nothing",
        ("0",),
        "0",
        "nothing_to_tag",
        "none",
        "Nothing to tag: reviewed without any tag, then the next open item.",
        _MARK,
        rank=1,
        name="nothing to tag",
    ),
    Action(
        "item.defer",
        ("s",),
        "s",
        "defer",
        "defer",
        "Put the item off and go to the next open one; on a deferred item, take that back.",
        _MARK,
        rank=1,
    ),
    Action("item.note", ("n",), "n", "write_note", "note", "Write a note on the item.", _MARK, rank=1),
    Action(
        "work.undo",
        ("u",),
        "u",
        "undo",
        "undo",
        "Undo your last mark, on whichever item and in whichever session it was, and go there.",
        _MARK,
        rank=1,
    ),
    Action("work.redo", ("U",), "U", "redo", "redo", "Redo what was undone last, and go there.", _MARK, rank=5),
    Action(
        "queue.next",
        ("j", "down", "right"),
        "j",
        "next_item",
        "next",
        "Go to the next item without marking (also down and right).",
        _MOVE,
        why_not=_needs_others,
        rank=3,
        name="next item",
    ),
    Action(
        "queue.previous",
        ("k", "up", "left"),
        "k",
        "previous_item",
        "back",
        "Go to the previous item without marking (also up and left).",
        _MOVE,
        why_not=_needs_others,
        rank=3,
        name="previous item",
    ),
    Action(
        "difference.next",
        ("right_square_bracket",),
        "]",
        "step_difference",
        "",
        "Go to the next difference between oracle and prediction.",
        _MOVE,
        ("next",),
        _needs_difference,
        name="next difference",
    ),
    Action(
        "difference.previous",
        ("left_square_bracket",),
        "[",
        "step_difference",
        "",
        "Go to the previous difference between oracle and prediction.",
        _MOVE,
        ("previous",),
        _needs_difference,
        name="previous difference",
    ),
    Action(
        "pane.cycle",
        ("tab",),
        "tab",
        "cycle_pane",
        "pane",
        "Move to the next pane; the page keys scroll it.",
        _MOVE,
        rank=5,
        name="next pane",
    ),
    Action(
        "pane.page_down",
        ("pagedown",),
        "PgDn",
        "scroll_pane",
        "",
        "Scroll the pane down by a page.",
        _MOVE,
        ("page down",),
        name="page down",
    ),
    Action(
        "pane.page_up",
        ("pageup",),
        "PgUp",
        "scroll_pane",
        "",
        "Scroll the pane up by a page.",
        _MOVE,
        ("page up",),
        name="page up",
    ),
    Action(
        "pane.down", ("J",), "J", "scroll_pane", "", "Scroll the pane down by a row.", _MOVE, ("down",), name="row down"
    ),
    Action("pane.up", ("K",), "K", "scroll_pane", "", "Scroll the pane up by a row.", _MOVE, ("up",), name="row up"),
    Action(
        "pane.start",
        ("home",),
        "Home",
        "scroll_pane",
        "",
        "Scroll the pane to its start.",
        _MOVE,
        ("start",),
        name="start of the pane",
    ),
    Action(
        "pane.end",
        ("end",),
        "End",
        "scroll_pane",
        "",
        "Scroll the pane to its end.",
        _MOVE,
        ("end",),
        name="end of the pane",
    ),
    Action(
        "look.reply",
        ("r",),
        "r",
        "show_reply",
        "reply",
        "Show the raw reply on the whole screen, or go back.",
        _LOOK,
        rank=2,
    ),
    Action(
        "look.reasoning",
        ("R",),
        "R",
        "show_reasoning",
        "",
        "Show the recorded reasoning in place of the reply, or go back.",
        _LOOK,
        why_not=_needs_reasoning,
        name="reasoning",
    ),
    Action(
        "look.input",
        ("i",),
        "i",
        "show_input",
        "input",
        "Show the input on the whole screen, or go back.",
        _LOOK,
        why_not=_needs_input,
        rank=2,
    ),
    Action(
        "note.save",
        ("enter",),
        "Enter",
        "save_note",
        "save the note",
        "In a note: save it.",
        _MARK,
        while_writing=True,
    ),
    Action(
        "note.leave",
        ("escape",),
        "Esc",
        "leave",
        "leave it as it was",
        "In a note: leave it as it was. Elsewhere: back to the panes.",
        _MARK,
        while_writing=True,
    ),
    Action(
        "program.palette",
        ("ctrl+p",),
        "ctrl+p",
        "show_palette",
        "",
        "Search for an action or a theme by its name.",
        _REST,
        name="palette",
    ),
    Action(
        "program.quit",
        ("q", "ctrl+q"),
        "q",
        "quit_review",
        "quit",
        "Leave the review; every mark is saved already.",
        _REST,
        rank=0,
    ),
    Action(
        "program.interrupt",
        ("ctrl+c",),
        "ctrl+c",
        "interrupt",
        "",
        "Say how to leave; pressed twice, leave.",
        _REST,
        while_writing=True,
        name="interrupt",
    ),
    Action("program.help", ("question_mark", "f1"), "?", "show_help", "help", "Show keys and tags.", _REST, rank=0),
)


def textual_key(character: str) -> str:
    """Return Textual's name of the key that types a character."""
    from textual.keys import _character_to_key

    return _character_to_key(character) if len(character) == 1 else character


def key_range(keys: Sequence[str]) -> str:
    """Return tag keys in short: `1-4`, `1-9 b d`."""
    runs: list[list[str]] = []
    for key in keys:
        if runs and key.isdigit() and runs[-1][-1].isdigit() and int(key) == int(runs[-1][-1]) + 1:
            runs[-1].append(key)
        else:
            runs.append([key])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def key_table() -> list[tuple[str, str]]:
    """Return every key as shown, and what it does, for help and documentation."""
    return [(action.shown_key, action.description) for action in ACTIONS]


def command_keys() -> frozenset[str]:
    """Return the keys that a codebook's tags cannot have."""
    return frozenset(key for action in ACTIONS for key in action.keys)
