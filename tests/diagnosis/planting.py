"""Plant faults in programs: single ones of every kind that is searched for, others that are not, and two at once.

Written apart from the searcher, on the tree instead of the text: a fault is a changed copy of the tree, unparsed.
"""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Planted:
    """A program, or its input, with something wrong in it."""

    family: str
    """`single`, `outside` or `two`."""
    marks: tuple[tuple[str, int | None], ...]
    """Kind and line of each fault; the line is None in the input."""
    source: str
    input: str


Change = Callable[[Any], ast.AST | list[ast.stmt] | None]
"""What stands in a node's place; None takes a statement away."""


class _Planter(ast.NodeTransformer):
    """Changes the nodes of some numbers, counted as `ast.walk` meets them."""

    def __init__(self, tree: ast.AST, changes: dict[int, Change]) -> None:
        self.changes = {id(node): changes[n] for n, node in enumerate(ast.walk(tree)) if n in changes}

    def visit(self, node: ast.AST) -> Any:
        change = self.changes.get(id(node))
        self.generic_visit(node)
        if change is None:
            return node
        new = change(node)
        return ast.Pass() if new is None and isinstance(node, ast.stmt) else new


def _with(tree: ast.Module, changes: dict[int, Change]) -> str:
    copied = copy.deepcopy(tree)
    changed = _Planter(copied, changes).visit(copied)
    return ast.unparse(ast.fix_missing_locations(changed))


def _op(new: ast.AST, place: int | None = None) -> Change:
    def change(node: Any) -> ast.AST:
        if place is None:
            node.op = new
        else:
            node.ops[place] = new
        return node  # type: ignore[no-any-return]

    return change


def _plus(step: int) -> Change:
    def change(node: Any) -> ast.AST:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return ast.Constant(node.value + step)
        return ast.BinOp(node, ast.Add() if step > 0 else ast.Sub(), ast.Constant(abs(step)))

    return change


def _negated(node: Any) -> ast.AST:
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return node  # type: ignore[no-any-return]


def _renamed(name: str) -> Change:
    def change(node: Any) -> ast.AST:
        node.func.attr = name
        return node  # type: ignore[no-any-return]

    return change


def _called(name: str) -> Change:
    def change(node: Any) -> ast.AST:
        node.func.id = name
        return node  # type: ignore[no-any-return]

    return change


def _sorted_backwards(node: Any) -> ast.AST:
    node.keywords = [*node.keywords, ast.keyword("reverse", ast.Constant(True))]
    return node  # type: ignore[no-any-return]


_OPERATORS: dict[type[ast.operator], tuple[ast.operator, ...]] = {
    ast.Add: (ast.Sub(), ast.Mult()),
    ast.Sub: (ast.Add(),),
    ast.Mult: (ast.Add(),),
}
_EDGES: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
}
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
_METHODS = {"upper": "lower", "lower": "upper", "lstrip": "rstrip", "rstrip": "lstrip", "find": "rfind"}

Site = tuple[str, int, int, Change]
"""Kind, line, number of the node, and what is done to it."""


def sites(tree: ast.Module) -> Iterator[Site]:
    """Yield the single faults of a program."""
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    for number, node in enumerate(ast.walk(tree)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.If):
            yield "branch", node.test.lineno, number, _negated
        elif isinstance(node, ast.Compare):
            for place, operator in enumerate(node.ops):
                if type(operator) in _EDGES:
                    yield "bound", line, number, _op(_EDGES[type(operator)], place)
                elif isinstance(operator, ast.Eq | ast.NotEq):
                    new = ast.NotEq() if isinstance(operator, ast.Eq) else ast.Eq()
                    yield "operator", line, number, _op(new, place)
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            for other in _OPERATORS.get(type(node.op), ()):
                yield "operator", line, number, _op(other)
            if isinstance(node.op, ast.FloorDiv):
                yield "division", line, number, _op(ast.Div())
        elif isinstance(node, ast.BoolOp):
            yield "operator", line, number, _op(ast.Or() if isinstance(node.op, ast.And) else ast.And())
        elif isinstance(node, ast.Call):
            yield from _call_sites(node, line, number, numbers)
        elif isinstance(node, ast.Slice):
            for bound in (node.lower, node.upper):
                if bound is not None and not isinstance(bound, ast.UnaryOp):
                    yield "bound", bound.lineno, numbers[id(bound)], _plus(1)
        if isinstance(node, _SIMPLE) and not isinstance(getattr(node, "value", None), ast.Constant | None):
            yield "statement", line, number, lambda node: None
            yield "statement", line, number, lambda node: [node, copy.deepcopy(node)]


