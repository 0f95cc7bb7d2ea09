"""Search for planted faults, and count what is named rightly and what wrongly."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.search import Search, search
from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from auditor.grading.policies import JSON_OR_TOKENS
from tests.diagnosis.planting import Planted, outsiders, pairs, singles

_LIMITS = Limits(wall=1, cpu=1, output=1 << 16)


def equal(left: str, right: str) -> bool:
    """Compare as most outputs are graded."""
    return JSON_OR_TOKENS.equal(left, right).correct


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
            self.wrong += (str(found.cause.kind), found.cause.line) not in trial.planted.marks


def trials(sandbox: Sandbox, name: str, source: str, text: str, count: int, seed: int = 1) -> Iterator[Trial]:
    """Yield trials of a program: up to `count` single faults, half as many outsiders, half as many pairs."""
    (own,) = sandbox.run_many([(source.encode(), text.encode())], limits=_LIMITS)
    oracle = own.stdout.decode()
    chance = random.Random(seed)
    one = singles(source, text, seed)
    others = outsiders(source, text, seed), pairs(source, text, 4 * count, seed)
    given = _predictions(sandbox, one, oracle)
    marks: dict[str, set[tuple[str, int | None]]] = {}
    for planted, prediction in given:
        marks.setdefault(prediction, set()).update(planted.marks)
    chosen = chance.sample(given, min(count, len(given)))
    for rest in others:
        chosen += _predictions(sandbox, rest[: 2 * count], oracle)[: (count + 1) // 2]
    for planted, prediction in chosen:
        alone = planted.family == "single" and len(marks[prediction]) == 1
        yield Trial(name, planted, Case(source, text, oracle, prediction, equal), alone)


def _predictions(sandbox: Sandbox, planted: list[Planted], oracle: str) -> list[tuple[Planted, str]]:
    """Return the wrong answers that come of planted faults; those that crash or change nothing are left out."""
    jobs = ((each.source.encode(), each.input.encode()) for each in planted)
    given = []
    for each, run in zip(planted, sandbox.run_many(jobs, limits=_LIMITS), strict=True):
        prediction = run.stdout.decode(errors="replace")
        if run.outcome.finished and not equal(oracle, prediction):
            given.append((each, prediction))
    return given


def look_for(sandbox: Sandbox, trial: Trial) -> Search:
    """Search for the fault of a trial."""
    return search(sandbox, trial.case, Budget(programs=3_000, seconds=120))
