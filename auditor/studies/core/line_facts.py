"""What the lines of a Python program do, statically: names, conditions, loops, calculations."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

_CALCULATING = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.LShift,
    ast.RShift,
    ast.BitAnd,
    ast.BitOr,
    ast.BitXor,
)
_CALCULATING_CALLS = frozenset(("sum", "divmod", "pow", "abs", "round"))
_OWN_FRAMES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class LineFacts:
    """One line, with what the statements and headers that begin in it do."""

    loads: set[str] = field(default_factory=set)
    """Names that are read, attributes as `.name`."""
    stores: set[str] = field(default_factory=set)
    """Names that are given a value or are changed: by assignment, by index, by a method that may change them."""
    targets: set[str] = field(default_factory=set)
    """Plain variables that are assigned."""
    headers: tuple[int, ...] = ()
    """Lines of the conditions and loops around it in its function, the innermost first."""
    statements: int = 0
    ends: int = 0
    """The line in which its last statement or header ends."""
    condition: ast.If | ast.While | None = None
    loop: ast.For | ast.While | None = None
    decides: bool = False
    """Whether it has a condition: of `if` or `while`, or inside an expression."""
    compound: bool = False
    """Whether that joins several by `and` or `or`."""
    calculates: bool = False
    """Whether it calculates anything but one more or one less."""
    hidden: bool = False
    """Whether a comprehension or lambda in it runs the line in a frame of its own."""
    leaves: bool = False
    """Whether it is a `return` or `raise`."""
    assigns: bool = False
    """Whether it is a single assignment to plain variables."""


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """The lines of the functions of a program, by their numbers."""

    lines: dict[int, LineFacts]
    parameters: dict[str, frozenset[str]]
    """By the name of a function."""


def facts_of(source: str) -> SourceFacts:
    """Return the facts of a program; raises SyntaxError."""
    lines: dict[int, LineFacts] = {}
    parameters: dict[str, frozenset[str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _Function):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            parameters[node.name] = frozenset(one.arg for one in every if one is not None)
            _take_block(node.body, (), lines)
    return SourceFacts(lines, parameters)


def _take_block(body: list[ast.stmt], headers: tuple[int, ...], lines: dict[int, LineFacts]) -> None:
    for statement in body:
        if isinstance(statement, _Function | ast.ClassDef):
            continue  # functions inside functions are met by themselves
        _take_statement(statement, headers, lines)


def _take_statement(statement: ast.stmt, headers: tuple[int, ...], lines: dict[int, LineFacts]) -> None:
    facts = lines.setdefault(statement.lineno, LineFacts(headers=headers))
    facts.statements += 1
    for part in _own_parts(statement):
        _take_expression(part, facts)
        facts.ends = max(facts.ends, part.end_lineno or 0)
    if isinstance(statement, ast.If | ast.While):
        facts.condition, facts.decides = statement, True
    if isinstance(statement, ast.For | ast.While):
        facts.loop = statement
        if isinstance(statement, ast.For):
            facts.stores.add(f"for {statement.lineno}")
            facts.loads.add(f"for {statement.lineno}")
    facts.leaves = isinstance(statement, ast.Return | ast.Raise)
    if isinstance(statement, ast.AugAssign):
        _take_augmented(statement, facts)
    facts.assigns = facts.statements == 1 and isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign)
    inner = headers
    if isinstance(statement, ast.If | ast.While | ast.For):
        inner = (statement.lineno, *headers)
    for name in ("body", "orelse", "finalbody"):
        _take_block(getattr(statement, name, []), inner, lines)
    for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
        _take_block(part.body, inner, lines)


def _own_parts(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions that a statement evaluates itself, not those of its blocks."""
    for value in ast.iter_child_nodes(statement):
        if isinstance(value, ast.expr):
            yield value
        elif isinstance(value, ast.withitem):
            yield value.context_expr


def _take_expression(part: ast.expr, facts: LineFacts) -> None:
    for node in ast.walk(part):
        if isinstance(node, ast.Name):
            changes = isinstance(node.ctx, ast.Store)
            (facts.stores if changes else facts.loads).add(node.id)
            if changes:
                facts.targets.add(node.id)
        elif isinstance(node, ast.Attribute):
            (facts.stores if isinstance(node.ctx, ast.Store) else facts.loads).add(f".{node.attr}")
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            facts.stores |= _bases(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            facts.stores |= _bases(node.func.value)
        elif isinstance(node, ast.BoolOp):
            facts.compound = facts.decides = True
        elif isinstance(node, ast.IfExp):
            facts.decides = True
        elif isinstance(node, _OWN_FRAMES):
            facts.hidden = True
        facts.calculates |= _calculates(node)


def _take_augmented(statement: ast.AugAssign, facts: LineFacts) -> None:
    one_more = isinstance(statement.op, ast.Add | ast.Sub) and _is_one(statement.value)
    facts.calculates |= isinstance(statement.op, _CALCULATING) and not one_more
    facts.loads |= _bases(statement.target)


def _bases(node: ast.expr) -> set[str]:
    """Return the name, or attribute, whose value is changed in place."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return {f".{node.attr}"}
    return {node.id} if isinstance(node, ast.Name) else set()


def _calculates(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, _CALCULATING):
        one_more = isinstance(node.op, ast.Add | ast.Sub) and (_is_one(node.left) or _is_one(node.right))
        return not one_more
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Name) and called.id in _CALCULATING_CALLS


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1
