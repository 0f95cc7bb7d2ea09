"""The moments of a run at which something can be asked: at lines, conditions and loops."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import NamedTuple

from auditor.execution.inside.loops import LoopLines
from auditor.studies.core.line_facts import LineFacts
from auditor.studies.core.run_story import Story

AT_VISIT, AT_ITERATION, AT_EXIT = "value-at-visit", "value-at-iteration", "value-at-exit"
BRANCH, LOOP_COUNT, FIRST_TIME = "branch", "loop-count", "first-time"
KINDS = (AT_VISIT, AT_ITERATION, AT_EXIT, BRANCH, LOOP_COUNT, FIRST_TIME)


class Wanted(NamedTuple):
    """What somebody wants to ask."""

    kind: str
    line: int
    n: int | None = None
    """Which visit, iteration, end or evaluation; None for the last, and where all are counted."""
    variable: str | None = None


class Moment(NamedTuple):
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


def moments(story: Story, wanted: Wanted | None = None) -> Iterator[Moment]:
    """Yield some moments at every line, or all that are as wanted.

    None are at lines that hold several statements, a comprehension or a lambda, or that call themselves: which of
    their visits is the n-th has no one answer.
    """
    for line, facts in sorted(story.facts.lines.items()):
        places = story.by_line.get(line)
        if not places or facts.statements != 1 or facts.hidden or facts.ends > line:
            continue
        if wanted is None:
            yield from _at_line(story, line, facts, places, None)
        elif line == wanted.line:
            every = _at_line(story, line, facts, places, wanted)
            yield from (one for one in every if (one.kind, one.variable) == (wanted.kind, wanted.variable))


def _at_line(story: Story, line: int, facts: LineFacts, places: list[int], wanted: Wanted | None) -> Iterator[Moment]:
    often = len({story.visits[place].frame for place in places}) > 1
    in_order = _is_in_order(story, places)
    is_header = facts.condition is not None or facts.loop is not None
    if in_order and (facts.assigns or (wanted is not None and not is_header)):
        yield from _at_visits(story, line, facts, places, often, wanted)
    if facts.condition is not None and facts.condition.body[0].lineno > line and in_order:
        yield from _at_conditions(story, line, facts.condition, places, wanted)
    if facts.loop is not None and facts.loop.body[0].lineno > line:
        yield from _at_loop(story, line, facts.loop, wanted)


def _is_in_order(story: Story, places: list[int]) -> bool:
    """Say whether a line's visits end as they begin; where it calls itself, which one is the n-th is not clear."""
    ends = [story.frames[story.visits[place].frame].after.get(place, math.inf) for place in places]
    return ends == sorted(ends)


def _times(count: int, wanted: Wanted | None) -> list[int]:
    """Return which of so many times to ask about: the last, one in the middle, the last but one; or what is wanted."""
    if wanted is None:
        return sorted({count, (count + 1) // 2, max(1, count - 1)})
    n = count if wanted.n is None else wanted.n
    return [n] if 1 <= n <= count else []


def _names(found: set[str], wanted: Wanted | None) -> list[str]:
    """Return which variables to ask about."""
    if wanted is None:
        return sorted(found)
    return [] if wanted.variable is None else [wanted.variable]


def _at_visits(
    story: Story, line: int, facts: LineFacts, places: list[int], often: bool, wanted: Wanted | None
) -> Iterator[Moment]:
    for n in _times(len(places), wanted):
        place = places[n - 1]
        frame = story.visits[place].frame
        step = story.frames[frame].after.get(place)
        for name in _names(facts.targets, wanted) if step is not None else []:
            starts = (place,) if name in facts.targets else _stores_of(story, name, place + 1, frame)
            if starts:
                yield Moment(AT_VISIT, line, n, name, step or 0, starts, often=often)


def _at_conditions(
    story: Story, line: int, condition: ast.If | ast.While, places: list[int], wanted: Wanted | None
) -> Iterator[Moment]:
    held = [story.next_line(place) == condition.body[0].lineno for place in places]
    steps = [story.visits[place].step for place in places]
    for n in _times(len(places), wanted) if len(places) > 1 or wanted else []:
        left = isinstance(condition, ast.While) and not held[n - 1]
        yield Moment(BRANCH, line, n, None, steps[n - 1], (places[n - 1],), held[n - 1], at_an_end=left)
    first = held.index(True) if True in held else 0
    if first > 0 or (wanted and True in held):
        starts = tuple(places[: first + 1])
        yield Moment(FIRST_TIME, line, None, None, steps[first], starts, first + 1, at_an_end=True)


def _at_loop(story: Story, line: int, loop: ast.For | ast.While, wanted: Wanted | None) -> Iterator[Moment]:
    lines = LoopLines(loop)
    begun, ended = _passages(story, lines)
    headers = tuple(story.by_line.get(line, ()))
    often = len(ended) > 1
    if len(begun) > 1 or wanted:
        last = story.visits[headers[-1]].step
        yield Moment(LOOP_COUNT, line, None, None, last, headers, len(begun), at_an_end=True, often=often)
    changed = {name for inner in lines.body for name in _targets(story, inner)}
    iterations = _times(len(begun), wanted) if len(begun) > 1 or wanted else []
    ends = _times(len(ended), wanted) if wanted else sorted({1, len(ended)})
    if not ended or _may_end_unseen(story, lines):
        ends = []
    for kind, passages, times in ((AT_ITERATION, begun, iterations), (AT_EXIT, ended, ends)):
        for n in times:
            place, step = passages[n - 1]
            at_an_end = kind == AT_EXIT or n == len(begun)
            for name in _names(changed, wanted):
                if starts := _stores_of(story, name, place, story.visits[place].frame):
                    yield Moment(kind, line, n, name, step, starts, at_an_end=at_an_end, often=often)


def _may_end_unseen(story: Story, lines: LoopLines) -> bool:
    """Say whether a function ended right behind the loop, without a line that shows that the loop had ended."""
    last = (story.visits[frame.visits[-1]].line for frame in story.frames.values() if frame.visits)
    return any(line in lines.span and not story.facts.lines[line].leaves for line in last if line in story.facts.lines)


def _targets(story: Story, line: int) -> set[str]:
    facts = story.facts.lines.get(line)
    return facts.targets if facts else set()


def _stores_of(story: Story, name: str, before: int, frame: int) -> tuple[int, ...]:
    """Return the visit before a place that gave a name of an activation its value, if there is one."""
    stored = story.latest_store(name, before, frame)
    return () if stored is None or story.visits[stored].frame != frame else (stored,)


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
