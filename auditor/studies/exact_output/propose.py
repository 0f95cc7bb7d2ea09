"""Proposals from the syntax tree and a trace: which loop, before which iteration, and which variables."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from auditor.execution.inside.loops import LoopLines
from auditor.execution.program import Limits, Program
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import Kind, Trace
from auditor.execution.tracing import Budget, Checkpoint, trace
from auditor.studies.exact_output.case import Case, NotAdmittedError, Point, Reason
from auditor.studies.exact_output.instrument import Loop, loops_of

BUDGET = Budget(steps=60_000, seconds=20.0)
FEWEST = 4
"""Iterations below which a loop is proposed only when there is no other."""
MOST_FIELDS = 4
_LONGEST_TEXT = 60
_MOST_MEMBERS = 8
TRIED = 5
"""Proposals that are tried before a case is refused."""


@dataclass(slots=True)
class LoopSeen:
    """What a trace shows of one loop, as far as it was kept."""

    loop: Loop
    lines: LoopLines
    begins: list[int] = field(default_factory=list)
    """The steps at which iterations begin."""
    ends: list[int] = field(default_factory=list)
    """The steps right behind the loop."""


def watch_loops(tree: ast.AST, watched: Trace) -> list[LoopSeen]:
    """Return the loops of a program with their iterations in the first steps, up to where the trace has a gap."""
    seen = [LoopSeen(loop, LoopLines(loop)) for loop in loops_of(tree)]
    last: dict[int, int] = {}
    for step in watched.steps(0, watched.kept[0].stop if watched.kept else 0):
        if step.kind is Kind.EXCEPTION:
            continue
        before, line = last.get(step.depth, 0), step.line if step.kind is Kind.LINE else None
        for one in seen:
            if line is not None and one.lines.begins_iteration(before, line):
                one.begins.append(step.number)
            elif one.lines.ends(before, line):
                one.ends.append(step.number)
        if line is None:
            last.pop(step.depth, None)
        else:
            last[step.depth] = line
    return sorted(seen, key=lambda one: one.loop.lineno)


def arcs_of(watched: Trace) -> frozenset[tuple[str, int, int]] | None:
    """Return which line followed which in each function; None when the trace was cut."""
    if watched.cut is not None:
        return None
    arcs: set[tuple[str, int, int]] = set()
    last: dict[int, int] = {}
    for step in watched.steps():
        if step.kind is Kind.LINE:
            arcs.add((step.function, last.get(step.depth, 0), step.line))
            last[step.depth] = step.line
        elif step.kind is Kind.RETURN:
            arcs.add((step.function, last.pop(step.depth, 0), -1))
    return frozenset(arcs)


def points(
    sandbox: Sandbox,
    case: Case,
    tree: ast.Module,
    watched: Trace,
    limits: Limits,
    iterations: Callable[[int], int | None],
) -> list[Point]:
    """Return where the states of a case may be taken, the best first; `watched` is the trace of its long input.

    `iterations` counts those of the loop at a line up to its first end, where the trace does not reach that.
    What the case says of loop, iteration and fields is kept. Raises NotAdmittedError when nothing is left to propose.
    """
    seen = watch_loops(tree, watched)
    if case.loop is not None:
        seen = [
            one for one in seen if one.loop.lineno == loop_line(case, sorted(loop.lineno for loop in loops_of(tree)))
        ]
        if case.iteration is not None and case.fields is not None:
            return [Point(seen[0].loop.lineno, case.iteration, case.fields)]
    ranked = sorted((one for one in seen if one.begins), key=lambda one: _rank(one, watched))
    if not ranked:
        raise NotAdmittedError(Reason.NO_LOOP, "no loop of the program makes an iteration with the long input.")
    found: list[Point] = []
    unreached: list[tuple[int, int]] = []
    for one in ranked[:TRIED]:
        iteration = case.iteration or _middle(one, watched, iterations)
        fields = case.fields
        if fields is None:
            moments = _moments(sandbox, case, one, iteration, watched, limits)
            if moments is None:
                unreached.append((one.loop.lineno, iteration))
                continue
            fields = _fields(tree, one, *moments)
        if fields:
            found.append(Point(one.loop.lineno, iteration, fields))
    if not found:
        raise nothing_to_propose(unreached, len(ranked[:TRIED]))
    return found


def nothing_to_propose(unreached: list[tuple[int, int]], tried: int) -> NotAdmittedError:
    """Return why no point is left: each loop tried never came to its iteration and then to an end, or has no fields.

    `unreached` has line and iteration of the loops of the first kind, the best first.
    """
    if len(unreached) == tried:
        line, iteration = unreached[0]
        message = f"the loop in line {line} makes fewer than {iteration:,} iterations, or never ends behind them."
        return NotAdmittedError(Reason.NOT_REACHED, message)
    message = "no variable that a loop changes is a number, a short text or a short list at both checkpoints."
    return NotAdmittedError(Reason.NO_FIELDS, message)


def loop_line(case: Case, at: list[int]) -> int:
    """Return the line of the loop that a case names, of those at which loops begin.

    Raises NotAdmittedError when it names none, or several.
    """
    lines = case.source.splitlines()
    if isinstance(case.loop, int):
        fits = [line for line in at if line == case.loop]
        what = f"in line {case.loop}"
    else:
        fits = [line for line in at if case.loop in _headers(lines[line - 1])]
        what = f"with the header {case.loop!r}"
    if len(fits) == 1:
        return fits[0]
    begin = "no loop begins" if not fits else f"{len(fits)} loops begin"
    known = ", ".join(map(str, at)) or "none"
    raise NotAdmittedError(Reason.NO_LOOP, f"{begin} {what}; loops begin in lines: {known}.")


def _headers(line: str) -> tuple[str, str]:
    """Return what a loop in a line may be named by: the line, with and without the brace that opens the body."""
    return line.strip(), line.strip().removesuffix("{").rstrip()


def _rank(one: LoopSeen, watched: Trace) -> tuple[bool, bool, bool, int, int]:
    """Order loops: nothing written before its middle, run once, long enough, many iterations, early in the source."""
    middle = one.begins[len(one.begins) // 2]
    end = next((step for step in one.ends if step > middle), middle)
    written = watched.step(end).output > 0
    return written, len(one.ends) > 1, len(one.begins) < FEWEST, -len(one.begins), one.loop.lineno


def _middle(one: LoopSeen, watched: Trace, iterations: Callable[[int], int | None]) -> int:
    """Return the iteration behind the middle of those before the loop's first end."""
    first_end = one.ends[0] if one.ends else None
    count = sum(first_end is None or step < first_end for step in one.begins) or len(one.begins)
    if first_end is None and watched.cut is not None:
        count = iterations(one.loop.lineno) or count
    return count // 2 + 1


