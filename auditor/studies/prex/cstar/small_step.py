"""The interpreter for S, the small-step semantics with 78 rules.

Expressions are turned into a list of operations beforehand, each with the rules that lead to it, since in S every
reduction of a part happens under the rules of what is around it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from auditor.studies.prex.cstar.machine import (
    LARGEST,
    Change,
    Context,
    Ending,
    StoppedError,
    Transition,
    end_place,
    quotient,
    remainder,
    stop_at_value,
)
from auditor.studies.prex.cstar.syntax_tree import (
    NOWHERE,
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

_BINARY = {
    "+": (7, operator.add),
    "-": (10, operator.sub),
    "*": (13, operator.mul),
    "/": (16, quotient),
    "%": (20, remainder),
    "<": (28, operator.lt),
    "<=": (32, operator.le),
    ">": (36, operator.gt),
    ">=": (40, operator.ge),
    "==": (44, operator.eq),
    "!=": (48, operator.ne),
    "&&": (52, operator.and_),
    "||": (56, operator.or_),
}
"""Of each operation the first of its rules and what it does; the rules are: left, right, then one or two results."""
_UNARY: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "-": (24, operator.neg),
    "+": (26, operator.pos),
    "!": (60, operator.not_),
}
_SEQUENCE: Context = (63, None)
"""Every statement makes its step as the first of those that are left."""


_CONSTANT, _READ, _COMPUTE, _DECIDE, _DIVIDE, _SIGN, _NEGATE, _NOTHING = range(8)
"""What an operation of an expression does."""


class _Operation(NamedTuple):
    kind: int
    argument: Any
    """A value, a name or a function."""
    first: Transition
    """The rule of a value, of a result, or of true."""
    second: Transition
    """The rule of an error or of false."""


_NONE = Transition(0, NOWHERE)


def _operations(root: Expression, around: Context) -> list[_Operation]:
    """Return what evaluates an expression, in the order of its steps: operands before operators, left before right."""
    found: list[_Operation] = []
    waiting: list[tuple[Expression, Context]] = [(root, around)]
    while waiting:
        node, context = waiting.pop()
        found.append(_operation(node, context))
        # The list is turned round at the end: first what is around, then the right operand, then the left one.
        if isinstance(node, Unary) and node.operator in _UNARY:
            waiting.append((node.operand, (_UNARY[node.operator][0], context)))
        elif isinstance(node, Unary):
            waiting.append((node.operand, context))
        elif isinstance(node, Binary):
            first = _BINARY[node.operator][0]
            waiting += ((node.left, (first, context)), (node.right, (first + 1, context)))
    found.reverse()
    return found


def _operation(node: Expression, context: Context) -> _Operation:
    match node:
        case Number(value) | Truth(value):
            return _Operation(_CONSTANT, value, _NONE, _NONE)
        case Variable(name, place):
            return _Operation(_READ, name, Transition(1, place, context), Transition(2, place, context))
        case Unary(sign, _, place) if sign in _UNARY:
            first, function = _UNARY[sign]
            kind = _NEGATE if sign == "!" else _SIGN
            return _Operation(kind, function, *(Transition(first + by, place, context) for by in (1, 2)))
        case Unary(sign, _, place):
            return _Operation(_NOTHING, sign, Transition(0, place), _NONE)
        case Binary(sign, _, _, place):
            first, binary = _BINARY[sign]
            kind = _COMPUTE if sign in "+-*" else _DIVIDE if sign in "/%" else _DECIDE
            return _Operation(kind, binary, *(Transition(first + by, place, context) for by in (2, 3)))


def _evaluated(operations: Sequence[_Operation], state: dict[str, int], made: list[Transition]) -> Any:
    """Evaluate an expression, and append a transition for each rule that applies."""
    values: list[Any] = []
    for kind, argument, first, second in operations:
        if kind == _READ:
            value = state.get(argument)
            if value is None:
                made.append(second)
                raise StoppedError(Ending.ERROR, second.place, "")
            made.append(first)
            values.append(value)
        elif kind == _CONSTANT:
            values.append(argument)
        elif kind == _COMPUTE:
            right = values.pop()
            values[-1] = result = argument(values[-1], right)
            if not -LARGEST < result < LARGEST:
                stop_at_value(first.place)
            made.append(first)
        elif kind == _DECIDE:
            right = values.pop()
            values[-1] = holds = argument(values[-1], right)
            made.append(first if holds else second)
        elif kind == _DIVIDE:
            right = values.pop()
            if right == 0:
                made.append(second)
                raise StoppedError(Ending.ERROR, second.place, "")
            values[-1] = argument(values[-1], right)
            made.append(first)
        elif kind == _NOTHING:
            raise StoppedError(Ending.STUCK, first.place, f"is stuck: no rule applies to the sign {argument!r}")
        else:
            values[-1] = holds = argument(values[-1])
            made.append(first if kind == _SIGN or holds else second)
    return values[0]


@dataclass(slots=True, eq=False)
class _Item:
    """A statement, or what S makes of one, ready to be executed."""

    kind: type | str
    place: Place
    name: str = ""
    operations: Sequence[_Operation] = ()
    then: list[_Item] = field(default_factory=list)
    """The first block, or a loop's body; the last statement first, since the stack is filled from below."""
    otherwise: list[_Item] = field(default_factory=list)
    made: tuple[Transition, ...] = ()
    """The transitions that do not depend on the state."""


