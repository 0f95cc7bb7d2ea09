"""Probes: questions about what happens in a run, proposed from its trace, with answers that come from it."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import Trace, TraceDamagedError
from auditor.model import JsonValue
from auditor.studies.core.line_facts import facts_of
from auditor.studies.core.probe_moments import KINDS, Moment, Wanted, moments
from auditor.studies.core.probe_questions import question_of
from auditor.studies.core.reasoning_way import dimensions_of, way_to
from auditor.studies.core.run_story import LONGEST, Story, recorded, same_run

LEAST_DEPTH, MOST_DEPTH = 4, 150
"""Visits on the way to an answer: fewer are trivial, more are drudgery."""
_LONGEST_ANSWER = 60
"""Characters of an answer as Python writes it."""


class Answer(NamedTuple):
    """The value that is asked for, as JSON has it, and its type."""

    value: JsonValue
    answer_type: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A question about a run."""

    kind: str
    line: int
    n: int | None
    """Which visit, iteration, end or evaluation; None where all are counted."""
    variable: str | None
    step: int
    """Of the trace: where the answer can be seen."""
    answer: Answer
    depth: int
    """Visits of lines on which the answer depends."""
    dimensions: tuple[str, ...]
    question: str


def propose(boxes: Sequence[Sandbox], source: str, call: str) -> list[Probe]:
    """Return all probes of a run, the deepest first; none where two runs differ, or the run is too long."""
    run = run_to_ask(boxes, source, call)
    return run.propose() if isinstance(run, RunToAsk) else []


def asked(boxes: Sequence[Sandbox], source: str, call: str, wanted: Wanted) -> Probe | None:
    """Return the probe that somebody wants, of whatever depth, with its answer; None where the run has none such."""
    run = run_to_ask(boxes, source, call)
    return run.asked(wanted) if isinstance(run, RunToAsk) else None


class Unaskable(NamedTuple):
    """A run about which nothing can be asked."""

    why: str
    """A sentence."""


@dataclass(frozen=True, slots=True)
class RunToAsk:
    """A run about which can be asked: recorded once in each sandbox, and the same in all of them."""

    source: str
    story: Story
    others: tuple[Trace, ...]

    def propose(self) -> list[Probe]:
        """Return all probes that are neither trivial nor drudgery, the deepest first."""
        found = [one for one in self._found(None) if LEAST_DEPTH <= one.depth <= MOST_DEPTH]
        return sorted(found, key=lambda probe: (-probe.depth, probe.line, KINDS.index(probe.kind), probe.n or 0))

    def asked(self, wanted: Wanted) -> Probe | None:
        """Return the probe that somebody wants, of whatever depth; None where the run has none such."""
        return next(iter(self._found(wanted)), None)

    def _found(self, wanted: Wanted | None) -> list[Probe]:
        try:
            probes = [_probe(self.story, self.source, moment) for moment in moments(self.story, wanted)]
            return [one for one in probes if one is not None and self._is_same(one)]
        except (TraceDamagedError, RecursionError):
            return []

    def _is_same(self, probe: Probe) -> bool:
        """Say whether what a probe asks for is the same in all runs; without a variable, the same lines say so."""
        if probe.variable is None:
            return True
        traces = (self.story.trace, *self.others)
        return len({trace.state(probe.step).stack[-1].variables.get(probe.variable) for trace in traces}) == 1


def run_to_ask(boxes: Sequence[Sandbox], source: str, call: str) -> RunToAsk | Unaskable:
    """Run a call in every sandbox; return what can be asked about, or why nothing can.

    The sandboxes differ in the seed of Python's hashes, so that nothing is asked that depends on it.
    """
    found: list[Trace] = []
    for box in boxes:
        trace = recorded(box, source, call)
        if trace is None:
            return Unaskable(f"the run does not come to its end, or has more than {LONGEST:,} steps.")
        found.append(trace)
    first, *others = found
    if not all(same_run(first, other) for other in others):
        return Unaskable("two runs of the call do not take the same lines, so nothing about them has one answer.")
    try:
        return RunToAsk(source, Story(first, facts_of(source)), tuple(others))
    except (TraceDamagedError, RecursionError):
        return Unaskable("the program disturbs its own trace, so nothing can be said of its run.")


def _probe(story: Story, source: str, moment: Moment) -> Probe | None:
    """Return the question about a moment; None where there is no answer that JSON has."""
    answer = answer_at(story, moment)
    if answer is None:
        return None
    kind, line, n, variable, step = moment[:5]
    way = way_to(story, moment.starts)
    dimensions = dimensions_of(story, way, kind, variable, at_an_end=moment.at_an_end)
    question = question_of(kind, source, line, n, variable, often=moment.often)
    return Probe(kind, line, n, variable, step, answer, len(way), dimensions, question)


def answer_at(story: Story, moment: Moment, longest: int = _LONGEST_ANSWER) -> Answer | None:
    """Return what is asked for at a moment; None where JSON has no such value, or Python writes more characters."""
    if moment.variable is None:
        return answer_of(moment.value)
    return answer_of(_read(story.value(moment.variable, moment.step), longest))


class _Unusable:
    """A value about which nothing can be asked."""


def _read(text: str | None, longest: int) -> object:
    if text is None or len(text) > longest:
        return _Unusable()
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return _Unusable()


def answer_of(value: object) -> Answer | None:
    """Return a Python value as an answer; None for one that JSON does not have."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "list", tuple: "list"}
    kinds |= {dict: "object", type(None): "null"}
    kind = kinds.get(type(value))
    if kind is None:
        return None
    try:
        return Answer(_json(value), kind)
    except ValueError:
        return None


def _json(value: object) -> JsonValue:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _json(item) for key, item in value.items()}
    raise ValueError
