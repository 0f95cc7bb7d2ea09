"""The single faults of a C++ program's text, each with the expression or statement that it can be chosen at.

Types are not known here, so some changes do not compile; whoever tries them leaves those out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from auditor.diagnosis.fault import Draft, Edit, Kind, ordinal, shown
from auditor.execution.cpp.tree import LOOPS, Tree

if TYPE_CHECKING:
    from tree_sitter import Node

_SWAPS: dict[str, tuple[tuple[Kind, str], ...]] = {
    "<": ((Kind.BOUND, "<="), (Kind.OPERATOR, ">")),
    "<=": ((Kind.BOUND, "<"), (Kind.OPERATOR, ">=")),
    ">": ((Kind.BOUND, ">="), (Kind.OPERATOR, "<")),
    ">=": ((Kind.BOUND, ">"), (Kind.OPERATOR, "<=")),
    "==": ((Kind.OPERATOR, "!="),),
    "!=": ((Kind.OPERATOR, "=="),),
    "&&": ((Kind.OPERATOR, "||"),),
    "||": ((Kind.OPERATOR, "&&"),),
    "+": ((Kind.OPERATOR, "-"), (Kind.OPERATOR, "*")),
    "-": ((Kind.OPERATOR, "+"),),
    "*": ((Kind.OPERATOR, "+"), (Kind.OPERATOR, "/")),
    "/": ((Kind.OPERATOR, "*"), (Kind.OPERATOR, "%")),
    "%": ((Kind.OPERATOR, "/"),),
    "&": ((Kind.OPERATOR, "|"), (Kind.OPERATOR, "^")),
    "|": ((Kind.OPERATOR, "&"), (Kind.OPERATOR, "^")),
    "^": ((Kind.OPERATOR, "|"), (Kind.OPERATOR, "&")),
    "+=": ((Kind.OPERATOR, "-="), (Kind.OPERATOR, "=")),
    "-=": ((Kind.OPERATOR, "+="), (Kind.OPERATOR, "=")),
    "*=": ((Kind.OPERATOR, "+="), (Kind.OPERATOR, "=")),
    "/=": ((Kind.OPERATOR, "*="), (Kind.OPERATOR, "%=")),
    "%=": ((Kind.OPERATOR, "/="),),
    "^=": ((Kind.OPERATOR, "|="), (Kind.OPERATOR, "&=")),
    "|=": ((Kind.OPERATOR, "&="), (Kind.OPERATOR, "^=")),
    "&=": ((Kind.OPERATOR, "|="), (Kind.OPERATOR, "^=")),
    "++": ((Kind.OPERATOR, "--"),),
    "--": ((Kind.OPERATOR, "++"),),
}
_NAMES: dict[str, tuple[tuple[Kind, str], ...]] = {
    "min": ((Kind.OPERATOR, "max"),),
    "max": ((Kind.OPERATOR, "min"),),
    "lower_bound": ((Kind.BOUND, "upper_bound"),),
    "upper_bound": ((Kind.BOUND, "lower_bound"),),
    "toupper": ((Kind.STRING, "tolower"),),
    "tolower": ((Kind.STRING, "toupper"),),
    "find": ((Kind.STRING, "rfind"),),
    "rfind": ((Kind.STRING, "find"),),
    "find_first_of": ((Kind.STRING, "find_last_of"),),
    "find_last_of": ((Kind.STRING, "find_first_of"),),
    "push_back": ((Kind.COLLECTION, "push_front"),),
    "push_front": ((Kind.COLLECTION, "push_back"),),
    "pop_back": ((Kind.COLLECTION, "pop_front"),),
    "pop_front": ((Kind.COLLECTION, "pop_back"),),
    "front": ((Kind.COLLECTION, "back"),),
    "back": ((Kind.COLLECTION, "front"),),
    "stable_sort": ((Kind.ORDER, "sort"),),
}
_ORDERED = ("sort", "stable_sort")
_FIXED = frozenset(
    (
        *(
            "template_argument_list",
            "template_parameter_list",
            "static_assert_declaration",
            "enumerator",
            "type_descriptor",
        ),
        *(
            "requires_clause",
            "attribute_declaration",
            "attribute_specifier",
            "decltype",
            "sizeof_expression",
            "raw_string_literal",
        ),
        *("bitfield_clause", "alias_declaration", "noexcept", "string_literal", "char_literal", "preproc_include"),
    )
)
"""What the compiler evaluates, and what has no parts."""
_NUMBER = re.compile(r"([0-9]+)([lLuUzZ]*)")
_TIMES = 12
_STREAMS = ("cin", "cout", "cerr", "std::cin", "std::cout", "std::cerr")


class Change(NamedTuple):
    """A fault, and the nodes of the tree in whose places something else can be chosen."""

    draft: Draft
    parts: tuple[tuple[Node, str], ...]
    """Nodes with what stands there instead: expressions, or else statements."""
    are_statements: bool


def changes(tree: Tree, times: Callable[[Node], int], is_reached: Callable[[Node], bool]) -> Iterator[Change]:
    """Yield the faults of what is reached; `times` says how often a condition is tested."""
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.type in _FIXED or node.type.startswith("preproc") or _is_fixed(tree, node):
            continue
        if is_reached(node):
            yield from _of_node(tree, node, times)
        for child in reversed(node.children):
            name = "size" if node.type == "array_declarator" else "value" if node.type == "case_statement" else ""
            if not name or child != node.child_by_field_name(name):
                waiting.append(child)


def _is_fixed(tree: Tree, node: Node) -> bool:
    """Say whether the compiler evaluates a node: constexpr, consteval, or a constant of the whole file."""
    words = (one for one in node.children if one.type in ("type_qualifier", "storage_class_specifier", "constexpr"))
    found = {tree.text(one) for one in words}
    is_global = node.type == "declaration" and node.parent is not None and node.parent.type == "translation_unit"
    return bool(found & {"constexpr", "consteval"}) or (is_global and "const" in found)


def _of_node(tree: Tree, node: Node, times: Callable[[Node], int]) -> Iterator[Change]:
    if node.type in ("binary_expression", "assignment_expression", "update_expression"):
        yield from _operators(tree, node)
    elif node.type == "unary_expression":
        yield from _sign(tree, node)
    elif node.type in ("number_literal", "true", "false"):
        yield from _constant(tree, node)
    elif node.type == "call_expression":
        yield from _call(tree, node)
    elif node.type == "subscript_argument_list":
        for index in node.named_children:
            if index.type != "number_literal":
                yield _replaced(tree, Kind.BOUND, index, f"({tree.text(index)}) + 1")
                yield _replaced(tree, Kind.BOUND, index, f"({tree.text(index)}) - 1")
    elif node.type == "conditional_expression":
        test = node.child_by_field_name("condition")
        if test is not None:
            yield from _condition(tree, test, 0)
    if node.type in LOOPS or node.type == "if_statement":
        test = condition_of(node)
        if test is not None:
            yield from _condition(tree, test, times(test), is_loop=node.type != "if_statement")
    if node.parent is not None and node.parent.type in ("compound_statement", "case_statement", *_HOLDERS):
        yield from _statement(tree, node)


_HOLDERS = ("if_statement", "else_clause", *LOOPS)


def condition_of(node: Node) -> Node | None:
    """Return the expression that a branch or loop tests; None for one that declares something, or tests nothing."""
    test = node.child_by_field_name("condition")
    if test is not None and test.type == "condition_clause":
        test = test.child_by_field_name("value")
    elif test is not None and test.type == "parenthesized_expression":
        test = next(iter(test.named_children), None)
    return None if test is None or test.type == "declaration" else test


def _replaced(tree: Tree, kind: Kind, node: Node, text: str, words: str | None = None) -> Change:
    """Put something in place of an expression, in parentheses where it is a part of another one."""
    new = text if node.type in ("number_literal", "true", "false") else f"({text})"
    return Change(Draft(kind, (Edit(node.start_byte, node.end_byte, new),), words), ((node, text),), False)


def _edited(tree: Tree, kind: Kind, node: Node, place: tuple[int, int], new: str, words: str | None = None) -> Change:
    """Exchange a piece of an expression."""
    start, end = place
    text = (tree.data[node.start_byte : start] + new.encode() + tree.data[end : node.end_byte]).decode(errors="replace")
    return Change(Draft(kind, (Edit(start, end, new),), words), ((node, text),), False)


def _instead(kind: Kind, node: Node, text: str, words: str) -> Change:
    """Put another statement in place of one."""
    return Change(Draft(kind, (Edit(node.start_byte, node.end_byte, text),), words), ((node, text),), True)


def _operators(tree: Tree, node: Node) -> Iterator[Change]:
    sign = node.child_by_field_name("operator")
    if sign is None:
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    text = tree.text(sign)
    for kind, other in _SWAPS.get(text, ()):
        yield _edited(tree, kind, node, (sign.start_byte, sign.end_byte), other)
    if text in ("<<", ">>") and not _is_stream(tree, node):
        other = ">>" if text == "<<" else "<<"
        yield _edited(tree, Kind.OPERATOR, node, (sign.start_byte, sign.end_byte), other)
    if left is None or right is None or node.type != "binary_expression":
        return
    where = f"line {tree.line(node)}'s {shown(tree.text(node))}"
    if text in ("-", "/", "%"):
        exchanged = f"({tree.text(right)}) {text} ({tree.text(left)})"
        yield _replaced(tree, Kind.OPERATOR, node, exchanged, f"{where} had its operands exchanged")
    if text == "/":
        up = f"(({tree.text(left)}) + ({tree.text(right)}) - 1) / ({tree.text(right)})"
        yield _replaced(tree, Kind.DIVISION, node, up, f"{where} were rounded up")
        half = f"(({tree.text(left)}) + ({tree.text(right)}) / 2) / ({tree.text(right)})"
        yield _replaced(tree, Kind.DIVISION, node, half, f"{where} were rounded to the nearest")
    if text in ("&&", "||"):
        for half_node in (left, right):
            words = f"{where} were only {shown(tree.text(half_node))}"
            yield _replaced(tree, Kind.BRANCH, node, f"bool({tree.text(half_node)})", words)


def _is_stream(tree: Tree, node: Node) -> bool:
    while node.type == "binary_expression":
        left = node.child_by_field_name("left")
        if left is None:
            break
        node = left
    return tree.text(node) in _STREAMS


def _sign(tree: Tree, node: Node) -> Iterator[Change]:
    sign, operand = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    if sign is not None and operand is not None and tree.text(sign) in ("-", "!", "~"):
        words = f"line {tree.line(node)}'s {shown(tree.text(node))} were {shown(tree.text(operand))}"
        text = tree.text(operand)
        yield _replaced(tree, Kind.OPERATOR, node, f"bool({text})" if tree.text(sign) == "!" else text, words)


def _constant(tree: Tree, node: Node) -> Iterator[Change]:
    text = tree.text(node)
    if text in ("true", "false"):
        yield _replaced(tree, Kind.CONSTANT, node, "false" if text == "true" else "true")
        return
    found = _NUMBER.fullmatch(text)
    if found is None or (len(found[1]) > 1 and found[1][0] == "0") or len(found[1]) > 18:
        return
    value, suffix = int(found[1]), found[2]
    others = [value + 1, value - 1, *([0] if value > 1 else [])]
    for other in others:
        if other >= 0 or "u" not in suffix.lower():
            yield _replaced(tree, Kind.CONSTANT, node, f"{other}{suffix}" if other >= 0 else f"({other}{suffix})")


def _call(tree: Tree, node: Node) -> Iterator[Change]:
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or given is None:
        return
    last = function
    while (inner := last.child_by_field_name("field") or last.child_by_field_name("name")) is not None:
        last = inner
    name = tree.text(last)
    for kind, other in _NAMES.get(name, ()):
        yield _edited(tree, kind, node, (last.start_byte, last.end_byte), other)
    arguments = given.named_children
    where = f"line {tree.line(node)}'s {shown(tree.text(node))}"
    if name in _ORDERED and len(arguments) == 2:
        end = arguments[1].end_byte
        order = ", [](const auto& one, const auto& other) { return other < one; }"
        yield _edited(tree, Kind.ORDER, node, (end, end), order, f"{where} sorted the other way round")
    elif name in _ORDERED and len(arguments) == 3:
        words = f"{where} sorted without {shown(tree.text(arguments[2]))}"
        yield _edited(tree, Kind.ORDER, node, (arguments[1].end_byte, arguments[2].end_byte), "", words)


def _condition(tree: Tree, test: Node, times: int, *, is_loop: bool = False) -> Iterator[Change]:
    text = tree.text(test)
    where = f"line {tree.line(test)}'s condition {shown(text)}"
    if not is_loop:
        yield _replaced(tree, Kind.BRANCH, test, f"!({text})", f"{where} came out the other way each time")
        yield _replaced(tree, Kind.BRANCH, test, f"(void({text}), true)", f"{where} were always true")
    yield _replaced(tree, Kind.BRANCH, test, f"(void({text}), false)", f"{where} were never true")
    numbers = [*range(1, min(times, _TIMES) + 1), *range(max(_TIMES, times - 2) + 1, times + 1)]
    for number in numbers if times > 1 else ():
        flipped = f"([&] {{ static long long tested = 0; return ++tested == {number}; }}() != bool({text}))"
        words = f"{where} came out the other way the {ordinal(number)} time only"
        yield _replaced(tree, Kind.BRANCH_ONCE, test, flipped, words)


_SKIPPED = ("expression_statement", "if_statement", "switch_statement", "break_statement", "continue_statement", *LOOPS)


def _statement(tree: Tree, node: Node) -> Iterator[Change]:
    if node.type not in _SKIPPED or tree.text(node) == ";":
        return
    called = _ordering(tree, node)
    text, line = tree.text(node), tree.line(node)
    named = f"line {line} ({shown(text)})"
    if called is not None:
        yield _instead(Kind.ORDER, node, ";", f"line {line}'s {shown(called)} were not there")
    else:
        yield _instead(Kind.STATEMENT, node, ";", f"{named} were skipped")
    if node.type == "break_statement" and _in_loop(node):
        yield _instead(Kind.STATEMENT, node, "continue;", f"{named} were {shown('continue;')}")
    elif node.type == "continue_statement":
        yield _instead(Kind.STATEMENT, node, "break;", f"{named} were {shown('break;')}")
    if node.type == "expression_statement":
        yield _instead(Kind.STATEMENT, node, f"{{ {text} {text} }}", f"{named} were run twice each time")
        following = node.next_named_sibling
        if following is not None and following.type == "expression_statement" and tree.text(following) != text:
            other = tree.text(following)
            edits = (
                Edit(node.start_byte, node.end_byte, other),
                Edit(following.start_byte, following.end_byte, text),
            )
            words = f"{named} came after line {tree.line(following)} ({shown(other)})"
            yield Change(Draft(Kind.STATEMENT, edits, words), ((node, other), (following, text)), True)


def _in_loop(node: Node) -> bool:
    """Say whether a `break` is that of a loop, not of a `switch`."""
    around = node.parent
    while around is not None and around.type not in (*LOOPS, "switch_statement"):
        around = around.parent
    return around is not None and around.type in LOOPS


def _ordering(tree: Tree, node: Node) -> str | None:
    """Return the call of a statement that only puts things in order."""
    call = next(iter(node.named_children), None) if node.type == "expression_statement" else None
    function = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    name = tree.text(function).rpartition("::")[2] if function is not None else ""
    return tree.text(call) if call is not None and name in (*_ORDERED, "reverse") else None
