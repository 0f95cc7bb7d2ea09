"""Probes: questions about what happens in a run, proposed from its trace, with answers that come from it."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.execution.inside.loops import LoopLines
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import Trace, TraceDamagedError
from auditor.model import JsonValue
from auditor.studies.core.line_facts import LineFacts, facts_of
from auditor.studies.core.reasoning_way import dimensions_of, way_to
from auditor.studies.core.run_story import Story, recorded, same_run

AT_VISIT, AT_ITERATION, AT_EXIT = "value-at-visit", "value-at-iteration", "value-at-exit"
BRANCH, LOOP_COUNT, FIRST_TIME = "branch", "loop-count", "first-time"
KINDS = (AT_VISIT, AT_ITERATION, AT_EXIT, BRANCH, LOOP_COUNT, FIRST_TIME)
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


class _Moment(NamedTuple):
    """Where something is to be asked."""

    kind: str
    line: int
    n: int | None
    variable: str | None
    step: int
    starts: tuple[int, ...]
    """The visits that give what is asked for."""
    value: object = None
    """What is asked for, where it is no variable's value."""
    at_an_end: bool = False
    often: bool = False
    """Whether the function is called several times, or the loop begun."""


def propose(boxes: Sequence[Sandbox], source: str, call: str) -> list[Probe]:
    """Return all probes of a run, the deepest first; none where two runs differ, or the run is too long."""
    traces = [recorded(box, source, call) for box in boxes]
    first = traces[0]
    if first is None or not all(other is not None and same_run(first, other) for other in traces[1:]):
        return []
    try:
        story = Story(first, facts_of(source))
        found = [probe for probe in _probes(story, source) if _is_same(probe, traces[1:], first)]
    except (TraceDamagedError, RecursionError):
        return []
    return sorted(found, key=lambda probe: (-probe.depth, probe.line, KINDS.index(probe.kind), probe.n or 0))


def _is_same(probe: Probe, others: Sequence[Trace | None], first: Trace) -> bool:
    """Say whether what a probe asks for is the same in all runs; without a variable, the same lines say so."""
    if probe.variable is None:
        return True
    texts = {trace.state(probe.step).stack[-1].variables.get(probe.variable) for trace in (first, *others) if trace}
    return len(texts) == 1


def _probes(story: Story, source: str) -> Iterator[Probe]:
    from auditor.studies.core.probe_questions import question_of

    for moment in _moments(story):
        value = moment.value
        if moment.variable is not None:
            text = story.value(moment.variable, moment.step)
            value = _read(text)
        answer = answer_of(value)
        if answer is None:
            continue
        way = way_to(story, moment.starts)
        if not LEAST_DEPTH <= len(way) <= MOST_DEPTH:
            continue
        dimensions = dimensions_of(story, way, moment.kind, moment.variable, at_an_end=moment.at_an_end)
        question = question_of(moment.kind, source, moment.line, moment.n, moment.variable, often=moment.often)
        yield Probe(
            moment.kind,
            moment.line,
            moment.n,
            moment.variable,
            moment.step,
            answer,
            len(way),
            dimensions,
            question,
        )


class _Unusable:
    """A value about which nothing can be asked."""


def _read(text: str | None) -> object:
    if text is None or len(text) > _LONGEST_ANSWER:
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


# --- moments -------------------------------------------------------------------------------------------------------


def _moments(story: Story) -> Iterator[_Moment]:
    for line, facts in sorted(story.facts.lines.items()):
        places = story.by_line.get(line)
        if not places or facts.statements != 1 or facts.hidden or facts.ends > line:
            continue
        often = len({story.visits[place].frame for place in places}) > 1
        in_order = _is_in_order(story, places)
        if facts.assigns and in_order:
            yield from _at_visits(story, line, facts, places, often)
        if facts.condition is not None and facts.condition.body[0].lineno > line and in_order:
            yield from _at_conditions(story, line, facts.condition, places)
        if facts.loop is not None and facts.loop.body[0].lineno > line:
            yield from _at_loop(story, line, facts.loop)


def _is_in_order(story: Story, places: list[int]) -> bool:
    """Say whether a line's visits end as they begin; where it calls itself, which one is the n-th is not clear."""
    ends = [story.frames[story.visits[place].frame].after.get(place, math.inf) for place in places]
    return ends == sorted(ends)


def _some(count: int) -> list[int]:
    """Return which of so many times to ask about: the last, one in the middle, the last but one."""
    return sorted({count, (count + 1) // 2, max(1, count - 1)})


def _at_visits(story: Story, line: int, facts: LineFacts, places: list[int], often: bool) -> Iterator[_Moment]:
    for n in _some(len(places)):
        place = places[n - 1]
        step = story.frames[story.visits[place].frame].after.get(place)
        if step is not None:
            for name in sorted(facts.targets):
                yield _Moment(AT_VISIT, line, n, name, step, (place,), often=often)


def _at_conditions(story: Story, line: int, condition: ast.If | ast.While, places: list[int]) -> Iterator[_Moment]:
    held = [story.next_line(place) == condition.body[0].lineno for place in places]
    steps = [story.visits[place].step for place in places]
    for n in _some(len(places)):
        if len(places) > 1:
            left = isinstance(condition, ast.While) and not held[n - 1]
            yield _Moment(BRANCH, line, n, None, steps[n - 1], (places[n - 1],), held[n - 1], at_an_end=left)
    if True in held:
        first = held.index(True)
        if first > 0:
            starts = tuple(places[: first + 1])
            yield _Moment(FIRST_TIME, line, None, None, steps[first], starts, first + 1, at_an_end=True)


def _at_loop(story: Story, line: int, loop: ast.For | ast.While) -> Iterator[_Moment]:
    lines = LoopLines(loop)
    begun, ended = _passages(story, lines)
    headers = tuple(story.by_line.get(line, ()))
    often = len(ended) > 1
    if len(begun) > 1:
        last = story.visits[headers[-1]].step
        yield _Moment(LOOP_COUNT, line, None, None, last, headers, len(begun), at_an_end=True, often=often)
    changed = sorted({name for inner in lines.body for name in _targets(story, inner)})
    for n in _some(len(begun)) if len(begun) > 1 else []:
        place, step = begun[n - 1]
        for name in changed:
            starts = _stores_of(story, name, place)
            if starts:
                yield _Moment(AT_ITERATION, line, n, name, step, starts, at_an_end=n == len(begun), often=often)
    for n in sorted({1, len(ended)}) if ended else []:
        place, step = ended[n - 1]
        for name in changed:
            starts = _stores_of(story, name, place)
            if starts:
                yield _Moment(AT_EXIT, line, n, name, step, starts, at_an_end=True, often=often)


def _targets(story: Story, line: int) -> set[str]:
    facts = story.facts.lines.get(line)
    return facts.targets if facts else set()


def _stores_of(story: Story, name: str, place: int) -> tuple[int, ...]:
    stored = story.latest_store(name, place, story.visits[place].frame)
    return () if stored is None or story.visits[stored].frame != story.visits[place].frame else (stored,)


def _passages(story: Story, lines: LoopLines) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return where iterations of a loop begin and where it ends, as places of visits with their steps, in order."""
    begun: list[tuple[int, int]] = []
    ended: list[tuple[int, int]] = []
    for frame in story.frames.values():
        before = 0
        for place in frame.visits:
            here = story.visits[place]
            if lines.begins_iteration(before, here.line):
                begun.append((place, here.step))
            elif lines.ends(before, here.line):
                ended.append((place, here.step))
            before = here.line
    return sorted(begun), sorted(ended)
