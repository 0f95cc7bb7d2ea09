"""Python translated to C*: the same numbers come out, and what C* cannot express is refused where it stands."""

from __future__ import annotations

import contextlib
import io
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import InputError
from auditor.resources import data_folder
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.from_python import translate
from tests.studies.prex.python_programs import python_program

FOLDER = data_folder("sample_runs") / "int_programs"
SAMPLES = sorted(FOLDER.glob("*.py"))
INPUTS: dict[str, str] = tomllib.loads((FOLDER / "inputs.toml").read_text(encoding="utf-8"))


def by_python(source: str, text: str) -> list[int]:
    """Return the numbers that Python prints, after checking that the whole input was read."""
    lines: Iterator[str] = iter(text.splitlines())
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        exec(compile(source, "sample", "exec"), {"input": lambda: next(lines)})
    assert next(lines, None) is None
    return [int(word) for word in written.getvalue().split()]


def by_cstar(source: str, text: str, formalism: Formalism = Formalism.S) -> list[int]:
    """Return the numbers that stand in the C* variables of what is printed."""
    translation = translate(source, text)
    execution = run(parse(print_program(translation.program)), formalism)
    assert execution.verdict == "success", execution.sentence
    return [execution.state[name] for name in translation.printed]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_computes_what_python_computes(path: Path) -> None:
    source, text = path.read_text(encoding="utf-8"), INPUTS[path.stem]
    printed = by_python(source, text)
    assert printed
    assert by_cstar(source, text) == printed


@pytest.mark.parametrize(
    "source",
    [
        "x = 0\nfor i in range(3, 12, 4):\n    x = x * 10 + i\nprint(x, i)",
        "x = 0\nfor i in range(5, -6, -3):\n    i = i * 2\n    x += i\nprint(x, i)",
        "n = 4\nx = 0\nfor i in range(n):\n    n += i\n    x += n\nprint(x, n)",
        "x = 0\nfor i in range(7):\n    if i % 2:\n        continue\n    x += i\n    if x:\n        break\nprint(x)",
        "i = 3\nx = 0\nfor i in range(i, i + 3):\n    for j in range(i):\n        x += i * j\nprint(x, i)",
        "a, b, c = 1, 2, 3\na, b, c = b + c, a, b\nprint(a, b, c)",
        "a = b = -4\nb += a * b\nprint(-a, +b, a - b)",
        "loop_count = 2\nhalt = 3\nLE = loop_count + halt\nans = 1\nprint(LE, ans)",
        "x = 5\nif 1 < x <= 5 and not x == 4 or False:\n    x -= 9\nelif x:\n    pass\nprint(x)",
        "x = 3\nwhile True:\n    x -= 1\n    if not x:\n        break\nprint(x // -2, x)",
        "for _ in range(3):\n    for _ in range(2):\n        pass\nx = 8\nx //= 3\nx %= 4\nprint(x)",
    ],
)
def test_python_means_the_same_in_cstar(source: str) -> None:
    assert by_cstar(source, "") == by_cstar(source, "", Formalism.K) == by_python(source, "")


@given(st.integers(0, 10**9))
@settings(max_examples=30, deadline=None)
def test_random_programs_compute_what_python_computes(seed: int) -> None:
    source = python_program(seed)
    assert by_cstar(source, "") == by_python(source, "")


@given(st.integers(-99, 99), st.integers(-12, 12).filter(bool))
@settings(max_examples=60, deadline=None)
def test_quotients_and_remainders_are_rounded_as_python_rounds_them(a: int, b: int) -> None:
    source = "a = int(input())\nb = int(input())\nprint(a // b, a % b, a - 3 * (a // b) % 5)"
    text = f"{a}\n{b}\n"
    assert by_cstar(source, text) == by_python(source, text)


def test_a_quotient_that_cannot_be_negative_is_a_plain_one() -> None:
    plain = "n = int(input())\nfor k in range(n):\n    n += k\nx = n // 7 + n % 3\n"
    assert "x = ((n / 7) + (n % 3));" in print_program(translate(plain, "9").program)
    assert "(n / 7)" not in print_program(translate(plain + "n -= 20\n", "9").program)


@pytest.mark.parametrize(
    ("source", "line", "what"),
    [
        ("import sys\n", 1, "an import"),
        ("x = 1\ndef f():\n    return x\n", 2, "a function"),
        ("x = [1, 2]\n", 1, "[1, 2] as an integer"),
        ("x = 1\ny = x / 2\n", 2, "the operation Div"),
        ("x = 2\ny = x ** 3\n", 2, "the operation Pow"),
        ("x = 1.5\n", 1, "1.5 as an integer"),
        ("x = True\n", 1, "True as an integer"),
        ("for x in [1]:\n    pass\n", 1, "a loop over anything but a range"),
        ("n = 2\nfor x in range(0, 9, n):\n    pass\n", 2, "a range whose step is no number"),
        ("for x in range(3):\n    print(x)\n", 2, "print in a loop or branch"),
        ("while False:\n    pass\nelse:\n    x = 1\n", 1, "a loop with else"),
        ("x = 3\ny = 0\nif y and x % y == 0:\n    x = 1\n", 3, "a division that is made only where"),
        ("x = 1\nif 0 < x < 9 // x:\n    x = 2\n", 2, "a division that is made only where"),
        ("x = 1\nwhile x < 3:\n    x = int(input())\n", 3, "int(input()) as an integer"),
        ("a, b = 1\n", 1, "this assignment of several variables"),
        ("x: int = 1\n", 1, "this statement (AnnAssign)"),
        ("x = 1\nif x is 1:\n    pass\n", 2, "the comparison Is"),
        ("print(1, end='')\n", 1, "print in a loop or branch, or with keywords"),
    ],
)
def test_what_cstar_cannot_express_is_refused_where_it_stands(source: str, line: int, what: str) -> None:
    with pytest.raises(InputError) as refused:
        translate(source)
    assert refused.value.message.startswith(f"line {line}: C* cannot express {what}")


def test_what_is_no_python_or_reads_too_much_is_refused() -> None:
    for source, text, sentence in (
        ("x = = 1", "", "line 1: this is not Python."),
        ("x = 1\x00", "", "line 1: this is not Python."),
        ("a = int(input())\nb = int(input())", "5\n", "line 2: a number is read here, but the input has ''."),
        ("größe = 1", "", "C* cannot express the name größe."),
        ("x = " + "-" * 9000 + "1", "", "its expressions or blocks are nested too deep to be translated."),
    ):
        with pytest.raises(InputError) as refused:
            translate(source, text)
        assert refused.value.message == sentence
