"""Answers of probes by another way than a trace: the program is rewritten so that it tells them itself."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any

from auditor.model import JsonValue
from auditor.studies.core.probe_moments import AT_EXIT, AT_ITERATION, AT_VISIT, BRANCH, FIRST_TIME, LOOP_COUNT

_TELLERS = {"visited": "_tell_visit", "begun": "_tell_begin", "ended": "_tell_end"}


@dataclass
class Told:
    """What a run told of one line, in order: the variables at each moment, and how its condition came out."""

    visited: list[dict[str, Any]] = field(default_factory=list)
    begun: list[dict[str, Any]] = field(default_factory=list)
    ended: list[dict[str, Any]] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, line: int) -> None:
        self.line = line

    def visit_simple(self, node: ast.stmt) -> Any:
        return [node, _telling("visited")] if node.lineno == self.line else node

    visit_Assign = visit_AugAssign = visit_AnnAssign = visit_simple

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if node.lineno == self.line:
            node.test = _asked(node.test)
        return node

    def visit_loop(self, node: ast.For | ast.While) -> Any:
        self.generic_visit(node)
        if node.lineno != self.line:
            return node
        if isinstance(node, ast.While):
            node.test = _asked(node.test)
        node.body.insert(0, _telling("begun"))
        return [node, _telling("ended")]

    visit_For = visit_While = visit_loop


def _telling(what: str) -> ast.stmt:
    return ast.parse(f"{_TELLERS[what]}(locals())").body[0]


def _asked(test: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("_tell_condition", ast.Load()), [test], [])


def told_of(source: str, call: str, line: int) -> Told:
    """Run a trusted program here and return what it tells of a line."""
    told = Told()

    def condition(value: object) -> object:
        told.held.append(bool(value))
        return value

    space: dict[str, Any] = {"_tell_condition": condition, "__name__": "implementation"}
    for name, teller in _TELLERS.items():
        kept = getattr(told, name)
        space[teller] = lambda variables, kept=kept: kept.append(_kept(variables))
    tree = ast.fix_missing_locations(_Rewriter(line).visit(ast.parse(source)))
    exec(compile(tree, "rewritten", "exec"), space)
    eval(call, space)
    return told


def _kept(variables: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, value in variables.items():
        try:
            found[name] = copy.deepcopy(value)
        except TypeError:  # an iterator or the like, about which nothing is asked
            continue
    return found


def answer(source: str, call: str, kind: str, line: int, n: int | None, variable: str | None) -> JsonValue:
    """Return the answer to a probe as JSON has it."""
    told = told_of(source, call, line)
    if kind == LOOP_COUNT:
        return len(told.begun)
    if kind == FIRST_TIME:
        return told.held.index(True) + 1
    assert n is not None
    if kind == BRANCH:
        return told.held[n - 1]
    moments = {AT_VISIT: told.visited, AT_ITERATION: told.begun, AT_EXIT: told.ended}[kind]
    assert variable is not None
    return _as_json(moments[n - 1][variable])


def _as_json(value: Any) -> JsonValue:
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    return value  # type: ignore[no-any-return]  # None, a truth value, a number or a text
