"""The run of an implementation with a test, as a list of lines with the activation of each; values at any of them."""

from __future__ import annotations

import bisect
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import Kind, Trace, TraceDamagedError
from auditor.execution.tracing import Budget, trace
from auditor.studies.core.line_facts import SourceFacts

LONGEST = 3_000
"""Steps of a run about which is asked; a longer one is nothing to go through by reasoning."""
_SECONDS = 10.0


def program_of(source: str, call: str) -> str:
    """Return the program that a run is: the implementation, whose lines keep their numbers, and the call below it."""
    return f"{source.rstrip()}\n\nprint(repr({call}))\n"


def recorded(box: Sandbox, source: str, call: str) -> Trace | None:
    """Return the trace of a call; None where it is too long, or did not come to its end."""
    found = trace(box, Program.python(program_of(source, call)), budget=Budget(steps=LONGEST, seconds=_SECONDS))
    return found if found.cut is None and found.run.outcome.finished and not found.loose else None


@dataclass(frozen=True, slots=True)
class Visit:
    """A line that is about to run."""

    step: int
    """Of the trace."""
    line: int
    frame: int
    """The number of the activation of its function."""
    function: str


@dataclass(slots=True)
class Frame:
    """One activation of a function."""

    visits: list[int] = field(default_factory=list)
    """Places of its visits in the story."""
    caller: int | None = None
    """The place of the visit that began it."""
    after: dict[int, int] = field(default_factory=dict)
    """By the place of a visit: the step of the trace at which its effect can be seen, in the same activation."""


class Story:
    """All visits of a run in their order, and how they follow each other."""

    def __init__(self, trace: Trace, facts: SourceFacts) -> None:
        """Raise TraceDamagedError where the program wrote into its own trace."""
        self.trace = trace
        self.facts = facts
        self.visits: list[Visit] = []
        self.frames: dict[int, Frame] = defaultdict(Frame)
        self._tell()

    def _tell(self) -> None:
        numbers = [passing.frame for passing in self.trace.passings()]
        stack: list[tuple[int, int]] = []
        for step, frame in zip(self.trace.steps(), numbers, strict=True):
            known = self.frames[frame]
            del stack[max(0, step.depth - 1) :]
            if not known.visits and stack:
                known.caller = self._last_of(stack[-1][0])
            stack.append((frame, step.depth))
            if known.visits:
                known.after.setdefault(known.visits[-1], step.number)
            if step.kind is Kind.LINE:
                known.visits.append(len(self.visits))
                self.visits.append(Visit(step.number, step.line, frame, step.function))

    def _last_of(self, frame: int) -> int | None:
        visits = self.frames[frame].visits
        return visits[-1] if visits else None

    @cached_property
    def by_line(self) -> dict[int, list[int]]:
        """The places of the visits of each line."""
        found: dict[int, list[int]] = defaultdict(list)
        for place, visit in enumerate(self.visits):
            found[visit.line].append(place)
        return dict(found)

    @cached_property
    def stores(self) -> dict[str, list[int]]:
        """By name: the places of the visits that give it a value."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, visit in enumerate(self.visits):
            for name in self.lines_stores(visit.line):
                found[name].append(place)
        return dict(found)

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """By the place of a visit: the activations that it began."""
        found: dict[int, list[int]] = defaultdict(list)
        for number, frame in self.frames.items():
            if frame.caller is not None:
                found[frame.caller].append(number)
        return dict(found)

    def lines_stores(self, line: int) -> set[str]:
        """Return the names that a line gives a value."""
        facts = self.facts.lines.get(line)
        return facts.stores if facts else set()

    def next_line(self, place: int) -> int | None:
        """Return the line that follows a visit in its activation; None where it ends."""
        visits = self.frames[self.visits[place].frame].visits
        at = bisect.bisect_right(visits, place)
        return self.visits[visits[at]].line if at < len(visits) else None

    def latest_store(self, name: str, before: int, frame: int) -> int | None:
        """Return the last visit before a place that gives a name its value: in the activation, else in any."""
        places = self.stores.get(name, [])
        end = bisect.bisect_left(places, before)
        anywhere = places[end - 1] if end else None
        if name.startswith("."):
            return anywhere
        own = next((place for place in reversed(places[:end]) if self.visits[place].frame == frame), None)
        return anywhere if own is None else own

    def value(self, name: str, step: int) -> str | None:
        """Return the text of a variable of the activation at a step of the trace; None where there is none."""
        return self.trace.state(step).stack[-1].variables.get(name)


def same_run(one: Trace, other: Trace) -> bool:
    """Say whether two runs take the same lines one after the other."""
    try:
        ours = [(passing.kind, passing.line, passing.frame) for passing in one.passings()]
        return ours == [(passing.kind, passing.line, passing.frame) for passing in other.passings()]
    except TraceDamagedError:
        return False
