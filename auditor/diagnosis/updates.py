"""Compare a predicted state with what its variables were before their last update, at the granularity of lines.

`iterations` compares whole states of a loop; what changes several times within one iteration only a trace shows.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from auditor.diagnosis.case import Case
from auditor.errors import AuditorError
from auditor.execution.claims import holds, state_of
from auditor.execution.landmarks import Stop
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from auditor.execution.tracing import Budget, trace
from auditor.execution.updates import Update, last_updates
from auditor.model import Checkpoint
from auditor.text import to_bytes

_BUDGET = Budget(steps=20_000, bytes=32 << 20, seconds=20, before=4_000, after=2)


class StaleUpdate(NamedTuple):
    """A field whose predicted value is the one from before the last line that changed it."""

    field: str
    predicted: str
    right: str
    line: int | None
    code: str
    """The line's text; empty where the line is not known."""
    steps: int
    """From there to the checkpoint."""


class Updates(NamedTuple):
    """How the variables of a state came to the values that they have at the checkpoint."""

    step: int
    """The checkpoint."""
    by_name: dict[str, Update]


def updates_of(sandbox: Sandbox, case: Case, checkpoint: Checkpoint) -> Updates | None:
    """Return the last updates of the oracle's fields before a checkpoint, from one trace; None where there is none.

    There is none when the checkpoint is not among the kept steps, or the fields are not the variables of their names;
    and for C++, whose programs have no trace.
    """
    right = state_of(case.oracle)
    if right is None or case.language != "python":
        return None
    stop = Stop.of(case.source, checkpoint)
    try:
        done = trace(
            sandbox,
            Program.python(case.source),
            stdin=to_bytes(case.input),
            checkpoints=stop.moments,
            budget=_BUDGET,
        )
        step = stop.step(done)
        found = last_updates(done, list(right), step) if step is not None else {}
    except AuditorError:  # the program wrote into its own trace
        return None
    own = {name: one for name, one in found.items() if holds(one.now, right[name])}
    return Updates(step, own) if own and step is not None else None


def stale_updates(updates: Updates, case: Case) -> tuple[StaleUpdate, ...]:
    """Return the wrong fields of a prediction when each has the value from before its last update, else nothing.

    The other fields have to be right, and where there are several at least one is.
    """
    given, right = state_of(case.prediction), state_of(case.oracle)
    if given is None or right is None or given.keys() != right.keys():
        return ()
    wrong = [name for name in right if not case.equal(_text(right[name]), _text(given[name]))]
    if not wrong or len(wrong) == len(right) > 1:
        return ()
    lines = case.source.split("\n")
    found = []
    for name in wrong:
        update = updates.by_name.get(name)
        if update is None or update.before is None or not holds(update.before, given[name]):
            return ()
        line = update.line if update.line is not None and update.line <= len(lines) else None
        code = lines[line - 1].strip() if line else ""
        found.append(StaleUpdate(name, _text(given[name]), _text(right[name]), line, code, updates.step - update.step))
    return tuple(found)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
