"""Actions of the screen that goes through a C* program; those that mean the same as in the replay are the same."""

from __future__ import annotations

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.looks import STANDARD_SYMBOLS
from auditor.tui.actions.replay import REPLAY

_IN = "Replay"
_SHARED_BEFORE = ("replay.forward", "replay.back")
_NOT_HERE = frozenset(
    (
        *("replay.checkpoint", "replay.contradiction", "replay.last_true", "replay.output", "replay.output_before"),
        *("replay.next_visit", "replay.previous_visit"),
        "probes.show",
    )
)


def _needs_run(situation: Situation) -> str | None:
    return None if situation.items else "There is no recorded run to go through."


def _needs_violation(situation: Situation) -> str | None:
    return _needs_run(situation) or situation.lacks.get("violation")


RULES: tuple[Action, ...] = (
    *(action for action in REPLAY if action.id in _SHARED_BEFORE),
    Action(
        "rules.next_statement",
        ("greater_than_sign",),
        ">",
        "step_statement",
        "statement",
        "Go to the first step of the next statement of a C* program.",
        _IN,
        ("next",),
        _needs_run,
        rank=1,
        name="next statement",
    ),
    Action(
        "rules.previous_statement",
        ("less_than_sign",),
        "<",
        "step_statement",
        "",
        "Go to where this statement of a C* program begins, or the one before.",
        _IN,
        ("previous",),
        _needs_run,
        name="statement before",
    ),
    Action(
        "rules.violation",
        ("x",),
        "x",
        "go_to_place",
        "violation",
        "Go to the step that violates a rule of C*.",
        _IN,
        ("violation",),
        _needs_violation,
        rank=1,
        name="violation",
    ),
    Action(
        "rules.last",
        ("o",),
        "o",
        "go_to_place",
        "end",
        "Go to the last step of a C* program's run.",
        _IN,
        ("last",),
        _needs_run,
        rank=2,
        name="last step",
    ),
    Action(
        "rules.first",
        ("O",),
        "O",
        "go_to_place",
        "",
        "Go to before the first step of a C* program's run.",
        _IN,
        ("first",),
        _needs_run,
        name="first step",
    ),
    STANDARD_SYMBOLS,
    *(action for action in REPLAY if action.id not in _NOT_HERE and action.id not in _SHARED_BEFORE),
)
"""Of the screen that goes through a C* program."""
