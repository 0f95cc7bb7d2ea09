"""Arguments by name: only where the input surely is a call's, exactly as written, and nothing is ever run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor.audit.call_arguments import call_arguments
from auditor.model import Task
from tests.hostile import HOSTILE


def named(source: str, given: str, language: str = "python") -> list[tuple[str, str]]:
    task = Task("s", "c", "output", language, source, given, "output", "1")
    return [(argument.name, argument.text) for argument in call_arguments(task)]


F = "def f(text, substr, occ):\n    return text\n"


@pytest.mark.parametrize(
    ("source", "given", "expected"),
    [
        (F, "'zjegiymjc', 'j', 2", [("text", "'zjegiymjc'"), ("substr", "'j'"), ("occ", "2")]),
        (F, "'é漢', 'x',  -2 ", [("text", "'é漢'"), ("substr", "'x'"), ("occ", "-2")]),
        (F, "'a', occ=2, substr=[1,\n 2]", [("text", "'a'"), ("occ", "2"), ("substr", "[1,\n 2]")]),
        ("def f(a, b=3): pass", "{1: (2,)}", [("a", "{1: (2,)}")]),
        ("def f(a, *rest): pass", "1, 2,  3", [("a", "1"), ("*rest", "2,  3")]),
        ("import re\nX = 3\ndef g(): pass\ndef f(a): pass", "1", [("a", "1")]),
        ("def solve(n): pass", "1", [("n", "1")]),
    ],
)
def test_arguments_have_the_names_of_their_parameters(source: str, given: str, expected: list[tuple[str, str]]) -> None:
    assert named(source, given) == expected


@pytest.mark.parametrize(
    ("source", "given"),
    [
        (F, "'a', 'b'"),
        (F, "1, 2, 3, 4"),
        (F, "1, 2, 3, occ=4"),
        (F, "1, 2, x"),
        (F, "*[1, 2, 3]"),
        (F, "1, 2, **{'occ': 3}"),
        (F, "1, 2, 3) + (4"),
        (F, "1, 2, 3)(4"),
        (F, "1 2 3"),
        (F, ""),
        ("def f(a, /): pass", "a=1"),
        ("def f(*, a): pass", "1"),
        ("n = int(input())\ndef f(a): pass", "1"),
        ("def f(a): pass\nprint(f(int(input())))", "1"),
        ("def g(a): pass\ndef h(a): pass", "1"),
        ("not a program (", "1"),
        ("def f(a): pass", "[" * 500 + "]" * 500),
    ],
)
def test_what_is_no_call_with_literals_has_no_names(source: str, given: str) -> None:
    assert named(source, given) == []


def test_nothing_is_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    assert named(F, f"open({str(made)!r}, 'w'), 1, 2") == []
    assert named(f"open({str(made)!r}, 'w')\n{F}", "1, 2, 3") == []
    assert not made.exists()


def test_only_python_programs_are_read() -> None:
    assert named(F, "1, 2, 3", "c") == []


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_inputs_are_kept_as_they_are(text: str) -> None:
    assert named(text, text) == []
    assert all(value in repr(text) for _, value in named("def f(a): pass", repr(text)))


def test_nearly_all_cruxeval_inputs_get_names(shared: Path) -> None:
    path = shared / "data/cruxeval/cruxeval.jsonl"
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    names = [named(case["code"], case["input"]) for case in cases]
    without = [case["id"] for case, found in zip(cases, names, strict=True) if not found and case["input"].strip()]
    assert len(without) < 0.05 * len(cases), without
