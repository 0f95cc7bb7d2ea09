"""Cyclomatic complexity against a count of decisions, nesting and lines."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from auditor.studies.exact_output.static_measures import code_lines, cyclomatic, nesting

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = sorted((ROOT / "sample_runs").glob("*/*.py"))


def decisions(source: str) -> int:
    """Count decisions without a graph: for structured code E - N + 2 is their number plus one."""
    count = 1
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.If() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler() | ast.Assert() | ast.IfExp():
                count += 1
            case ast.BoolOp(values=values):
                count += len(values) - 1
            case ast.comprehension(ifs=ifs):
                count += 1 + len(ifs)
            case ast.match_case(pattern=ast.MatchAs(pattern=None), guard=None):
                pass
            case ast.match_case():
                count += 1
    return count


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_complexity_is_that_of_an_independent_count(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert cyclomatic(source) == decisions(source)


TABLE = {
    "": 1,
    "x = 1\ny = 2\n": 1,
    "if a:\n    b = 1\n": 2,
    "if a and b or c:\n    d = 1\nelif e:\n    d = 2\nelse:\n    d = 3\n": 5,
    "while True:\n    if a:\n        break\n": 3,
    "for a in b:\n    if a:\n        continue\n    c = 1\nelse:\n    d = 1\n": 3,
    "def f(x):\n    if x:\n        return 1\n    return 2\n\n\ndef g():\n    return f(1) if f(0) else 3\n": 3,
    "try:\n    a = 1\nexcept A:\n    b = 1\nexcept B:\n    raise\nelse:\n    c = 1\nfinally:\n    d = 1\n": 3,
    "def f():\n    try:\n        return 1\n    finally:\n        d = 1\n": 1,
    "x = [a for b in c if d if e for f in g]\n": 5,
    "assert a, b\nc = lambda: a or b\n": 3,
    "match a:\n    case 1:\n        b = 1\n    case [2] if c and d:\n        b = 2\n    case _:\n        b = 3\n": 4,
    "with a as b, c:\n    d = 1\nclass E(F if g else h):\n    if i:\n        j = 1\n": 3,
    "for a in b:\n    pass\nelse:\n    raise C\n": 2,
}


@pytest.mark.parametrize("source", TABLE)
def test_complexity_worked_by_hand(source: str) -> None:
    assert cyclomatic(source) == TABLE[source] == decisions(source)


def test_what_is_never_reached_is_no_part_of_the_graph() -> None:
    assert cyclomatic("def f():\n    return 1\n    if a:\n        b = 1\n") == 1


@pytest.mark.parametrize(
    ("source", "levels"),
    [
        ("a = 1\n", 0),
        ("if a:\n    b = 1\nelif c:\n    d = 1\nelif e:\n    for f in g:\n        h = 1\n", 2),
        (
            "def f():\n while a:\n  try:\n   b = 1\n  except C:\n   with d:\n    e = 1\n",
            4,
        ),
        ("match a:\n    case 1:\n        if b:\n            c = 1\n", 2),
        ("if a:\n    b = 1\nelse:\n    c = 1\n    if d:\n        e = 1\n", 2),
    ],
)
def test_nesting_counts_blocks_in_blocks(source: str, levels: int) -> None:
    assert nesting(source) == levels


def test_lines_that_are_blank_do_not_count() -> None:
    assert code_lines("a = 1\n\n   \n# b\n") == 2
