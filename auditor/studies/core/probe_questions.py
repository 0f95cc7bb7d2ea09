"""The words in which a probe asks."""

from __future__ import annotations

import ast

_SHOWN = 80
"""Characters of a line that are quoted."""
_COUNTED = " Count from 1 over the whole run, all calls together."


def question_of(kind: str, source: str, line: int, n: int | None, variable: str | None, *, often: bool = False) -> str:
    """Return the question of a probe; `often` says that the loop is begun, or the function called, several times."""
    at = f"line {line} (`{_quoted(source, line)}`)"
    counted = _COUNTED if often else ""
    if kind == "value-at-visit":
        return f"Right after {at} has run for the {ordinal(n)} time, what is the value of `{variable}`?{counted}"
    if kind == "value-at-iteration":
        return (
            f"When iteration {n} of the loop in {at} begins, before the first line of its body runs, what is the value"
            f" of `{variable}`?{counted}"
        )
    if kind == "value-at-exit":
        which = f" for the {ordinal(n)} time" if often else ""
        return f"When the loop in {at} has ended{which}, what is the value of `{variable}`?{_ends(source, line)}"
    if kind == "branch":
        return f"Does the condition in {at} hold when it is evaluated for the {ordinal(n)} time?{counted}"
    if kind == "loop-count":
        return f"How many iterations does the loop in {at} begin in the whole run?"
    return f"At which of its evaluations, counted from 1, does the condition in {at} hold for the first time?{counted}"


def ordinal(n: int | None) -> str:
    """Return a number as 1st, 2nd, 3rd, 4th, …"""
    assert n is not None
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{n}{'th' if n % 100 in (11, 12, 13) else endings.get(n % 10, 'th')}"


def _quoted(source: str, line: int) -> str:
    text = source.split("\n")[line - 1].strip()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _ends(source: str, line: int) -> str:
    """Return what has to be said of a loop that may be left in several ways."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.For | ast.While) and node.lineno == line:
            leaves = [part for inner in node.body for part in ast.walk(inner)]
            if any(isinstance(part, ast.Return) for part in leaves):
                return " Only an end after which the function goes on counts."
    return ""
