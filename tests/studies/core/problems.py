"""A small problem with implementations of every kind, good and bad, for the tests of the builder."""

from __future__ import annotations

import json
from pathlib import Path

LOOPS = """\
def total(values):
    result = 0
    for value in values:
        if value > 0:
            result += value * value
        elif value == 0:
            result += 1
    return result
"""
RECURSIVE = """\
def total(values):
    if not values:
        return 0
    first, *rest = values
    return (first**2 if first >= 1 else int(first == 0)) + total(rest)
"""
FUNCTIONAL = """\
def total(values):
    return sum(map(lambda v: v**2 if v > 0 else 1 if v == 0 else 0, values))
"""
_HASHING = """\
def total(values):
    words = {'a', 'b', 'c', 'd', 'e', 'f'}
    return tuple(words) if values or words else None if values else ()
"""
TESTS = ("[]", "[0]", "[3]", "[-2]", "[1, 0, -4, 2]", "[2, 2]")
BAD = {
    "another-name": ("no_entry_point", "def sums(values):\n    return 0 if values else 1 if values == [] else 2\n"),
    "broken": ("not_python", "def total(values:\n"),
    "carriage": ("not_python", LOOPS.replace("\n", "\r")),
    "copied": ("too_similar", LOOPS.replace("result", "summed")),
    "failing": ("run_failed", LOOPS.replace("result += 1", "result += 1 // value")),
    "functions": ("not_literal", "def total(values):\n    return total if values and values[0] else [total] or 1\n"),
    "hashing": ("not_deterministic", _HASHING),
    "other": ("disagrees", LOOPS.replace("value > 0", "value > 1")),
    "short": ("too_simple", "def total(values):\n    return 0\n"),
}


def write_problem(
    folder: Path, implementations: dict[str, str], tests: tuple[str, ...] = TESTS, about: str = ""
) -> Path:
    """Write a problem and return its folder."""
    (folder / "implementations").mkdir(parents=True)
    (folder / "problem.toml").write_text(f'entry_point = "total"\nstatement = "Sum of squares."\n{about}')
    for name, source in implementations.items():
        (folder / "implementations" / f"{name}.py").write_bytes(source.encode())
    (folder / "tests.jsonl").write_text("".join(json.dumps({"input": one}) + "\n" for one in tests))
    return folder
