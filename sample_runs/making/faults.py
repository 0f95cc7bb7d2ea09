"""The planted faults of executing: each proposes answers that an interpreter with that one fault really arrives at.

A proposal is tried only as far as needed: the first whose answer differs from the oracle becomes the wrong answer.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from making.cases import INSIDE, POST, Case
from making.chance import between, share, shuffled
from making.machine import Orders, Outcome, Slip, compact, interpret


@dataclass(frozen=True)
class Question:
    """A task as the interpreter sees it."""

    case: Case
    arm: str
    text: str
    """The input."""
    oracle: str
    right: Outcome
    """The run without a fault."""

    def orders(self, **changes: object) -> Orders:
        """Return orders that stop where this task asks, with changes."""
        stop: dict[str, object] = {}
        if self.arm == INSIDE:
            stop = {"stop_before": self.case.iteration}
        elif self.arm == POST:
            stop = {"stop_after": True}
        return Orders(**(stop | changes | {"budget": 12 * self.right.steps + 2_000}))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Proposal:
    """An answer under a fault; `detail` names the change, `cause` is what annotators can find in it."""

    answer: str | None
    cause: str
    detail: str
    passes: tuple[dict[str, object], ...] = ()


Fault = Callable[[Question, str], Iterator[Proposal]]


def run(question: Question, cause: str, detail: str, tree: ast.Module | None = None, **changes: object) -> Proposal:
    """Answer a question under changed orders or with an altered tree."""
    outcome = interpret(question.case, question.text, question.orders(**changes), tree)
    return Proposal(outcome.text, cause, detail, tuple(outcome.passes))


# --- altered programs --------------------------------------------------------------------------------------------


def altered(tree: ast.Module, index: int, change: Callable[[ast.AST], None]) -> ast.Module:
    """Return a copy of a tree in which `change` was made to the node that `ast.walk` reaches as the index-th."""
    twin = copy.deepcopy(tree)
    change(list(ast.walk(twin))[index])
    return twin


COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], str]] = {
    ast.Lt: (ast.LtE, "< read as <="),
    ast.LtE: (ast.Lt, "<= read as <"),
    ast.Gt: (ast.GtE, "> read as >="),
    ast.GtE: (ast.Gt, ">= read as >"),
}
CALCULATIONS: dict[type[ast.operator], tuple[type[ast.operator], str]] = {
    ast.Add: (ast.Sub, "+ read as -"),
    ast.Sub: (ast.Add, "- read as +"),
    ast.FloorDiv: (ast.Div, "// read as /"),
    ast.Mod: (ast.FloorDiv, "% read as //"),
    ast.Mult: (ast.Add, "* read as +"),
    ast.BitXor: (ast.BitOr, "^ read as |"),
    ast.BitAnd: (ast.BitOr, "& read as |"),
    ast.RShift: (ast.LShift, ">> read as <<"),
}


def wrong_operator(question: Question, setting: str) -> Iterator[Proposal]:
    """Read one operator as another; the same one in all arms of a case as far as it matters there."""
    tree = question.case.tree
    options: list[tuple[int, str, str, Callable[[ast.AST], None]]] = []
    for index, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
            other, name = COMPARISONS[type(node.ops[0])]
            options.append((index, "comparison", f"line {node.lineno}: {name}", _set("ops", [other()])))
        elif isinstance(node, ast.AugAssign) and isinstance(node.value, ast.Constant):
            continue  # nobody reads a counter's += 1 as -= 1
        elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in CALCULATIONS:
            wrong, name = CALCULATIONS[type(node.op)]
            options.append((index, "operator", f"line {node.lineno}: {name}", _set("op", wrong())))
        elif isinstance(node, ast.BoolOp):
            flipped: ast.boolop = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
            options.append((index, "comparison", f"line {node.lineno}: and/or exchanged", _set("op", flipped)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            name = "max" if node.func.id == "min" else "min"
            options.append((index, "comparison", f"line {node.lineno}: {node.func.id} read as {name}", _rename(name)))
    for option in sorted(options, key=lambda option: _likelihood(option[2], setting, question)):
        index, cause, detail, change = option
        yield run(question, cause, detail, altered(tree, index, change))


def _likelihood(detail: str, setting: str, question: Question) -> float:
    """Rank a misreading: division and comparisons are mistaken more readily than sums."""
    weight = 0.3 if "//" in detail else 1.0 if "+ read" in detail else 0.6
    return weight * share(setting, question.case.name, detail)


def _set(name: str, value: object) -> Callable[[ast.AST], None]:
    return lambda node: setattr(node, name, value)


def _rename(name: str) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        node.func.id = name

    return change


def off_by_one(question: Question, setting: str) -> Iterator[Proposal]:
    """Make one iteration too few or too many: at the checkpoint, of the selected loop, or in some range or bound."""
    case, count = question.case, len(question.right.passes)
    early = share(setting, case.name, question.arm, "early") < 0.6
    if question.arm == INSIDE:
        for step in (-1, 1) if early else (1, -1):
            detail = f"the state one iteration {'early' if step < 0 else 'late'}"
            yield run(question, "iteration", detail, stop_before=case.iteration + step)
    if question.arm == POST and early:
        yield run(question, "bound", "the last iteration is not made", stop_after=False, stop_before=count)
    tree = case.tree
    options: list[tuple[int, str, Callable[[ast.AST], None]]] = []
    for index, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            place = 0 if len(node.args) == 1 else 1
            for step in (-1, 1):
                side = "early" if step < 0 else "late"
                options.append((index, f"line {node.lineno}: the range ends one {side}", _shift(place, step)))
            if place:
                options.append((index, f"line {node.lineno}: the range starts one late", _shift(0, 1)))
        elif isinstance(node, ast.While) and isinstance(node.test, ast.Compare):
            kind = type(node.test.ops[0])
            if kind in COMPARISONS:
                options.append((index, f"line {node.lineno}: the loop's bound {COMPARISONS[kind][1]}", _loosen(kind)))
    for index, detail, change in shuffled(options, setting, case.name):
        yield run(question, "bound", detail, altered(tree, index, change))
    if question.arm != INSIDE and count > 1:
        yield run(question, "bound", "the selected loop leaves out its last iteration", quit_at=count)


def _shift(place: int, step: int) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        node.args[place] = ast.BinOp(node.args[place], ast.Add(), ast.Constant(step))

    return change


def _loosen(kind: type[ast.cmpop]) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.While) and isinstance(node.test, ast.Compare)
        node.test.ops = [COMPARISONS[kind][0]()]

    return change


# --- runs led astray ---------------------------------------------------------------------------------------------


def stops_early(question: Question, setting: str) -> Iterator[Proposal]:
    """Follow the selected loop only so far, and answer with what there is."""
    case, arm, passes = question.case, question.arm, question.right.passes
    last = case.iteration if arm == INSIDE else len(passes)
    lines = question.oracle.splitlines(keepends=True)
    if arm not in (INSIDE, POST) and len(lines) > 3 and share(setting, case.name, arm, "cut") < 0.6:
        kept = between(len(lines) // 2, len(lines) - 1, setting, case.name, arm)
        yield Proposal("".join(lines[:kept]), "cut", f"only {kept} of {len(lines)} lines of output")
    tries = [between(max(2, last // 2), max(2, last - 2), setting, case.name, arm, i) for i in range(6)]
    for stop in tries:
        if arm in (INSIDE, POST):
            cause = "iteration" if arm == INSIDE else "bound"
            detail = f"the state before iteration {stop} of {last}"
            yield run(question, cause, detail, stop_after=False, stop_before=stop)
        else:
            yield run(question, "bound", f"the loop is left before iteration {stop} of {last}", quit_at=stop)


def stale_value(question: Question, setting: str) -> Iterator[Proposal]:
    """Take a variable's value from before its last change, or lose a simultaneous assignment's old value."""
    case, right = question.case, question.right
    if share(setting, case.name, "sequential") < 0.8:
        for line in sorted({node.lineno for node in ast.walk(case.tree) if OneByOne.applies(node)}):
            detail = f"line {line}: the values are assigned one after the other"
            yield run(question, "stale", detail, OneByOne(line).visit(case.tree))
    for name in shuffled(case.fields, setting, case.name, question.arm):
        if question.arm not in (INSIDE, POST):
            yield run(question, "stale", f"{name} as it was before its last change", stale=name)
        elif name in right.previous and right.text is not None:
            state = json.loads(right.text) | {name: right.previous[name]}
            detail = f"{name} as it was before its last change"
            yield Proposal(compact(state), "stale", detail, tuple(right.passes))


class OneByOne(ast.NodeTransformer):
    """Turns `a, b = x, y` on a line into `a = x` and `b = y`, so that `y` is computed with the new `a`."""

    def __init__(self, line: int) -> None:
        self.line = line

    @staticmethod
    def applies(node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and len(node.targets[0].elts) == len(node.value.elts)
        )

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        if node.lineno != self.line or not self.applies(node):
            return node
        assert isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
        pairs = zip(node.targets[0].elts, node.value.elts, strict=True)
        return [ast.copy_location(ast.Assign([target], value), node) for target, value in pairs]


def lost_carry(question: Question, setting: str) -> Iterator[Proposal]:
    """Get one sum, difference or product wrong by a carry or by one, and go on with it."""
    names = (setting, question.case.name, question.arm)
    if not question.right.sums:
        return
    for attempt in range(10):
        at = between(1 + question.right.sums // 4, question.right.sums, *names, attempt)
        amount = (-10, -10, 10, -1, 1)[int(share(*names, "amount", attempt) * 5)]
        detail = f"calculation {at} of {question.right.sums} is off by {amount:+d}"
        yield run(question, "slip", detail, slip=Slip(at, amount))