def _moments(
    sandbox: Sandbox, case: Case, one: LoopSeen, iteration: int, watched: Trace, limits: Limits
) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return the variables before an iteration and behind the loop; None when one of them is never reached."""
    steps: list[int | None] = [one.begins[iteration - 1] if iteration <= len(one.begins) else None, None]
    if steps[0] is not None:
        steps[1] = next((step for step in one.ends if step > (steps[0] or 0)), None)
    if None in steps and watched.cut is not None:
        line = one.loop.lineno
        asked = [Checkpoint("iteration", line, iteration), Checkpoint("after_loop", line)]
        program = Program.python(case.source)
        watched = trace(
            sandbox, program, stdin=case.long.encode(), checkpoints=asked, limits=limits, budget=Budget(steps=0)
        )
        steps = list(watched.moments)
    first, second = steps
    if first is None or second is None or first not in watched or second not in watched:
        return None
    return watched.state(first).variables, watched.state(second).variables


def _fields(tree: ast.AST, one: LoopSeen, inside: dict[str, str], post: dict[str, str]) -> tuple[str, ...] | None:
    """Choose variables that the loop changes; they are returned in alphabetical order.

    First come those that differ between the checkpoints, are not the loop's own, and are carried: added to in the loop,
    or read behind it.
    """
    own = targets_of(one.loop)
    stored = {n.id for n in ast.walk(one.loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    carried = _carried(tree, one.loop)
    usable = []
    for name in sorted(stored & inside.keys() & post.keys()):
        before, after = _value(inside[name]), _value(post[name])
        if before is not _UNUSABLE and after is not _UNUSABLE and type(before) is type(after):
            usable.append((inside[name] == post[name], name in own, name not in carried, name))
    if not any(not same and not target for same, target, *_ in usable):
        return None
    return tuple(sorted(name for *_, name in sorted(usable)[:MOST_FIELDS]))


def _carried(tree: ast.AST, loop: Loop) -> set[str]:
    """Return the variables that a loop adds to, and those that are read behind it."""
    added = {n.target.id for n in ast.walk(loop) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    return added | {node.id for node in names if node.lineno > (loop.end_lineno or loop.lineno)}


def targets_of(loop: Loop) -> set[str]:
    """Return the variables that the loop's header itself sets."""
    target = loop.target if isinstance(loop, ast.For) else None
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)} if target is not None else set()


_UNUSABLE: Any = object()


def _value(text: str) -> Any:
    """Return the value of a variable's text if it makes a field."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return _UNUSABLE
    return value if makes_field(value) else _UNUSABLE


def makes_field(value: object) -> bool:
    """Say whether a value is proposed for a field: a number, a short text or a short list of those."""
    members = value if isinstance(value, list) else [value]
    return len(members) <= _MOST_MEMBERS and all(map(_is_scalar, members))


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, bool | int) or (isinstance(value, str) and len(value) <= _LONGEST_TEXT)
