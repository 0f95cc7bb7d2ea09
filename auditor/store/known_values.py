"""Dimensions whose values are known beforehand, and what is said of a value that is none."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from auditor.errors import InputError
from auditor.model import ReviewState, Status
from auditor.store.decisions import SINGLE, STATES
from auditor.store.expr import Match, unparse
from auditor.text import visible_line

GROUPS = {
    "status": {
        "wrong": (Status.WRONG_VALID.value, Status.WRONG_INVALID.value),
        "correct": (Status.CORRECT_VALID.value, Status.CORRECT_INVALID.value),
    }
}
"""Values that stand for several."""
VALUES = {
    "status": (*(status.value for status in Status), "wrong", "correct", "ungraded"),
    "state": tuple(state.value for state in ReviewState),
    "revealed": ("before", "after"),
    "non_literal": ("true", "false"),
    "decision": (*STATES, SINGLE),
    "executed": ("agrees", "disputed", "failed", "no"),
    "invalid": ("yes", "no"),
    "superficial": ("yes", "no"),
}
"""Dimensions whose values are known: another one would silently leave nothing."""

_MOST_WRITTEN = 300
"""Characters of a filter that is proposed."""


def meant(name: str, value: str) -> str:
    """Ask whether a match was meant: as it is written in a filter, quotes and all, so that it can be pasted."""
    return f"Did you mean {shortened(unparse(Match(name, (value,))))}?"


def shortened(written: str) -> str:
    """Return a filter that is proposed as it can be shown, cut where it is long."""
    return visible_line(written, _MOST_WRITTEN)


def check_values(name: str, values: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError for a value that a dimension cannot have, naming the nearest that it can."""
    for value in values:
        if value not in known:
            near = difflib.get_close_matches(value[:40], known, 1)
            hint = meant(name, near[0]) if near else f"Known: {', '.join(known)}."
            raise InputError(f"there is no {name} {visible_line(value, 40)!r}.", hint=hint)
