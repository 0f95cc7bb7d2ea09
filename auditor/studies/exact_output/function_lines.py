"""Functions with the arguments of a call, as CRUXEval and LiveCodeBench's execution items have them, made programs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from auditor.formats.json_text import UnusableError, kind_of
from auditor.model import Scalar
from auditor.studies.exact_output.case import Case, Offer
from auditor.studies.exact_output.source_options import SourceOptions
from auditor.text import visible_line

FACTORS = (2, 4, 8)
"""How many times as long the long inputs are that are tried."""
_CALL = """

import sys

print(repr(eval("{name}(" + sys.stdin.read() + ")")))
"""
"""Behind a function it makes a program that reads the arguments of a call and writes what the call gives."""
_FACETS = ("difficulty", "contest_id", "contest_date", "problem_id")


def is_function(values: Mapping[str, Any]) -> bool:
    """Say by its keys whether a record is a function with a call."""
    return "code" in values and "input" in values and "program" not in values


def function_case(values: Mapping[str, Any], options: SourceOptions) -> Case:
    """Return the case of a function; the long input is the record's `long_input`, or grown from its input.

    Raises UnusableError.
    """
    name, code = _text(values, "id"), _text(values, "code")
    function = _function(values, code)
    short = arguments_of(_text(values, "input"), function)
    facets: dict[str, Scalar] = {
        key: values[key] for key in _FACETS if isinstance(values.get(key), bool | int | float | str)
    }
    expected = _text(values, "output") if values.get("output") is not None else None
    case = Case(name, code.rstrip("\n") + "\n" + _CALL.format(name=function), short, "", facets=facets)
    if values.get("long_input") is not None:
        return _with(case, arguments_of(_text(values, "long_input"), function), None, expected)
    longer = [text for text in grown(short) if len(text) <= options.input_limit]
    return _with(case, "", Offer((short, *longer), first_is_short=True), expected)


def _with(case: Case, long: str, offer: Offer | None, expected: str | None) -> Case:
    return Case(case.name, case.source, case.short, long, offer=offer, expected=(expected, None), facets=case.facets)


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    if value is None:
        raise UnusableError(f"it has no {key}.")
    if not isinstance(value, str):
        raise UnusableError(f"{key} is {kind_of(value)}, but must be text.")
    if any(0xD800 <= ord(char) < 0xE000 for char in value):
        raise UnusableError(f"{key} holds what cannot be given to a program: a lone surrogate or a stray byte.")
    if not value.strip() and key != "input":
        raise UnusableError(f"its {key} is empty.")
    return value


def _function(values: Mapping[str, Any], code: str) -> str:
    """Return the name of the function that is called: the one that is named, else `f`, else the last one."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnusableError(
            f"its code is no Python: {visible_line(getattr(error, 'msg', str(error)), 100)}."
        ) from error
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    wanted = values.get("function_name")
    if wanted is not None and wanted not in names:
        raise UnusableError(f"its code defines no function {visible_line(str(wanted), 60)}.")
    if not names:
        raise UnusableError("its code defines no function.")
    return str(wanted) if wanted is not None else "f" if "f" in names else names[-1]


def _call(arguments: str, function: str = "f") -> ast.Call:
    """Return the syntax tree of a call with these arguments; raises UnusableError."""
    try:
        tree = ast.parse(f"{function}({arguments})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnusableError("its input is not the arguments of a call.") from None
    # What closes the parenthesis and goes on is no list of arguments.
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise UnusableError("its input is not the arguments of a call.")
    return tree


def arguments_of(text: str, function: str) -> str:
    """Return the arguments of a call that is given whole or as its arguments alone; raises UnusableError."""
    stripped = text.strip()
    if stripped.startswith(f"{function}(") and stripped.endswith(")"):
        inner = stripped[len(function) + 1 : -1]
        try:
            _call(inner, function)
        except UnusableError:
            pass
        else:
            return inner
    _call(text, function)
    return text


def grown(arguments: str) -> list[str]:
    """Return the arguments made longer, once for each factor; nothing where there is nothing to make longer.

    Every text, list and tuple among them is repeated, then, where there are several, each one alone. Where there is
    none, whole numbers are multiplied in the same way.
    """
    call = _call(arguments)
    values: list[tuple[str, ast.expr]] = [("", node) for node in call.args]
    values += [(f"{word.arg}=" if word.arg else "**", word.value) for word in call.keywords]
    literals = [_literal(node) for _, node in values]
    sequences = {at for at, value in enumerate(literals) if isinstance(value, str | bytes | list | tuple) and value}
    chosen = sequences or {at for at, value in enumerate(literals) if type(value) is int and value > 0}

    def text(number: int, factor: int, growing: set[int]) -> str:
        word, node = values[number]
        value: Any = literals[number]
        if number in growing:
            return word + repr(value * factor)
        return word + (ast.get_source_segment(f"f({arguments})", node) or "")

    ways = [chosen, *({at} for at in sorted(chosen))] if len(chosen) > 1 else [chosen] if chosen else []
    return [", ".join(text(at, factor, way) for at in range(len(values))) for way in ways for factor in FACTORS]


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
