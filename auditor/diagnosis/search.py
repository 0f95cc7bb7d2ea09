"""Search a program's catalogue for the faults that give exactly a prediction about it, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.cpp_running import CppRunner
from auditor.diagnosis.fault import Fault
from auditor.diagnosis.running import Runner
from auditor.diagnosis.surprise import EXPECTED_BY_CHANCE, bits_of, expected_by_chance
from auditor.execution.sandbox import Sandbox
from auditor.text import counted

Stopped = Literal["programs", "seconds", "differs", "varies", "unreadable"]
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
    """The budget that ended the search early; `differs` when the program itself does not give the oracle, `varies`
    when it gives something else each time, `unreadable` when it could not be taken apart, so that only misread inputs
    were tried."""
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
        if self.stopped == "varies":
            return "the program gives something else when it is run again, so nothing that fits counts"
        if self.stopped == "unreadable":
            return "the program could not be taken apart, so only misread inputs were tried"
        if self.stopped is None:
            return f"all {counted(self.total, 'fault')} tried"
        return f"{self.tried:,} of {self.total:,} faults tried, then the budget of {self.stopped} was spent"


@dataclass(slots=True)
class _Sought:
    """One prediction, and which of the answers so far are the same."""

    case: Case
    same: dict[str, bool] = field(default_factory=dict)
    """By answer that a fault gave."""
    fitting: list[int] = field(default_factory=list)
    """Places of the faults whose answer is the prediction."""

    def is_given_by(self, answer: str) -> bool:
        if answer not in self.same:
            self.same[answer] = self.case.equal(answer, self.case.prediction)
        return self.same[answer]


def search(sandbox: Sandbox, case: Case, budget: Budget = DEFAULT_BUDGET) -> Search:
    """Try the single faults of a case and return all whose answer is the prediction.

    The prediction has to be wrong: nothing is tried where the program itself does not give the oracle.
    """
    (found,) = search_all(sandbox, [case], budget)
    return found


def search_all(sandbox: Sandbox, cases: Sequence[Case], budget: Budget = DEFAULT_BUDGET) -> list[Search]:
    """Return what `search` finds for each of several predictions about one program and input.

    The cases differ only in their predictions and policies. Each fault is run once, and the budget is that of all.
    """
    runner = CppRunner(sandbox, cases[0]) if cases[0].language == "c++" else Runner(sandbox, cases[0])
    own = runner.own
    wanted = {
        place: _Sought(case)
        for place, case in enumerate(cases)
        if own is not None and case.equal(own, case.oracle) and not case.equal(own, case.prediction)
    }
    trial = _Trial(runner, budget) if wanted else None
    if trial is not None:
        trial.run(list(wanted.values()))
        # What fits where chance decides says nothing; only then are more runs of the program itself worth their time.
        if any(sought.fitting for sought in wanted.values()) and not runner.repeats():
            trial.stopped = "varies"
            for sought in wanted.values():
                sought.fitting.clear()
    found = []
    for place, case in enumerate(cases):
        bits = bits_of(case.prediction, case.oracle)
        one = wanted.get(place)
        if one is None or trial is None:
            found.append(Search((), 0, 0, "differs", 0, bits))
        else:
            groups = trial.grouped(one.fitting)
            found.append(Search(groups, trial.tried, len(trial.faults), trial.stopped, len(trial.answers), bits))
    return found


class _Trial:
    """The faults of one program with one input, each run once whatever is asked of its answer."""

    def __init__(self, runner: Runner, budget: Budget) -> None:
        self.runner, self.budget = runner, budget
        self.faults = runner.faults()
        self.tried = 0
        self.stopped: Stopped | None = "programs" if budget.programs < len(self.faults) else None
        if runner.is_unreadable:
            self.stopped = "unreadable"
        self.answers: set[str] = set()
        """The different answers but for the program's own."""
        self._alone: dict[int, str | None] = {}
        self._behaviours: dict[int, tuple[str | None, ...]] = {}
        inputs = [fault.input for fault in self.faults if fault.input != runner.case.input]
        # Other inputs, spread over all that the catalogue has.
        self._probes = inputs[:: max(1, len(inputs) // _PROBES)][:_PROBES]

    def run(self, wanted: Sequence[_Sought]) -> None:
        """Try the faults, as many as the budget allows, and note which of them give the predictions."""
        runner, chosen = self.runner, self.faults[: self.budget.programs]
        most = runner.spent + self.budget.seconds
        answers = runner.quick_answers((fault.source, fault.input) for fault in chosen)
        for place, answer in enumerate(answers):
            self.tried += 1
            if answer is not None and answer != runner.own:
                self.answers.add(answer)
                for one in wanted:
                    if one.is_given_by(answer) and self._fits_alone(place, one.case):
                        one.fitting.append(place)
            if self.tried < len(chosen) and runner.spent > most:
                self.stopped = "seconds"
                break
        answers.close()  # type: ignore[attr-defined]  # a generator; jobs under way are given up

    def _fits_alone(self, place: int, case: Case) -> bool:
        """Run a fault in a place of its own, so that nothing that others left behind counts."""
        if place not in self._alone:
            fault = self.faults[place]
            (self._alone[place],) = self.runner.answers([(fault.source, fault.input)])
        answer = self._alone[place]
        return answer is not None and case.equal(answer, case.prediction)

    def grouped(self, fitting: Sequence[int]) -> tuple[Group, ...]:
        """Put faults of the program together that give the same on all probes; a fault of the input stands alone."""
        groups: dict[object, list[Fault]] = {}
        for number, place in enumerate(fitting):
            fault = self.faults[place]
            if fault.line is None or number >= _COMPARED or len(fitting) == 1 or not self._probes:
                groups[number] = [fault]
            else:
                groups.setdefault(self._behaviour(place), []).append(fault)
        return tuple(Group(tuple(faults)) for faults in groups.values())

    def _behaviour(self, place: int) -> tuple[str | None, ...]:
        if place not in self._behaviours:
            source = self.faults[place].source
            found = self.runner.quick_answers((source, probe) for probe in self._probes)
            self._behaviours[place] = tuple(found)
        return self._behaviours[place]
