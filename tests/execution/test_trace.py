"""Traces: what changed at each step, the state at any step, checkpoints, budgets, and programs that tamper with it."""

from __future__ import annotations

import ast
import json
import random
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from auditor.execution.measures import measure
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits, Program
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import Change, Chunk, Kind, Trace, TraceDamagedError
from auditor.execution.tracing import Budget, Checkpoint, trace

NAND = """\
S = input().split()[1]
cnt0 = cnt1 = 0
ans = 0
for ch in S:
    if ch == '0':
        dp0 = 1
        dp1 = cnt0 + cnt1
    else:
        dp0 = cnt1
        dp1 = cnt0 + 1
    ans += dp1
    cnt0, cnt1 = (dp0, dp1)
print(ans)
"""
LONG = b"1002 " + b"01" * 501
NESTED = "t = 0\nfor i in range(3):\n    for j in range(2):\n        t += 1"
ENDLESS = "n = 0\nwhile True:\n    n += 1\n    if n == 5:\n        break\nprint(n)"
ENDLESS_NESTED = "x = 0\nwhile True:\n    for j in range(2):\n        x += 1\n    if x > 5:\n        break"
RETURNING = "def f():\n    for i in range(9):\n        if i == 4:\n            return i\nf()"
COMPREHENSIONS = "x = [i\n     for i in range(3)]\nfor k in x:\n    y = [k for _ in x]\nz = 1"
POINTS = (Checkpoint("iteration", 4, 502), Checkpoint("after_loop", 4), Checkpoint("after_line", 3))


def traced(sandbox: Sandbox, source: str, *points: Checkpoint, stdin: bytes = b"", **budget: float) -> Trace:
    limits = Budget(**budget)  # type: ignore[arg-type]  # the fields are numbers
    return trace(sandbox, Program.python(source), stdin=stdin, checkpoints=points, budget=limits)


def projected(done: Trace, number: int | None) -> dict[str, object]:
    assert number is not None
    variables = done.state(number).variables
    return {name: ast.literal_eval(variables[name]) for name in ("ans", "cnt1", "dp1") if name in variables}


@pytest.mark.parametrize("steps", [100_000, 1_000, 50])
def test_checkpoints_have_the_state_they_name_however_little_is_kept(sandbox: Sandbox, steps: int) -> None:
    done = traced(sandbox, NAND, *POINTS, stdin=LONG, steps=steps, before=20, after=10)
    inside, after, first = done.moments
    assert projected(done, inside) == {"ans": 63250, "cnt1": 500, "dp1": 500}
    assert projected(done, after) == {"ans": 251502, "cnt1": 2, "dp1": 2}
    assert first is not None and done.step(first).line == 4
    assert (done.total, done.run.stdout, done.notes) == (6018, b"251502\n", ())
    assert done.cut == (None if steps > 6018 else "steps")
    if steps == 50:
        assert done.kept == [range(50), range(2990, 3021), range(5996, 6018)]
        assert 100 not in done
        with pytest.raises(KeyError):
            done.step(100)


def states(done: Trace) -> dict[int, tuple[int, dict[str, str]]]:
    return {number: (done.step(number).line, done.state(number).variables) for kept in done.kept for number in kept}


def test_windows_of_a_long_run_hold_what_a_whole_trace_holds(sandbox: Sandbox) -> None:
    source = """\
def grow(n, row):
    for i in range(n):
        row.append(row[-1] + i)
        total[0] += sum(row)
    return row
total = [0]
rows = []
for n in range(12):
    rows.append(grow(n, [n]))
print(total)
"""
    points = Checkpoint("iteration", 8, 9), Checkpoint("after_loop", 2, 7), Checkpoint("after_line", 3, 40)
    whole = traced(sandbox, source, *points)
    part = traced(sandbox, source, *points, steps=30, before=10, after=5)
    assert whole.moments == part.moments
    everything = states(whole)
    assert everything.items() >= states(part).items()
    for number, (_, variables) in everything.items():
        if "row" in variables and whole.step(number).kind is Kind.LINE:
            assert ast.literal_eval(variables["total"])[0] >= 0


