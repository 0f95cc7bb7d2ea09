"""Expressions of a program: exact values back, equality, and what goes wrong."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.execution.inside.value_text import bounded_text, builtin_text, fingerprint
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from tests.execution.hostile_programs import FORGING

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=8,
)


def types_throughout(value: object) -> object:
    if isinstance(value, list | tuple):
        return type(value), [types_throughout(item) for item in value]
    if isinstance(value, dict):
        return dict, [(types_throughout(key), types_throughout(item)) for key, item in value.items()]
    return type(value), repr(value)


@given(values, values)
def test_fingerprints_are_equal_exactly_for_equal_values_of_equal_types(one: object, other: object) -> None:
    assert (fingerprint(one) == fingerprint(other)) == (types_throughout(one) == types_throughout(other))


@given(values)
def test_the_text_of_a_builtin_value_reads_back_and_both_texts_agree(value: object) -> None:
    text = builtin_text(value)
    assert text is not None
    assert types_throughout(ast.literal_eval(text)) == types_throughout(value)
    assert bounded_text(value, 10_000) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("class P:\n    def __init__(self):\n        self.a, self.b = 1, [2]\nv = P()", "P(a=1, b=[2])"),
        ("class P:\n    __slots__ = ('a', 'b')\n    def __init__(self):\n        self.a = 'x'\nv = P()", "P(a='x')"),
        ("class P:\n    pass\nv = P()\nv.me = v", "P(me=...)"),
        ("from collections import *\nv = deque([1, 2], 5), Counter('aab'), OrderedDict(a=1)",
         "(deque([1, 2]), Counter({'a': 2, 'b': 1}), OrderedDict({'a': 1}))"),
        ("from collections import namedtuple\nv = namedtuple('P', 'x y')(1, [2])", "P(x=1, y=[2])"),
        ("class L(list):\n    def __repr__(s):\n        raise SystemExit\n    __iter__ = __len__ = None\nv = L([1])",
         "L([1])"),
        ("class I(int):\n    def __repr__(s):\n        while 1:\n            pass\nv = {I(3): I(4)}", "{I(3): I(4)}"),
        ("class M(type):\n    def __getattribute__(c, n):\n      1 / 0\nclass P(metaclass=M):\n    pass\nv = [P(), P]",
         "[P(), <class P>]"),
        ("class P:\n  __dict__ = property(lambda s: 1 / 0)\n  __class__ = property(lambda s: 1 / 0)\nv = P()", "P()"),
        ("class I(int):\n    pass\nv = [I(1 << 30_000), range(1 << 30_000), print]",
         "[I(<int of 30,001 bits>), <range>, <builtin function>]"),
        ("class K:\n  __format__ = __str__ = lambda *a: 1 / 0\nv = print, K()\nv[1].__dict__[K()] = 1",
         "(<builtin function>, K(K()=1))"),
        ("v = [print, lambda x: x, range(3), set(), frozenset({1})]",
         "[<builtin function>, <function <lambda>>, range(0, 3), set(), frozenset([1])]"),
        ("v = 1\nfor _ in range(50):\n    v = [v, print]", "[" * 12 + "<list ...>" + ", <builtin function>]" * 12),
    ],
)  # fmt: skip
def test_objects_are_written_without_running_their_code(sandbox: Sandbox, source: str, text: str) -> None:
    done = sandbox.evaluate(source.encode(), "v")
    assert (done.text, done.exact, done.builtin) == (text, False, False), done.outcome.sentence


@pytest.mark.parametrize(
    "source",
    [
        "import builtins\nbuiltins.repr = lambda value: '42'",
        "import marshal\nmarshal.dumps = lambda *rest: b'x'",
        "import json\njson.dumps = lambda *rest, **more: '{}'",
        "import os\nos.write = lambda *rest: 0",
    ],
)
def test_a_program_cannot_put_its_own_in_the_place_of_what_writes_values(sandbox: Sandbox, source: str) -> None:
    done = sandbox.evaluate(source.encode(), "7")
    assert (done.text, done.exact) == ("7", True), done.outcome.sentence


def test_a_forged_value_that_is_no_text_is_no_value(sandbox: Sandbox) -> None:
    forged = FORGING + "write({'end': True, 'value': {'exact': True, 'type': 'int'}}, b'\\xff')\nos._exit(0)"
    done = sandbox.evaluate(b"", f"exec({forged!r})")
    assert (done.outcome.ending, done.text, done.exact) == (Ending.FINISHED, None, False)


def test_a_value_comes_back_exactly(sandbox: Sandbox) -> None:
    done = sandbox.evaluate(
        b"def f(x):\n    print('out')\n    return x, {1: x}", "f('\\ud800é')", "('\\ud800é', {1: 0})"
    )
    assert (done.text, done.exact, done.equal) == ("('\\ud800é', {1: '\\ud800é'})", True, False)
    assert (done.type_name, done.stdout, done.outcome.ending) == ("tuple", b"out\n", Ending.FINISHED)
    huge = sandbox.evaluate(b"", "7 ** 20000")
    assert huge.text is not None and len(huge.text) == 16902 and huge.exact


def test_equality_is_python_s_and_says_when_an_object_decides_it(sandbox: Sandbox) -> None:
    assert sandbox.evaluate(b"", "1", "True").equal is True
    claimed = sandbox.evaluate(b"class A:\n    def __eq__(self, other):\n        return True", "A()", "5")
    assert (claimed.equal, claimed.builtin) == (True, False)


@pytest.mark.parametrize(
    ("source", "expression", "phase", "exception"),
    [
        ("1 / 0", "1", "program", "ZeroDivisionError"),
        ("def f(x):\n    return x[1]", "f([])", "expression", "IndexError"),
        ("", "f(", "expression", "SyntaxError"),
        ("", "x = 1", "expression", "SyntaxError"),
        ("", "__import__('os').system('true')", "expression", None),
    ],
)
def test_what_goes_wrong_says_where(
    sandbox: Sandbox, source: str, expression: str, phase: str, exception: str | None
) -> None:
    done = sandbox.evaluate(source.encode(), expression)
    if exception is None:
        assert done.text in ("-1", "256", "32512")  # no process can be started
    else:
        assert (done.text, done.phase, done.outcome.exception) == (None, phase, exception)


def test_results_of_many_come_in_order_and_survive_bad_ones(sandbox: Sandbox) -> None:
    jobs = [(b"", ["1 + 1", "exit(3)", "[0] * 10 ** 12", "while"][number % 4], None) for number in range(24)]
    done = list(sandbox.evaluate_many(jobs, limits=Limits(memory=256 << 20)))
    endings = [one.outcome.ending for one in done]
    assert endings == [Ending.FINISHED, Ending.EXIT_STATUS, Ending.MEMORY, Ending.EXCEPTION] * 6
    stopped_early = next(iter(sandbox.evaluate_many(jobs)))
    assert (stopped_early.text, sandbox.evaluate(b"", "3").text) == ("2", "3")


@pytest.mark.slow
def test_all_functions_of_cruxeval_give_what_the_file_says(sandbox: Sandbox, shared: Path) -> None:
    lines = (shared / "data/cruxeval/cruxeval.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    jobs = [(row["code"].encode(), f"f({row['input']})", row["output"]) for row in rows]
    done = list(sandbox.evaluate_many(jobs))
    assert len(done) == 800
    assert [row["id"] for row, one in zip(rows, done, strict=True) if not (one.equal and one.exact)] == []
