"""The syntax tree of a C* program: frozen nodes with their places, in canonical symbols.

Nodes are compared by identity, since comparing and showing them would follow any depth of nesting with the Python
stack; `printing.same_program` compares two programs, and everything that walks a tree keeps a stack of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Place(NamedTuple):
    """Where something stands in a source text: lines and columns count from 1, in code points; the end is behind it."""

    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Place(0, 0, 0, 0)
"""The place of a node that was not read from a text."""


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A name that is read."""

    name: str
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A literal; never negative, since a sign is an operation."""

    value: int
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """`true` or `false`."""

    value: bool
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unary:
    """A sign before an arithmetic operand, or `!` before a boolean one."""

    operator: str
    operand: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binary:
    """An arithmetic, relational or logical operation."""

    operator: str
    left: Expression
    right: Expression
    place: Place = NOWHERE


Expression: TypeAlias = Variable | Number | Truth | Unary | Binary


@dataclass(frozen=True, slots=True, eq=False)
class Declare:
    """`int name`."""

    name: str
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assign:
    """`name = value`."""

    name: str
    value: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class If:
    """A conditional; without an `else` its second branch is empty."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    place: Place = NOWHERE
    head: Place = NOWHERE
    """From the keyword to the parenthesis behind the condition."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class While:
    """A loop."""

    condition: Expression
    body: tuple[Statement, ...]
    place: Place = NOWHERE
    head: Place = NOWHERE
    """From the keyword to the parenthesis behind the condition."""


@dataclass(frozen=True, slots=True, eq=False)
class Halt:
    """The program ends here, without an error."""

    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Break:
    """Leave the loop."""

    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Continue:
    """Go on with the next turn of the loop."""

    place: Place = NOWHERE


Statement: TypeAlias = Declare | Assign | If | While | Halt | Break | Continue


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Program:
    """A whole program."""

    statements: tuple[Statement, ...]


def blocks_of(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """Return the blocks of a statement: two of a conditional, one of a loop, none of another."""
    if isinstance(statement, If):
        return statement.then, statement.otherwise
    return (statement.body,) if isinstance(statement, While) else ()


def every_statement(program: Program) -> Iterator[tuple[Statement, int, bool]]:
    """Yield each statement in the order of the text, how deep it is nested (from 0), and whether it is in a loop."""
    waiting = [(statement, 0, False) for statement in reversed(program.statements)]
    while waiting:
        statement, depth, in_loop = waiting.pop()
        yield statement, depth, in_loop
        inner = in_loop or isinstance(statement, While)
        for block in reversed(blocks_of(statement)):
            waiting.extend((one, depth + 1, inner) for one in reversed(block))


def every_expression(root: Expression) -> Iterator[Expression]:
    """Yield an expression and all that it is made of, from left to right, what is around before what is within."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Binary):
            waiting += (node.right, node.left)
        elif isinstance(node, Unary):
            waiting.append(node.operand)


def names_in(program: Program) -> set[str]:
    """Return every name that is declared, assigned or read."""
    names: set[str] = set()
    for statement, _, _ in every_statement(program):
        if isinstance(statement, Declare | Assign):
            names.add(statement.name)
        root = expression_of(statement)
        if root is not None:
            names.update(node.name for node in every_expression(root) if isinstance(node, Variable))
    return names


def expression_of(statement: Statement) -> Expression | None:
    """Return the expression that a statement evaluates: an assigned value or a condition."""
    if isinstance(statement, Assign):
        return statement.value
    return statement.condition if isinstance(statement, If | While) else None
