"""Compare a predicted state with the states at a loop's other iterations: of another iteration, or stale in part.

The states come from the program itself: the statement that emits the state at the checkpoint is made to emit it at
every iteration, and the program goes on, so that each state is written just as the task would have it.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from auditor.diagnosis.case import Case
from auditor.diagnosis.cpp_iterations import emitting_cpp
from auditor.diagnosis.parsed import Parsed
from auditor.execution.program import Limits, Program
from auditor.execution.sandbox import Sandbox
from auditor.text import from_bytes, to_bytes

_MARK = "\x1e"
_CHECKPOINT = "\x1f"
_LIMITS = Limits(wall=10, cpu=10, output=32 << 20)
_FAR = 5_000
"""Iterations on each side of the checkpoint that are compared."""


@dataclass(frozen=True, slots=True)
class States:
    """What the checkpoint's statement emits before each iteration of its loop, and at the end."""

    texts: tuple[str | None, ...]
    """From before iteration 1 on; None where a field has no value yet. One is that after the
    loop when the checkpoint is there."""
    at: int
    """The place of the checkpoint's own state."""


class OtherIteration(NamedTuple):
    """The prediction is the state of other iterations."""

    offset: int
    """Iterations from the checkpoint to the nearest of them; negative for earlier ones."""
    iteration: int
    """The state is the one before this iteration, from 1, or after as many less one."""
    state: str
    matches: int
    """How many of the iterations have this state."""
    total: int
    """Iterations that were compared."""


class StaleField(NamedTuple):
    """A field whose predicted value is the one from before its last change, while the rest of the state is right."""

    field: str
    predicted: str
    right: str
    offset: int
    """Iterations from the checkpoint back to the latest at which the field had that value."""


def states_of(sandbox: Sandbox, case: Case, *, line: int, after_loop: bool) -> States | None:
    """Return the states at all iterations of a checkpoint's loop, from one run; None where they cannot be had.

    `line` is the line that emits the state, inside a condition in the loop, or after it when `after_loop`. They cannot
    be had when the source is written otherwise, or when what is emitted at the checkpoint is not the oracle.
    """
    if case.language == "c++":
        source = emitting_cpp(case.source, line, after_loop=after_loop, mark=_MARK, checkpoint=_CHECKPOINT)
    else:
        source = _emitting(case.source, line, after_loop=after_loop)
    if source is None:
        return None
    program = Program(source.encode(errors="surrogatepass"), case.language)
    run = sandbox.run(program, stdin=to_bytes(case.input), limits=_LIMITS)
    texts, at = _emitted(from_bytes(run.stdout), after_loop=after_loop)
    own = texts[at] if at is not None else None
    if at is None or own is None or not case.equal(own, case.oracle):
        return None
    return States(tuple(texts), at)


def _emitted(output: str, *, after_loop: bool) -> tuple[list[str | None], int | None]:
    """Return the emitted states, and the place of the checkpoint's own.

    What follows the last mark, or was cut off before its second one, is none.
    """
    parts = output.split(_MARK)
    texts: list[str | None] = []
    at = None
    for before, text in zip(parts[0:-1:2], parts[1:-1:2], strict=False):
        if _CHECKPOINT in before:
            if at is None:
                at = len(texts)
            elif after_loop:
                continue  # the end of the loop in a later call is no iteration
        texts.append(text or None)
    return texts, at


def _emitting(text: str, line: int, *, after_loop: bool) -> str | None:
    """Return a source that emits at every iteration, or None."""
    try:
        parsed = Parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    emitting = next((s for s in ast.walk(parsed.tree) if isinstance(s, ast.Expr) and s.lineno == line), None)
    guard = parsed.parents.get(emitting) if emitting is not None else None
    if emitting is None or not isinstance(guard, ast.If) or guard.orelse:
        return None
    loop = _loop_before(parsed, guard) if after_loop else _loop_around(parsed, guard)
    if loop is None:
        return None
    guard_indent, body_indent = parsed.indent(guard), parsed.indent(loop.body[0])
    if guard_indent is None or body_indent is None:
        return None
    statement, test = parsed.text(emitting), parsed.text(guard.test)
    reached = f"if {test}:\n{guard_indent}    print(end={_CHECKPOINT!r})\n{guard_indent}"
    if after_loop:
        new = f"{reached}    {_marked(statement, f'{guard_indent}    ')}"
    else:
        new = reached + _marked(statement, guard_indent)
    edits = [(parsed.start(guard), parsed.end(guard), new)]
    if after_loop:
        start = parsed.start(loop.body[0])
        edits.append((start, start, f"{_marked(statement, body_indent)}\n{body_indent}"))
    return parsed.edited(tuple(edits))


def _marked(statement: str, indent: str) -> str:
    """Return statements that emit between two marks, and nothing between them while a field has no value."""
    lines = (
        f"print(end={_MARK!r})",
        "try:",
        f"    {statement}",
        "except (NameError, LookupError, AttributeError):",
        "    pass",
        f"print(end={_MARK!r})",
    )
    return f"\n{indent}".join(lines)


def _loop_around(parsed: Parsed, node: ast.AST) -> ast.For | ast.While | None:
    parent = parsed.parents.get(node)
    while parent is not None and not isinstance(parent, ast.For | ast.While | ast.FunctionDef):
        parent = parsed.parents.get(parent)
    return parent if isinstance(parent, ast.For | ast.While) else None


def _loop_before(parsed: Parsed, guard: ast.If) -> ast.For | ast.While | None:
    for block in parsed.blocks():
        if guard in block:
            place = block.index(guard)
            before = block[place - 1] if place else None
            return before if isinstance(before, ast.For | ast.While) else None
    return None


def other_iteration(states: States, case: Case) -> OtherIteration | None:
    """Return the nearest other iteration whose state is the prediction; an earlier one before a later one."""
    same: dict[str, bool] = {}
    matches: list[int] = []
    first, last = max(0, states.at - _FAR), min(len(states.texts), states.at + _FAR + 1)
    for place in range(first, last):
        text = states.texts[place]
        if text is None:
            continue
        if text not in same:
            same[text] = case.equal(text, case.prediction)
        if same[text]:
            matches.append(place)
    if not matches or states.at in matches:
        return None
    nearest = min(matches, key=lambda place: (abs(place - states.at), place))
    text = states.texts[nearest]
    assert text is not None
    return OtherIteration(nearest - states.at, nearest + 1, text.strip(), len(matches), last - first)


def stale_fields(states: States, case: Case) -> tuple[StaleField, ...]:
    """Return the wrong fields of a prediction when each has the value from before its last change, else nothing.

    The other fields have to be right, at least one of them.
    """
    given, right = _fields(case.prediction), _fields(case.oracle)
    if given is None or right is None or given.keys() != right.keys():
        return ()
    wrong = [name for name in right if not case.equal(_text(right[name]), _text(given[name]))]
    if not wrong or len(wrong) == len(right):
        return ()
    found = []
    for name in wrong:
        stale = _stale(states, case, name, _text(given[name]), _text(right[name]))
        if stale is None:
            return ()
        found.append(stale)
    return tuple(found)


def _stale(states: States, case: Case, name: str, given: str, right: str) -> StaleField | None:
    for place in range(states.at - 1, max(-1, states.at - _FAR), -1):
        text = states.texts[place]
        fields = _fields(text) if text is not None else None
        if fields is None or name not in fields:
            return None
        value = _text(fields[name])
        if not case.equal(right, value):
            return StaleField(name, given, right, place - states.at) if case.equal(value, given) else None
    return None


def _fields(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