def test_steps_say_what_changed_and_only_that(sandbox: Sandbox) -> None:
    source = "a = [0] * 3\nfor i in range(2):\n    a[i] = 7\n    b = a\ndel b\n"
    source += "def f(x):\n    global c\n    c = x\n    return x * 2\nf(4)\n"
    done = traced(sandbox, source)
    told = [(step.line, step.function, [(c.name, c.text) for c in step.changes]) for step in done.steps()]
    assert told == [
        (1, "<module>", []),
        (2, "<module>", [("a", "[0, 0, 0]")]),
        (3, "<module>", [("i", "0")]),
        (4, "<module>", [("a", "[7, 0, 0]")]),
        (2, "<module>", [("b", "[7, 0, 0]")]),
        (3, "<module>", [("i", "1")]),
        (4, "<module>", [("a", "[7, 7, 0]"), ("b", "[7, 7, 0]")]),
        (2, "<module>", []),
        (5, "<module>", []),
        (6, "<module>", [("b", None)]),
        (10, "<module>", []),
        (8, "f", [("x", "4")]),
        (9, "f", [("c", "4")]),
        (9, "f", []),
        (10, "<module>", []),
    ]
    assert done.step(12).changes == (Change("c", "4", of_module=True),)
    assert [(step.number, step.text) for step in done.steps() if step.kind is Kind.RETURN] == [(13, "8"), (14, "None")]


def test_equal_values_of_another_type_are_changes_and_the_same_value_again_is_none(sandbox: Sandbox) -> None:
    done = traced(sandbox, "x = 1\nx = True\nx = 1.0\nx = [1]\nx[0] = True\nx = 10 ** 30\nx = 10 ** 30\npass")
    assert [c.text for step in done.steps() for c in step.changes] == [
        "1", "True", "1.0", "[1]", "[True]", "1" + "0" * 30,
    ]  # fmt: skip


def test_a_generator_that_is_away_while_a_chunk_ends_comes_back_with_all_its_variables(sandbox: Sandbox) -> None:
    source = """\
def slices(items):
    for k in range(4):
        items[k] = -k
        yield k
total = 0
for k in slices(list(range(100))):
    for n in range(300):
        total += n
"""
    done = traced(sandbox, source)
    seen = [ast.literal_eval(done.state(step.number).variables["items"])[:4] for step in done.steps() if step.line == 4]
    assert seen[::2] == [[0, 1, 2, 3], [0, -1, 2, 3], [0, -1, -2, 3], [0, -1, -2, -3]]


def test_recursion_generators_comprehensions_and_exceptions(sandbox: Sandbox) -> None:
    source = """\
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
def squares(k):
    for i in range(k):
        yield i * i
def risky(x):
    return 1 // x
print(fact(4), sum(squares(3)), [y + 1 for y in (1, 2)])
try:
    risky(0)
except ZeroDivisionError as error:
    print(error)
"""
    done = traced(sandbox, source)
    steps = list(done.steps())
    assert max(step.depth for step in steps if step.function == "fact") == 5
    deepest = next(step.number for step in steps if step.function == "fact" and step.depth == 5)
    assert [frame.variables.get("n") for frame in done.state(deepest).stack] == [None, "4", "3", "2", "1"]
    assert [step.text for step in steps if step.function == "squares" and step.kind is Kind.RETURN] == [
        "0",
        "1",
        "4",
        "None",
    ]
    raised = [(step.function, step.text) for step in steps if step.kind is Kind.EXCEPTION]
    message = "ZeroDivisionError('integer division or modulo by zero')"
    assert raised == [("risky", message), ("<module>", message)]
    assert {step.depth for step in steps if step.function == "<module>"} == {1}
    assert done.run.stdout == b"24 5 [2, 3]\ninteger division or modulo by zero\n"


def test_output_is_known_at_each_step(sandbox: Sandbox) -> None:
    done = traced(
        sandbox, "print('é')\nx = 1\nprint('b', end='')\ny = 2\nimport sys\nsys.stdout.buffer.write(b'c')\npass"
    )
    assert [step.output for step in done.steps()] == [0, 3, 3, 4, 4, 4, 5, 5]
    assert [done.find_output(1), done.find_output(3, backwards=True), done.find_output(7)] == [3, 2, None]


def test_searches_go_both_ways_over_what_is_kept(sandbox: Sandbox) -> None:
    done = traced(sandbox, NAND, stdin=LONG, steps=600, before=30)
    assert done.find_line(13, 0) == 6016
    assert done.find_change("ans", 6016, backwards=True) == 6014
    assert done.find_change("S", 0) == 1
    assert done.find_change("S", 1) is None
    assert done.find_line(11, 6000, backwards=True) == 5999 or done.step(5999).line != 11


def test_any_order_of_steps_gives_the_same_states(sandbox: Sandbox) -> None:
    done = traced(sandbox, NAND, stdin=LONG)
    inorder = {number: done.state(number) for number in range(0, 6018, 37)}
    numbers = list(inorder)
    random.Random(5).shuffle(numbers)
    assert all(done.state(number) == inorder[number] for number in numbers)


