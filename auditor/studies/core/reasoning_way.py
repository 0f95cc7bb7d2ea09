"""How far one has to go through a run to answer a question about it, and what one meets on the way."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from auditor.studies.core.run_story import Story

ARITHMETIC, LOGIC, STATE, BOUNDARY = "Arithmetic", "Logic", "State", "Boundary"
DIMENSIONS = (ARITHMETIC, LOGIC, STATE, BOUNDARY)
_HISTORY = 3
"""Times that a variable is given a value before its history counts as one."""
_CALCULATIONS = 2


class _Need(NamedTuple):
    """A visit that is needed; of the functions that it calls only those that began before the activation `until`."""

    place: int
    until: int | None = None


def way_to(story: Story, starts: Iterable[int]) -> set[int]:
    """Return the places of all visits on which some depend: a backward slice of the run (Korel and Laski 1988).

    A visit depends on the last one that gave each name in it a value, on the conditions and loops around it, on the
    call of its function, and on the last line of each function that it calls. Objects are told apart by their names
    only, so the slice may hold more than is needed. Lines outside of functions are not in it.
    """
    seen: set[_Need] = set()
    todo = [_Need(place) for place in starts]
    while todo:
        need = todo.pop()
        if need not in seen:
            seen.add(need)
            todo += _depends_on(story, need)
    return {need.place for need in seen if story.visits[need.place].line in story.facts.lines}


def _depends_on(story: Story, need: _Need) -> Iterator[_Need]:
    place, visit = need.place, story.visits[need.place]
    for child in story.children.get(place, ()):
        if need.until is None or child < need.until:
            yield _Need(story.frames[child].visits[-1])
    facts = story.facts.lines.get(visit.line)
    if facts is None:
        return
    frame = story.frames[visit.frame]
    parameters = story.facts.parameters.get(visit.function, frozenset())
    for name in facts.loads:
        stored = story.latest_store(name, place, visit.frame)
        given = name in parameters and (stored is None or story.visits[stored].frame != visit.frame)
        if given and frame.caller is not None:
            yield _Need(frame.caller, visit.frame)
        elif stored is not None:
            yield _Need(stored)
    if facts.headers:
        earlier = frame.visits[: bisect.bisect_left(frame.visits, place)]
        header = next((one for one in reversed(earlier) if story.visits[one].line == facts.headers[0]), None)
        if header is not None:
            yield _Need(header)
    elif frame.caller is not None:
        yield _Need(frame.caller, visit.frame)


def dimensions_of(story: Story, way: set[int], kind: str, variable: str | None, *, at_an_end: bool) -> tuple[str, ...]:
    """Return the dimensions that a question spans.

    Arithmetic: at least two visits on the way calculate a number, other than one more or less. Logic: it asks about a
    condition, or conditions of at least two lines, or one that joins several, are on the way. State: it asks for a
    variable that was given a value at least three times on the way. Boundary: it asks about the end or the last
    iteration of a loop, how many there are, or when something happens first. Where none holds, State for a value.
    """
    lines = story.facts.lines
    met = {story.visits[place].line for place in way}
    found = []
    if sum(_calculates(story, place) for place in way) >= _CALCULATIONS:
        found.append(ARITHMETIC)
    conditions = [line for line in met if line in lines and lines[line].decides]
    if kind in ("branch", "first-time") or len(conditions) > 1 or any(lines[line].compound for line in conditions):
        found.append(LOGIC)
    changed = sum(variable in story.lines_stores(story.visits[place].line) for place in way) if variable else 0
    if changed >= _HISTORY:
        found.append(STATE)
    if at_an_end:
        found.append(BOUNDARY)
    return tuple(found) or (STATE,)


def _calculates(story: Story, place: int) -> bool:
    """Say whether a visit calculates a number: what it stores, if anything, is one."""
    facts = story.facts.lines.get(story.visits[place].line)
    if facts is None or not facts.calculates:
        return False
    after = story.frames[story.visits[place].frame].after.get(place)
    if not facts.targets or after is None:
        return True
    values = [story.value(name, after) for name in facts.targets]
    return any(value is not None and value[:1] in "-0123456789" for value in values)
