"""Actions of the screen with two implementations side by side, and the one that opens it."""

from __future__ import annotations

from collections.abc import Callable

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.moves import MOVES
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.reading import ACROSS, READING

_IN = "Implementations"


def _may_show(situation: Situation) -> str | None:
    return None if situation.has_implementations else "This item is about no problem with implementations."


def _unless(*what: str) -> Callable[[Situation], str | None]:
    """Return what decides about an action that needs something which the problem may lack."""
    return lambda situation: next((situation.lacks[one] for one in what if one in situation.lacks), None)


OPEN_SIDES = Action(
    "sides.show",
    ("underscore",),
    "_",
    "show_sides",
    "compare",
    "Show the program side by side with the other implementations of its problem, equal parts in one row.",
    "Look",
    why_not=_may_show,
    rank=4,
    name="implementations side by side",
    of_some_items=True,
)
"""Of the review and of the screen with the consistency of a problem."""

SIDES: tuple[Action, ...] = (
    Action(
        "sides.review",
        ("enter",),
        "Enter",
        "review_this",
        "review",
        "Review the item of the other implementation: of the same test and setting.",
        _IN,
        why_not=_unless("other", "item"),
        rank=2,
    ),
    Action(
        "sides.next",
        ("j", "down", "right", "tab"),
        "j",
        "step",
        "next",
        "Show the next of the other implementations, and behind the last one the first.",
        _IN,
        ("next",),
        _unless("other", "another"),
        rank=1,
        name="next implementation",
    ),
    Action(
        "sides.previous",
        ("k", "up", "left"),
        "k",
        "step",
        "back",
        "Show the one of the other implementations before.",
        _IN,
        ("previous",),
        _unless("other", "another"),
        rank=1,
        name="previous implementation",
    ),
    Action(
        "sides.next_difference",
        ("right_square_bracket",),
        "]",
        "step_difference",
        "next ≠",
        "Go to the next stretch of lines that are unlike.",
        _IN,
        ("next",),
        _unless("other"),
        rank=2,
        name="next unlike lines",
    ),
    Action(
        "sides.previous_difference",
        ("left_square_bracket",),
        "[",
        "step_difference",
        "",
        "Go to the stretch of lines before that are unlike.",
        _IN,
        ("previous",),
        _unless("other"),
        name="unlike lines before",
    ),
    Action(
        "sides.fold",
        ("h",),
        "h",
        "toggle_folds",
        "fold",
        "Fold long stretches of equal lines, or show all lines.",
        _IN,
        (),
        _unless("other"),
        rank=4,
        name="fold equal lines",
    ),
    Action(
        "sides.close",
        ("escape", "underscore", "q"),
        "Esc",
        "close_related",
        "go back",
        "Go back to where you were.",
        _IN,
        rank=0,
        needed=True,
    ),
    *(action for action in MOVES if action.id in ("pane.down", "pane.up", "pane.page_down", "pane.page_up")),
    *(action for action in MOVES if action.id in ("pane.start", "pane.end")),
    *ACROSS,
    *(action for action in READING if action.id == "look.wrap"),
    *(action for action in PROGRAM if action.id != "program.quit"),
)
"""Of the screen with two implementations side by side."""
