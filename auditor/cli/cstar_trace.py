"""`auditor trace` of a C* item: the steps of its semantics, the violated rule, and the final state."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from auditor.cli.cstar_results import execution_json, print_execution, print_trace, step_json
from auditor.cli.output import print_json, print_text
from auditor.errors import InputError
from auditor.text import from_bytes, visible_line

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem
    from auditor.studies.prex.cstar.machine import Step

_LAST = 20
"""Steps that are listed where nothing else is asked for: those before the end."""


def trace_cstar(item: ReviewItem, steps: range | None, changes: str | None, limit: int, *, as_json: bool) -> int:
    """Run an item's program and print its last steps, those of a range, or those that change a variable."""
    from auditor.audit.cstar_run import cstar_job, formalism_of_task, notation_of_task
    from auditor.audit.not_runnable import NotRunnable
    from auditor.studies.prex.cstar.machine import Stepper
    from auditor.studies.prex.cstar.parsing import parse

    job, formalism, notation = cstar_job(item.task), formalism_of_task(item.task), notation_of_task(item.task)
    if isinstance(job, NotRunnable) or formalism is None or notation is None:
        why = job.reason if isinstance(job, NotRunnable) else "its semantics are not known"
        raise InputError(f"the program cannot be run: {why}.")
    stepper = Stepper(parse(from_bytes(job.source), notation), formalism)
    kept: deque[Step] = deque(maxlen=_LAST if steps is None and changes is None else None)
    for step in stepper:
        asked = step.number in steps if steps is not None else changes is None or _changes(step, changes)
        if asked and (kept.maxlen is not None or len(kept) < limit):
            kept.append(step)
    execution = stepper.execution
    assert execution is not None
    prediction = item.grade.prediction if item.grade else None
    if as_json:
        told = {"item": str(item.key), "oracle": item.task.oracle, "prediction": prediction}
        print_json({**told, **execution_json(execution), "list": [step_json(step) for step in kept]})
        return 0
    last = "These are the last {} of {} steps; --steps A-B lists others."
    print_trace(tuple(kept), execution, last if kept.maxlen is not None else "These are {} of {} steps.")
    print_execution(execution)
    print_text(f"Predicted: {visible_line(prediction, 200) if prediction is not None else 'nothing'}.")
    return 0


def _changes(step: Step, name: str) -> bool:
    return step.change is not None and step.change.name == name
