"""The four tasks of an admitted case: prompts, checkpoints, measures and facets."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.execution.measures import Measures
from auditor.model import Checkpoint, Scalar, Task
from auditor.studies.exact_output.case import ARMS, INSIDE, SHORT
from auditor.studies.exact_output.checking import States
from auditor.studies.exact_output.static_measures import code_lines
from auditor.studies.exact_output.subject import Subject

SYSTEM = """\
Given the program and input below, determine the exact output.

<program>
{source}
</program>

<input>
{input}
</input>

Respond in this format:
{{"output":"<exact text>"}}"""
"""The prompt of the study "Evaluating Exact Output and Checkpoint-State Prediction in Real Programs" (appendix B)."""
USER = "Return the requested prediction."


def prompt_of(source: str, text: str) -> dict[str, str]:
    """Return the two messages of a task; source and input stand in them literally."""
    return {"system": SYSTEM.format(source=source, input=text), "user": USER}


def tasks_of(
    subject: Subject,
    study: str,
    outputs: Mapping[str, str],
    states: States,
    measures: Mapping[str, Measures],
    branches_preserved: bool | None,
) -> tuple[Task, ...]:
    """Return the tasks of a case, in the order of the arms."""
    case = subject.case
    facets: dict[str, Scalar] = {"loc": code_lines(case.source), **case.facets}
    if branches_preserved is not None:
        facets["branches_preserved"] = branches_preserved
    oracles = {**outputs, **states.oracles}
    tasks = []
    for arm in ARMS:
        stop = states.sources.get(arm)
        source, text = case.source if stop is None else stop.source, case.short if arm == SHORT else case.long
        tasks.append(
            Task(
                study,
                case.name,
                arm,
                case.language,
                source,
                text,
                "output" if stop is None else "state",
                oracles[arm],
                clean_source=case.source,
                checkpoint=None if stop is None else _checkpoint(arm, stop.line, states),
                prompt=prompt_of(source, text),
                measures=_measures(subject.static_measures(source), oracles[arm], measures[arm]),
                facets=facets,
            )
        )
    return tuple(tasks)


def _checkpoint(arm: str, line: int, states: States) -> Checkpoint:
    when = "before-iteration" if arm == INSIDE else "after-loop"
    return Checkpoint(line, when, states.iterations[arm], states.point.fields, states.point.loop)


def _measures(static: dict[str, float], oracle: str, found: Measures) -> dict[str, float]:
    dynamic = {
        "trace_length": found.trace_length,
        "peak_state": found.peak_state,
        "state_load": found.state_load,
    }
    return {
        **static,
        **{name: value for name, value in dynamic.items() if value is not None},
        "answer_length": len(oracle.rstrip("\n")),
    }
