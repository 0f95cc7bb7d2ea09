"""Loops of a program and the moments at them that somebody wants to see: before an iteration, after the end."""

from __future__ import annotations

import ast
from typing import Any


class LoopLines:
    """The lines of one loop statement."""

    def __init__(self, loop: ast.For | ast.While | ast.AsyncFor) -> None:
        first = loop.body[0]
        decorators: list[ast.expr] = getattr(first, "decorator_list", [])
        begin = min([first.lineno, *(decorator.lineno for decorator in decorators)])
        self.header = range(loop.lineno, max(begin, loop.lineno + 1))
        self.body = range(begin, (loop.body[-1].end_lineno or first.lineno) + 1)
        self.span = range(loop.lineno, self.body.stop)
        self.one_line = begin == loop.lineno
        self.endless = isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)
        """`while True` has no test to come back to: its iterations go from the last line to the first."""
        # A loop, or decorators, which run again once what they decorate is there.
        comes_back = bool(decorators) or isinstance(first, ast.For | ast.While | ast.AsyncFor)
        self.first_inner = range(begin, (first.end_lineno or first.lineno) + 1) if comes_back else range(0)

    def begins_iteration(self, last: int, line: int) -> bool:
        """Say whether going from one line to another within a frame begins an iteration."""
        if self.one_line:
            return line in self.header
        if last in self.header and line in self.body:
            return True
        if self.endless and line == self.body.start and last in self.body:
            return last not in self.first_inner or last == line
        return False

    def ends(self, last: int, line: int | None) -> bool:
        """Say whether going from one line to another leaves the loop; None is the end of the function.

        A function that ends from within the body returns there, and the loop does not end.
        """
        if line is None:
            return last in self.header
        return last in self.span and line not in self.span


def loop_at(tree: ast.AST, line: int) -> LoopLines | None:
    """Return the loop statement that begins at a line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.While | ast.AsyncFor) and node.lineno == line:
            return LoopLines(node)
    return None


class Moment:
    """One moment to look for: the nth time of an event at a line; `step` is where it was, once it was there."""

    def __init__(self, asked: dict[str, Any], tree: ast.AST) -> None:
        self.kind: str = asked["kind"]
        self.line: int = asked["line"]
        self.left: int = asked["n"]
        self.loop = None if self.kind == "after_line" else loop_at(tree, self.line)
        self.step: int | None = None

    def passes(self, last: int, line: int | None, step: int) -> None:
        """Look at a frame that goes from one line to another, or to its end."""
        if self.left <= 0:
            return
        if self.kind == "after_line":
            hit = last == self.line
        elif self.loop is None:
            return
        elif self.kind == "iteration":
            hit = line is not None and self.loop.begins_iteration(last, line)
        else:
            hit = self.loop.ends(last, line)
        if hit:
            self.left -= 1
            if self.left == 0:
                self.step = step
