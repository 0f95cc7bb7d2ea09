"""What is to be judged of a subject beside its program: the nearest implementation, or the probe with its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auditor.audit.asked_probe import NEAREST, asked_probe
from auditor.model import Task
from auditor.store.tasks import oracle_text

_DIMENSIONS = {
    "arithmetic": "numbers are calculated, which takes precision",
    "logic": "conditions have to be decided, joined or nested ones",
    "state": "the values of a variable are followed over a long way",
    "boundary": "it turns on an end: first, last, how often, when a loop is over",
}
"""What the dimensions of probes mean, by their names in small letters."""


def subject_card(task: Task) -> str:
    """Return the text that stands beside the program of a subject, exact as it is stored."""
    if task.question is None:
        return "\n".join(_implementation(task))
    return "\n".join([probe_card(task), *dimension_lines(task)])


def dimension_lines(task: Task) -> list[str]:
    """Return what the dimensions of a probe mean, a line each; nothing of those that are not known here."""
    return [f"{name}: {meaning}" for name in task.dimensions if (meaning := _DIMENSIONS.get(name.lower())) is not None]


def probe_card(task: Task) -> str:
    """Return what a probe asks, its answer and its dimensions."""
    return "\n".join(_probe(task))


def _implementation(task: Task) -> Iterator[str]:
    style = task.facets.get("style")
    yield f"Implementation {task.implementation} of {task.problem}" + (f", style {style}" if style else "")
    nearest = task.extra.get(NEAREST)
    if not isinstance(nearest, Mapping):
        yield "There is no other implementation to compare it with."
        return
    shared = nearest.get("jaccard")
    alike = f" ({shared:.2f} of their tokens are shared)" if isinstance(shared, float | int) else ""
    yield f"The nearest other one is {nearest.get('implementation')}{alike}:"
    yield ""
    yield str(nearest.get("source", ""))


def _probe(task: Task) -> Iterator[str]:
    asked = asked_probe(task)
    line = asked.line if asked is not None else None
    lines = task.source.split("\n")
    if line is not None and line <= len(lines):
        yield f"Line {line}: {lines[line - 1].strip()}"
    yield f"Question: {task.question}"
    yield f"Answer:   {oracle_text('probe', task.oracle)}" + (f" ({task.answer_type})" if task.answer_type else "")
    yield f"Dimensions: {', '.join(task.dimensions) or 'none'}"
