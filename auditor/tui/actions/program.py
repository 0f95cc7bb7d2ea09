"""Actions about the program itself."""

from __future__ import annotations

from auditor.tui.actions.action import Action

_IN = "Program"


PROGRAM: tuple[Action, ...] = (
    Action(
        "program.palette",
        ("ctrl+p",),
        "ctrl+p",
        "show_palette",
        "",
        "Search for an action or a theme by its name.",
        _IN,
        name="palette",
    ),
    Action(
        "program.quit",
        ("q", "ctrl+q"),
        "q",
        "quit_review",
        "quit",
        "Leave the review; every mark is saved already.",
        _IN,
        rank=0,
        needed=True,
    ),
    Action(
        "program.interrupt",
        ("ctrl+c",),
        "ctrl+c",
        "interrupt",
        "",
        "Say how to leave; pressed twice, leave.",
        _IN,
        while_writing=True,
        name="interrupt",
        needed=True,
    ),
    Action(
        "program.help",
        ("question_mark", "f1"),
        "?",
        "show_help",
        "help",
        "Show keys and tags.",
        _IN,
        rank=0,
        needed=True,
    ),
)
