"""What a C++ source tells without being run: cyclomatic complexity by lizard, and nesting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.execution.cpp.tree import FUNCTIONS, LOOPS, Tree

if TYPE_CHECKING:
    from tree_sitter import Node

_DECISIONS = frozenset((*LOOPS, "if_statement", "catch_clause", "conditional_expression"))
_COMPILED = ("requires_clause", "static_assert_declaration", "template_parameter_list", "template_argument_list")
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*", re.MULTILINE)
_BLOCKS = frozenset((*LOOPS, *FUNCTIONS, "if_statement", "switch_statement", "try_statement", "class_specifier"))


def cyclomatic_cpp(source: str) -> int | None:
    """Return E - N + 2 of a C++ file's control-flow graph (McCabe 1976); None where lizard is not installed.

    As for Python, the body of a function stands where it is defined, so that the file is one connected graph: one more
    than all decisions. Decisions are branches, loops, `case` labels, handlers, conditional expressions, and each
    further operand of `&&` and `||`; those of the preprocessor and of what only the compiler evaluates are none.
    lizard counts those in the bodies of functions; others (in initializers, default arguments) are added.
    """
    try:
        import lizard
    except ImportError:
        return None
    tree = Tree(source)
    found = lizard.analyze_file.analyze_source_code("program.cpp", _for_lizard(tree))
    inside: int = sum(function.cyclomatic_complexity - 1 for function in found.function_list)
    return 1 + inside + sum(map(_is_decision, _outside(tree)))


def _for_lizard(tree: Tree) -> str:
    """Return the source, as long as it is, without what lizard miscounts.

    It takes `&&` behind `auto` for an operator, `and` and `or` for names, and `#if` for a branch.
    """
    data = bytearray(_DIRECTIVE.sub(lambda found: b" " * len(found[0]), tree.data))
    for node in tree.walk():
        around = node.parent.type if node.parent is not None else ""
        if node.type == "&&" and around.endswith("reference_declarator"):
            data[node.start_byte : node.end_byte] = b"& "
        elif node.type in ("and", "or") and around == "binary_expression":
            data[node.start_byte : node.end_byte] = b"&& " if node.type == "and" else b"||"
    return data.decode(errors="replace")


def _outside(tree: Tree) -> Iterator[Node]:
    """Yield the nodes that are in the body of no function and are not evaluated by the compiler."""
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        yield node
        left_out = node.child_by_field_name("condition") if node.type.startswith("preproc") else None
        if node.type == "function_definition":
            left_out = node.child_by_field_name("body")
            # The handlers of a function whose body is a `try` are functions to lizard.
            yield from (one for one in (left_out.children if left_out else ()) if one.type == "catch_clause")
        waiting += [child for child in node.children if child != left_out and child.type not in _COMPILED]


def _is_decision(node: Node) -> bool:
    if node.type == "binary_expression":
        sign = node.child_by_field_name("operator")
        return sign is not None and sign.type in ("&&", "||", "and", "or")
    if node.type == "case_statement":
        return node.child_by_field_name("value") is not None
    return node.type in _DECISIONS


def nesting_cpp(tree: Tree) -> int:
    """Return how many blocks (branches, loops, `switch`, `try`, functions, classes) stand in each other at most."""
    deepest = 0
    waiting: list[tuple[Node, int]] = [(tree.root, 0)]
    while waiting:
        node, depth = waiting.pop()
        chained = node.type == "if_statement" and node.parent is not None and node.parent.type == "else_clause"
        is_block = (node.type in _BLOCKS and not chained) or _is_structure(node)
        depth += is_block
        deepest = max(deepest, depth)
        waiting += [(child, depth) for child in node.children]
    return deepest


def _is_structure(node: Node) -> bool:
    return node.type == "struct_specifier" and node.child_by_field_name("body") is not None
