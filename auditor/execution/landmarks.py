"""What can be gone to in a trace: iterations of loops, lines reached, output; and where a task's checkpoint is."""

from __future__ import annotations

import ast
import bisect
import warnings
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.execution.inside.loops import LoopLines
from auditor.execution.trace import Kind, Trace
from auditor.execution.tracing import Checkpoint
from auditor.model import Checkpoint as TaskCheckpoint

Check = Callable[[], None]
"""Is called now and then while a trace is read; raises to stop that."""
_STEPS_A_CHECK = 4096


@dataclass(frozen=True, slots=True)
class Landmarks:
    """Found in one pass over a trace."""

    reached: Mapping[int, int]
    """By line: the first kept step that is about to run it."""
    iterations: Mapping[int, Sequence[int]]
    """By the line at which a loop begins: the kept steps at which its iterations begin, in order."""
    spans: Mapping[int, range]
    """By the line at which a loop begins: its lines."""
    numbers: array[int] = field(default_factory=lambda: array("q"))
    """All kept steps, in order."""
    outputs: array[int] = field(default_factory=lambda: array("q"))
    """For each of these the bytes that had been written before it."""

    def writer_of(self, position: int) -> int | None:
        """Return the kept step that wrote the byte at a position of the output; None where no kept step shows it."""
        # Output only grows, so the first step that has the byte behind it comes after the one that wrote it.
        place = bisect.bisect_right(self.outputs, position)
        if place == len(self.outputs):
            return None
        return self.numbers[max(0, place - 1)]

    def loop_of(self, line: int) -> int | None:
        """Return the line at which the innermost loop around a line begins."""
        around = [start for start, span in self.spans.items() if line in span]
        return max(around, default=None)

    def loop_before(self, line: int) -> int | None:
        """Return the line at which the last outermost loop that ends above a line begins."""
        above = [start for start, span in self.spans.items() if span.stop <= line and not self._is_inner(start)]
        return max(above, default=None)

    def _is_inner(self, start: int) -> bool:
        return any(start in span and start != other for other, span in self.spans.items())


def no_check() -> None:
    """Let a search go on."""


def parse(source: str) -> ast.Module | None:
    """Return the syntax tree of a program, or None where it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes of a program are nobody's concern here
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _loops(tree: ast.Module | None) -> dict[int, LoopLines]:
    nodes = ast.walk(tree) if tree is not None else ()
    return {node.lineno: LoopLines(node) for node in nodes if isinstance(node, ast.For | ast.While | ast.AsyncFor)}


def is_loop(source: str, line: int, *, outermost: bool = False) -> bool:
    """Say whether a loop begins at a line; with `outermost` only of one that is in no other loop and no function."""
    tree = parse(source)
    if not outermost or tree is None:
        return line in _loops(tree)
    return any(isinstance(node, ast.For | ast.While) and node.lineno == line for node in tree.body)


def find_landmarks(trace: Trace, source: str, check: Check = no_check) -> Landmarks:
    """Look through a trace once; raises TraceDamagedError, and what `check` raises."""
    loops = _loops(parse(source))
    by_line: dict[int, list[int]] = {}
    for start, loop in loops.items():
        for line in {*loop.header, *loop.body}:
            by_line.setdefault(line, []).append(start)
    reached: dict[int, int] = {}
    iterations: dict[int, array[int]] = {start: array("q") for start in loops}
    found = Landmarks(reached, iterations, {start: loop.span for start, loop in loops.items()})
    last: dict[int, int] = {}
    for count, (number, kind, line, frame, output) in enumerate(trace.passings()):
        if not count % _STEPS_A_CHECK:
            check()
        found.numbers.append(number)
        found.outputs.append(output)
        if kind != Kind.LINE:
            continue
        reached.setdefault(line, number)
        before = last.get(frame, 0)
        last[frame] = line
        for start in by_line.get(line, ()):
            if loops[start].begins_iteration(before, line):
                iterations[start].append(number)
    return found


# --- checkpoints ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stop:
    """The moments of a run that have to be looked for to tell where a task's checkpoint is.

    A task names either the line of the loop, or the line that emits the state: in a program made for the question that
    line runs once; in one that was left as it was it is a line of the loop's body, and runs in each iteration.
    """

    line: int
    moments: tuple[Checkpoint, ...]
    emits: bool
    """Whether the state is that before the line runs."""

    @classmethod
    def of(cls, source: str, checkpoint: TaskCheckpoint) -> Stop:
        """Return what to look for in a program."""
        line, n = checkpoint.line, max(1, checkpoint.iteration or 1)
        is_loop = line in _loops(parse(source))
        if checkpoint.when == "before-iteration" and is_loop:
            return cls(line, (Checkpoint("iteration", line, n),), False)
        if checkpoint.when == "before-iteration":
            return cls(line, tuple(Checkpoint("after_line", line, time) for time in (1, 2, n)), True)
        if checkpoint.when == "after-loop":
            return cls(line, (Checkpoint("after_loop" if is_loop else "after_line", line),), not is_loop)
        return cls(line, (Checkpoint("after_line", line, n),) if checkpoint.when == "after-line" else (), False)

    def step(self, trace: Trace) -> int | None:
        """Return the step of a trace, made with these moments, that is the checkpoint; None where it is not there."""
        if not trace.moments:
            return None
        if not self.emits:
            moment = trace.moments[0]
            return moment if moment is not None and moment in trace else None
        first, *others = trace.moments
        second, nth = others if others else (None, first)
        if nth is None and second is not None:
            return None  # in every iteration, but not in so many
        after = first if nth is None else nth
        if after is None:
            # A line that ends the program in itself has no step behind it.
            return trace.find_line(self.line, -1)
        return trace.find_line(self.line, after, backwards=True)
