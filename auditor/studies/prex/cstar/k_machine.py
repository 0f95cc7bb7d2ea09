"""The interpreter for K, the rewriting semantics with 36 rules.

It keeps the cells of K: k, a stack whose top is rewritten, and state. Operands are evaluated from left to right before
their operation, without a rule of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from auditor.studies.prex.cstar.machine import (
    LARGEST,
    Change,
    Ending,
    StoppedError,
    Transition,
    end_place,
    quotient,
    remainder,
    stop_at_value,
)
from auditor.studies.prex.cstar.syntax_tree import (
    Assign,
    Binary,
    Break,
    Continue,
    Declare,
    Expression,
    Halt,
    If,
    Number,
    Place,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
)

_OPERATIONS: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "+": (3, lambda left, right: left + right),
    "-": (4, lambda left, right: left - right),
    "*": (5, lambda left, right: left * right),
    "/": (6, quotient),
    "%": (8, remainder),
    "<": (12, lambda left, right: left < right),
    "<=": (13, lambda left, right: left <= right),
    ">": (14, lambda left, right: left > right),
    ">=": (15, lambda left, right: left >= right),
    "==": (16, lambda left, right: left == right),
    "!=": (17, lambda left, right: left != right),
    "&&": (19, lambda left, right: left and right),
    "||": (20, lambda left, right: left or right),
}
"""The rule of each operation and what it gives; division by zero has a rule of its own."""
_BY_ZERO = {"/": 7, "%": 9}
_SIGNS = {"+": 10, "-": 11, "!": 18}


@dataclass(frozen=True, slots=True, eq=False)
class _Heated:
    """An operation that waits for its operands."""

    node: Unary | Binary


@dataclass(frozen=True, slots=True, eq=False)
class _Loop:
    """What is left of a `while` between its turns."""

    statement: While
    place: Place
    marker: _ContinueMarker


@dataclass(frozen=True, slots=True, eq=False)
class _BreakMarker:
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class _ContinueMarker:
    place: Place


_Item: TypeAlias = Statement | _Loop | _BreakMarker | _ContinueMarker


class KMachine:
    """A program under K."""

    def __init__(self, program: Program) -> None:
        self.state: dict[str, int] = {}
        self._k: list[_Item] = list(reversed(program.statements))

    def advance(self, made: list[Transition]) -> None:
        """Append the transitions of one statement to `made`; raises StoppedError when there is no further one."""
        if not self._k:
            raise StoppedError(Ending.COMPLETE, None, "runs to its end")
        item = self._k.pop()
        _REWRITE[type(item)](self, item, made)

    def _assign(self, item: Assign, made: list[Transition]) -> None:
        name, value = item.name, self._value(item.value, made)
        if name not in self.state:
            reason = f"is stuck: no rule applies to an assignment to {name}, which is not declared,"
            raise StoppedError(Ending.STUCK, item.place, reason)
        made.append(Transition(21, item.place, None, Change(name, self.state[name], value)))
        self.state[name] = value

    def _declare(self, item: Declare, made: list[Transition]) -> None:
        if item.name in self.state:
            reason = f"is stuck: no rule applies to a declaration of {item.name}, which is there already,"
            raise StoppedError(Ending.STUCK, item.place, reason)
        made.append(Transition(36, item.place, None, Change(item.name, None, 0)))
        self.state[item.name] = 0

    def _decide(self, item: If, made: list[Transition]) -> None:
        holds = self._value(item.condition, made)
        made.append(Transition(22 if holds else 23, item.head))
        self._k += reversed(item.then if holds else item.otherwise)

    def _begin_loop(self, item: While, made: list[Transition]) -> None:
        made.append(Transition(24, item.head))
        self._k += (_BreakMarker(end_place(item)), _Loop(item, item.head, _ContinueMarker(end_place(item))))

    def _turn(self, item: _Loop, made: list[Transition]) -> None:
        """Unfold a loop into a conditional, and decide it."""
        made.append(Transition(25, item.place))
        if self._value(item.statement.condition, made):
            made.append(Transition(22, item.place))
            self._k += (item, item.marker)
            self._k += reversed(item.statement.body)
        else:
            made.append(Transition(23, item.place))

    def _pass_break_marker(self, item: _BreakMarker, made: list[Transition]) -> None:
        made.append(Transition(27, item.place))

    def _pass_continue_marker(self, item: _ContinueMarker, made: list[Transition]) -> None:
        made.append(Transition(28, item.place))

    def _halt(self, item: Halt, made: list[Transition]) -> None:
        made.append(Transition(26, item.place))
        raise StoppedError(Ending.HALTED, item.place, "halts")

    def _break(self, item: Break, made: list[Transition]) -> None:
        while self._k:
            if isinstance(self._k.pop(), _BreakMarker):
                made.append(Transition(35, item.place))
                return
            made.append(Transition(33, item.place))
        made.append(Transition(34, item.place))
        raise StoppedError(Ending.ERROR, item.place, "")

    def _continue(self, item: Continue, made: list[Transition]) -> None:
        while self._k:
            passed = self._k.pop()
            if isinstance(passed, _ContinueMarker):
                made.append(Transition(29, item.place))
                return
            made.append(Transition(32 if isinstance(passed, _BreakMarker) else 30, item.place))
        made.append(Transition(31, item.place))
        raise StoppedError(Ending.ERROR, item.place, "")

    def _value(self, root: Expression, made: list[Transition]) -> Any:
        """Evaluate an expression: what is heated comes back once its operands are values."""
        heated: list[Expression | _Heated] = [root]
        values: list[Any] = []
        while heated:
            node = heated.pop()
            kind = type(node)
            if kind is Variable:
                assert isinstance(node, Variable)
                if node.name not in self.state:
                    made.append(Transition(2, node.place))
                    raise StoppedError(Ending.ERROR, node.place, "")
                made.append(Transition(1, node.place))
                values.append(self.state[node.name])
            elif kind is Binary:
                assert isinstance(node, Binary)
                heated += (_Heated(node), node.right, node.left)
            elif kind is _Heated:
                assert isinstance(node, _Heated)
                _cool(node.node, values, made)
            elif kind is Unary:
                assert isinstance(node, Unary)
                heated += (_Heated(node), node.operand)
            else:
                assert isinstance(node, Number | Truth)
                values.append(node.value)
        return values.pop()


_REWRITE: dict[type, Callable[[KMachine, Any, list[Transition]], None]] = {
    Assign: KMachine._assign,
    Declare: KMachine._declare,
    If: KMachine._decide,
    While: KMachine._begin_loop,
    _Loop: KMachine._turn,
    _BreakMarker: KMachine._pass_break_marker,
    _ContinueMarker: KMachine._pass_continue_marker,
    Break: KMachine._break,
    Continue: KMachine._continue,
    Halt: KMachine._halt,
}


def _cool(node: Unary | Binary, values: list[Any], made: list[Transition]) -> None:
    """Apply an operation to the values of its operands, which it takes from the end of `values`."""
    sign = node.operator
    if isinstance(node, Unary):
        if sign not in _SIGNS:
            raise StoppedError(Ending.STUCK, node.place, f"is stuck: no rule applies to the sign {sign!r}")
        made.append(Transition(_SIGNS[sign], node.place))
        if sign != "+":
            values[-1] = -values[-1] if sign == "-" else not values[-1]
        return
    right = values.pop()
    if right == 0 and sign in _BY_ZERO:
        made.append(Transition(_BY_ZERO[sign], node.place))
        raise StoppedError(Ending.ERROR, node.place, "")
    number, function = _OPERATIONS[sign]
    values[-1] = value = function(values[-1], right)
    if not -LARGEST < value < LARGEST:
        stop_at_value(node.place)
    made.append(Transition(number, node.place))
