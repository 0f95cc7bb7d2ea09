"""The last updates of variables before a step of a trace: values in, values out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.execution.claims import scope_at
from auditor.execution.trace import Kind, Trace

_LOOKED_BACK = 500
"""Steps that are looked through for the line that made a change, which a call may stand between."""


@dataclass(frozen=True, slots=True)
class Update:
    """How a variable came to the value that it has at a step."""

    before: str | None
    """What it was before its last change; None where it was not there, or that is not kept."""
    now: str
    step: int
    """The first kept step that has the value."""
    line: int | None
    """The line that changed it; None where that is not kept."""


def last_updates(trace: Trace, names: Sequence[str], at: int) -> dict[str, Update]:
    """Return the last update, up to a step, of each variable that this step sees; raises TraceDamagedError."""
    function, local, seen = scope_at(trace, names, at)
    last: dict[str, tuple[str | None, int]] = {}
    texts: dict[str, str | None] = {}
    for number, found in trace.values(names, function=function, local=local):
        if number > at:
            break
        for name, text in zip(names, found, strict=True):
            if text != texts.get(name):
                last[name], texts[name] = (texts.get(name), number), text
    return {
        name: Update(before, seen[name], step, _line_before(trace, step))
        for name, (before, step) in last.items()
        if name in seen and texts[name] == seen[name]
    }


def _line_before(trace: Trace, number: int) -> int | None:
    """Return the line that ran right before a step in the same frame: the one whose effect the step shows first."""
    if number not in trace:
        return None
    here = trace.step(number)
    for earlier in range(number - 1, max(-1, number - _LOOKED_BACK), -1):
        if earlier not in trace:
            return None
        step = trace.step(earlier)
        if step.kind is Kind.LINE and step.depth == here.depth and step.function == here.function:
            return step.line
        if step.depth < here.depth:
            return None
    return None
