"""Search a case's catalogue for the faults that give exactly the prediction, within a budget."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.catalogue import catalogue
from auditor.diagnosis.fault import Fault
from auditor.diagnosis.running import Runner, lines_run
from auditor.diagnosis.surprise import EXPECTED_BY_CHANCE, bits_of, expected_by_chance
from auditor.execution.sandbox import Sandbox
from auditor.text import counted

Stopped = Literal["programs", "seconds", "differs"]
DEFAULT_BUDGET = Budget()
_PROBES = 12
"""Other inputs on which faults that fit are told apart."""
_COMPARED = 24
"""Faults that are told apart in this way; further ones stand by themselves."""


@dataclass(frozen=True, slots=True)
class Group:
    """Faults that fit and that also did the same on every other input they were tried on."""

    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found; more than one group means that the cause is not known."""

    groups: tuple[Group, ...]
    tried: int
    """Faulty programs that were run."""
    total: int
    """Those that the catalogue has."""
    stopped: Stopped | None
    """The budget that ended the search early; `differs` when the program itself does not give the oracle."""
    different: int
    """Different wrong answers that were met."""
    bits: float
    """How much the prediction tells, see `surprise`."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults that fit."""
        return tuple(fault for group in self.groups for fault in group.faults)

    @property
    def weak(self) -> bool:
        """Whether the prediction is such that a fault may give it by chance."""
        return expected_by_chance(self.bits, self.different) > EXPECTED_BY_CHANCE

    @property
    def cause(self) -> Fault | None:
        """The one fault that may be called the cause: it alone fits, all were tried, and the evidence is not weak.

        Faults of one kind in one line that cannot be told apart count as one.
        """
        if len(self.groups) != 1 or self.weak or self.stopped is not None:
            return None
        faults = self.groups[0].faults
        return faults[0] if len({(fault.kind, fault.line) for fault in faults}) == 1 else None

    @property
    def extent(self) -> str:
        """Say how much was tried."""
        if self.stopped == "differs":
            return "the program itself does not give the oracle, so no fault was tried"
        if self.stopped is None:
            return f"all {counted(self.total, 'fault')} tried"
        return f"{self.tried:,} of {self.total:,} faults tried, then the budget of {self.stopped} was spent"


def search(sandbox: Sandbox, case: Case, budget: Budget = DEFAULT_BUDGET) -> Search:
    """Try the single faults of a case and return all whose answer is the prediction.

    The prediction has to be wrong: nothing is tried where the program itself does not give the oracle.
    """
    deadline = time.monotonic() + budget.seconds
    bits = bits_of(case.prediction, case.oracle)
    runner = Runner(sandbox, case)
    own = runner.own
    if own is None or not case.equal(own, case.oracle) or case.equal(own, case.prediction):
        return Search((), 0, 0, "differs", 0, bits)
    counts = lines_run(sandbox, case)

    def is_reached(first: int, last: int) -> bool:
        return counts is None or any(line in counts for line in range(first, last + 1))

    faults = catalogue(case, counts or {}, is_reached)
    chosen = faults[: budget.programs]
    stopped: Stopped | None = "programs" if len(chosen) < len(faults) else None
    same: dict[str, bool] = {own: False}
    fitting: list[Fault] = []
    tried = 0
    answers = runner.quick_answers((fault.source, fault.input) for fault in chosen)
    for fault, answer in zip(chosen, answers, strict=False):
        tried += 1
        if answer is not None:
            if answer not in same:
                same[answer] = case.equal(answer, case.prediction)
            if same[answer] and _fits_alone(runner, fault, case):
                fitting.append(fault)
        if tried < len(chosen) and time.monotonic() > deadline:
            stopped = "seconds"
            break
    answers.close()  # type: ignore[attr-defined]  # a generator; jobs under way are given up
    groups = _grouped(runner, fitting, _probes(case, faults))
    return Search(groups, tried, len(faults), stopped, len(same) - 1, bits)


def _fits_alone(runner: Runner, fault: Fault, case: Case) -> bool:
    """Run a fault in a place of its own, so that nothing that others left behind counts."""
    (answer,) = runner.answers([(fault.source, fault.input)])
    return answer is not None and case.equal(answer, case.prediction)


def _probes(case: Case, faults: list[Fault]) -> list[str]:
    """Return other inputs, spread over all that the catalogue has."""
    inputs = [fault.input for fault in faults if fault.input != case.input]
    step = max(1, len(inputs) // _PROBES)
    return inputs[::step][:_PROBES]


def _grouped(runner: Runner, fitting: list[Fault], probes: list[str]) -> tuple[Group, ...]:
    """Put faults of the program together that give the same on all probes; a fault of the input stands alone."""
    groups: dict[object, list[Fault]] = {}
    for number, fault in enumerate(fitting):
        if fault.line is None or number >= _COMPARED or len(fitting) == 1 or not probes:
            groups[number] = [fault]
        else:
            behaviour = tuple(runner.quick_answers((fault.source, probe) for probe in probes))
            groups.setdefault(behaviour, []).append(fault)
    return tuple(Group(tuple(faults)) for faults in groups.values())
