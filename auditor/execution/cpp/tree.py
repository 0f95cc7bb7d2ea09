"""The syntax tree of a C++ program, by tree-sitter, and the insertions that are made with its help."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from auditor.errors import AuditorError

if TYPE_CHECKING:
    from tree_sitter import Node

LOOPS = ("for_statement", "for_range_loop", "while_statement", "do_statement")
EXTRA = "pip install 'auditor[cpp]'"
FUNCTIONS = ("function_definition", "lambda_expression")


def has_parser() -> bool:
    """Say whether C++ can be taken apart here."""
    return all(find_spec(name) is not None for name in ("tree_sitter", "tree_sitter_cpp"))


class NoParserError(AuditorError):
    """C++ cannot be taken apart because the extra that brings its parser is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "C++ programs are taken apart by tree-sitter, which is not installed.", f"Install it with {EXTRA}."
        )


class UnreadableError(AuditorError):
    """The parser does not understand a part of a C++ program."""

    def __init__(self, line: int) -> None:
        super().__init__(
            f"line {line} is not understood; perhaps a macro stands there for a part of a statement, or a loop."
        )


class Tree:
    """A C++ program and its syntax tree. Places are bytes of the UTF-8 source, lines count from 1."""

    def __init__(self, source: str) -> None:
        """Parse a source; raises NoParserError, and UnreadableError where a part of it is not understood."""
        try:
            import tree_sitter_cpp
            from tree_sitter import Language, Parser
        except ImportError as error:
            raise NoParserError from error
        self.data = source.encode(errors="surrogatepass")
        # The tree keeps no reference of its own to the parser's language in all versions, so the parser stays too.
        self._parser = Parser(Language(tree_sitter_cpp.language()))
        self._tree = self._parser.parse(self.data)
        self.root: Node = self._tree.root_node
        self._starts = [0, *(place + 1 for place, byte in enumerate(self.data) if byte == 10)]
        if self.root.has_error:
            bad = next((node for node in self.walk() if node.is_error or node.is_missing), self.root)
            raise UnreadableError(self.line(bad))

    def text(self, node: Node) -> str:
        """Return a node's source."""
        return self.data[node.start_byte : node.end_byte].decode(errors="replace")

    def line(self, node: Node) -> int:
        """Return the line in which a node begins."""
        return self.line_at(node.start_byte)

    def line_at(self, place: int) -> int:
        """Return the line of a place."""
        return bisect_right(self._starts, place)

    def column_at(self, place: int) -> int:
        """Return how many bytes stand before a place in its line."""
        return place - self._starts[self.line_at(place) - 1]

    def line_start(self, line: int) -> int:
        """Return the place at which a line begins; the end of the source for lines behind its last."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.data)

    def indent(self, node: Node) -> str:
        """Return the white space at the beginning of the line in which a node begins."""
        row = self.data[self.line_start(self.line(node)) : node.start_byte]
        return row[: len(row) - len(row.lstrip(b" \t"))].decode()

    def walk(self, node: Node | None = None) -> Iterator[Node]:
        """Yield a node and all inside it, outer ones first and in the order of the source."""
        waiting = [node or self.root]
        while waiting:
            here = waiting.pop()
            yield here
            waiting.extend(reversed(here.children))

    def loops(self) -> Iterator[Node]:
        """Yield the loop statements in the order of the source."""
        return (node for node in self.walk() if node.type in LOOPS)

    def identifiers(self, node: Node | None = None) -> set[str]:
        """Return all names in a part of the source, whatever they name."""
        kinds = ("identifier", "field_identifier", "type_identifier", "namespace_identifier")
        return {self.text(one) for one in self.walk(node) if one.type in kinds}


def body_of(node: Node) -> Node:
    """Return the body of a loop; raises LookupError for what has none."""
    body = node.child_by_field_name("body")
    if body is None:
        raise LookupError("this has no body")
    return body


class Insertions:
    """Texts to be inserted at places of a source; at one place what closes stands before what opens.

    Whoever inserts goes through the tree from outer nodes to inner ones: then inner things close first.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at: dict[int, tuple[list[str], list[str]]] = {}

    def open(self, place: int, text: str) -> None:
        """Insert a text behind what was inserted there to open something."""
        self._at.setdefault(place, ([], []))[1].append(text)

    def close(self, place: int, text: str) -> None:
        """Insert a text before what was inserted there to close something."""
        self._at.setdefault(place, ([], []))[0].insert(0, text)

    def wrap(self, node: Node, before: str, after: str) -> None:
        """Put a node between two texts."""
        self.open(node.start_byte, before)
        self.close(node.end_byte, after)

    def finish(self) -> str:
        """Return the source with everything in it."""
        parts: list[bytes] = []
        last = 0
        for place in sorted(self._at):
            closing, opening = self._at[place]
            parts += [self._data[last:place], *(text.encode() for text in (*closing, *opening))]
            last = place
        return b"".join([*parts, self._data[last:]]).decode(errors="surrogatepass")
