"""Random C* programs that are valid: every one ends, under both semantics, and C would agree with what it computes.

Grammar: statements are chosen by probabilities that taper with the depth. Semantics: every loop counts its turns and is
left after a few, every divisor is different from zero, no value leaves 32 bits, only declared variables are used, and
`break` and `continue` stand in loops.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple

from auditor.errors import InputError
from auditor.studies.prex.cstar.notation import RELATIONAL
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
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
)

LONGEST = 1961
"""Lines of the longest program that is asked for, as in the benchmark."""
DEEPEST = 20
_VALUE_BOUND = 9999
"""No variable is beyond it, in either direction, after an assignment."""
_BITS_BOUND = 2**31 - 1
_TURNS = 24
"""How often at most a statement is executed: the product of the turns of all loops around it."""
_IF_LINES, _LOOP_LINES = 6, 5
"""Lines of an empty conditional, and of an empty loop with its counter."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a random program shall be like."""

    lines: int = 100
    """Lines of its text, exactly."""
    depth: int = 5
    """The deepest nesting of statements."""
    halts: float = 0.004
    """How likely a branch ends in `halt`."""

    def __post_init__(self) -> None:
        if not 4 <= self.lines <= LONGEST:
            raise InputError(f"a program of {self.lines:,} lines cannot be had.", hint=f"Ask for 4 to {LONGEST:,}.")
        if not 0 <= self.depth <= DEEPEST:
            raise InputError(f"a depth of {self.depth:,} cannot be had.", hint=f"Ask for 0 to {DEEPEST}.")


class _Bounded(NamedTuple):
    """An expression, and a number that its value never exceeds in either direction."""

    expression: Expression
    bound: int


class _Around(NamedTuple):
    """What is around a block."""

    depth: int
    turns: int
    """How often the block may still be repeated by loops within it."""
    in_loop: bool


def fuzz(seed: int | str, shape: Shape | None = None) -> Program:
    """Return a random valid program: the same one for the same seed and shape."""
    return _Fuzzer(random.Random(f"c*/{seed}"), shape or Shape()).program()


