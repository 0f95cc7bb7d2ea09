"""Make a C++ program write its state at every iteration of its checkpoint's loop, by the checkpoint's own statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.errors import AuditorError
from auditor.execution.cpp.tree import LOOPS, Insertions, Tree, body_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVES = ("exit", "_Exit", "quick_exit", "abort", "std::exit", "std::_Exit", "std::quick_exit", "std::abort")


def emitting_cpp(source: str, line: int, *, after_loop: bool, mark: str, checkpoint: str) -> str | None:
    """Return a source that writes each state between two marks, the checkpoint's own behind another one, and goes on.

    It is None where the state is not written by a statement in `line`, inside an `if` in the loop or right behind it,
    that is followed by nothing but the end of the program.
    """
    try:
        tree = Tree(source)
    except AuditorError:
        return None
    found = _guard(tree, line)
    loop = None if found is None else _loop_before(found[0]) if after_loop else _loop_around(found[0])
    if found is None or loop is None:
        return None
    guard, test, emit = found
    emitted = f"{_written(emit, mark)} {emit} {_written(emit, mark)}"
    reached = _written(emit, checkpoint)
    work = Insertions(tree.data)
    if after_loop:
        body = body_of(loop)
        if body.type == "compound_statement":
            work.open(body.start_byte + 1, f" {emitted} ")
        else:
            work.wrap(body, f"{{ {emitted} ", " }")
        new = f"if ({test}) {{ {reached} {emitted} }}"
    else:
        new = f"{{ if ({test}) {{ {reached} }} {emitted} }}"
    # The guard goes on standing there and is never entered, so that nothing else has to be cut out.
    work.wrap(guard, f"{{ {new} if (false) {{ ", " } }")
    return work.finish()


def _written(emit: str, text: str) -> str:
    """Return a statement that writes a control character by the same stream as another one writes."""
    literal = f'"\\x{ord(text):02x}"'
    return f"std::cout << {literal};" if "cout" in emit else f"std::printf({literal});"


def _guard(tree: Tree, line: int) -> tuple[Node, str, str] | None:
    """Return the branch whose first statement is in a line, its condition, and what it does before it leaves."""
    for node in tree.walk():
        if node.type != "if_statement" or node.child_by_field_name("alternative") is not None:
            continue
        then, head = node.child_by_field_name("consequence"), node.child_by_field_name("condition")
        test = head.child_by_field_name("value") if head is not None else None
        if then is None or test is None or then.type != "compound_statement":
            continue
        inner = [one for one in then.named_children if one.type != "comment"]
        if len(inner) < 2 or tree.line(inner[0]) != line or not _leaves(tree, inner[-1]):
            continue
        if all(one.type == "expression_statement" for one in inner[:-1]):
            return node, tree.text(test), " ".join(map(tree.text, inner[:-1]))
    return None


def _leaves(tree: Tree, statement: Node) -> bool:
    if statement.type == "return_statement":
        return True
    call = next(iter(statement.named_children), None)
    function = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    return function is not None and tree.text(function) in _LEAVES


def _loop_around(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type not in (*LOOPS, "function_definition", "lambda_expression"):
        around = around.parent
    return around if around is not None and around.type in LOOPS else None


def _loop_before(guard: Node) -> Node | None:
    before = guard.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    return before if before is not None and before.type in LOOPS else None
