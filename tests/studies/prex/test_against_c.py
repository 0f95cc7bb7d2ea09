"""C* against C++ compiled by the system's compiler: arithmetic, scoping and control flow of programs valid in both."""

from __future__ import annotations

from collections import Counter

import pytest

from auditor.execution.compilers import compiler_arguments
from auditor.execution.outcome import Ending
from auditor.execution.program import Program as Executable
from auditor.execution.sandbox import Sandbox
from auditor.studies.prex.cstar.fuzzing import Shape, fuzz
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.rules import Formalism
from tests.studies.prex.as_c import as_functions
from tests.walls import need_wall

BY_HAND = """
int a; int b; int c; int d; a = -7 / 2; b = -7 % 2; c = 7 / -2; d = 7 % -2;
int a; int b; a = 2147483647; b = -2147483647 - 1; a = a + b; b = b / 3 % 1000 * -7;
int a; int b; a = 17; b = a - 3 - 2 * a % 5 / 2 + -a * - - 3; a = +b - -b;
int a; if (a == 0) { int b; b = 5; a = b * 2; } else { int b; b = 7; a = b; }; a = a + 1;
int i; int s; while (i < 4) { i = i + 1; if (i % 2 == 0) { int t; t = i * i; s = s + t; i = i + 1; } else { }; };
int i; int s; while (true) { i = i + 1; if (i > 9) { break; }; if (i % 3 == 1) { continue; }; s = s * 2 + i; };
int i; int j; int s; while (i < 5) { i = i + 1; j = 0; while (true) { j = j + 1; if (j > i) { break; };
 if (j == 2) { continue; }; s = s + i * j; }; if (i == 3) { continue; }; s = s - 1; };
int a; a = 4; while (a > 0) { a = a - 1; if (a == 2) { halt; }; }; a = 99;
int a; int b; if ((a < 1 && b >= 0) || !(a != b)) { a = 1; } else { b = 1; }; if (!(a <= b) && true) { b = 5; };
int a; int b; b = 3; if (a == b) { a = 1; } else { if (a > b || false) { a = 2; } else { a = 3; }; };
"""


def programs_by_hand() -> list[str]:
    return [text.replace("\x00", "\n") for text in BY_HAND.strip().replace("\n ", "\x00").split("\n")]


def test_final_states_are_those_of_compiled_programs() -> None:
    if compiler_arguments() is None:
        pytest.skip("there is no C++ compiler")
    need_wall()
    programs = [parse(text) for text in programs_by_hand()]
    programs += [fuzz(f"c/{seed}", Shape(lines=40, depth=4, halts=0.1)) for seed in range(25)]
    with Sandbox() as sandbox:
        ran = sandbox.run(Executable.cpp(as_functions(programs)))
    assert ran.outcome.ending is Ending.FINISHED, ran.outcome.sentence
    lines = ran.stdout.decode().splitlines()
    assert len(lines) == len(programs)
    ends: Counter[str] = Counter()
    for program, line in zip(programs, lines, strict=True):
        printed = {name: int(value) for name, _, value in (part.partition("=") for part in line.split())}
        for formalism in Formalism:
            execution = run(program, formalism)
            ends[execution.ending.value] += 1
            if execution.ending.value != "stuck":
                assert {name: execution.state[name] for name in printed} == printed
    assert set(ends) == {"complete", "halted", "stuck"}
    assert ends["stuck"] == 1  # a declaration in a loop, which K has no rule for the second time
