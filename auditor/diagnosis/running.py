"""Run a program and its faulty variants in the sandbox: what each gives, and which lines run how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from auditor.diagnosis.case import Case
from auditor.diagnosis.catalogue import catalogue
from auditor.diagnosis.fault import Fault
from auditor.execution.evaluation import Evaluation
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits, Program, Run
from auditor.execution.sandbox import Sandbox
from auditor.execution.together import Variant, run_together
from auditor.execution.trace import Kind, TraceDamagedError
from auditor.execution.tracing import Budget, trace
from auditor.text import from_bytes, to_bytes

_FIRST = Limits(wall=10, cpu=10)
_REPEATS = 6
"""Runs after which a program that gave the same each time counts as one that does."""
_LEAST_SECONDS = 0.5
_TIMES_LONGER = 10.0
_SECONDS_LONGER = 2.0
_WALL_FOR_CPU = 4.0
"""Time by the clock for each second of processor time: the latter has to decide, however much else the machine does."""
_LEAST_OUTPUT = 1 << 16
_WATCHED = Budget(steps=20_000, bytes=16 << 20, seconds=20, before=0, after=0, value=40)


_TOGETHER = 24
"""Variants that are run in one place; what fits is run alone afterwards."""
_SECONDS_TOGETHER = 12.0
"""The time that these may take at most, which a search may go beyond its budget."""


class Runner:
    """Runs one case's program and variants of it, each within limits relative to the program's own run.

    Limits and what is spent are counted in processor time, so that it makes no difference what runs beside them.
    """

    def __init__(self, sandbox: Sandbox, case: Case) -> None:
        """Run the program itself once."""
        self._sandbox, self.case = sandbox, case
        self._limits = _FIRST
        self.spent = 0.0
        """Seconds that all runs so far took."""
        self.is_unreadable = False
        """Whether the program could not be taken apart, so that there are no faults of it."""
        self._ending: tuple[Ending, int | None] | None = None
        (self.own,) = self.answers([(case.source, case.input)])
        """What the program itself gives; None when it fails."""

    def answers(self, programs: Iterable[tuple[str, str]]) -> Iterator[str | None]:
        """Yield what sources with their inputs give; None for one that does not end as the program itself does.

        The first of all runs is the program's own: it sets the limits of the others.
        """
        if self.case.function is None:
            pairs = ((source.encode(errors="surrogatepass"), to_bytes(given)) for source, given in programs)
            for run in self._sandbox.run_many(pairs, limits=self._limits):
                yield self._taken(run, len(run.stdout), from_bytes(run.stdout))
            return
        calls = (
            (source.encode(errors="surrogatepass"), f"{self.case.function}({given})", None)
            for source, given in programs
        )
        for value in self._sandbox.evaluate_many(calls, limits=self._limits):
            text = value.text if value.exact else None
            yield self._taken(value, len(text or ""), text)

    def quick_answers(self, programs: Iterable[tuple[str, str]]) -> Iterator[str | None]:
        """Yield the same as `answers`, found faster: programs that mean harm could spoil or forge it."""
        waiting = iter(programs)
        # All of them may run to the limit before anything is known of the first.
        count = max(1, min(_TOGETHER, int(_SECONDS_TOGETHER / self._limits.cpu)))
        while some := list(islice(waiting, count)):
            variants = [self._variant(source, given) for source, given in some]
            for pair, found in zip(some, run_together(self._sandbox, variants, self._limits), strict=True):
                if found is None:
                    yield from self.answers([pair])
                elif isinstance(found, Run):
                    yield self._taken(found, len(found.stdout), from_bytes(found.stdout))
                else:
                    text = found.text if found.exact else None
                    yield self._taken(found, len(text or ""), text)

    def repeats(self) -> bool:
        """Run the program itself some more times, and say whether it gives the same each time."""
        again = self.answers([(self.case.source, self.case.input)] * _REPEATS)
        return all([answer == self.own for answer in again])  # all of them: jobs that are left wait in the sandbox

    def faults(self) -> list[Fault]:
        """Return the faults of the case's program and input, the likely ones first."""
        counts = lines_run(self._sandbox, self.case)

        def is_reached(first: int, last: int) -> bool:
            return counts is None or any(line in counts for line in range(first, last + 1))

        return catalogue(self.case, counts or {}, is_reached)

    def _variant(self, source: str, given: str) -> Variant:
        data = source.encode(errors="surrogatepass")
        if self.case.function is None:
            return Variant(data, to_bytes(given))
        return Variant(data, b"", f"{self.case.function}({given})")

    def _taken(self, run: Run | Evaluation, length: int, text: str | None) -> str | None:
        outcome = run.outcome
        ending, cpu = (outcome.ending, outcome.status), run.cpu_seconds
        # What never ends counts the same whether the clock or its processor time ended it, which the load decides.
        self.spent += self._limits.cpu if outcome.ending in (Ending.WALL_TIME, Ending.CPU_TIME) else cpu
        if self._ending is None:
            self._ending = ending
            cpu = max(_LEAST_SECONDS, min(cpu * _TIMES_LONGER, cpu * 2 + _SECONDS_LONGER))
            self._limits = Limits(
                wall=_WALL_FOR_CPU * cpu, cpu=cpu, output=max(_LEAST_OUTPUT, 8 * length), memory=512 << 20
            )
        by_itself = outcome.ending in (Ending.FINISHED, Ending.EXIT_STATUS, Ending.EXCEPTION)
        return text if by_itself and ending == self._ending else None


def lines_run(sandbox: Sandbox, case: Case) -> dict[int, int] | None:
    """Return how often each line of a case's program runs; None when that is not known to the end."""
    source = case.source if case.call is None else f"{case.source.rstrip()}\n{case.call}\n"
    stdin = to_bytes(case.input) if case.call is None else b""
    done = trace(sandbox, Program.python(source), stdin=stdin, budget=_WATCHED)
    if done.cut is not None or done.notes:
        return None
    try:
        return dict(Counter(step.line for step in done.steps() if step.kind is Kind.LINE))
    except TraceDamagedError:
        return None
