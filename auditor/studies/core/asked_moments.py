"""The moment that a probe asks about, found in a trace of its run: the step, the line's visits, the span it counts."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from auditor.execution.landmarks import Check, no_check
from auditor.execution.trace import Kind, Trace
from auditor.studies.core.line_facts import SourceFacts, facts_of
from auditor.studies.core.probe_moments import AT_VISIT, BRANCH, FIRST_TIME, LOOP_COUNT, Moment, Wanted, moments
from auditor.studies.core.probes import Answer, answer_at
from auditor.studies.core.run_story import Story

_STEPS_A_CHECK = 4096
_LONGEST = 20_000
"""Characters of a value as Python writes it."""


class FoundMoment(NamedTuple):
    """Where a trace shows what a probe asks for."""

    step: int
    answer: Answer | None
    """What the run gives; None where that is no value that JSON has, or was not kept whole."""
    visit: int | None
    """Which visit of the line is asked about, from 1; None where several are counted, or the loop's end is meant."""
    span: tuple[int, int] | None
    """The first and the last step of what is counted; None where one moment is asked about."""
    names: tuple[str, ...]
    """The variables that the question is about: the one asked for, or those that the condition reads."""


def visits_of(trace: Trace, line: int, check: Check = no_check) -> tuple[int, ...]:
    """Return the kept steps that are about to run a line, in order."""
    found = []
    for count, passing in enumerate(trace.passings()):
        if not count % _STEPS_A_CHECK:
            check()
        if passing.line == line and passing.kind == Kind.LINE:
            found.append(passing.number)
    return tuple(found)


def find_moment(trace: Trace, source: str, wanted: Wanted) -> FoundMoment | None:
    """Find the moment that somebody asks about in a whole trace; None where the run has none such.

    Raises SyntaxError, RecursionError, and TraceDamagedError where the program wrote into the trace.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes of a program are nobody's concern here
        story = Story(trace, facts_of(source))
        moment = next(iter(moments(story, wanted)), None)
    if moment is None:
        return None
    return FoundMoment(
        moment.step,
        answer_at(story, moment, _LONGEST),
        _visit(story, moment),
        _span(story, moment),
        _names(story.facts, moment),
    )


def _visit(story: Story, moment: Moment) -> int | None:
    if moment.kind in (AT_VISIT, BRANCH):
        return moment.n
    return moment.value if moment.kind == FIRST_TIME and isinstance(moment.value, int) else None


def _span(story: Story, moment: Moment) -> tuple[int, int] | None:
    if moment.kind not in (LOOP_COUNT, FIRST_TIME):
        return None
    steps = [story.visits[place].step for place in moment.starts]
    return min(steps), max(steps)


def _names(facts: SourceFacts, moment: Moment) -> tuple[str, ...]:
    if moment.variable is not None:
        return (moment.variable,)
    line = facts.lines.get(moment.line)
    read = line.loads if line is not None else set()
    return tuple(sorted(name for name in read if name.isidentifier()))
