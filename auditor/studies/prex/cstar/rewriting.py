"""Change a part of a program: the rest stays, and trees of any depth are rebuilt without the Python stack."""

from __future__ import annotations

from typing import NamedTuple

from auditor.studies.prex.cstar.syntax_tree import (
    Assign,
    Binary,
    Expression,
    If,
    Program,
    Statement,
    Unary,
    While,
    blocks_of,
    every_expression,
)


class Home(NamedTuple):
    """Where a statement stands."""

    parent: If | While | None
    """The statement around it; None at the top."""
    block: int
    """Which of the parent's blocks."""
    at: int
    in_loop: bool


def homes_in(program: Program) -> dict[Statement, Home]:
    """Return where every statement stands, in the order of the text."""
    homes: dict[Statement, Home] = {}
    waiting = [(statement, Home(None, 0, at, False)) for at, statement in enumerate(program.statements)][::-1]
    while waiting:
        statement, home = waiting.pop()
        homes[statement] = home
        if isinstance(statement, If | While):
            in_loop = home.in_loop or isinstance(statement, While)
            inner = [
                (one, Home(statement, number, at, in_loop))
                for number, block in enumerate(blocks_of(statement))
                for at, one in enumerate(block)
            ]
            waiting += reversed(inner)
    return homes


def replaced(
    program: Program, homes: dict[Statement, Home], statement: Statement, by: tuple[Statement, ...]
) -> Program:
    """Return the program with other statements in the place of one."""
    while True:
        home = homes[statement]
        parent = home.parent
        siblings = program.statements if parent is None else blocks_of(parent)[home.block]
        block = (*siblings[: home.at], *by, *siblings[home.at + 1 :])
        if parent is None:
            return Program(block)
        by = (_with_block(parent, home.block, block),)
        statement = parent


def _with_block(parent: If | While, number: int, block: tuple[Statement, ...]) -> Statement:
    if isinstance(parent, While):
        return While(parent.condition, block, parent.place, parent.head)
    then, otherwise = (block, parent.otherwise) if number == 0 else (parent.then, block)
    return If(parent.condition, then, otherwise, parent.place, parent.head)


def with_expression(statement: Assign | If | While, expression: Expression) -> Statement:
    """Return the statement with another value or condition."""
    if isinstance(statement, Assign):
        return Assign(statement.name, expression, statement.place)
    if isinstance(statement, While):
        return While(expression, statement.body, statement.place, statement.head)
    return If(expression, statement.then, statement.otherwise, statement.place, statement.head)


def expression_replaced(root: Expression, part: Expression, by: Expression) -> Expression:
    """Return an expression with another one in the place of a part of it."""
    parents: dict[Expression, Unary | Binary] = {}
    for node in every_expression(root):
        if isinstance(node, Unary):
            parents[node.operand] = node
        elif isinstance(node, Binary):
            parents[node.left] = parents[node.right] = node
    while part is not root:
        parent = parents[part]
        if isinstance(parent, Unary):
            by = Unary(parent.operator, by, parent.place)
        elif parent.left is part:
            by = Binary(parent.operator, by, parent.right, parent.place)
        else:
            by = Binary(parent.operator, parent.left, by, parent.place)
        part = parent
    return by
