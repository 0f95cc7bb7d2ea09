"""Faults of conditions, bounds, constants and operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditor.diagnosis.fault import Draft, Edit, Kind, ordinal, shown
from auditor.diagnosis.parsed import Parsed

_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_EXCHANGED = {
    "+": "-*",
    "-": "+*",
    "*": "+-",
    "%": ("//", "*"),
    "**": "*",
    "&": "|^",
    "|": "&^",
    "^": "&|",
    "<<": (">>",),
    ">>": ("<<",),
    "<": (">", ">=", "==", "!="),
    "<=": (">", ">=", "=="),
    ">": ("<", "<=", "==", "!="),
    ">=": ("<", "<=", "=="),
    "==": ("!=", ">=", "<="),
    "!=": ("==", "<", ">"),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
_BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_FUNCTIONS = {"min": ("max",), "max": ("min",), "any": ("all",), "all": ("any",), "abs": ("",)}
_ONCE = 12
"""How many of a condition's evaluations are flipped one by one."""


def expression_faults(parsed: Parsed) -> Iterator[Draft]:
    """Yield the faults of all expressions."""
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.Compare):
            yield from _compare(parsed, node)
        elif isinstance(node, ast.BinOp):
            yield from _binary(parsed, node)
        elif isinstance(node, ast.AugAssign):
            yield from _augmented(parsed, node)
        elif isinstance(node, ast.BoolOp):
            yield from _boolean(parsed, node)
        elif isinstance(node, ast.UnaryOp):
            yield from _unary(parsed, node)
        elif isinstance(node, ast.Constant):
            yield from _constant(parsed, node)
        elif isinstance(node, ast.Subscript):
            yield from _subscript(parsed, node)
        elif isinstance(node, ast.Call):
            yield from _call(parsed, node)


def _replace(parsed: Parsed, node: ast.expr, text: str) -> Edit:
    return Edit(parsed.start(node), parsed.end(node), text)


def _compare(parsed: Parsed, node: ast.Compare) -> Iterator[Draft]:
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        symbol = _SYMBOLS[type(operator)]
        place = parsed.operator(left, right, symbol)
        if place is not None:
            if symbol in _BOUNDS:
                yield Draft(Kind.BOUND, (Edit(*place, _BOUNDS[symbol]),))
            for other in _EXCHANGED[symbol]:
                yield Draft(Kind.OPERATOR, (Edit(*place, other),))
            if symbol in _BOUNDS and not isinstance(right, ast.Constant):
                for sign in "+-":
                    yield Draft(Kind.BOUND, (_replace(parsed, right, f"({parsed.text(right)} {sign} 1)"),))
        left = right


def _binary(parsed: Parsed, node: ast.BinOp) -> Iterator[Draft]:
    symbol = _SYMBOLS.get(type(node.op))
    place = parsed.operator(node.left, node.right, symbol) if symbol else None
    if symbol is None or place is None:
        return
    left, right = parsed.text(node.left), parsed.text(node.right)
    if symbol in ("//", "/"):
        other = "/" if symbol == "//" else "//"
        yield Draft(Kind.DIVISION, (Edit(*place, other),))
        if symbol == "//":
            for way in ("int({} / {})", "-(-{} // {})", "round({} / {})"):
                yield Draft(Kind.DIVISION, (_replace(parsed, node, way.format(f"({left})", f"({right})")),))
        for other in "%*":
            yield Draft(Kind.OPERATOR, (Edit(*place, other),))
        return
    for other in _EXCHANGED.get(symbol, ()):
        yield Draft(Kind.OPERATOR, (Edit(*place, other),))
        if isinstance(parsed.parents.get(node), ast.BinOp):
            yield Draft(Kind.OPERATOR, (_replace(parsed, node, f"(({left}) {other} ({right}))"),))
    if symbol == "-":
        yield Draft(Kind.OPERATOR, (_replace(parsed, node, f"(({right}) - ({left}))"),))
    if symbol in "+-" and isinstance(node.right, ast.Constant) and node.right.value == 1:
        yield Draft(Kind.BOUND, (_replace(parsed, node, f"({left})"),))


