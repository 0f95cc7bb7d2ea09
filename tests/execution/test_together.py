"""Variants that are run in one place each come to what they come to alone."""

from __future__ import annotations

from auditor.execution.evaluation import Evaluation
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits, Run
from auditor.execution.sandbox import Sandbox
from auditor.execution.together import Variant, run_together

LIMITS = Limits(wall=0.5, cpu=1, output=1 << 16)


def ends(found: list[Run | Evaluation | None]) -> list[Ending | None]:
    return [None if each is None else each.outcome.ending for each in found]


def test_each_variant_has_its_own_input_output_and_end(sandbox: Sandbox) -> None:
    variants = [
        Variant(b"print(int(input()) * 2)", b"21\n"),
        Variant(b"def f(x):\n    print('aside')\n    return x + [2]", b"", "f([1])"),
        Variant(b"print(input())", "é".encode() * 50_000),
        Variant(b"print(1)\n1 / 0"),
        Variant(b"raise SystemExit(3)"),
        Variant(b"print("),
    ]
    doubled, called, long, failed, left, broken = run_together(sandbox, variants, LIMITS)
    assert isinstance(doubled, Run) and doubled.stdout == b"42\n" and doubled.outcome.finished
    assert isinstance(called, Evaluation) and (called.text, called.exact) == ("[1, 2]", True)
    assert isinstance(long, Run)
    assert ends([long, failed, left, broken]) == [
        Ending.OUTPUT,
        Ending.EXCEPTION,
        Ending.EXIT_STATUS,
        Ending.EXCEPTION,
    ]
    assert failed is not None and failed.outcome.line == 2 and failed.stdout == b"1\n"


def test_what_never_ends_writes_without_end_or_forks_is_stopped(sandbox: Sandbox) -> None:
    sources = (b"while True: pass", b"while True: print(1)", b"import os\nos.fork()", b"print(5)")
    found = run_together(sandbox, [Variant(source) for source in sources], LIMITS)
    assert ends(found) == [Ending.WALL_TIME, Ending.OUTPUT, Ending.TASKS, Ending.FINISHED]


def test_one_that_ends_the_others_leaves_them_unknown(sandbox: Sandbox) -> None:
    killer = b"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"
    found = run_together(sandbox, [Variant(b"print(1)"), Variant(killer), Variant(b"print(2)")], LIMITS)
    assert ends(found) == [Ending.FINISHED, None, None]
    assert sandbox.evaluate(b"", "1 + 1").text == "2"


def test_nothing_of_a_variant_is_left_to_the_next_one(sandbox: Sandbox) -> None:
    first = b"import sys, os, builtins\nbuiltins.print = None\nos.environ['A'] = '1'\nsys.setrecursionlimit(50)"
    second = b"import os\nprint(os.environ.get('A'), sorted(os.listdir('.')))"
    _, found = run_together(sandbox, [Variant(first), Variant(second)], LIMITS)
    assert found is not None and found.stdout == b"None []\n"
