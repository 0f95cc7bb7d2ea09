"""Faults of statements: skipped, run twice, exchanged, or in another block than where they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditor.diagnosis.fault import Draft, Edit, Kind, shown
from auditor.diagnosis.parsed import Parsed

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Return, ast.Break, ast.Continue)
_REPEATED = (ast.Assign, ast.AugAssign, ast.Expr)
_BODIES = (ast.For, ast.While, ast.If, ast.With)


def statement_faults(parsed: Parsed) -> Iterator[Draft]:
    """Yield the faults of all statements."""
    for block in parsed.blocks():
        for place, statement in enumerate(block):
            if isinstance(statement, _SIMPLE) and not _is_docstring(statement):
                following = block[place + 1] if place + 1 < len(block) else None
                yield from _simple(parsed, statement)
                yield from _exchanged(parsed, statement, following)
            elif isinstance(statement, ast.If):
                yield from _without_else(parsed, statement)
            if isinstance(statement, _BODIES):
                yield from _moved(parsed, statement, block[place + 1] if place + 1 < len(block) else None)


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _named(parsed: Parsed, statement: ast.stmt) -> str:
    return f"line {statement.lineno} ({shown(parsed.text(statement))})"


def _simple(parsed: Parsed, statement: ast.stmt) -> Iterator[Draft]:
    whole = (parsed.start(statement), parsed.end(statement))
    text, name = parsed.text(statement), _named(parsed, statement)
    yield Draft(Kind.STATEMENT, (Edit(*whole, "pass"),), f"{name} were skipped")
    if isinstance(statement, _REPEATED):
        yield Draft(Kind.STATEMENT, (Edit(*whole, f"{text}; {text}"),), f"{name} were run twice each time")
    if isinstance(statement, ast.Break):
        yield Draft(Kind.STATEMENT, (Edit(*whole, "continue"),))
    elif isinstance(statement, ast.Continue):
        yield Draft(Kind.STATEMENT, (Edit(*whole, "break"),))
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        yield from _one_after_the_other(parsed, statement, statement.targets[0])


def _one_after_the_other(parsed: Parsed, statement: ast.Assign, target: ast.expr) -> Iterator[Draft]:
    """Assign to several names in a row instead of at once, so that later values see the earlier ones."""
    value = statement.value
    if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)):
        return
    if any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts)):
        return
    pairs = [f"{parsed.text(left)} = {parsed.text(right)}" for left, right in zip(target.elts, value.elts, strict=True)]
    whole = (parsed.start(statement), parsed.end(statement))
    for ordered, words in ((pairs, "from left to right"), (pairs[::-1], "from right to left")):
        clause = f"{_named(parsed, statement)} were assigned one after the other, {words}"
        yield Draft(Kind.STATEMENT, (Edit(*whole, "; ".join(ordered)),), clause)


def _exchanged(parsed: Parsed, first: ast.stmt, second: ast.stmt | None) -> Iterator[Draft]:
    """Run two neighbours the other way round; a block may be the second."""
    if second is None or isinstance(first, ast.Return | ast.Break | ast.Continue):
        return
    one, two = (parsed.start(first), parsed.end(first)), (parsed.start(second), parsed.end(second))
    indent = parsed.indent(first)
    if isinstance(second, _SIMPLE):
        edits = (Edit(*one, parsed.text(second)), Edit(*two, parsed.text(first)))
    elif isinstance(second, _BODIES) and indent is not None:
        edits = (Edit(*one, "pass"), Edit(two[1], two[1], f"\n{indent}{parsed.text(first)}"))
    else:
        return
    words = f"{_named(parsed, first)} came after line {second.lineno} ({shown(parsed.text(second))})"
    yield Draft(Kind.STATEMENT, edits, words)


def _without_else(parsed: Parsed, statement: ast.If) -> Iterator[Draft]:
    if not statement.orelse:
        return
    first = statement.orelse[0]
    is_elif = isinstance(first, ast.If) and parsed.data[parsed.start(first) :].startswith(b"elif")
    if is_elif:
        place = parsed.start(first)
        words = f"line {first.lineno}'s {shown('elif')} were an {shown('if')} of its own"
        yield Draft(Kind.BRANCH, (Edit(place, place + 4, "if"),), words)
        return
    start, end = parsed.start(first), parsed.end(statement.orelse[-1])
    words = f"the {shown('else')} of line {statement.lineno} ({shown(parsed.text(first))}) were skipped"
    yield Draft(Kind.STATEMENT, (Edit(start, end, "pass"),), words)


def _moved(parsed: Parsed, block: ast.stmt, following: ast.stmt | None) -> Iterator[Draft]:
    """Move the last statement of a block behind it, and the one behind it to its end."""
    body: list[ast.stmt] = block.body  # type: ignore[attr-defined]  # each of _BODIES has one
    last, outer, inner = body[-1], parsed.indent(block), parsed.indent(body[0])
    if outer is None or inner is None or getattr(block, "orelse", None):
        return
    end = parsed.end(block)
    kind = "loop" if isinstance(block, ast.For | ast.While) else "block"
    where = f"the {kind} of line {block.lineno}"
    if isinstance(last, _SIMPLE) and not isinstance(last, ast.Break | ast.Continue):
        edits = (
            Edit(parsed.start(last), parsed.end(last), "pass"),
            Edit(end, end, f"\n{outer}{parsed.text(last)}"),
        )
        yield Draft(Kind.STATEMENT, edits, f"{_named(parsed, last)} came after {where}, not at its end")
    if isinstance(following, _SIMPLE):
        edits = (
            Edit(parsed.start(following), parsed.end(following), "pass"),
            Edit(end, end, f"\n{inner}{parsed.text(following)}"),
        )
        yield Draft(Kind.STATEMENT, edits, f"{_named(parsed, following)} came at the end of {where}, not after it")
