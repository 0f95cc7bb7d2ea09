"""Actions of the agreement screen, and the one that opens it."""

from __future__ import annotations

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.program import PROGRAM

_IN = "Agreement"


def _needs_no_secrets(situation: Situation) -> str | None:
    if situation.blind:
        return (
            "Agreement shows what others said of the items, and this review is blind: see it when the review is done."
        )
    if situation.again:
        return "Agreement shows what was said of the items, and these come back as fresh ones: see it afterwards."
    return None


def _needs_numbers(situation: Situation) -> str | None:
    return None if situation.items else "There is no number here that stands for items."


OPEN_AGREEMENT = Action(
    "agreement.show",
    ("percent_sign",),
    "%",
    "show_agreement",
    "",
    "Show how far the annotators agree.",
    "Look",
    why_not=_needs_no_secrets,
    name="agreement",
)
"""Of the review and the queue screen."""

AGREEMENT: tuple[Action, ...] = (
    Action(
        "agreement.items",
        ("enter",),
        "Enter",
        "show_items",
        "items",
        "Show the items behind the number: those that the two see otherwise, or those of the cell.",
        _IN,
        why_not=_needs_numbers,
        rank=0,
    ),
    Action(
        "agreement.pane",
        ("tab",),
        "tab",
        "next_table",
        "table",
        "Go to the next table: annotators, tags, confusion.",
        _IN,
        ("next",),
        rank=1,
        name="next table",
    ),
    Action(
        "agreement.pane_before",
        ("shift+tab",),
        "shift+tab",
        "next_table",
        "",
        "Go to the table before.",
        _IN,
        ("previous",),
        name="table before",
    ),
    *(
        Action(
            f"agreement.{how.replace(' ', '_')}",
            keys,
            shown,
            "step_cell",
            "",
            f"{what}.",
            _IN,
            (how,),
            name=f"cell {how}",
        )
        for how, keys, shown, what in (
            ("down", ("j", "down"), "j", "Go to the cell below"),
            ("up", ("k", "up"), "k", "Go to the cell above"),
            ("left", ("left",), "left", "Go to the cell at the left"),
            ("right", ("right",), "right", "Go to the cell at the right"),
            ("page down", ("pagedown",), "PgDn", "Go down by a page"),
            ("page up", ("pageup",), "PgUp", "Go up by a page"),
            ("start", ("home",), "Home", "Go to the first row"),
            ("end", ("end",), "End", "Go to the last row"),
        )
    ),
    Action(
        "agreement.how",
        ("i",),
        "i",
        "show_how",
        "how",
        "Say how the numbers were computed, or show the tables again.",
        _IN,
        rank=2,
        name="how it was computed",
    ),
    Action(
        "agreement.close",
        ("escape", "percent_sign", "q"),
        "Esc",
        "close_agreement",
        "back",
        "Go back to where the screen was opened.",
        _IN,
        rank=0,
        name="back",
        needed=True,
    ),
    *(action for action in PROGRAM if action.id in ("program.palette", "program.interrupt", "program.help")),
)
"""Of the agreement screen."""
