"""Which variables of a C++ program can be named at a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.execution.cpp.tree import LOOPS, Tree

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARATORS = (
    *("init_declarator", "pointer_declarator", "reference_declarator", "array_declarator", "function_declarator"),
    *("structured_binding_declarator", "parenthesized_declarator", "attributed_declarator"),
)


def declared_names(tree: Tree, node: Node) -> Iterator[str]:
    """Yield the names of the variables that a declaration, or a part of one, declares."""
    if node.type == "identifier":
        yield tree.text(node)
        return
    if node.type in ("structured_binding_declarator", "reference_declarator", "parenthesized_declarator"):
        inner = node.named_children
    else:
        inner = node.children_by_field_name("declarator")
    for child in inner:
        if child.type == "identifier" or child.type in _DECLARATORS:
            yield from declared_names(tree, child)


def header_names(tree: Tree, loop: Node) -> set[str]:
    """Return the variables that a loop's own header declares."""
    if loop.type == "for_range_loop":
        return set(declared_names(tree, loop))
    start = loop.child_by_field_name("initializer")
    return set(declared_names(tree, start)) if start is not None and start.type == "declaration" else set()


def names_before(tree: Tree, loop: Node) -> set[str]:
    """Return the variables that can be named right before a loop, and so right behind it."""
    found: set[str] = set()
    node: Node | None = loop
    while node is not None and node.parent is not None:
        around = node.parent
        found.update(_seen_from(tree, around, node))
        if around.type == "lambda_expression" and not _captures_all(around):
            # Only what is declared outside of all functions is seen from here without being captured.
            while around.parent is not None and around.parent.type not in ("translation_unit", "namespace_definition"):
                around = around.parent
        node = around
    return found


def _seen_from(tree: Tree, around: Node, node: Node) -> Iterator[str]:
    """Yield what a node's parent declares before it."""
    if around.type in LOOPS and node == around.child_by_field_name("body"):
        yield from header_names(tree, around)
    elif around.type in ("function_definition", "lambda_expression", "catch_clause"):
        for part in tree.walk(around):
            if part.end_byte > node.start_byte and part != around:
                continue
            if part.type in ("parameter_declaration", "optional_parameter_declaration") and not _inner(part, around):
                yield from declared_names(tree, part)
    elif around.type in ("if_statement", "while_statement", "switch_statement"):
        head = around.child_by_field_name("condition")
        for part in tree.walk(head) if head is not None and head != node else ():
            if part.type == "declaration":
                yield from declared_names(tree, part)
    else:
        for sibling in around.children:
            if sibling.start_byte >= node.start_byte:
                return
            if sibling.type == "declaration":
                yield from declared_names(tree, sibling)


def _inner(part: Node, around: Node) -> bool:
    """Say whether a parameter is one of a function in between, such as a parameter's own."""
    lists = 0
    node = part.parent
    while node is not None and node != around:
        lists += node.type == "parameter_list"
        node = node.parent
    return lists != 1


def _captures_all(function: Node) -> bool:
    captures = function.child_by_field_name("captures")
    return captures is not None and any(one.type == "lambda_default_capture" for one in captures.children)