class _Fuzzer:
    def __init__(self, chance: random.Random, shape: Shape) -> None:
        self._chance = chance
        self._shape = shape
        self._names: list[str] = []
        self._counters: list[str] = []
        self._visible: list[str] = []
        """Counters of the loops around: they may be read."""

    def program(self) -> Program:
        """Return a program of exactly as many lines as its shape wants."""
        most = max(1, min(10, (self._shape.lines - 1) // 3))
        names = [chr(ord("a") + number) for number in range(self._chance.randint(1, most))]
        first = max(1, self._chance.randint(len(names) // 2, len(names)))
        self._names = names[:first]
        lines = self._shape.lines - len(names)
        statements: list[Statement] = []
        for name in names[first:]:
            share = self._chance.randint(0, lines // 4)
            statements += self._block(share, _Around(0, _TURNS, False))
            lines -= share
            statements.append(Declare(name))
            self._names.append(name)
        statements += self._block(max(0, lines), _Around(0, _TURNS, False))
        declared = [Declare(name) for name in (*names[:first], *self._counters)]
        return Program((*declared, *statements))

    def _block(self, lines: int, around: _Around) -> list[Statement]:
        """Return statements of so many lines, the declarations of their counters counted with them."""
        statements: list[Statement] = []
        while lines > 0:
            made, used = self._statement(lines, around)
            statements += made
            lines -= used
        return statements

    def _statement(self, lines: int, around: _Around) -> tuple[list[Statement], int]:
        """Return a statement and its lines."""
        nest = 0.5 * (1 - around.depth / self._shape.depth) if self._shape.depth else 0.0
        drawn = self._chance.random()
        if drawn < nest / 2 and lines > _IF_LINES + 1:
            return self._conditional(lines, around)
        if drawn < nest and lines > _LOOP_LINES + 2 and around.turns > 1:
            return self._loop(lines, around)
        return [self._assignment()], 1

    def _assignment(self) -> Statement:
        value, bound = self._arithmetic(self._chance.choice((0, 1, 1, 2, 2, 3)))
        if bound > _VALUE_BOUND:
            value = Binary("%", value, Number(self._chance.randint(100, _VALUE_BOUND)))
        return Assign(self._chance.choice(self._names), value)

    def _conditional(self, lines: int, around: _Around) -> tuple[list[Statement], int]:
        room = self._room(lines - _IF_LINES)
        then = self._chance.randint(1, room)
        inner = around._replace(depth=around.depth + 1)
        condition = self._condition(2)
        blocks = [tuple(self._branch(size, inner)) for size in (then, room - then)]
        return [If(condition, blocks[0], blocks[1])], _IF_LINES + room

    def _branch(self, lines: int, around: _Around) -> list[Statement]:
        """Return a block that may end by leaving the loop or the program."""
        jump: Statement | None = None
        drawn = self._chance.random()
        if lines and around.in_loop and drawn < 0.25:
            jump = Break() if drawn < 0.12 else Continue()
        elif lines and drawn > 1 - self._shape.halts:
            jump = Halt()
        block = self._block(lines - (jump is not None), around)
        return block if jump is None else [*block, jump]

    def _loop(self, lines: int, around: _Around) -> tuple[list[Statement], int]:
        """Return a loop that counts its turns; its counter is declared with the program's first variables."""
        counter = f"n{len(self._counters)}"
        self._counters.append(counter)
        turns = self._chance.randint(1, min(6, around.turns))
        room = self._room(lines - _LOOP_LINES - 1)
        guard: Expression = Binary("<", Variable(counter), Number(turns))
        if self._chance.random() < 0.4:
            guard = Binary("&&", guard, self._condition(1))
        self._visible.append(counter)
        body = self._block(room, _Around(around.depth + 1, max(1, around.turns // turns), True))
        self._visible.pop()
        count = Assign(counter, Binary("+", Variable(counter), Number(1)))
        return [Assign(counter, Number(0)), While(guard, (count, *body))], _LOOP_LINES + 1 + room

    def _room(self, lines: int) -> int:
        """Return how many lines a block gets of those that are left."""
        return self._chance.randint(1, max(1, min(lines, 12 + lines // 3)))

    # --- expressions -------------------------------------------------------------------------------------------

    def _condition(self, depth: int) -> Expression:
        drawn = self._chance.random()
        if depth and drawn < 0.3:
            return Binary(self._chance.choice(("&&", "||")), self._condition(depth - 1), self._condition(depth - 1))
        if depth and drawn < 0.4:
            return Unary("!", self._condition(depth - 1))
        if drawn > 0.97:
            return Truth(self._chance.random() < 0.5)
        left, right = self._arithmetic(depth).expression, self._arithmetic(1).expression
        return Binary(self._chance.choice(RELATIONAL), left, right)

    def _arithmetic(self, depth: int) -> _Bounded:
        if depth == 0 or self._chance.random() < 0.2:
            return self._leaf()
        if self._chance.random() < 0.1:
            operand, bound = self._arithmetic(depth - 1)
            return _Bounded(Unary(self._chance.choice("+-"), operand), bound)
        left = self._arithmetic(depth - 1)
        operator = self._chance.choice("++--**/%")
        if operator in "/%":
            divisor = self._divisor(depth - 1)
            bound = left.bound if operator == "/" else min(left.bound, divisor.bound - 1)
            return _Bounded(Binary(operator, left.expression, divisor.expression), bound)
        right = self._arithmetic(depth - 1)
        if operator == "*" and left.bound * right.bound > _BITS_BOUND:
            left, right = self._smaller(left), self._smaller(right)
        bound = left.bound * right.bound if operator == "*" else left.bound + right.bound
        if bound > _BITS_BOUND:
            return self._smaller(left)
        return _Bounded(Binary(operator, left.expression, right.expression), bound)

    def _leaf(self) -> _Bounded:
        drawn = self._chance.random()
        if drawn < 0.4:
            return self._number(self._chance.choice((9, 9, 99, 999)))
        if self._visible and drawn < 0.5:
            return _Bounded(Variable(self._chance.choice(self._visible)), 6)
        return _Bounded(Variable(self._chance.choice(self._names)), _VALUE_BOUND)

    def _number(self, largest: int) -> _Bounded:
        value = self._chance.randint(0, largest)
        return _Bounded(Number(value), value)

    def _smaller(self, operand: _Bounded) -> _Bounded:
        """Return the remainder of an operand, so that products stay within 32 bits."""
        divisor = self._chance.randint(2, 999)
        return _Bounded(Binary("%", operand.expression, Number(divisor)), divisor - 1)

    def _divisor(self, depth: int) -> _Bounded:
        """Return an expression that is never zero: a literal, or a remainder by m, which is above -m, plus m."""
        divisor = self._chance.randint(1, 99)
        if depth == 0 or self._chance.random() < 0.6:
            return _Bounded(Number(divisor), divisor)
        operand = self._arithmetic(depth - 1).expression
        inner = Binary("%", operand, Number(divisor))
        return _Bounded(Binary("+", inner, Number(divisor)), 2 * divisor - 1)