def plainly_traced(source: str) -> list[tuple[int, dict[str, str]]]:
    """Return line and variables at each line event, in the simplest way there is."""
    seen: list[tuple[int, dict[str, str]]] = []

    def follow(frame: types.FrameType, event: str, value: Any) -> Any:
        if frame.f_code.co_filename != "plain":
            return None
        if event == "line":
            variables = {**frame.f_globals, **frame.f_locals}
            kinds = (types.FunctionType, types.ModuleType, type)
            shown = {n: repr(v) for n, v in variables.items() if n[0] not in "_." and not isinstance(v, kinds)}
            seen.append((frame.f_lineno, shown))
        return follow

    code = compile(source, "plain", "exec", dont_inherit=True)
    sys.settrace(follow)
    try:
        exec(code, {"__name__": "__main__"})
    finally:
        sys.settrace(None)
    return seen


def test_states_of_real_functions_are_those_of_the_simplest_tracer(sandbox: Sandbox, shared: Path) -> None:
    lines = (shared / "data/cruxeval/cruxeval.jsonl").read_text(encoding="utf-8").splitlines()
    compared = 0
    for line in lines[::40]:
        row = json.loads(line)
        source = f"{row['code']}\nf({row['input']})\n"
        done = traced(sandbox, source)
        ours = [(s.line, done.state(s.number).variables) for s in done.steps() if s.kind is Kind.LINE]
        theirs = plainly_traced(source)
        for (our_line, our_state), (line_number, state) in zip(ours, theirs, strict=True):
            plain = {name: text for name, text in state.items() if " object at 0x" not in text}
            assert (our_line, {name: our_state.get(name) for name in plain}) == (line_number, plain), row["id"]
            compared += len(plain)
    assert compared > 300


@pytest.mark.parametrize(
    ("source", "point", "expected"),
    [
        (ENDLESS, Checkpoint("iteration", 2, 4), {"n": "3"}),
        ("n = 0\nwhile n < 3:\n    n += 1\nprint(n)", Checkpoint("iteration", 2, 3), {"n": "2"}),
        ("n = 0\nwhile n < 3:\n    n += 1\nprint(n)", Checkpoint("after_loop", 2), {"n": "3"}),
        (NESTED, Checkpoint("iteration", 2, 3), {"t": "4", "i": "2"}),
        (NESTED, Checkpoint("iteration", 3, 4), {"t": "3", "j": "1"}),
        (NESTED, Checkpoint("after_loop", 3, 2), {"t": "4", "i": "1"}),
        (NESTED, Checkpoint("after_loop", 2), {"t": "6", "i": "2"}),
        ("def f():\n    for i in range(3):\n        s = i\nf()\nf()", Checkpoint("after_loop", 2, 2), {"s": "2"}),
        (RETURNING, Checkpoint("after_loop", 2), None),
        ("for i in range(3):\n    continue\nelse:\n    x = 1", Checkpoint("after_loop", 1), {"i": "2"}),
        (ENDLESS_NESTED, Checkpoint("iteration", 2, 3), {"x": "4"}),
        (COMPREHENSIONS, Checkpoint("iteration", 3, 2), {"k": "1"}),
        ("x = 1\nx = 2\nx = 3", Checkpoint("after_line", 2), {"x": "2"}),
        ("x = 1", Checkpoint("after_line", 7), None),
        ("for i in range(3):\n    pass", Checkpoint("iteration", 1, 9), None),
    ],
)  # fmt: skip
def test_moments_at_loops(sandbox: Sandbox, source: str, point: Checkpoint, expected: dict[str, str] | None) -> None:
    done = traced(sandbox, source, point)
    (number,) = done.moments
    if expected is None:
        assert number is None
    else:
        assert number is not None
        assert done.state(number).variables.items() >= expected.items()
    assert done.notes == ()


def test_a_line_without_a_loop_is_said_to_have_none(sandbox: Sandbox) -> None:
    assert traced(sandbox, "x = 1", Checkpoint("iteration", 1)).notes == ("No loop begins in line 1.",)


