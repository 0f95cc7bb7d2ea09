"""Which variables of a Python program can be shown to be never negative: there `//` and `%` are those of C."""

from __future__ import annotations

import ast

_KEPT = (ast.Add, ast.Mult, ast.FloorDiv, ast.Mod)
"""Operations that make no negative value of values that are not negative."""


def literal_value(node: ast.expr) -> int | None:
    """Return the value of an integer literal with or without a sign; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = literal_value(node.operand)
        return None if inner is None else (-inner if isinstance(node.op, ast.USub) else inner)
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def never_negative(tree: ast.Module, inputs: dict[ast.expr, int]) -> set[str]:
    """Return the variables to which nothing is assigned that may be negative.

    `inputs` holds the values that expressions read. All are taken to be so, and those that cannot be are taken out
    until none is left that depends on one.
    """
    given = list(_assignments(tree))
    names = {name for name, _ in given}
    while True:
        left = names - {name for name, value in given if value is None or not is_not_negative(value, names, inputs)}
        if left == names:
            return names
        names = left


def is_not_negative(node: ast.expr, names: set[str], inputs: dict[ast.expr, int]) -> bool:
    """Say whether an expression is never negative, where the variables `names` are not."""
    value = inputs.get(node, literal_value(node))
    if value is not None:
        return value >= 0
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.BinOp) and isinstance(node.op, _KEPT):
        return all(is_not_negative(part, names, inputs) for part in (node.left, node.right))
    return False


def _assignments(tree: ast.Module) -> list[tuple[str, ast.expr | None]]:
    """Return every variable with each expression that it gets; None stands for what may be anything."""
    found: list[tuple[str, ast.expr | None]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            value = node.value if isinstance(node.op, _KEPT) else None
            found.append((node.target.id, value))
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            found.append((node.target.id, _least(node.iter)))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                found += _pairs(target, node.value)
    return found


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [pair for one, other in zip(target.elts, value.elts, strict=True) for pair in _pairs(one, other)]
    return []


def _least(called: ast.expr) -> ast.expr | None:
    """Return an expression that is never more than what a loop over a range counts; None where there is none."""
    if not isinstance(called, ast.Call) or not 1 <= len(called.args) <= 3:
        return None
    step = literal_value(called.args[2]) if len(called.args) == 3 else 1
    if step is None:
        return None
    if step > 0:
        return called.args[0] if len(called.args) > 1 else ast.Constant(0)
    stop = called.args[1]
    return ast.Constant(0) if literal_value(stop) == -1 else stop