def _augmented(parsed: Parsed, node: ast.AugAssign) -> Iterator[Draft]:
    symbol = _SYMBOLS.get(type(node.op))
    place = parsed.operator(node.target, node.value, f"{symbol}=")
    if symbol is None or place is None:
        return
    if symbol in ("//", "/"):
        yield Draft(Kind.DIVISION, (Edit(*place, "/=" if symbol == "//" else "//="),))
    for other in _EXCHANGED.get(symbol, ()):
        yield Draft(Kind.OPERATOR, (Edit(*place, f"{other}="),))
    yield Draft(Kind.OPERATOR, (Edit(*place, "="),))


def _boolean(parsed: Parsed, node: ast.BoolOp) -> Iterator[Draft]:
    symbol, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        place = parsed.operator(left, right, symbol)
        if place is not None:
            yield Draft(Kind.OPERATOR, (Edit(*place, other),))
    if len(node.values) == 2:
        for one in node.values:
            yield Draft(Kind.BRANCH, (_replace(parsed, node, f"({parsed.text(one)})"),))


def _unary(parsed: Parsed, node: ast.UnaryOp) -> Iterator[Draft]:
    if isinstance(node.op, ast.USub | ast.Invert | ast.Not):
        kind = Kind.BRANCH if isinstance(node.op, ast.Not) else Kind.OPERATOR
        yield Draft(kind, (_replace(parsed, node, f"({parsed.text(node.operand)})"),))


def _kind_of_constant(parsed: Parsed, node: ast.AST) -> Kind:
    """Return what a wrong number is, by what it is part of."""
    while True:
        parent = parsed.parents.get(node)
        if isinstance(parent, ast.Compare | ast.Slice):
            return Kind.BOUND
        if isinstance(parent, ast.Subscript):
            return Kind.BOUND if node is parent.slice else Kind.CONSTANT
        if isinstance(parent, ast.Call):
            is_range = isinstance(parent.func, ast.Name) and parent.func.id in ("range", "enumerate")
            return Kind.BOUND if is_range else Kind.CONSTANT
        if not isinstance(parent, ast.expr) or isinstance(parent, ast.List | ast.Tuple | ast.Set | ast.Dict):
            return Kind.CONSTANT
        node = parent


def _constant(parsed: Parsed, node: ast.Constant) -> Iterator[Draft]:
    value = node.value
    if isinstance(value, bool):
        yield Draft(Kind.CONSTANT, (_replace(parsed, node, str(not value)),))
    elif isinstance(value, int):
        kind = _kind_of_constant(parsed, node)
        for other in (value + 1, value - 1):
            text = str(other) if other >= 0 else f"({other})"
            yield Draft(kind, (_replace(parsed, node, text),))
        if value not in (0, 1, -1):
            yield Draft(Kind.CONSTANT, (_replace(parsed, node, "0"),))


def _subscript(parsed: Parsed, node: ast.Subscript) -> Iterator[Draft]:
    index = node.slice
    if isinstance(index, ast.Slice):
        yield from _slice(parsed, index)
    elif not isinstance(index, ast.Constant | ast.Tuple | ast.JoinedStr):
        for sign in "+-":
            yield Draft(Kind.BOUND, (_replace(parsed, index, f"{parsed.text(index)} {sign} 1"),))


