"""What instrumenting inserts, where, and that every other line stays as it was."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from auditor.studies.exact_output.case import INSIDE, NEVER, POST, Point
from auditor.studies.exact_output.instrument import instrument, loops_of

BODY_ON_THE_HEADER = "n = 3\ntotal = 0\nfor i in range(n): total += i; last = 'é'\nprint(total, last)\n"
IN_A_METHOD = '''\
#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""A docstring."""
from __future__ import annotations
import sys


class Sum:
    def of(self, values: list[int]) -> int:
        """Another."""
        total = 0
        for value in values:
            # a comment
            total += value
        else:
            total += 0
        return total


print(Sum().of([1, 2, 3]))
'''
WITH_TABS = "total = 0\nif True:\n\tfor i in range(3):\n\t\ttotal += i\nprint(total)"
CARRIAGE_RETURNS = "total = 0\r\nfor i in range(3):\r\n    total += i\r\nprint(total)\r\n"
DECORATED = """\
import functools
total = 0
while total < 3:
    @functools.cache
    def f(): return 1
    total += f()
print(total)
"""
TAKEN = "json = 2\nloop_count = 1\ntotal = 0\nfor i in range(3):\n    total += i * json * loop_count\nprint(total)\n"
DOCSTRING_WITH_MORE = "'doc'; import json\ntotal = 0\nfor i in range(3):\n    total += i\nprint(total)\n"
SOURCES = [BODY_ON_THE_HEADER, IN_A_METHOD, WITH_TABS, CARRIAGE_RETURNS, DECORATED, TAKEN, DOCSTRING_WITH_MORE]


def written(source: str) -> str:
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def point_of(source: str) -> Point:
    (loop,) = loops_of(ast.parse(source))
    return Point(loop.lineno, 3, ("total",))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("arm", [INSIDE, POST])
def test_it_writes_the_state_at_the_checkpoint_and_nothing_when_that_is_out_of_reach(source: str, arm: str) -> None:
    made, never = instrument(source, point_of(source), arm), instrument(source, point_of(source), arm, iteration=NEVER)
    total = int(written(source).split()[0])
    before = {IN_A_METHOD: 3, DECORATED: 2, TAKEN: 2}.get(source, 1)
    assert written(made.source) == f'{{"total":{before if arm == INSIDE else total}}}\n'
    assert written(never.source) == written(source)
    assert "print(" in made.source.splitlines()[made.line - 1]


@pytest.mark.parametrize("source", [s for s in SOURCES if s is not BODY_ON_THE_HEADER])
@pytest.mark.parametrize("arm", [INSIDE, POST])
def test_every_other_line_stays_as_it_was(source: str, arm: str) -> None:
    rows = iter(instrument(source, point_of(source), arm).source.splitlines(keepends=True))
    last = source.splitlines()[-1]
    for line in source.splitlines(keepends=True):
        assert any(row == line or row.rstrip("\r\n") == line == last for row in rows), line


def test_a_body_behind_its_header_gets_lines_of_its_own() -> None:
    made = instrument(BODY_ON_THE_HEADER, point_of(BODY_ON_THE_HEADER), INSIDE)
    assert made.source == (
        "import json\n\nloop_count = 0\nn = 3\ntotal = 0\nfor i in range(n):\n    loop_count += 1\n"
        '    if loop_count == 3:\n        print(json.dumps({"total": total}, separators=(",", ":")))\n'
        "        raise SystemExit\n    total += i; last = 'é'\nprint(total, last)\n"
    )
    assert made.line == 9


def test_names_that_the_program_uses_are_left_to_it() -> None:
    made = instrument(TAKEN, point_of(TAKEN), INSIDE)
    assert made.counter == "loop_count_2"
    assert made.source.startswith("import json as checkpoint_json\n\nloop_count_2 = 0\n")


def test_the_count_alone_can_be_the_state() -> None:
    made = instrument(TAKEN, point_of(TAKEN), POST, iteration=1, count_only=True)
    assert written(made.source) == '{"loop_count_2":3}\n'


def test_a_line_without_a_loop_is_refused() -> None:
    with pytest.raises(LookupError, match="line 1"):
        instrument(TAKEN, Point(1, 1, ("total",)), INSIDE)


def test_a_field_that_the_program_has_not_is_not_the_counter() -> None:
    made = instrument(CARRIAGE_RETURNS, Point(2, 2, ("loop_count", "total")), INSIDE)
    assert made.counter == "loop_count_2"