_LOOP, _LOOP_END = "LOOP", "LE"


def _items(program: Program) -> list[_Item]:
    """Return the statements of a program as items, the last one first."""
    whole: list[_Item] = []
    waiting: list[tuple[tuple[Statement, ...], list[_Item]]] = [(program.statements, whole)]
    while waiting:
        statements, block = waiting.pop()
        for statement in reversed(statements):
            item = _item(statement)
            block.append(item)
            if isinstance(statement, If):
                waiting += ((statement.then, item.then), (statement.otherwise, item.otherwise))
            elif isinstance(statement, While):
                waiting.append((statement.body, item.then[0].then))
    return whole


def _item(statement: Statement) -> _Item:
    place = statement.head if isinstance(statement, If | While) else statement.place

    def fixed(*rules: int, under: Context = None) -> tuple[Transition, ...]:
        return tuple(Transition(number, place, under) for number in rules)

    match statement:
        case Declare(name):
            return _Item(Declare, place, name)
        case Assign(name, value):
            made = fixed(6, under=_SEQUENCE)
            return _Item(Assign, place, name, _operations(value, (4, _SEQUENCE)), made=made)
        case If(condition):
            operations = _operations(condition, (64, _SEQUENCE))
            return _Item(If, place, operations=operations, made=fixed(65, 66, under=_SEQUENCE))
        case While(condition):
            operations = _operations(condition, (68, _SEQUENCE))
            loop = _Item(_LOOP, place, operations=operations, made=fixed(70, 69, under=_SEQUENCE))
            ending = end_place(statement)
            loop.otherwise.append(_Item(_LOOP_END, ending, made=(Transition(77, ending, _SEQUENCE),)))
            return _Item(While, place, then=[loop], made=fixed(67, under=_SEQUENCE))
        case Break():
            return _Item(Break, place, made=fixed(71, 72, 73))
        case Continue():
            return _Item(Continue, place, made=fixed(74, 75, 76))
        case Halt():
            return _Item(Halt, place, made=fixed(78))


class SmallStepMachine:
    """A program under S: what is left of it, the values of its variables and the stack of its loops."""

    def __init__(self, program: Program) -> None:
        self.state: dict[str, int] = {}
        self._left = _items(program)
        """The first statement of what is left comes last."""
        self._loops: list[_Item] = []

    def advance(self, made: list[Transition]) -> None:
        """Append the transitions of one statement to `made`; raises StoppedError when there is no further one."""
        if not self._left:
            raise StoppedError(Ending.COMPLETE, None, "runs to its end")
        item = self._left.pop()
        kind = item.kind
        if kind is Assign:
            self._assign(item, made)
        elif kind is If:
            holds = _evaluated(item.operations, self.state, made)
            made.append(item.made[0] if holds else item.made[1])
            self._left += item.then if holds else item.otherwise
        elif kind is _LOOP:
            self._turn(item, made)
        elif kind is _LOOP_END:
            made += item.made
            self._left.append(self._loops[-1])
        elif kind is Declare:
            made.append(Transition(3, item.place, _SEQUENCE, Change(item.name, self.state.get(item.name), 0)))
            self.state[item.name] = 0
        elif kind is While:
            made += item.made
            self._loops += item.then
            self._left += item.then
        elif kind is Halt:
            made += item.made
            raise StoppedError(Ending.HALTED, item.place, "halts")
        else:
            self._leave(item, made)

    def _assign(self, item: _Item, made: list[Transition]) -> None:
        value = _evaluated(item.operations, self.state, made)
        old = self.state.get(item.name)
        if old is None:
            made += item.made
            raise StoppedError(Ending.ERROR, item.place, "")
        made.append(Transition(5, item.place, _SEQUENCE, Change(item.name, old, value)))
        self.state[item.name] = value

    def _turn(self, item: _Item, made: list[Transition]) -> None:
        """Evaluate a loop's condition: its body follows, with the mark of its end behind it, or the loop is over."""
        if _evaluated(item.operations, self.state, made):
            made.append(item.made[0])
            self._left += item.otherwise
            self._left += item.then
        else:
            made.append(item.made[1])
            self._loops.pop()

    def _leave(self, item: _Item, made: list[Transition]) -> None:
        """Pass over statements up to the end of the loop's body: a `break` leaves the loop, a `continue` does not."""
        skip, reach, outside = item.made
        if not self._loops:
            made.append(outside)
            raise StoppedError(Ending.ERROR, item.place, "")
        while self._left.pop().kind is not _LOOP_END:
            made.append(skip)
        made.append(reach)
        if item.kind is Break:
            self._loops.pop()
        else:
            self._left.append(self._loops[-1])
