"""A Python case: its syntax tree, its traces, and its program under measurement."""

from __future__ import annotations

import ast
import re

from auditor.execution.measures import Measures, measure
from auditor.execution.program import Program
from auditor.execution.tracing import trace
from auditor.studies.exact_output.case import POST, Case, NotAdmittedError, Point, Reason
from auditor.studies.exact_output.checking import Bench, state_object, state_output
from auditor.studies.exact_output.instrument import instrument, loops_of
from auditor.studies.exact_output.propose import BUDGET, arcs_of, points, targets_of
from auditor.studies.exact_output.static_measures import cyclomatic, nesting
from auditor.studies.exact_output.subject import Instrumented
from auditor.text import visible_line

_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")


class PythonSubject:
    """See `Subject`."""

    steps = "opcodes"
    seeded = True

    def __init__(self, case: Case) -> None:
        """Parse the program; raises NotAdmittedError when it is none."""
        self.case = case
        self._tree = _parse(case.source)
        self._arcs: list[frozenset[tuple[str, int, int]] | None] = []

    def program(self, source: str) -> Program:
        """Return a Python program."""
        return Program.python(source)

    def has_loop(self) -> bool:
        """Look for one in the syntax tree."""
        return next(loops_of(self._tree), None) is not None

    def measured(self, bench: Bench, source: str, text: str, where: str, *, state: bool = True) -> Measures:
        """Count opcodes and, where asked for, the state's sizes."""
        found = measure(
            bench.sandbox,
            Program.python(source),
            stdin=text.encode(),
            state=state,
            seconds=bench.seconds,
            limits=bench.limits,
        )
        if found.trace_length is None or (state and found.peak_state is None):
            message = f"{where}: measuring took more than {bench.seconds:g} seconds, or the program hindered it."
            raise NotAdmittedError(Reason.NOT_MEASURED, message)
        return found

    def instrument(self, point: Point, arm: str, *, iteration: int) -> Instrumented:
        """Insert counter and checkpoint."""
        return instrument(self.case.source, point, arm, iteration=iteration)

    def iterations_at_end(self, bench: Bench, clean: str, point: Point) -> int:
        """Have a program write its counter behind the loop."""
        probe = instrument(self.case.source, point, POST, count_only=True)
        text = state_output(bench, self, probe.source, POST, once=True)
        if text == clean:
            message = f"{POST}: the loop in line {point.loop} never ends behind iteration {point.iteration:,}."
            raise NotAdmittedError(Reason.NOT_REACHED, message)
        count = state_object(text, POST).get(probe.counter)
        if type(count) is not int or count < point.iteration:
            raise NotAdmittedError(Reason.STATE_NOT_JSON, f"{POST}: the count of iterations is not what was written.")
        return count

    def targets(self, point: Point) -> set[str]:
        """Return what the `for` sets."""
        return targets_of(next(one for one in loops_of(self._tree) if one.lineno == point.loop))

    def points(self, bench: Bench) -> list[Point]:
        """Propose points from traces of both inputs."""
        case = self.case
        traces = [
            trace(bench.sandbox, Program.python(case.source), stdin=text.encode(), limits=bench.limits, budget=BUDGET)
            for text in (case.long, case.short)
        ]
        found = points(bench.sandbox, case, self._tree, traces[0], bench.limits, lambda line: self._count(bench, line))
        self._arcs = [arcs_of(one) for one in traces]
        return found

    def _count(self, bench: Bench, line: int) -> int | None:
        """Return how many iterations a loop makes up to its first end; None when that cannot be counted."""
        try:
            return self.iterations_at_end(bench, "", Point(line, 1, ()))
        except NotAdmittedError:
            return None

    def branches_preserved(self, bench: Bench) -> bool | None:
        """Compare which line followed which in the traces that the proposals came from."""
        return None if None in self._arcs else self._arcs[0] == self._arcs[1]

    def static_measures(self, source: str) -> dict[str, float]:
        """Return complexity and nesting."""
        return {"cyclomatic": cyclomatic(source), "nesting": nesting(source)}


def _parse(source: str) -> ast.Module:
    if _CARRIAGE_RETURN.search(source):  # to Python that is a line's end, and to nothing that shows a program
        raise NotAdmittedError(Reason.NOT_PYTHON, "its lines end in carriage returns alone: give them line feeds.")
    try:
        source.encode()
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        message = f"this is no Python program: {line}{visible_line(getattr(error, 'msg', str(error)), 200)}."
        raise NotAdmittedError(Reason.NOT_PYTHON, message) from error
