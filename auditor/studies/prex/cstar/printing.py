"""Write C* programs: one layout, any notation, in the liberal or the strict syntax; what is read back is the same."""

from __future__ import annotations

from auditor.studies.prex.cstar.notation import STANDARD, Notation
from auditor.studies.prex.cstar.syntax_kind import Syntax
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

_INDENT = "    "
_DEEPEST = 20
"""Levels that are indented; deeper ones stay there, since the text would grow with the square of the depth."""


def print_program(program: Program, notation: Notation = STANDARD, syntax: Syntax = Syntax.LIBERAL) -> str:
    """Return the program's text, a newline behind each line.

    Operations stand in parentheses. Around a whole condition the liberal syntax has one pair of them, `while (a < b)`,
    and the strict one, by its grammar, two.
    """
    lines: list[str] = []
    waiting: list[tuple[Statement | str, int]] = [(statement, 0) for statement in reversed(program.statements)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, If | While):
            waiting += reversed(_compound(item, depth, notation, syntax))
            continue
        text = item if isinstance(item, str) else f"{_simple(item, notation, syntax)};"
        lines.append(f"{_INDENT * min(depth, _DEEPEST)}{text}\n")
    return "".join(lines)


def same_program(one: Program, other: Program) -> bool:
    """Say whether two trees are the same program, wherever they stand in their texts."""
    return print_program(one) == print_program(other)


def _compound(
    statement: If | While, depth: int, notation: Notation, syntax: Syntax
) -> list[tuple[Statement | str, int]]:
    condition = print_expression(statement.condition, notation, syntax)
    if syntax is Syntax.STRICT or not isinstance(statement.condition, Unary | Binary):
        condition = f"({condition})"
    if isinstance(statement, While):
        head = f"{notation.spell('while')} {condition}"
        inner = [(one, depth + 1) for one in statement.body]
        return [(head, depth), ("{", depth), *inner, ("};", depth)]
    then = [(one, depth + 1) for one in statement.then]
    otherwise = [(one, depth + 1) for one in statement.otherwise]
    head = f"{notation.spell('if')} {condition}"
    between = [("}", depth), (notation.spell("else"), depth), ("{", depth)]
    return [(head, depth), ("{", depth), *then, *between, *otherwise, ("};", depth)]


def _simple(statement: Declare | Assign | Halt | Break | Continue, notation: Notation, syntax: Syntax) -> str:
    match statement:
        case Declare(name):
            return f"int {name}"
        case Assign(name, value):
            return f"{name} {notation.spell('=')} {print_expression(value, notation, syntax)}"
        case Halt():
            return notation.spell("halt")
        case Break():
            return notation.spell("break")
        case Continue():
            return notation.spell("continue")


def print_expression(root: Expression, notation: Notation = STANDARD, syntax: Syntax = Syntax.LIBERAL) -> str:
    """Return an expression's text, every operation in parentheses."""
    parts: list[str] = []
    waiting: list[Expression | str] = [root]
    while waiting:
        match waiting.pop():
            case str() as text:
                parts.append(text)
            case Variable(name):
                parts.append(name)
            case Number(value):
                parts.append(str(value))
            case Truth(value):
                word = "true" if value else "false"
                parts.append(f"({word})" if syntax is Syntax.STRICT else word)
            case Unary(operator, operand):
                waiting += (")", operand, f"({notation.spell(operator)}")
            case Binary(operator, left, right):
                waiting += (")", right, f" {notation.spell(operator)} ", left, "(")
    return "".join(parts)
