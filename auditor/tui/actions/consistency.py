"""Actions of the screen with a problem's implementations by tests, and the one that opens it."""

from __future__ import annotations

from auditor.audit.blindness import why_no_strip
from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.looks import LOOKS
from auditor.tui.actions.moves import MOVES
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.reading import ACROSS, READING
from auditor.tui.actions.sides import OPEN_SIDES

_IN = "Consistency"


def _may_show(situation: Situation) -> str | None:
    if situation.blind:
        return why_no_strip(blind=True)
    return None if situation.has_problem else "This item is no output and no probe of a problem with implementations."


def _needs(what: str, action_id: str, keys: tuple[str, ...], shown: str, which: str, words: str, label: str) -> Action:
    """Return an action that goes to another setting or sample."""
    return Action(
        f"consistency.{action_id}",
        keys,
        shown,
        "show_repetition",
        label,
        words,
        _IN,
        (what, which),
        lambda situation: situation.lacks.get(what),
        rank=2,
        name=f"{which} {what}",
    )


OPEN_CONSISTENCY = Action(
    "consistency.show",
    ("colon",),
    ":",
    "show_consistency",
    "problem",
    "Show what the setting made of the problem: its implementations by tests, its probes, CoRE's measures.",
    "Look",
    why_not=_may_show,
    rank=4,
    name="consistency",
    of_some_items=True,
)
"""Of the review and the queue screen."""

CONSISTENCY: tuple[Action, ...] = (
    Action(
        "consistency.review",
        ("enter",),
        "Enter",
        "review_this",
        "review",
        "Review the item of this mark.",
        _IN,
        rank=0,
    ),
    *(
        Action(
            f"consistency.{how.replace(' ', '_')}",
            keys,
            shown,
            "step_cell",
            "",
            f"Go to {what}.",
            _IN,
            (how,),
            name=f"mark {how}",
        )
        for how, keys, shown, what in (
            ("down", ("j", "down"), "j", "the mark below, and behind the last implementation to the probes"),
            ("up", ("k", "up"), "k", "the mark above"),
            ("left", ("left",), "left", "the test at the left"),
            ("right", ("right",), "right", "the test at the right"),
            ("page down", ("pagedown",), "PgDn", "the marks a page below"),
            ("page up", ("pageup",), "PgUp", "the marks a page above"),
            ("start", ("home",), "Home", "the first implementation"),
            ("end", ("end",), "End", "the last probe"),
        )
    ),
    _needs("setting", "next_setting", ("tab",), "tab", "next", "Show the next setting.", "setting"),
    _needs("setting", "setting_before", ("shift+tab",), "shift+tab", "previous", "Show the setting before.", ""),
    _needs("sample", "next_sample", ("greater_than_sign",), ">", "next", "Show the setting's next sample.", "sample"),
    _needs("sample", "sample_before", ("less_than_sign",), "<", "previous", "Show the setting's sample before.", ""),
    OPEN_SIDES,
    Action(
        "consistency.close",
        ("escape", "colon", "q"),
        "Esc",
        "close_related",
        "go back",
        "Take the text away that lies over the marks, or go back to where you were.",
        _IN,
        rank=0,
        needed=True,
    ),
    *(action for action in MOVES if action.id in ("difference.next", "difference.previous")),
    *(action for action in MOVES if action.id in ("pane.down", "pane.up")),
    *(action for action in LOOKS if action.id in ("look.reply", "look.reasoning", "look.input", "look.prompt")),
    *ACROSS,
    *(action for action in READING if action.id in ("look.wrap", "look.code_points")),
    *(action for action in PROGRAM if action.id != "program.quit"),
)
"""Of the screen with a problem's implementations by tests."""
