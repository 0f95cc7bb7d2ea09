"""Trace length, peak state and state load, against counts by hand and against the simplest counter of opcodes."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from auditor.execution.measures import measure
from auditor.execution.outcome import Ending
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from tests.execution.hostile_programs import FORGING
from tests.execution.test_trace import LONG, NAND


@pytest.mark.parametrize(
    ("source", "sizes"),
    [
        # before each line, and at the end
        ("x = 1\ny = 'abc'\nx = y", [0, 1, 2, 2]),
        ("x = [1, [2, 3]]\ny = x\nz = {'a': x}\npass", [0, 5, 6, 9, 9]),
        ("x = []\nx.append(x)\nx.append(7)", [0, 1, 2, 3]),
        ("class P:\n  pass\np = P()\np.a = [1, 2]\nq = p", [0, 0, 0, 0, 0, 1, 4, 5]),
        ("from collections import *\nd = deque([1, 2])\nc = Counter('aab')", [0, 0, 3, 8]),
        ("x = {1, 2}\ny = (x, x)\nimport math\nx = bytearray(5)", [0, 3, 6, 6, 11]),
        ("def f(n):\n  m = [n]\n  return m\nx = f(3)", [0, 0, 1, 3, 3, 2]),
        ("globals()[''] = [1]\nglobals()[5] = x = 1", [0, 2, 3]),
        ("s = sum(i for i in range(2))", [0, 0, 1, 1, 1, 1, 1, 1]),
        ("from enum import Enum\nclass C(Enum):\n  A = 1\nx = 5", None),
    ],
)
def test_the_state_is_what_a_program_can_reach(sandbox: Sandbox, source: str, sizes: list[int] | None) -> None:
    done = measure(sandbox, Program.python(source), opcodes=False)
    assert done.run.outcome.finished and done.trace_length is None
    if sizes is None:
        assert done.peak_state is not None and done.peak_state < 15
    else:
        assert (done.observations, done.peak_state, done.state_load) == (len(sizes), max(sizes), sum(sizes))


def plainly_counted(source: str) -> int:
    """Count opcode events in the simplest way there is."""
    count = 0

    def follow(frame: types.FrameType, event: str, value: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != "plain":
            return None
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return follow

    code = compile(source, "plain", "exec", dont_inherit=True)
    sys.settrace(follow)
    try:
        exec(code, {"__name__": "__main__"})
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize(
    "source",
    [
        "pass",
        "x = 0\nfor i in range(50):\n    x += i if i % 3 else -i",
        "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nf(9)",
        "import json\nx = [json.loads(json.dumps({'a': i})) for i in range(5)]\n"
        "try:\n    x[9]\nexcept IndexError:\n    y = sum(k for k in range(4))",
    ],
)
def test_the_trace_length_counts_opcode_events_of_the_program_alone(sandbox: Sandbox, source: str) -> None:
    done = measure(sandbox, Program.python(source), state=False)
    assert done.trace_length == plainly_counted(source)


def test_measures_are_the_same_each_time_and_grow_with_the_input(sandbox: Sandbox) -> None:
    program = Program.python(NAND)
    short, again, long = (measure(sandbox, program, stdin=stdin) for stdin in (b"5 00110", b"5 00110", LONG))
    assert short.trace_length is not None and long.trace_length is not None
    assert again.trace_length == short.trace_length < long.trace_length
    assert (short.state_load, short.peak_state) == (again.state_load, again.peak_state)
    assert (long.observations, long.run.stdout) == (6018, b"251502\n")


@pytest.mark.parametrize(
    "source", ["import sys\nsys.settrace(None)", "while True:\n    pass", "import os\nos._exit(0)"]
)  # fmt: skip
def test_what_cannot_be_measured_has_no_number(sandbox: Sandbox, source: str) -> None:
    done = measure(sandbox, Program.python(source), seconds=0.3)
    assert (done.trace_length, done.peak_state, done.state_load, done.observations) == (None,) * 4


def test_a_forged_count_beyond_all_counting_is_none(sandbox: Sandbox) -> None:
    forged = (
        FORGING + "write({'measured': {'opcodes': 5, 'peak': 3, 'load': 10 ** 30}})\nwrite({'end': 1})\nos._exit(0)"
    )
    done = measure(sandbox, Program.python(forged))
    assert (done.run.outcome.ending, done.peak_state, done.state_load) == (Ending.FINISHED, 3, None)


def test_a_failing_program_is_measured_up_to_its_end(sandbox: Sandbox) -> None:
    done = measure(sandbox, Program.python("x = 1\n1 / 0"))
    assert (done.run.outcome.ending, done.observations) == (Ending.EXCEPTION, 3)
    with pytest.raises(ValueError, match="only Python"):
        measure(sandbox, Program.cpp("int main() {}"))
