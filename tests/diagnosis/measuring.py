"""Search for planted faults, and count what is named rightly and what wrongly."""

from __future__ import annotations

import random
from dataclasses import dataclass

from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.search import Search, search_all
from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from auditor.grading.policies import JSON_OR_TOKENS, PYTHON_LITERAL
from tests.diagnosis.planting import Planted, outsiders, pairs, singles

_LIMITS = Limits(wall=1, cpu=1, output=1 << 16)


BUDGET = Budget(programs=3_000, seconds=120)


def equal(left: str, right: str) -> bool:
    """Compare as most outputs are graded."""
    return JSON_OR_TOKENS.equal(left, right).correct


def equal_literals(left: str, right: str) -> bool:
    """Compare as values of functions are graded."""
    return PYTHON_LITERAL.equal(left, right).correct


@dataclass(frozen=True)
class Sown:
    """A program to plant faults in."""

    name: str
    source: str
    input: str
    """On standard input; with `function`, the arguments of its call."""
    function: str | None = None


@dataclass(frozen=True)
class Trial:
    """A wrong prediction that comes from a planted fault."""

    program: str
    planted: Planted
    case: Case
    alone: bool
    """Of all single faults that could be planted, only this one (by kind and line) gives the prediction."""


@dataclass
class Score:
    """What became of the trials."""

    trials: int = 0
    alone: int = 0
    named: int = 0
    """Of those alone: its kind and line are among the faults that are told."""
    only: int = 0
    """Of those alone: nothing else is told."""
    claimed: int = 0
    """A fault was called the cause."""
    wrong: int = 0
    """Of those claimed: it was not what was planted."""
    explained: int = 0
    """Some fault fits."""

    def add(self, trial: Trial, found: Search) -> None:
        """Count one trial."""
        told = {(str(fault.kind), fault.line) for fault in found.faults}
        self.trials += 1
        self.explained += bool(told)
        if trial.alone:
            self.alone += 1
            self.named += trial.planted.marks[0] in told
            self.only += told == {trial.planted.marks[0]}
        if found.cause is not None:
            self.claimed += 1
            self.wrong += is_wrong(trial, found)


def is_wrong(trial: Trial, found: Search) -> bool:
    """Say whether a fault is called the cause that was not planted."""
    return found.cause is not None and (str(found.cause.kind), found.cause.line) not in trial.planted.marks


def trials(sandbox: Sandbox, sown: Sown, count: int, seed: int = 1) -> list[Trial]:
    """Return trials of a program: up to `count` single faults, half as many outsiders, half as many pairs."""
    (oracle,) = _answers(sandbox, sown, [(sown.source, sown.input)])
    if oracle is None:
        return []
    chance = random.Random(f"{seed} {sown.name}")
    one = singles(sown.source, sown.input, seed)
    others = outsiders(sown.source, sown.input, seed), pairs(sown.source, sown.input, 4 * count, seed)
    given = _predictions(sandbox, sown, one, oracle)
    marks: dict[str, set[tuple[str, int | None]]] = {}
    for planted, prediction in given:
        marks.setdefault(prediction, set()).update(planted.marks)
    chosen = chance.sample(given, min(count, len(given)))
    for rest in others:
        chosen += _predictions(sandbox, sown, rest[: 2 * count], oracle)[: (count + 1) // 2]
    same = equal if sown.function is None else equal_literals
    return [
        Trial(
            sown.name,
            planted,
            Case(sown.source, sown.input, oracle, prediction, same, sown.function),
            planted.family == "single" and len(marks[prediction]) == 1,
        )
        for planted, prediction in chosen
    ]


def _predictions(sandbox: Sandbox, sown: Sown, planted: list[Planted], oracle: str) -> list[tuple[Planted, str]]:
    """Return the wrong answers that come of planted faults; those that crash or change nothing are left out."""
    same = equal if sown.function is None else equal_literals
    answers = _answers(sandbox, sown, [(each.source, each.input) for each in planted])
    return [
        (each, answer)
        for each, answer in zip(planted, answers, strict=True)
        if answer is not None and not same(oracle, answer)
    ]


def _answers(sandbox: Sandbox, sown: Sown, programs: list[tuple[str, str]]) -> list[str | None]:
    """Return what programs with their inputs give; None for those that fail."""
    if sown.function is None:
        jobs = ((source.encode(), text.encode()) for source, text in programs)
        runs = sandbox.run_many(jobs, limits=_LIMITS)
        return [run.stdout.decode(errors="replace") if run.outcome.finished else None for run in runs]
    calls = ((source.encode(), f"{sown.function}({text})", None) for source, text in programs)
    return [value.text if value.exact else None for value in sandbox.evaluate_many(calls, limits=_LIMITS)]


def look_for(sandbox: Sandbox, sought: list[Trial]) -> list[Search]:
    """Search for the faults of all trials of a program."""
    return search_all(sandbox, [trial.case for trial in sought], BUDGET) if sought else []
