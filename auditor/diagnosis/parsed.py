"""A source with its syntax tree, and where in the text each part of the tree stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BLANK = re.compile(rb"(?:\s|\\\r?\n|#[^\r\n]*|[()])*")


class Parsed:
    """A Python source as bytes and tree; every place is counted in bytes from the start.

    Raises SyntaxError or ValueError for a text that is no Python source.
    """

    def __init__(self, text: str) -> None:
        """Parse."""
        self.data = text.encode(errors="surrogatepass")
        self.tree = ast.parse(text)
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.data))]
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def start(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> int:
        """Return where a node begins."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> int:
        """Return where a node ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return a node's own text."""
        return self.slice(self.start(node), self.end(node))

    def slice(self, start: int, end: int) -> str:
        """Return the text between two places."""
        return self.data[start:end].decode(errors="surrogatepass")

    def line(self, place: int) -> int:
        """Return the line of a place, from 1."""
        low, high = 0, len(self._starts)
        while low < high - 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._starts[middle] <= place else (low, middle)
        return low + 1

    def column(self, place: int) -> int:
        """Return how many bytes stand before a place in its line."""
        return place - self._starts[self.line(place) - 1]

    def indent(self, statement: ast.stmt) -> str | None:
        """Return the white space before a statement; None when it shares its line with what stands before it."""
        before = self.data[self._starts[statement.lineno - 1] : self.start(statement)]
        return None if before.strip() else before.decode()

    def statement_lines(self, place: int) -> tuple[int, int]:
        """Return the first and the last line of the innermost statement around a place."""
        found = 1, len(self._starts)
        for node in ast.walk(self.tree):  # outer ones come first
            if isinstance(node, ast.stmt) and self.start(node) <= place <= self.end(node):
                assert node.end_lineno is not None
                found = node.lineno, node.end_lineno
        return found

    def operator(self, after: ast.expr, before: ast.expr, operator: str) -> tuple[int, int] | None:
        """Return where an operator stands between two operands."""
        place = self.end(after)
        skipped = _BLANK.match(self.data, place)
        place = skipped.end() if skipped else place
        words = operator.split()
        pattern = rb"(?:\s|\\\r?\n|#[^\r\n]*)+".join(re.escape(word.encode()) for word in words)
        match = re.compile(pattern).match(self.data, place)
        return (match.start(), match.end()) if match and match.end() <= self.start(before) else None

    def edited(self, edits: tuple[tuple[int, int, str], ...]) -> str:
        """Return the text with parts exchanged; the parts do not overlap."""
        data = self.data
        for start, end, new in sorted(edits, reverse=True):
            data = data[:start] + new.encode(errors="surrogatepass") + data[end:]
        return data.decode(errors="surrogatepass")

    def blocks(self) -> Iterator[list[ast.stmt]]:
        """Yield every list of statements that are run one after the other."""
        for node in ast.walk(self.tree):
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    yield block