def _call_sites(node: ast.Call, line: int, number: int, numbers: dict[int, int]) -> Iterator[Site]:
    if isinstance(node.func, ast.Name):
        name = node.func.id
        if name == "range":
            bound = node.args[-1] if len(node.args) < 3 else node.args[1]
            for step in (1, -1):
                yield "bound", bound.lineno, numbers[id(bound)], _plus(step)
        elif name in ("min", "max"):
            yield "operator", line, number, _called("max" if name == "min" else "min")
        elif name == "sorted":
            yield "order", line, number, _called("list")
            if not node.keywords:
                yield "order", line, number, _sorted_backwards
    elif isinstance(node.func, ast.Attribute):
        if node.func.attr in _METHODS:
            yield "string", line, number, _renamed(_METHODS[node.func.attr])
        elif node.func.attr == "strip" and not node.args:
            yield "string", line, number, lambda node: node.func.value
        elif node.func.attr == "join" and isinstance(node.func.value, ast.Constant):
            other = "" if node.func.value.value else " "
            yield "string", line, numbers[id(node.func.value)], lambda node: ast.Constant(other)


def misreadings(text: str, chance: random.Random) -> Iterator[str]:
    """Yield inputs with a word that is read wrongly."""
    words = list(re.finditer(r"\S+", text))
    for word in chance.sample(words, min(3, len(words))):
        if word[0].lstrip("-").isdigit():
            yield text[: word.start()] + str(int(word[0]) + chance.choice((-1, 1))) + text[word.end() :]
        elif len(word[0]) > 2:
            place = chance.randrange(len(word[0]))
            yield text[: word.start() + place] + text[word.start() + place + 1 :]


def singles(source: str, text: str, seed: int = 1) -> list[Planted]:
    """Return the single faults of every kind that is searched for."""
    tree = ast.parse(source)
    found = [
        Planted("single", ((kind, line),), _with(tree, {number: change}), text)
        for kind, line, number, change in sites(tree)
    ]
    wrong = misreadings(text, random.Random(seed))
    return found + [Planted("single", (("input", None),), source, misread) for misread in wrong]


def pairs(source: str, text: str, count: int, seed: int = 1) -> list[Planted]:
    """Return programs with two of those faults at once."""
    tree, chance = ast.parse(source), random.Random(seed)
    all_sites = list(sites(tree))
    found = []
    for _ in range(count if len(all_sites) > 1 else 0):
        one, two = chance.sample(all_sites, 2)
        if one[2] != two[2]:
            changes = {one[2]: one[3], two[2]: two[3]}
            found.append(Planted("two", ((one[0], one[1]), (two[0], two[1])), _with(tree, changes), text))
    return found


def outsiders(source: str, text: str, seed: int = 1) -> list[Planted]:
    """Return programs with a fault of a sort that nobody searches for.

    Another variable read, a number that is far off, a loop left early at some iteration, a sum with a slip, two
    values exchanged.
    """
    tree, chance = ast.parse(source), random.Random(seed)
    names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
    found: list[tuple[str, int, int, Change]] = []
    for number, node in enumerate(ast.walk(tree)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and len(names) > 1:
            other = chance.choice([name for name in names if name != node.id])
            found.append(("another variable", line, number, _read(other)))
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            step = chance.choice((2, 3, 5, 7, 10, -2, -3, -5))
            found.append(("number far off", line, number, _plus(step)))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            found.append(
                ("slip in a sum", line, number, _slip(chance.choice((1, 2, 10, -1, -10)), chance.randint(1, 4)))
            )
        elif isinstance(node, ast.For | ast.While):
            found.append(("loop left early", line, number, _left_early(chance.randint(2, 6))))
    chance.shuffle(found)
    return [
        Planted("outside", ((kind, line),), _with(tree, {number: change}), text) for kind, line, number, change in found
    ]


def _read(name: str) -> Change:
    return lambda node: ast.Name(name, ast.Load())


def _counted(key: str) -> ast.expr:
    """Return an expression whose value is how often it has been evaluated."""
    code = f"(lambda seen: (seen.append(1), len(seen))[1])(globals().setdefault({key!r}, []))"
    return ast.parse(code, mode="eval").body


def _slip(amount: int, at: int) -> Change:
    def change(node: Any) -> ast.AST:
        wrong = ast.IfExp(
            ast.Compare(_counted("_slips"), [ast.Eq()], [ast.Constant(at)]),
            ast.BinOp(copy.deepcopy(node), ast.Add(), ast.Constant(amount)),
            node,
        )
        return wrong

    return change


def _left_early(at: int) -> Change:
    def change(node: Any) -> ast.AST:
        test = ast.Compare(_counted("_rounds"), [ast.Gt()], [ast.Constant(at)])
        node.body = [ast.If(test, [ast.Break()], []), *node.body]
        return node  # type: ignore[no-any-return]

    return change