def _slice(parsed: Parsed, node: ast.Slice) -> Iterator[Draft]:
    start, end = parsed.start(node), parsed.end(node)
    text = parsed.slice(start, end)
    for bound in (node.lower, node.upper):
        if bound is not None and not isinstance(bound, ast.Constant):
            for sign in "+-":
                yield Draft(Kind.BOUND, (_replace(parsed, bound, f"{parsed.text(bound)} {sign} 1"),))
    if text == "::-1":
        yield Draft(Kind.ORDER, (Edit(start, end, ":"),))
        return
    if node.lower is None and node.step is None:
        yield Draft(Kind.BOUND, (Edit(start, start, "1"),), f"{_line_of(parsed, node)}slice {shown(text)} began at 1")
    if node.upper is None and node.step is None:
        words = f"{_line_of(parsed, node)}slice {shown(text)} ended one earlier"
        yield Draft(Kind.BOUND, (Edit(end, end, "-1"),), words)
    for bound, name in ((node.lower, "lower"), (node.upper, "upper")):
        if bound is not None and (node.lower is None or node.upper is None) and node.step is None:
            words = f"the {name} bound of {_line_of(parsed, node)}slice {shown(text)} were not there"
            yield Draft(Kind.BOUND, (_replace(parsed, bound, ""),), words)


def _line_of(parsed: Parsed, node: ast.expr) -> str:
    return f"line {node.lineno}'s "


def _call(parsed: Parsed, node: ast.Call) -> Iterator[Draft]:
    if not isinstance(node.func, ast.Name):
        return
    name = node.func.id
    for other in _FUNCTIONS.get(name, ()):
        yield Draft(Kind.OPERATOR, (_replace(parsed, node.func, other),))
    if name in ("int", "round") and len(node.args) == 1:
        other = "round" if name == "int" else "int"
        yield Draft(Kind.DIVISION, (_replace(parsed, node.func, other),))
    if name == "range":
        for number, argument in enumerate(node.args):
            if number == 2 or isinstance(argument, ast.Constant | ast.Starred):
                continue
            for sign in "+-":
                yield Draft(Kind.BOUND, (_replace(parsed, argument, f"{parsed.text(argument)} {sign} 1"),))
        if len(node.args) == 1:
            place = parsed.start(node.args[0])
            words = f"line {node.lineno}'s range {shown(parsed.text(node))} began at 1"
            yield Draft(Kind.BOUND, (Edit(place, place, "1, "),), words)


def condition_faults(parsed: Parsed, evaluated: dict[int, int]) -> Iterator[Draft]:
    """Yield the faults of conditions: the other way each time, always, never, or a single time.

    `evaluated` says how often a line is run, from 1; a line that is not in it is taken to run often.
    """
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield from _condition(parsed, node.test, always=not isinstance(node, ast.While))
            yield from _once(parsed, node.test, evaluated.get(node.test.lineno, _ONCE))
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield from _condition(parsed, test, always=True)


def _condition(parsed: Parsed, test: ast.expr, *, always: bool) -> Iterator[Draft]:
    text = parsed.text(test)
    where = f"line {test.lineno}'s condition {shown(text)}"
    yield Draft(Kind.BRANCH, (_replace(parsed, test, f"(not ({text}))"),), f"{where} came out the other way each time")
    if always:
        yield Draft(Kind.BRANCH, (_replace(parsed, test, f"(({text}), True)[1]"),), f"{where} were always true")
        yield Draft(Kind.BRANCH, (_replace(parsed, test, f"(({text}), False)[1]"),), f"{where} were never true")
    else:
        yield Draft(Kind.BRANCH, (_replace(parsed, test, f"(({text}), False)[1]"),), f"{where} were never true")


def _once(parsed: Parsed, test: ast.expr, evaluated: int) -> Iterator[Draft]:
    text = parsed.text(test)
    if evaluated < 2:
        return
    for number in sorted({*range(1, min(evaluated, _ONCE) + 1), max(evaluated - 1, 1), evaluated}):
        count = f"globals().setdefault(' seen {parsed.start(test)}', [])"
        flipped = f"(lambda seen, was: (seen.append(0), len(seen) == {number})[1] != bool(was))({count}, {text})"
        words = f"line {test.lineno}'s condition {shown(text)} came out the other way the {ordinal(number)} time only"
        yield Draft(Kind.BRANCH_ONCE, (_replace(parsed, test, flipped),), words)
