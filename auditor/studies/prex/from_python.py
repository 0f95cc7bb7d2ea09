"""Translate the part of Python that C* can express: integers, `while`, `for … in range`, `if`, `break`, `continue`.

The C* program computes what the Python program computes, where that runs without an error: quotients and remainders
are rounded as Python rounds them, a loop over a range counts what Python counts, and `and` and `or` are refused where
it matters that C* evaluates both sides. Everything else is refused with its line and a reason.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, NoReturn, TypeVar

from auditor.errors import InputError
from auditor.studies.prex.cstar.syntax_tree import (
    Assign,
    Binary,
    Break,
    Continue,
    Declare,
    Expression,
    If,
    Number,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
)
from auditor.studies.prex.python_names import Names
from auditor.studies.prex.python_signs import is_not_negative, literal_value, never_negative
from auditor.text import visible_line

_ARITHMETIC: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_RELATIONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_STATEMENTS = {
    ast.FunctionDef: "a function",
    ast.ClassDef: "a class",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.Return: "return",
    ast.Try: "try",
    ast.With: "with",
}


Part = TypeVar("Part")


class Translation(NamedTuple):
    """A C* program made of a Python program."""

    program: Program
    names: Mapping[str, str]
    """What each variable of the Python program is called in C*."""
    printed: tuple[str, ...]
    """The C* variables that hold, at the end, what the Python program prints, in the order of printing."""


def translate(source: str, text: str = "") -> Translation:
    """Translate a Python program that reads `text`; raises InputError, with the line, where C* has no such thing.

    The values that `int(input())` reads become numbers of the program.
    """
    try:
        return _Translator(ast.parse(source), text.splitlines()).translation()
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise InputError("this is not Python.", where=f"line {line}") from error
    except (RecursionError, MemoryError) as error:
        raise InputError("its expressions or blocks are nested too deep to be translated.") from error


def _refuse(node: ast.AST, what: str) -> NoReturn:
    raise InputError(f"C* cannot express {what}.", where=f"line {getattr(node, 'lineno', 1)}")


class _Translator:
    def __init__(self, tree: ast.Module, lines: list[str]) -> None:
        self._tree = tree
        self._names = Names(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        self._inputs = _inputs_of(tree, iter(lines))
        self._not_negative = never_negative(tree, self._inputs)
        self._order: dict[str, None] = {}
        """Every C* variable in the order in which it is first assigned."""
        self._printed: list[str] = []

    def translation(self) -> Translation:
        """Return the whole translation."""
        body = self._block(self._tree.body, top=True)
        declared = tuple(Declare(name) for name in self._order)
        return Translation(Program((*declared, *body)), self._names.given, tuple(self._printed))

    # --- statements --------------------------------------------------------------------------------------------

    def _block(self, body: Iterable[ast.stmt], *, top: bool = False) -> tuple[Statement, ...]:
        made: list[Statement] = []
        for number, node in enumerate(body):
            docstring = top and number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not docstring:
                made += self._statement(node, top)
        return tuple(made)

    def _statement(self, node: ast.stmt, top: bool) -> list[Statement]:
        match node:
            case ast.Assign():
                return self._assignment(node)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                return [self._set(name, self._operation(node, op, ast.Name(name), value))]
            case ast.If():
                return [If(self._condition(node.test), self._block(node.body), self._block(node.orelse))]
            case ast.While(orelse=[]):
                return [While(self._condition(node.test), self._block(node.body))]
            case ast.For(orelse=[]):
                return self._for(node)
            case ast.Break():
                return [Break()]
            case ast.Continue():
                return [Continue()]
            case ast.Pass():
                return []
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=args, keywords=[])) if top:
                return self._print(args)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                _refuse(node, "print in a loop or branch, or with keywords")
            case ast.While() | ast.For():
                _refuse(node, "a loop with else")
        _refuse(node, _STATEMENTS.get(type(node), f"this statement ({type(node).__name__})"))

    def _assignment(self, node: ast.Assign) -> list[Statement]:
        first = node.targets[0]
        if isinstance(first, ast.Tuple) and len(node.targets) == 1:
            return self._together(node, first)
        made: list[Statement] = []
        value = self._value(node.value)
        for target in node.targets:
            if not isinstance(target, ast.Name):
                _refuse(target, "anything but variables on the left of =")
            made.append(self._set(target.id, value))
            value = Variable(self._names.given[target.id])
        return made

    def _together(self, node: ast.Assign, targets: ast.Tuple) -> list[Statement]:
        """Assign several variables at once: where one value reads another target, through variables of their own."""
        values = node.value.elts if isinstance(node.value, ast.Tuple) else []
        names = [target.id for target in targets.elts if isinstance(target, ast.Name)]
        if len(names) != len(values) or len(names) != len(targets.elts) or len(set(names)) != len(names):
            _refuse(node, "this assignment of several variables")
        read_later = any(names[at] in _read(value) for at in range(len(names)) for value in values[at + 1 :])
        if not read_later:
            return [self._set(name, self._value(value)) for name, value in zip(names, values, strict=True)]
        kept = [self._fresh("old") for _ in names[:-1]]
        made: list[Statement] = [Assign(one, self._value(value)) for one, value in zip(kept, values, strict=False)]
        made.append(self._set(names[-1], self._value(values[-1])))
        return made + [self._set(name, Variable(one)) for name, one in zip(names, kept, strict=False)]

    def _for(self, node: ast.For) -> list[Statement]:
        call, target = node.iter, node.target
        is_range = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not isinstance(target, ast.Name) or not isinstance(call, ast.Call) or not is_range or call.keywords:
            _refuse(node, "a loop over anything but a range")
        step = literal_value(call.args[2]) if len(call.args) == 3 else 1
        if not 1 <= len(call.args) <= 3 or not step:
            _refuse(node, "a range whose step is no number")
        start = self._value(call.args[0]) if len(call.args) > 1 else Number(0)
        limit = call.args[1] if len(call.args) > 1 else call.args[0]
        made: list[Statement] = []
        stop = self._value(limit)
        if not isinstance(limit, ast.Constant) and _read(limit) & (_assigned(node.body) | {target.id}):
            kept = self._fresh("stop")
            made.append(Assign(kept, stop))
            stop = Variable(kept)
        counts_itself = self._counts_itself(node, target.id)
        if counts_itself:
            made.append(self._set(target.id, start))
            counter = self._names.given[target.id]
        else:
            counter = self._fresh("next")
            made.append(Assign(counter, start))
        count = Assign(counter, Binary("+" if step > 0 else "-", Variable(counter), Number(abs(step))))
        body = self._block(node.body)
        body = (*body, count) if counts_itself else (self._set(target.id, Variable(counter)), count, *body)
        return [*made, While(Binary("<" if step > 0 else ">", Variable(counter), stop), body)]

    def _counts_itself(self, node: ast.For, name: str) -> bool:
        """Say whether the loop's variable may be its counter: nothing else sets it or reads it after the loop."""
        if name in _assigned(node.body) or _continues(node.body):
            return False
        bodies = [one.body for one in ast.walk(self._tree) if isinstance(one, ast.For) and _is_name(one.target, name)]
        within = {id(part) for body in bodies for statement in body for part in ast.walk(statement)}
        return all(id(part) in within for part in ast.walk(self._tree) if _is_name(part, name) and _loads(part))

    def _print(self, args: list[ast.expr]) -> list[Statement]:
        made: list[Statement] = []
        for value in args:
            name = self._fresh("ans")
            made.append(Assign(name, self._value(value)))
            self._printed.append(name)
        return made

    def _set(self, name: str, value: Expression) -> Assign:
        given = self._names.given[name]
        self._order.setdefault(given)
        return Assign(given, value)

    def _fresh(self, stem: str) -> str:
        name = self._names.fresh(stem)
        self._order.setdefault(name)
        return name

    # --- expressions -------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> Expression:
        if node in self._inputs:
            value = self._inputs[node]
            return Number(value) if value >= 0 else Unary("-", Number(-value))
        match node:
            case ast.Constant(value=int() as value) if type(value) is int:
                return Number(value)
            case ast.Name(id=name):
                return Variable(self._names.given[name])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Unary("-", self._value(operand))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return Unary("+", self._value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(node, op, left, right)
        _refuse(node, f"{visible_line(ast.unparse(node), 40)} as an integer")

    def _operation(self, node: ast.AST, op: ast.operator, left: ast.expr, right: ast.expr) -> Expression:
        one, other = self._value(left), self._value(right)
        if type(op) in _ARITHMETIC:
            return Binary(_ARITHMETIC[type(op)], one, other)
        if not isinstance(op, ast.FloorDiv | ast.Mod):
            _refuse(node, f"the operation {type(op).__name__}")
        sure = all(is_not_negative(part, self._not_negative, self._inputs) for part in (left, right))
        rest = Binary("%", one, other)
        if not sure:  # the sign of Python's remainder is the divisor's, and C gives it that of the dividend
            rest = Binary("%", Binary("+", rest, other), other)
        if isinstance(op, ast.Mod):
            return rest
        return Binary("/", one, other) if sure else Binary("/", Binary("-", one, rest), other)

    def _condition(self, node: ast.expr) -> Expression:
        match node:
            case ast.Constant(value=bool() as value):
                return Truth(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Unary("!", self._condition(operand))
            case ast.BoolOp(op=op, values=values):
                return self._joined("&&" if isinstance(op, ast.And) else "||", values, self._condition, values[1:])
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                parts = [left, *comparators]
                pairs = list(zip(parts, ops, parts[1:], strict=False))
                return self._joined("&&", pairs, self._relation, comparators[1:])
        return Binary("!=", self._value(node), Number(0))

    def _relation(self, pair: tuple[ast.expr, ast.cmpop, ast.expr]) -> Expression:
        left, op, right = pair
        if type(op) not in _RELATIONS:
            _refuse(left, f"the comparison {type(op).__name__}")
        return Binary(_RELATIONS[type(op)], self._value(left), self._value(right))

    def _joined(
        self, operator: str, parts: list[Part], made: Callable[[Part], Expression], later: Iterable[ast.expr]
    ) -> Expression:
        """Join conditions; what Python would not always evaluate must not be able to fail."""
        for node in later:
            for part in ast.walk(node):
                divides = isinstance(part, ast.BinOp) and isinstance(part.op, ast.FloorDiv | ast.Mod)
                if divides and isinstance(part, ast.BinOp) and not literal_value(part.right):
                    _refuse(part, "a division that is made only where another condition holds")
        whole = made(parts[0])
        for one in parts[1:]:
            whole = Binary(operator, whole, made(one))
        return whole


def _inputs_of(tree: ast.Module, lines: Iterable[str]) -> dict[ast.expr, int]:
    """Return the value of every `int(input())`, which must stand where it is read exactly once."""
    found: dict[ast.expr, int] = {}
    left = iter(lines)
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            calls = [node for node in ast.walk(statement.value) if isinstance(node, ast.Call)]
            for node in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
                if ast.unparse(node) == "int(input())":
                    found[node] = _number(next(left, ""), node)
    return found


def _number(line: str, node: ast.Call) -> int:
    try:
        return int(line)
    except ValueError as error:
        what = f"a number is read here, but the input has {visible_line(line, 30)!r}."
        raise InputError(what, where=f"line {node.lineno}") from error


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _loads(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _read(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _assigned(body: Iterable[ast.stmt]) -> set[str]:
    return {
        part.id
        for statement in body
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _continues(body: Iterable[ast.stmt]) -> bool:
    """Say whether a loop of this body has a `continue` of its own."""
    for statement in body:
        if isinstance(statement, ast.Continue):
            return True
        if isinstance(statement, ast.If) and (_continues(statement.body) or _continues(statement.orelse)):
            return True
    return False
