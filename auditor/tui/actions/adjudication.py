"""Actions of the adjudication screen, and the one that opens it."""

from __future__ import annotations

from dataclasses import replace

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.looks import LOOKS
from auditor.tui.actions.marks import MARKS, WRITING
from auditor.tui.actions.moves import MOVES
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.reading import ACROSS, READING
from auditor.tui.actions.related import OPEN_RELATED
from auditor.tui.actions.replay import OPEN_REPLAY

_IN = "Decide"
_MOVE = "Move"
TAKEN_LETTERS = "ABCDEF"
"""The annotators of an item are called by these; each is a key too."""


def _needs_no_secrets(situation: Situation) -> str | None:
    if situation.blind:
        return "A blind review shows nobody's work, so nothing is adjudicated in it."
    return "These items come back as fresh ones, so nothing is adjudicated here." if situation.again else None


def _needs_tag(situation: Situation) -> str | None:
    if situation.on_tag:
        return None
    return "This row is no tag: go to one, or show the tags that all agree on."


def _needs_any_tag(situation: Situation) -> str | None:
    return None if situation.has_tag else "All agree on this item: show its tags, and go to the one to write of."


OPEN_ADJUDICATION = Action(
    "adjudication.show",
    ("equals_sign",),
    "=",
    "show_adjudication",
    "",
    "Decide what annotators differ on; also: auditor adjudicate.",
    "Look",
    why_not=_needs_no_secrets,
    name="adjudication",
)
"""Of the review screen."""

_DECIDE: tuple[Action, ...] = (
    Action(
        "decide.yes",
        ("enter",),
        "Enter",
        "decide",
        "yes",
        "The tag is on the item.",
        _IN,
        ("present",),
        _needs_tag,
        rank=0,
    ),
    Action(
        "decide.no",
        ("backspace",),
        "Backspace",
        "decide",
        "no",
        "The tag is not on the item.",
        _IN,
        ("absent",),
        _needs_tag,
        rank=0,
    ),
    Action(
        "decide.unresolved",
        ("s",),
        "s",
        "decide",
        "unresolved",
        "Set the tag aside: it cannot be decided.",
        _IN,
        ("unresolved",),
        _needs_tag,
        rank=1,
        short_label="aside",
    ),
    *(
        Action(
            f"decide.take_{letter.lower()}",
            (letter,),
            letter,
            "take_set",
            "take set" if letter == "A" else "",
            f"Decide all that they differ on as annotator {letter} marked it.",
            _IN,
            (str(number),),
            rank=1,
            name=f"take the set of {letter}",
            short_label="take" if letter == "A" else "",
        )
        for number, letter in enumerate(TAKEN_LETTERS)
    ),
    Action(
        "decide.note",
        ("n",),
        "n",
        "write_note",
        "note",
        "Write why the tag is decided so, before or after it is.",
        _IN,
        (),
        _needs_any_tag,
        rank=1,
    ),
    Action(
        "decide.withdraw",
        ("delete",),
        "Del",
        "withdraw",
        "",
        "Take your decision on the tag back, so that it is open.",
        _IN,
        why_not=_needs_tag,
        name="withdraw",
    ),
    *(replace(action, rank=0) for action in MARKS if action.id == "work.undo"),
    *(action for action in MARKS if action.id == "work.redo"),
)

_MOVES: tuple[Action, ...] = (
    Action("case.next_tag", ("j", "down"), "j", "step_row", "", "Go to the next tag.", _MOVE, ("1",), name="next tag"),
    Action(
        "case.previous_tag",
        ("k", "up"),
        "k",
        "step_row",
        "",
        "Go to the tag before.",
        _MOVE,
        ("-1",),
        name="previous tag",
    ),
    Action(
        "case.next_open",
        ("space", "plus"),
        "space",
        "go_to_open",
        "next open",
        "Go to the next item that needs a decision.",
        _MOVE,
        ("next",),
        rank=0,
        name="next open item",
        short_label="next",
    ),
    Action(
        "case.previous_open",
        ("minus",),
        "-",
        "go_to_open",
        "",
        "Go to the item before that needs a decision.",
        _MOVE,
        ("previous",),
        name="previous open item",
    ),
    Action(
        "case.first_open",
        ("asterisk",),
        "*",
        "go_to_open",
        "",
        "Go to the first item that needs a decision.",
        _MOVE,
        ("first",),
        name="first open item",
    ),
    Action("case.next", ("right",), "right", "step_item", "", "Go to the next item.", _MOVE, ("1",), name="next item"),
    Action(
        "case.previous",
        ("left",),
        "left",
        "step_item",
        "",
        "Go to the item before.",
        _MOVE,
        ("-1",),
        name="previous item",
    ),
    *(action for action in MOVES if action.id.startswith(("difference.", "pane."))),
)

_LOOK: tuple[Action, ...] = (
    Action(
        "case.names",
        ("v",),
        "v",
        "show_names",
        "names",
        "Show who the annotators are, or call them A, B, C again.",
        "Look",
        rank=3,
    ),
    Action(
        "case.agreed",
        ("e",),
        "e",
        "show_agreed",
        "all tags",
        "Show the tags that all agree on too, or fold them.",
        "Look",
        rank=3,
    ),
    *(action for action in LOOKS if action.id != "item.reveal"),
    *READING,
    *OPEN_RELATED,
    OPEN_REPLAY,
)

ADJUDICATION: tuple[Action, ...] = (*_DECIDE, *_MOVES, *ACROSS, *_LOOK, *WRITING, *PROGRAM)
"""Of the adjudication screen."""
