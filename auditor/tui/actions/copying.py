"""Actions of the question what is copied to where."""

from __future__ import annotations

from auditor.tui.actions.action import Action
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.queue import QUEUE

_IN = "Copy"

COPY: tuple[Action, ...] = (
    Action(
        "choice.next",
        ("j", "down"),
        "j",
        "step_choice",
        "",
        "In a question with answers: go to the next one.",
        _IN,
        ("next",),
        name="next answer",
    ),
    Action(
        "choice.previous",
        ("k", "up"),
        "k",
        "step_choice",
        "",
        "In a question with answers: go to the previous one.",
        _IN,
        ("previous",),
        name="previous answer",
    ),
    Action(
        "choice.take",
        ("enter",),
        "Enter",
        "take_choice",
        "take it",
        "In a question with answers: this one.",
        _IN,
        rank=0,
        needed=True,
    ),
    Action(
        "choice.leave",
        ("escape", "q"),
        "Esc",
        "leave_choice",
        "back",
        "In a question with answers: go back without one.",
        _IN,
        rank=0,
        needed=True,
    ),
    *(action for action in QUEUE if action.id in ("field.take", "field.leave")),
    *(action for action in PROGRAM if action.id == "program.interrupt"),
)
"""Of the screen that asks; the letters of the answers are keys too."""
