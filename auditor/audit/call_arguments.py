"""The arguments of a call by the names of its parameters, where a task's input is one; nothing is ever run."""

from __future__ import annotations

import ast
import warnings
from typing import NamedTuple

from auditor.model import Task

_MOST_CHARACTERS = 20_000
"""Of the source and of the input; reading so many takes some 20 ms."""
_CALLED = "f"
"""The function that a call is of where a program has several."""
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class Argument(NamedTuple):
    """An argument of a call."""

    name: str
    """Of its parameter; with a star where it takes all that are left."""
    text: str
    """The argument exactly as it is written."""


def call_arguments(task: Task) -> tuple[Argument, ...]:
    """Return the arguments of a Python task whose input is those of a call, in the order of the parameters.

    None are returned unless the program only defines things and has one function, one that its data set names, or one
    called `f`, and the input is literals that match its parameters.
    """
    given = task.input.strip()
    if task.language != "python" or not given or max(len(given), len(task.source)) > _MOST_CHARACTERS:
        return ()
    if "\r" in given:
        return ()  # the parser counts lines otherwise then
    call_text = f"{_CALLED}({given}\n)"
    with warnings.catch_warnings():
        # Odd escapes in a program are no concern of the reader, and a warning would land on the screen.
        warnings.simplefilter("ignore")
        try:
            program, call = ast.parse(task.source), ast.parse(call_text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ()
    function = _called(program, task.extra.get("entry_point"))
    if function is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return ()
    if not all(_is_literal(node) for node in (*call.args, *(keyword.value for keyword in call.keywords))):
        return ()
    return _matched(function.args, call, call_text)


def only_functions(source: str) -> tuple[str, ...]:
    """Return the functions of a Python program that only defines things, the one that is called by default first.

    None are returned where it does something by itself, or cannot be read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ()
    if not _only_defines(program):
        return ()
    names = [statement.name for statement in program.body if isinstance(statement, ast.FunctionDef)]
    return tuple(sorted(dict.fromkeys(names), key=lambda name: name != _CALLED))


def _only_defines(program: ast.Module) -> bool:
    for statement in program.body:
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr) else None
        if not isinstance(statement, _DEFINES) and (value is None or not _is_literal(value)):
            return False
    return True


def _called(program: ast.Module, entry_point: object) -> ast.FunctionDef | None:
    """Return the function that a program is asked to be called by; None where it does something by itself."""
    if not _only_defines(program):
        return None
    functions = [statement for statement in program.body if isinstance(statement, ast.FunctionDef)]
    wanted = entry_point if any(function.name == entry_point for function in functions) else _CALLED
    named = [function for function in functions if function.name == wanted]
    return named[-1] if named else functions[0] if len(functions) == 1 else None


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _matched(parameters: ast.arguments, call: ast.Call, text: str) -> tuple[Argument, ...]:
    """Give each argument its parameter as Python does; none where one has no place or a parameter has no value."""
    positional = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    given = {name: _written(node, node, text) for name, node in zip(positional, call.args, strict=False)}
    others = call.args[len(positional) :]
    if others:
        if parameters.vararg is None:
            return ()
        given[f"*{parameters.vararg.arg}"] = _written(others[0], others[-1], text)
    by_name = {parameter.arg for parameter in (*parameters.args, *parameters.kwonlyargs)}
    for keyword in call.keywords:
        if keyword.arg not in by_name or keyword.arg in given:
            return ()
        given[keyword.arg] = _written(keyword.value, keyword.value, text)
    required = positional[: len(positional) - len(parameters.defaults)]
    required += [
        name.arg for name, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if default is None
    ]
    if not given.keys() >= set(required):
        return ()
    return tuple(Argument(name, shown) for name, shown in given.items())


def _written(first: ast.expr, last: ast.expr, text: str) -> str:
    """Return what is written from one node to another; their columns count UTF-8 bytes."""
    lines = text.encode("utf-8").split(b"\n")
    start, end = _offset(lines, first.lineno, first.col_offset), _offset(lines, last.end_lineno, last.end_col_offset)
    return text.encode("utf-8")[start:end].decode("utf-8")


def _offset(lines: list[bytes], line: int | None, column: int | None) -> int:
    assert line is not None and column is not None
    return sum(len(each) + 1 for each in lines[: line - 1]) + column
