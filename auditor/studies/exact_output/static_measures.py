"""What a source tells without being run: cyclomatic complexity, nesting, lines."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class _Way:
    """Where the statements that leave a block go."""

    end: int
    """The end of the function, or of the program."""
    after: int | None = None
    """Behind the innermost loop: `break`."""
    again: int | None = None
    """The innermost loop's header: `continue`."""
    broken: bool = False
    """Whether a `break` was met."""


class _Graph:
    """A control-flow graph of a whole file, built statement by statement; only what can be reached is in it.

    The body of a function or class stands where it is defined, so that the file is one connected graph.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.edges = 0

    def node(self, *sources: int | None) -> int:
        """Add a node with an edge from each node that leads there."""
        self.nodes += 1
        self.edges += sum(source is not None for source in sources)
        return self.nodes

    def edge(self, source: int | None, target: int | None) -> None:
        """Add an edge."""
        if source is not None and target is not None:
            self.edges += 1

    def choices(self, node: int, expressions: Iterable[ast.AST | None]) -> int:
        """Add the decisions inside expressions, each a way around one node."""
        for expression in expressions:
            for part in () if expression is None else ast.walk(expression):
                for _ in range(_decisions(part)):
                    around = self.node(node)
                    node = self.node(node, around)
        return node

    def block(self, body: Sequence[ast.stmt], node: int | None, way: _Way) -> int | None:
        """Add a block and return its last node; None when its end is never reached."""
        for statement in body:
            if node is None:
                return None
            node = self.statement(statement, self.node(node), way)
        return node

    def statement(self, statement: ast.stmt, node: int, way: _Way) -> int | None:
        """Add a statement whose node is there already."""
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            end = self.node()
            if isinstance(statement, ast.ClassDef):
                inner, outside = way, [*statement.bases, *statement.keywords]
            else:
                inner, outside = _Way(end), [statement.args]
            node = self.choices(node, [*statement.decorator_list, *outside])
            self.edge(self.block(statement.body, node, inner), end)
            return end
        if isinstance(statement, ast.If):
            test = self.choices(node, [statement.test])
            then = self.block(statement.body, test, way)
            other = self.block(statement.orelse, test, way) if statement.orelse else test
            return self.join(then, other)
        if isinstance(statement, ast.For | ast.AsyncFor | ast.While):
            return self.loop(statement, node, way)
        if isinstance(statement, ast.Try | ast.TryStar):
            return self.handled(statement, node, way)
        if isinstance(statement, ast.With | ast.AsyncWith):
            return self.block(statement.body, self.choices(node, statement.items), way)
        if isinstance(statement, ast.Match):
            return self.match(statement, node, way)
        return self.simple(statement, node, way)

    def join(self, *ends: int | None) -> int | None:
        """Bring the ends of several ways together; None when none of them is reached."""
        return self.node(*ends) if any(end is not None for end in ends) else None

    def simple(self, statement: ast.stmt, node: int, way: _Way) -> int | None:
        node = self.choices(node, [statement])
        if isinstance(statement, ast.Assert):
            self.edge(node, way.end)
            return self.node(node)
        if isinstance(statement, ast.Return | ast.Raise):
            self.edge(node, way.end)
        elif isinstance(statement, ast.Break):
            way.broken = True
            self.edge(node, way.after)
        elif isinstance(statement, ast.Continue):
            self.edge(node, way.again)
        else:
            return node
        return None

    def loop(self, statement: ast.For | ast.AsyncFor | ast.While, node: int, way: _Way) -> int | None:
        tested = statement.test if isinstance(statement, ast.While) else statement.iter
        header, after = self.choices(node, [tested]), self.node()
        inside = _Way(way.end, after, node)
        self.edge(self.block(statement.body, header, inside), node)
        done = self.block(statement.orelse, header, way)
        self.edge(done, after)
        if done is None and not inside.broken:
            self.nodes -= 1
            return None
        return after

    def handled(self, statement: ast.Try | ast.TryStar, node: int, way: _Way) -> int | None:
        ends = [self.block(statement.orelse, self.block(statement.body, node, way), way)]
        ends += [self.block(handler.body, self.choices(node, [handler.type]), way) for handler in statement.handlers]
        if all(end is None for end in ends):
            self.block(statement.finalbody, node, way)  # it runs on the way out, and nothing comes behind it
            return None
        return self.block(statement.finalbody, self.join(*ends), way)

    def match(self, statement: ast.Match, node: int, way: _Way) -> int | None:
        test: int | None = self.choices(node, [statement.subject])
        ends: list[int | None] = []
        for case in statement.cases:
            if test is None:
                break
            here = self.choices(test, [case.guard])
            ends.append(self.block(case.body, here, way))
            test = None if _takes_all(case) else here
        return self.join(*ends, test)


def _takes_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def _decisions(node: ast.AST) -> int:
    """Count the decisions of one node of an expression."""
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, ast.IfExp))


def cyclomatic(source: str) -> int:
    """Return E - N + 2 of a Python file's control-flow graph (McCabe 1976).

    Decisions are branches, loops, handlers, assertions, patterns, conditional expressions, the clauses of
    comprehensions, and each further operand of `and` and `or`. Raises SyntaxError.
    """
    graph = _Graph()
    start, end = graph.node(), graph.node()
    graph.edge(graph.block(ast.parse(source).body, start, _Way(end)), end)
    return graph.edges - graph.nodes + 2


def nesting(source: str) -> int:
    """Return how many blocks (branches, loops, handlers, `with`, functions, classes) stand in each other at most."""

    def depth(statements: Iterable[ast.stmt]) -> int:
        return max((1 + depth(inner) if (inner := _inside(one)) else 0 for one in statements), default=0)

    return depth(ast.parse(source).body)


def _inside(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a statement's blocks; an `elif` is on the level of its `if`."""
    found: list[ast.stmt] = []
    for name in ("body", "orelse", "finalbody"):
        part = getattr(statement, name, [])
        chained = name == "orelse" and len(part) == 1 and isinstance(part[0], ast.If) and isinstance(statement, ast.If)
        found += _inside(part[0]) if chained else part
    for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
        found += part.body
    return found


def code_lines(source: str) -> int:
    """Count the lines that are not blank."""
    return sum(bool(line.strip()) for line in source.splitlines())
