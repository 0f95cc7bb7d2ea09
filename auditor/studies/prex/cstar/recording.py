"""A whole run that can be gone through in any direction: every step, and the variables after any of them.

A step costs some bytes: what a rule did where is one object for all steps that do it, and of the variables only the
changes are kept. So the whole budget of steps fits, and no step needs another one to be found.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from auditor.studies.prex.cstar.machine import (
    STEP_BUDGET,
    Change,
    Execution,
    Step,
    Transition,
    run,
)
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import Place, Program, While, every_statement

_TURN_OF_S, _UNFOLDS, _TAKES_BODY = 70, 25, 22
"""The rules by which a turn of a loop begins: in S one, in K the unfolding of the loop and then the condition's."""


class _Values(NamedTuple):
    """What one variable was set to."""

    steps: array[int]
    values: list[int]


class Recording:
    """Steps are numbered from 1; at 0 nothing has happened yet."""

    def __init__(self, program: Program, formalism: Formalism) -> None:
        self.formalism = formalism
        self.execution: Execution
        """How the run ended; known when all of it is recorded."""
        self.loops: Sequence[Place] = [
            statement.place for statement, _, _ in every_statement(program) if isinstance(statement, While)
        ]
        """Where the loops of the program stand, outer ones before inner ones."""
        self.turns: dict[int, array[int]] = {at: array("l") for at in range(len(self.loops))}
        """The steps with which turns begin, by the loop's number."""
        self.reached: dict[int, int] = {}
        """The first step at each line."""
        self._steps: list[Transition] = []
        self._statements = array("l")
        self._values: dict[str, _Values] = {}
        self._kept: dict[tuple[int, Place], Transition] = {}
        self._loop_at = {(place.line, place.column): number for number, place in enumerate(self.loops)}

    def __len__(self) -> int:
        return len(self._steps)

    # --- recording -------------------------------------------------------------------------------------------------

    def add(self, made: Sequence[Transition]) -> None:
        """Keep the transitions of one statement."""
        first = len(self._steps) + 1
        self._statements.append(first)
        for transition in made:
            rule, place, context, change = transition
            if change is not None:
                self._change(len(self._steps) + 1, change)
            if change is not None or context is None:
                # Those of S with a context are made once for the program; the others are made at every step.
                transition = self._kept.setdefault((rule, place), Transition(rule, place, context))
            self._steps.append(transition)
            self.reached.setdefault(place.line, len(self._steps))
        last = made[-1]
        begins = last.rule == _TURN_OF_S
        if self.formalism is Formalism.K:
            begins = made[0].rule == _UNFOLDS and last.rule == _TAKES_BODY
        if begins and (loop := self._loop_at.get((last.place.line, last.place.column))) is not None:
            self.turns[loop].append(first)

    def _change(self, step: int, change: Change) -> None:
        found = self._values.setdefault(change.name, _Values(array("l"), []))
        found.steps.append(step)
        found.values.append(change.new)

    # --- steps -----------------------------------------------------------------------------------------------------

    def step(self, number: int) -> Step:
        """Return a step, 1 or later."""
        rule, place, context, _ = self._steps[number - 1]
        return Step(number, rule, place, context, self.change(number))

    def change(self, number: int) -> Change | None:
        """Return what a step changes."""
        for name, found in self._values.items():
            at = bisect_left(found.steps, number)
            if at < len(found.steps) and found.steps[at] == number:
                return Change(name, found.values[at - 1] if at else None, found.values[at])
        return None

    def state(self, number: int) -> Mapping[str, int]:
        """Return the variables after a step, in the order of their declaration."""
        ends = ((name, found, bisect_right(found.steps, number)) for name, found in self._values.items())
        return {name: found.values[end - 1] for name, found, end in ends if end}

    def statement_of(self, number: int) -> int:
        """Return which statement of the run a step belongs to, from 1; 0 for the start."""
        return bisect_right(self._statements, number)

    @property
    def statements(self) -> Sequence[int]:
        """The first step of each statement that was executed."""
        return self._statements

    def changes_of(self, name: str) -> Sequence[int]:
        """Return the steps that set a variable."""
        found = self._values.get(name)
        return found.steps if found is not None else ()

    def loops_around(self, line: int, column: int) -> list[int]:
        """Return the numbers of the loops that a place is in, the outermost first."""
        here = (line, column)
        return [
            number
            for number, loop in enumerate(self.loops)
            if (loop.line, loop.column) <= here < (loop.end_line, loop.end_column)
        ]

    @property
    def violation(self) -> int | None:
        """The step that violates a rule: the last one, where one does."""
        return len(self) if self.execution.rule is not None else None


def record(
    program: Program, formalism: Formalism, budget: int = STEP_BUDGET, check: Callable[[], None] | None = None
) -> Recording:
    """Run a program and keep every step; `check` is called now and then, and ends the run by raising."""
    recording = Recording(program, formalism)
    recording.execution = run(program, formalism, budget, check, recording.add)
    return recording
