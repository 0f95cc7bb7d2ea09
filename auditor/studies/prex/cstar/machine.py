"""What the two interpreters have in common: transitions, endings, arithmetic; and running a program step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple, NoReturn, Protocol, TypeAlias

from auditor.studies.prex.cstar.rules import Formalism, rule
from auditor.studies.prex.cstar.syntax_tree import Place, Program, While
from auditor.text import counted

STEP_BUDGET = 1_000_000
"""Steps after which a program is stopped, where nothing else is said."""
CHECKED_STEPS = 20_000
"""So often a run asks whether anybody still waits for it."""
LARGEST = 10**600
"""No value reaches it: a program whose values grow without end is stopped before they fill the memory."""


class Ending(Enum):
    """How a run ended."""

    COMPLETE = "complete"
    """Nothing is left of the program."""
    HALTED = "halted"
    """The program ended itself."""
    ERROR = "error"
    """A rule that states an error applied."""
    STUCK = "stuck"
    """No rule of the formalism applies, and the program is not over."""
    STEPS = "steps"
    """The budget of steps is used up."""
    VALUE = "value"
    """A value reached LARGEST."""


class Change(NamedTuple):
    """A variable got a value."""

    name: str
    old: int | None
    """None when it had none."""
    new: int


Context: TypeAlias = "tuple[int, Context] | None"
"""The rules that lead from the whole program to the part that made the step, innermost first."""


class Transition(NamedTuple):
    """One step of the semantics."""

    rule: int
    """The rule that applied; in S the one at the part that made the step, under those of `context`."""
    place: Place
    context: Context = None
    change: Change | None = None


class Step(NamedTuple):
    """A transition of a run, numbered from 1."""

    number: int
    rule: int
    place: Place
    context: Context
    change: Change | None

    @property
    def through(self) -> tuple[int, ...]:
        """The rules that lead to the part that made the step, outermost first; in K there are none."""
        found, context = [], self.context
        while context is not None:
            found.append(context[0])
            context = context[1]
        return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class Execution:
    """What came of a run."""

    formalism: Formalism
    ending: Ending
    steps: int
    state: Mapping[str, int]
    """The variables in the order of their declaration, as they were when the run ended."""
    rule: int | None
    """The violated rule, when a rule was."""
    place: Place | None
    """Where the run was when it ended before the program did."""
    reason: str
    """What it ended with, as half a sentence."""

    @property
    def verdict(self) -> Literal["success", "error"] | None:
        """What the benchmark asks for; None when the semantics do not say, or the budget did not suffice."""
        if self.ending in (Ending.COMPLETE, Ending.HALTED):
            return "success"
        return "error" if self.ending is Ending.ERROR else None

    @property
    def sentence(self) -> str:
        """Say in one sentence how the run ended."""
        at = f" at line {self.place.line}, column {self.place.column}" if self.place else ""
        return f"Under {self.formalism.value} the program {self.reason}{at}, after {counted(self.steps, 'step')}."


class StoppedError(Exception):
    """A machine can make no further step."""

    def __init__(self, ending: Ending, place: Place | None, reason: str) -> None:
        super().__init__(reason)
        self.ending = ending
        self.place = place
        self.reason = reason


class Machine(Protocol):
    """An interpreter of one formalism."""

    state: dict[str, int]

    def advance(self, made: list[Transition]) -> None:
        """Append the transitions of one statement to `made`; only the last of them changes the state.

        Raises StoppedError when there is no further one.
        """


def machine_of(program: Program, formalism: Formalism) -> Machine:
    """Return an interpreter at the start of a program."""
    from auditor.studies.prex.cstar.k_machine import KMachine
    from auditor.studies.prex.cstar.small_step import SmallStepMachine

    return SmallStepMachine(program) if formalism is Formalism.S else KMachine(program)


def run(
    program: Program,
    formalism: Formalism,
    budget: int = STEP_BUDGET,
    check: Callable[[], None] | None = None,
    keep: Callable[[Sequence[Transition]], None] | None = None,
) -> Execution:
    """Run a program to its end, or for so many steps.

    `check` is called now and then, and ends the run by raising. `keep` is called with the transitions of each
    statement, in a list that is used again.
    """
    machine = machine_of(program, formalism)
    made: list[Transition] = []
    steps, pause = 0, budget if check is None else min(budget, CHECKED_STEPS)
    try:
        while True:
            machine.advance(made)
            steps += len(made)
            if steps > pause:
                if steps > budget:
                    break
                if check is not None:
                    check()
                pause = min(budget, steps + CHECKED_STEPS)
            if keep is not None:
                keep(made)
            made.clear()
    except StoppedError as stop:
        steps += len(made)
        if steps <= budget:
            if keep is not None and made:
                keep(made)
            return _execution(formalism, stop, steps, machine.state, made)
    if keep is not None and steps - len(made) < budget:
        keep(made[: budget - steps])
    return _over_budget(formalism, machine.state, made, steps, budget)


class Stepper(Iterator[Step]):
    """A run step by step: iterate over it; `state` is that after the last step, `execution` is known at the end."""

    def __init__(self, program: Program, formalism: Formalism, budget: int = STEP_BUDGET) -> None:
        self.formalism = formalism
        self.state: dict[str, int] = {}
        self.execution: Execution | None = None
        self._machine = machine_of(program, formalism)
        self._budget = budget
        self._number = 0
        self._made: list[Transition] = []
        self._next = 0
        self._stop: StoppedError | None = None

    def __next__(self) -> Step:
        while self._next == len(self._made):
            self._refill()
        if self._number == self._budget:
            self.execution = _over_budget(self.formalism, self.state, self._made[self._next :], 0, self._budget)
            raise StopIteration
        transition = self._made[self._next]
        self._next += 1
        self._number += 1
        if transition.change is not None:
            self.state[transition.change.name] = transition.change.new
        return Step(self._number, *transition)

    def _refill(self) -> None:
        """Let the machine advance; ends the iteration when it has stopped."""
        if self.execution is not None:
            raise StopIteration
        if self._stop is not None:
            self.execution = _execution(self.formalism, self._stop, self._number, self.state, self._made)
            raise StopIteration
        self._made, self._next = [], 0
        try:
            self._machine.advance(self._made)
        except StoppedError as stop:
            self._stop = stop


def _execution(
    formalism: Formalism, stop: StoppedError, steps: int, state: Mapping[str, int], made: list[Transition]
) -> Execution:
    violated = made[-1].rule if stop.ending is Ending.ERROR else None
    reason = stop.reason
    if violated is not None:
        reason = f"violates Rule {violated} ({rule(formalism, violated).error})"
    return Execution(formalism, stop.ending, steps, dict(state), violated, stop.place, reason)


def _over_budget(
    formalism: Formalism, state: Mapping[str, int], made: list[Transition], steps: int, budget: int
) -> Execution:
    """Describe a run that is cut; what the last of the transitions beyond the budget changed is taken back."""
    kept = dict(state)
    change = made[-1].change
    if steps > budget and change is not None:
        if change.old is None:
            del kept[change.name]
        else:
            kept[change.name] = change.old
    beyond = made[budget - steps] if steps > budget else made[0]
    reason = "is not over yet"
    return Execution(formalism, Ending.STEPS, budget, kept, None, beyond.place, reason)


# --- for the interpreters ------------------------------------------------------------------------------------------


def quotient(left: int, right: int) -> int:
    """Return the quotient without its fraction, as C gives it: -7 / 2 is -3."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def remainder(left: int, right: int) -> int:
    """Return the remainder with the sign of the left operand, as C gives it: -7 % 2 is -1."""
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def stop_at_value(place: Place) -> NoReturn:
    """End a run whose values grow beyond LARGEST."""
    raise StoppedError(Ending.VALUE, place, "reaches a value of more than 600 digits")


def end_place(statement: While) -> Place:
    """Return where a loop's body is closed."""
    _, _, line, column = statement.place
    return Place(line, max(0, column - 1), line, column)