def test_time_bytes_and_the_program_s_own_end_cut_honestly(sandbox: Sandbox) -> None:
    slow = traced(sandbox, "n = 0\nwhile True:\n    n += 1", seconds=0.2, steps=1000)
    assert (slow.cut, slow.total, slow.run.outcome.ending) == ("seconds", None, Ending.WALL_TIME)
    assert slow.kept == [range(1000)]
    stuck = traced(sandbox, "x = 1\nimport time\ntime.sleep(1000)", seconds=0.3)
    assert (stuck.cut, stuck.run.outcome.ending, len(stuck), stuck.step(2).line) == ("seconds", Ending.WALL_TIME, 3, 3)
    wide = traced(sandbox, "x = []\nfor i in range(3000):\n    x = [i] * 50\nprint(len(x))", bytes=50_000, before=10)
    assert (wide.cut, wide.run.stdout) == ("bytes", b"50\n")
    assert wide.total is not None and len(wide) < wide.total == wide.kept[-1].stop
    gone = traced(sandbox, "import os\nfor i in range(600):\n    x = i\nos._exit(3)")
    assert (gone.cut, gone.run.outcome.status, len(gone) > 500) == ("ended", 3, True)
    assert "left the tracer no word" in gone.notes[0]


def test_exceptions_and_syntax_errors_end_a_trace_as_they_end_a_run(sandbox: Sandbox) -> None:
    failing = traced(sandbox, "x = 1\n1 / 0")
    assert failing.run.outcome.sentence == "ended with ZeroDivisionError in line 2: division by zero"
    assert (failing.cut, len(failing)) == (None, 4)
    broken = traced(sandbox, "x = (")
    assert (broken.run.outcome.exception, len(broken)) == ("SyntaxError", 0)


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("import sys\nsys.settrace(None)\nfor i in range(5):\n    pass", "tracer was switched off"),
        ("import os\nos.write(1, b'x')", "wrote past sys.stdout"),
        (
            "import random\nfor i in range(random.randrange(2000, 10 ** 9) % 5000 + 2000):\n    pass",
            "did something else",
        ),
    ],
)
def test_what_makes_a_trace_doubtful_is_said(sandbox: Sandbox, source: str, note: str) -> None:
    done = traced(sandbox, source, steps=1000)
    assert any(note in text for text in done.notes), done.notes


def test_values_are_written_without_running_the_program_s_code(sandbox: Sandbox) -> None:
    source = """\
class Evil:
    def __repr__(self):
        print('called')
    __eq__ = __hash__ = __str__ = __len__ = __iter__ = __bool__ = __class__ = property(__repr__)
    def __getattribute__(self, name):
        print('called')
class Kind(type):
    def __hash__(self):
        print('called')
        return 1
    __eq__ = __instancecheck__ = __subclasscheck__ = lambda self, other: print('called')
class Odd(metaclass=Kind):
    pass
e = Evil()
x = [e, {1: e}]
y = Odd()
"""
    done = traced(sandbox, source)
    assert done.run.stdout == b""
    assert done.state(len(done) - 1).variables == {"e": "Evil()", "x": "[Evil(), {1: Evil()}]", "y": "Odd()"}


@pytest.mark.parametrize(
    "source",
    [
        "globals()[''] = globals()[5] = 1\nx = 2\nprint(x)",
        "class I(int):\n    pass\nx = [I(10 ** 5000), range(10 ** 5000)]\nprint('ok')",
        "class N:\n  d = {}\n  __getitem__ = lambda s, k: s.d[k]\n  __setitem__ = lambda s, k, v: s.d.update({k: v})\n"
        "class M(type):\n  __prepare__ = classmethod(lambda *rest: N())\n"
        "  __new__ = lambda c, n, b, space: type.__new__(c, n, b, space.d)\nclass A(metaclass=M):\n  x = 1\nprint(A.x)",
        "class N(dict):\n    def items(self):\n        print('called')\nclass M(type):\n"
        "    __prepare__ = classmethod(lambda *rest: N())\nclass A(metaclass=M):\n    x = 1\nprint(A.x)",
        "import sys\nprint(sys.stdout.mode)",
    ],
)
def test_watching_changes_nothing_that_a_program_does(sandbox: Sandbox, source: str) -> None:
    alone = sandbox.run(Program.python(source))
    for run in (traced(sandbox, source).run, measure(sandbox, Program.python(source)).run):
        assert (run.stdout, run.outcome) == (alone.stdout, alone.outcome), run.stderr


def test_a_decorated_definition_begins_an_iteration_once(sandbox: Sandbox) -> None:
    source = (
        "def d(g):\n    return g\n{}:\n    @d\n    def f():\n        pass\n    n += 1\n    if n == 4:\n        break"
    )
    for header in ("n = 0\nfor i in range(9)", "n = 0\nwhile True", "n = 0\nwhile n < 9"):
        done = traced(sandbox, source.format(header), *(Checkpoint("iteration", 4, number) for number in (1, 3, 5)))
        assert done.moments[2] is None
        found = [done.state(step).variables["n"] for step in done.moments[:2] if step is not None]
        assert found == ["0", "2"], header


