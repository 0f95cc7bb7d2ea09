"""Actions of the overview, and the one that opens it."""

from __future__ import annotations

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.agreement import OPEN_AGREEMENT
from auditor.tui.actions.program import PROGRAM

_IN = "Overview"


def _needs_figure(situation: Situation) -> str | None:
    return None if situation.items else "There is no figure yet."


def _needs_no_secrets(situation: Situation) -> str | None:
    if situation.blind:
        return (
            "CoRE's figures show whose answers are right, and this review is blind: see them when the review is done."
        )
    return None


OPEN_CORE = Action(
    "core.show",
    ("semicolon",),
    ";",
    "show_core",
    "",
    "Show CoRE's figures: heat map, exposure, measures by setting and problem, superficial execution.",
    "Look",
    why_not=_needs_no_secrets,
    name="CoRE's figures",
)
"""Of the review, the queue and the overview."""
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


def figure_actions(area: str, within: str) -> tuple[Action, ...]:
    """Return the actions of a screen of figures: going through them, and opening one."""
    return (
        Action(
            f"{area}.open",
            ("enter",),
            "Enter",
            "open_figure",
            "open",
            "Show what the figure counts: its items in the queue, or the screen that is about it.",
            within,
            why_not=_needs_figure,
            rank=0,
        ),
        Action(
            f"{area}.section",
            ("tab",),
            "tab",
            "step_section",
            "section",
            "Go to the next section.",
            within,
            ("next",),
            rank=1,
            name="next section",
        ),
        Action(
            f"{area}.section_before",
            ("shift+tab",),
            "shift+tab",
            "step_section",
            "",
            "Go to the section before.",
            within,
            ("previous",),
            name="section before",
        ),
        *(
            Action(
                f"{area}.{how.replace(' ', '_')}",
                keys,
                shown,
                "step_figure",
                "",
                f"{what}.",
                within,
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
    )


OVERVIEW: tuple[Action, ...] = (
    *figure_actions("overview", _IN),
    OPEN_CORE,
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

CORE: tuple[Action, ...] = (
    *figure_actions("core", "CoRE"),
    Action(
        "core.close",
        ("escape", "semicolon", "q"),
        "Esc",
        "close_core",
        "back",
        "Go back to where the screen was opened.",
        "CoRE",
        rank=0,
        name="back",
        needed=True,
    ),
    *(action for action in PROGRAM if action.id in ("program.palette", "program.interrupt", "program.help")),
)
"""Of the screen with CoRE's figures."""
