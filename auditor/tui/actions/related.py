"""Actions of the screens that show what belongs to an item, and those that open them."""

from __future__ import annotations

from auditor.audit.blindness import why_not_shown
from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.looks import LOOKS, STANDARD_SYMBOLS
from auditor.tui.actions.moves import MOVES
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.reading import ACROSS, READING

_ARMS = "Arms"
_SETTINGS = "Settings"


def _may_show_arms(situation: Situation) -> str | None:
    return why_not_shown(situation.hidden, "The arms of the case")


def _may_show_settings(situation: Situation) -> str | None:
    return why_not_shown(situation.hidden, "The other settings")


OPEN_RELATED: tuple[Action, ...] = (
    Action(
        "arms.show",
        ("a",),
        "a",
        "show_arms",
        "arms",
        "Show the arms of the case side by side, under the item's setting and sample.",
        "Look",
        why_not=_may_show_arms,
        rank=6,
    ),
    Action(
        "settings.show",
        ("m",),
        "m",
        "show_settings",
        "settings",
        "Show this task under all settings and samples.",
        "Look",
        why_not=_may_show_settings,
        rank=6,
    ),
)
"""Of the review screen."""

_LOOKS = (
    *(action for action in LOOKS if action.id in ("look.reply", "look.reasoning", "look.input", "look.prompt")),
    STANDARD_SYMBOLS,
)
_DIFFERENCES = tuple(action for action in MOVES if action.id in ("difference.next", "difference.previous"))
_ROWS = tuple(action for action in MOVES if action.id in ("pane.down", "pane.up"))
_PAGES = tuple(action for action in MOVES if action.id in ("pane.page_down", "pane.page_up", "pane.start", "pane.end"))
_READING = (*ACROSS, *(action for action in READING if action.id in ("look.wrap", "look.code_points")))
_PROGRAM = tuple(action for action in PROGRAM if action.id != "program.quit")

ARMS: tuple[Action, ...] = (
    Action(
        "arms.review",
        ("enter",),
        "Enter",
        "review_this",
        "review",
        "Review this arm's item.",
        _ARMS,
        rank=0,
    ),
    Action(
        "arms.next",
        ("j", "down", "right", "tab"),
        "j",
        "step",
        "next",
        "Go to the next arm, and behind the last one to the first.",
        _ARMS,
        ("next",),
        rank=1,
        name="next arm",
    ),
    Action(
        "arms.previous",
        ("k", "up", "left"),
        "k",
        "step",
        "back",
        "Go to the arm before.",
        _ARMS,
        ("previous",),
        rank=1,
        name="previous arm",
    ),
    Action(
        "arms.close",
        ("escape", "a", "q"),
        "Esc",
        "close_related",
        "go back",
        "Take the text away that lies over the arms, or go back to the review.",
        _ARMS,
        rank=0,
        needed=True,
    ),
    *_DIFFERENCES,
    *_ROWS,
    *_PAGES,
    *_LOOKS,
    *_READING,
    *_PROGRAM,
)
"""Of the screen with the arms of a case."""

OTHER_SETTINGS: tuple[Action, ...] = (
    Action(
        "settings.review",
        ("enter",),
        "Enter",
        "review_this",
        "review",
        "Review this answer's item.",
        _SETTINGS,
        rank=0,
    ),
    Action(
        "settings.next",
        ("j", "down"),
        "j",
        "step",
        "next",
        "Go to the next answer.",
        _SETTINGS,
        ("down",),
        rank=1,
        name="next answer",
    ),
    Action(
        "settings.previous",
        ("k", "up"),
        "k",
        "step",
        "back",
        "Go to the answer before.",
        _SETTINGS,
        ("up",),
        rank=1,
        name="previous answer",
    ),
    Action(
        "settings.page_down",
        ("pagedown",),
        "PgDn",
        "step",
        "",
        "Go down by a page of answers.",
        _SETTINGS,
        ("page down",),
        name="page of answers down",
    ),
    Action(
        "settings.page_up",
        ("pageup",),
        "PgUp",
        "step",
        "",
        "Go up by a page of answers.",
        _SETTINGS,
        ("page up",),
        name="page of answers up",
    ),
    Action(
        "settings.start",
        ("home",),
        "Home",
        "step",
        "",
        "Go to the first answer.",
        _SETTINGS,
        ("start",),
        name="first answer",
    ),
    Action(
        "settings.end", ("end",), "End", "step", "", "Go to the last answer.", _SETTINGS, ("end",), name="last answer"
    ),
    Action(
        "settings.close",
        ("escape", "m", "q"),
        "Esc",
        "close_related",
        "go back",
        "Take the text away that lies over the answers, or go back to the review.",
        _SETTINGS,
        rank=0,
        needed=True,
    ),
    *_DIFFERENCES,
    *_ROWS,
    *_LOOKS,
    *_READING,
    *_PROGRAM,
)
"""Of the screen with a task under all settings."""
