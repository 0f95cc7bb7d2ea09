"""An interpreter of the sample's programs that counts statements, keeps the states it passes, and can be led astray.

The programs are this project's own, so they run inside this process; a budget of statements cuts endless loops.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import json
import operator
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

from making.cases import COUNTER, Case, find_loop

FILE = "<program>"
OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
State = dict[str, Any]


class Slip(NamedTuple):
    """One wrong result: the `at`-th sum, difference or product of at least two digits is off by `amount`."""

    at: int
    amount: int


@dataclass(frozen=True)
class Orders:
    """How a run differs from doing everything right; the defaults change nothing."""

    stop_before: int | None = None
    """Report the state before this iteration of the selected loop."""
    stop_after: bool = False
    """Report the state when the selected loop ends."""
    quit_at: int | None = None
    """Leave the selected loop before this iteration and go on behind it."""
    slip: Slip | None = None
    stale: str | None = None
    """A variable that has its previous value when the selected loop ends."""
    budget: int = 60_000


@dataclass
class Outcome:
    """What a run gave."""

    text: str | None = None
    """What it wrote, or the state it reported, as compact JSON and a newline; None when it crashed or never ended."""
    failure: str | None = None
    """How it crashed, or `Spent` when it never ended."""
    steps: int = 0
    """Statements begun; a loop's header counts once more with each iteration."""
    passes: list[State] = field(default_factory=list)
    """The projected fields before each iteration, as far as they had values."""
    previous: State = field(default_factory=dict)
    """Each projected field's value before its last change."""
    sums: int = 0
    """Results that a slip could have hit."""


class Reached(BaseException):
    """The run came to its checkpoint; not an Exception, so that no program catches it."""


class Spent(BaseException):
    """The run used up its statements."""


def compact(state: State) -> str:
    """Serialise a state as the instrumented programs do."""
    return json.dumps(state, separators=(",", ":")) + "\n"


class Weaver(ast.NodeTransformer):
    """Puts the calls that the interpreter listens to into a program: each statement, each pass, the loop's end."""

    def __init__(self, loop: ast.For | ast.While, stale: str | None) -> None:
        self.loop = loop
        self.stale = stale

    def visit_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        woven: list[ast.stmt] = []
        for statement in body:
            woven += [*ast.parse("__step__()").body, self.visit(statement)]
            if statement is self.loop:
                call = f"{self.stale} = __stale__({self.stale!r}, {self.stale})\n" if self.stale else ""
                woven += ast.parse("__exit__()\n" + call).body
        return woven

    def generic_visit(self, node: ast.AST) -> ast.AST:
        is_loop = node is self.loop
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                body = self.visit_body(value)
                if name == "body" and isinstance(node, ast.For | ast.While):
                    head = "if __pass__():\n    break\n" if is_loop else ""
                    body = [*ast.parse(head + "__step__()").body, *body]
                setattr(node, name, body)
            elif isinstance(value, list):
                setattr(node, name, [self.visit(item) if isinstance(item, ast.AST) else item for item in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self.calculation(node.op, node.left, node.right) if type(node.op) in OPERATORS else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) not in OPERATORS or not isinstance(node.target, ast.Name):
            return node
        value = self.calculation(node.op, ast.Name(node.target.id, ast.Load()), node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    @staticmethod
    def calculation(op: ast.operator, left: ast.expr, right: ast.expr) -> ast.Call:
        return ast.Call(ast.Name("__calc__", ast.Load()), [ast.Constant(type(op).__name__), left, right], [])


class Machine:
    """One run of a program."""

    def __init__(self, case: Case, orders: Orders) -> None:
        self.case = case
        self.orders = orders
        self.outcome = Outcome()
        self.state: State | None = None
        self.current: State = {}
        self.originals: dict[str, tuple[Any, Any]] = {}
        self.count = 0
        self.names: State = {
            "__name__": "__main__",
            "__step__": self.step,
            "__pass__": self.begin_pass,
            "__exit__": self.leave,
            "__stale__": lambda name, value: self.originals[name][0] if name in self.originals else value,
            "__calc__": self.calculate,
        }

    def step(self) -> None:
        self.outcome.steps += 1
        if self.outcome.steps > self.orders.budget:
            raise Spent
        self.look(sys._getframe(1))

    def look(self, frame: FrameType) -> None:
        local = frame.f_locals
        if all(name in local for name in self.case.fields):
            for name in self.case.fields:
                if name not in self.current:
                    self.current[name] = copy.deepcopy(local[name])
                elif self.current[name] != local[name]:
                    self.outcome.previous[name] = self.current[name]
                    self.current[name] = copy.deepcopy(local[name])
                    self.originals[name] = (self.outcome.previous[name], local[name])

    def begin_pass(self) -> bool:
        self.count += 1
        frame = sys._getframe(1)
        self.look(frame)
        local = frame.f_locals
        self.outcome.passes.append(json.loads(json.dumps({n: local[n] for n in self.case.fields if n in local})))
        if self.count == self.orders.stop_before:
            self.state = self.outcome.passes[-1]
            raise Reached
        return self.count == self.orders.quit_at

    def leave(self) -> None:
        frame = sys._getframe(1)
        self.look(frame)
        if self.orders.stop_after or self.orders.stop_before is not None:
            self.state = {name: frame.f_locals.get(name) for name in self.case.fields}
            raise Reached

    def calculate(self, name: str, left: Any, right: Any) -> Any:
        result = OPERATORS[getattr(ast, name)](left, right)
        if type(result) is int and abs(result) > 9:
            self.outcome.sums += 1
            if self.orders.slip and self.outcome.sums == self.orders.slip.at:
                return result + self.orders.slip.amount
        return result

    def run(self, tree: ast.Module, text: str) -> Outcome:
        """Run a tree of the case's program, right or altered, on an input."""
        tree = copy.deepcopy(tree)
        woven = Weaver(find_loop(tree, self.case.loop_line), self.orders.stale).visit(tree)
        code = compile(ast.fix_missing_locations(woven), FILE, "exec")
        written = io.StringIO()
        before = sys.stdin
        sys.stdin = io.StringIO(text)
        try:
            with contextlib.redirect_stdout(written):
                exec(code, self.names)
            self.outcome.text = written.getvalue()
        except Reached:
            self.outcome.text = None if self.state is None else compact(self.state)
        except (Spent, Exception) as error:
            # a program with a planted fault may end in any way
            self.outcome.failure = f"{type(error).__name__}: {error}"
        finally:
            sys.stdin = before
        return self.outcome


def interpret(case: Case, text: str, orders: Orders, tree: ast.Module | None = None) -> Outcome:
    """Run a case's program, or an altered tree of it, on an input under orders."""
    if COUNTER in case.source:
        raise ValueError(f"{case.name} uses the name {COUNTER}")
    return Machine(case, orders).run(tree or case.tree, text)
