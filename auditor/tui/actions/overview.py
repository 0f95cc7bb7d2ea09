"""Actions of the overview, and the one that opens it."""

from __future__ import annotations

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.agreement import OPEN_AGREEMENT
from auditor.tui.actions.program import PROGRAM

_IN = "Overview"


def _needs_figure(situation: Situation) -> str | None:
    return None if situation.items else "There is no figure yet."


OPEN_OVERVIEW = Action(
    "overview.show",
    ("dollar_sign",),
    "$",
    "show_overview",
    "",
    "Show the figures of the whole file: what is in it, how far everybody is, accuracy, modes, tags, warnings.",
    "Look",
    name="overview",
)
"""Of the review and the queue screen."""

OVERVIEW: tuple[Action, ...] = (
    Action(
        "overview.open",
        ("enter",),
        "Enter",
        "open_figure",
        "open",
        "Show what the figure counts: its items in the queue, or the screen that is about it.",
        _IN,
        why_not=_needs_figure,
        rank=0,
    ),
    Action(
        "overview.section",
        ("tab",),
        "tab",
        "step_section",
        "section",
        "Go to the next section.",
        _IN,
        ("next",),
        rank=1,
        name="next section",
    ),
    Action(
        "overview.section_before",
        ("shift+tab",),
        "shift+tab",
        "step_section",
        "",
        "Go to the section before.",
        _IN,
        ("previous",),
        name="section before",
    ),
    *(
        Action(
            f"overview.{how.replace(' ', '_')}",
            keys,
            shown,
            "step_figure",
            "",
            f"{what}.",
            _IN,
            (how,),
            name=f"figure {how}",
        )
        for how, keys, shown, what in (
            ("down", ("j", "down"), "j", "Go to the figure below"),
            ("up", ("k", "up"), "k", "Go to the figure above"),
            ("left", ("left",), "left", "Go to the figure at the left"),
            ("right", ("right",), "right", "Go to the figure at the right"),
            ("page down", ("pagedown",), "PgDn", "Go down by a page"),
            ("page up", ("pageup",), "PgUp", "Go up by a page"),
            ("start", ("home",), "Home", "Go to the first figure"),
            ("end", ("end",), "End", "Go to the last figure"),
        )
    ),
    OPEN_AGREEMENT,
    Action(
        "overview.close",
        ("escape", "dollar_sign", "q"),
        "Esc",
        "close_overview",
        "back",
        "Go back to where the screen was opened.",
        _IN,
        rank=0,
        name="back",
        needed=True,
    ),
    *(action for action in PROGRAM if action.id in ("program.palette", "program.interrupt", "program.help")),
)
"""Of the overview."""