def test_threads_are_followed(sandbox: Sandbox) -> None:
    source = """\
import sys, threading
sys.setrecursionlimit(10 ** 6)
threading.stack_size(64 << 20)
def main():
    def deep(n):
        return 0 if n == 0 else 1 + deep(n - 1)
    print(deep(2000))
t = threading.Thread(target=main)
t.start()
t.join()
"""
    done = traced(sandbox, source)
    assert (done.run.stdout, done.notes) == (b"2000\n", ())
    assert max(step.depth for step in done.steps()) == 2002


def test_threads_that_outlive_the_main_one_are_followed_to_their_end(sandbox: Sandbox) -> None:
    source = """\
import threading, time
def later():
    time.sleep(0.05)
    print('later')
threading.Thread(target=later).start()
print('main')
"""
    done = traced(sandbox, source)
    assert (done.run.stdout, done.run.outcome.finished, done.cut) == (b"main\nlater\n", True, None)
    assert [step.line for step in done.steps() if step.function == "later"] == [3, 4, 4]


def test_large_values_are_cut_and_said_to_be_compared_now_and_then(sandbox: Sandbox) -> None:
    source = "big = list(range(30000))\nother = big\nfor i in range(200):\n    other[i] = -1\nbig.append('x' * 9)\n"
    done = traced(sandbox, source, value=500)
    assert done.loose == ("big", "other")
    text = done.state(len(done) - 1).variables["big"]
    assert text.startswith("[-1, -1, ") and len(text) < 700 and text.endswith("(30,001 in all)]")


def test_a_forged_trace_is_an_error_and_nothing_worse(sandbox: Sandbox) -> None:
    run = traced(sandbox, "pass").run
    odd = b'{"key":[[0,{}]],"stacks":[[9]],"frames":[],"lines":[1],"kinds":[7],"numbers":[0],"depths":[99]'
    odd += b',"output":[0],"changes":[[[0]]],"texts":[0]}'
    for data in (b"", b"[]", b'{"key":[]}', b"\xff", b"[" * 100_000, odd):
        done = Trace(run, [Chunk(0, 1, data, frozenset(), frozenset(), (0, 0))], total=1, cut=None)
        with pytest.raises(TraceDamagedError):
            done.state(0)


def test_a_program_that_writes_into_its_trace_changes_only_that(sandbox: Sandbox) -> None:
    source = """\
import os, struct
text = b'{"chunk":{"first":0,"count":1,"lines":[],"names":[],"output":[0,0]},"blobs":[2]}'
for n in range(100, 1000):
    try:
        os.write(n, struct.pack('<I', len(text)) + text + b'{}')
    except OSError:
        pass
"""
    done = traced(sandbox, source, steps=1000)
    assert done.run.outcome.finished
    with pytest.raises((TraceDamagedError, KeyError)):
        for number in range(2000):
            done.state(number)


def test_the_limits_of_a_run_hold_under_watch(sandbox: Sandbox) -> None:
    done = trace(
        sandbox, Program.python("print('x' * 10 ** 6)\nx = 1"), limits=Limits(output=1000), budget=Budget(seconds=5)
    )
    assert done.run.outcome.ending is Ending.OUTPUT
    with pytest.raises(ValueError, match="only Python"):
        trace(sandbox, Program.cpp("int main() {}"))


def test_how_far_a_long_run_is_can_be_seen_meanwhile(sandbox: Sandbox) -> None:
    told: list[tuple[int, int | None]] = []
    source = "import time\nfor n in range(3000):\n    if n == 1500:\n        time.sleep(0.3)\n"
    budget = Budget(steps=1_000, before=50, after=5)
    program = Program.python(source)
    done = trace(sandbox, program, budget=budget, progress=lambda step, total: told.append((step, total)))
    first, again = [step for step, total in told if total is None], [step for step, total in told if total is not None]
    assert first and first == sorted(first) and 0 < first[0] <= first[-1] < (done.total or 0)
    assert again and {total for _, total in told} == {None, done.total}
    forged = b"import os\nfor n in range(3, 1100):\n    try:\n        os.write(n, b'\\x05\\0\\0\\0{no}')\n"
    forged += b"    except OSError:\n        n\n"
    trace(sandbox, Program(forged), progress=lambda step, total: told.append((step, total)))
    assert sandbox.evaluate(b"", "1 + 1").text == "2"
