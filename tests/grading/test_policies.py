"""Policies: what is equal to what."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.grading.question import NeedsExecutionError
from auditor.grading.registry import find_policy, policies
from auditor.model import JsonValue
from tests.hostile import HOSTILE

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.integers() | st.text(max_size=3), inner, max_size=4)
        | st.sets(st.integers() | st.booleans(), min_size=1, max_size=4)
    ),
    max_leaves=12,
)

SAME_JSON = [
    ('{"a":1,"b":2}', '{ "b": 2, "a": 1 }'),
    ("1", "1.0"),
    ("100", "1e2"),
    ("-0", "0.0"),
    ("0.1", "1e-1"),
    ("1" + "0" * 400, "1e400"),
    ("1" + "0" * 6000, "1e6000"),
    ("9" * 5000, "9" * 5000),
    ("[1, [2, {}]]", "[1,[2,{}]]\n"),
    ('"a\\u00e9"', '"aé"'),
    ("12 3\n", " 12\t3"),
    ("NaN", "NaN"),
    ('{"a":1,"a":1}', '{"a":1,"a":1}'),
]
OTHER_JSON = [
    ("1", "true"),
    ("[0]", "[false]"),
    ('{"a":{"b":[1]}}', '{"a":{"b":[true]}}'),
    ('{"a":1}', '{"a":1,"a":1}'),
    ("1", "NaN"),
    ("null", "None"),
    ('"1"', "1"),
    ("1" + "0" * 400, "1e401"),
    ("1e400", "1e401"),
    ("9" * 5000, "9" * 4999 + "8"),
    ("9007199254740993", "9007199254740992"),
    ("0.1", "0.1000000000000000055511151231257827"),
    ("[1,2]", "[2,1]"),
    ("[1]", "1"),
    ("12 3", "123"),
    ("1", ""),
    ("1", "[" * 100_000),
    ("1", "1" + "e9" * 30),
]


@pytest.mark.parametrize(("oracle", "prediction"), SAME_JSON)
def test_json_or_tokens_holds_equal_values_equal(oracle: str, prediction: str) -> None:
    assert find_policy("json-or-tokens").equal(oracle, prediction).correct


@pytest.mark.parametrize(("oracle", "prediction"), OTHER_JSON)
def test_json_or_tokens_tells_other_values_apart(oracle: str, prediction: str) -> None:
    assert not find_policy("json-or-tokens").equal(oracle, prediction).correct


def test_a_nesting_bomb_is_compared_as_tokens_and_says_so() -> None:
    bomb = "[" * 5000 + "]" * 5000
    verdict = find_policy("json-or-tokens").equal(bomb, bomb)
    assert verdict.correct
    assert "not comparable structurally" in verdict.why
    assert not find_policy("json-or-tokens").equal("[[]]", bomb).correct


def test_an_exponent_beyond_bounds_is_not_comparable_structurally() -> None:
    verdict = find_policy("json-or-tokens").equal("1", "1e" + "9" * 40)
    assert not verdict.correct
    assert "not comparable structurally" in verdict.why


def test_a_verdict_does_not_depend_on_the_depth_of_the_callers_stack() -> None:
    text = "[" * 150 + "]" * 150

    def at_depth(depth: int) -> bool:
        if depth:
            return at_depth(depth - 1)
        return find_policy("json-or-tokens").equal(text, f" {text}").correct

    assert at_depth(0) is at_depth(500) is True


@pytest.mark.parametrize(
    ("oracle", "prediction", "same"),
    [
        ("3 -4 abc", "3,-4;abc", True),
        ("007 +5 -0", "7|5|0", True),
        ("0" * 5000 + "1", "1", True),
        ("1" * 5000, "1" * 4999 + "2", False),
        ("YES 3", "yes 3", False),
        ("a1", "a 1", True),
        ("12", "1 2", False),
        ("-3", "3", False),
        ("", "?!", True),
        ("1 2", "1", False),
    ],
)
def test_int_alpha_tokens_compare_integers_by_value(oracle: str, prediction: str, same: bool) -> None:
    assert find_policy("int-alpha-tokens").equal(oracle, prediction).correct is same


@pytest.mark.parametrize(
    ("oracle", "prediction", "same"),
    [
        ("5\n", "5\n", True),
        ("5\n", "5", False),
        ("é", "e\u0301", False),
        ("\ud83d", "\ud83d", True),
        ("a\r\n", "a\n", False),
    ],
)
def test_bytes_forgives_nothing(oracle: str, prediction: str, same: bool) -> None:
    assert find_policy("bytes").equal(oracle, prediction).correct is same


@pytest.mark.parametrize(
    ("oracle", "prediction", "same"),
    [
        ("'a'", '"a"', True),
        ("{1: 2, 3: 4}", "{3: 4, 1: 2}", True),
        ("{1, 2}", "{2, 1}", True),
        ("-0.0", "0.0", True),
        ("1e999", "1e998", True),
        ("set()", "set()", True),
        ("'a'", "'a' # a comment", True),
        ("'ab'", "('a'\n'b')", True),
        ("1", "True", False),
        ("1", "1.0", False),
        ("(1,)", "[1]", False),
        ("[1, (2, [3])]", "[1, (2, [True])]", False),
        ("{1: 'a'}", "{True: 'a'}", False),
        ("{1: 'a'}", "{1.0: 'a'}", False),
        ("{(1, 2)}", "{(1, 2.0)}", False),
        ("{1}", "{True}", False),
        ("'a'", "b'a'", False),
        ("{}", "set()", False),
    ],
)
def test_python_literal_compares_values_and_types(oracle: str, prediction: str, same: bool) -> None:
    verdict = find_policy("python-literal").equal(oracle, prediction)
    assert verdict.correct is same
    assert not verdict.non_literal


@pytest.mark.parametrize("digits", ["640", "0", "4300"])
def test_integers_of_any_length_are_exact_whatever_the_interpreter_agrees_to_convert(digits: str) -> None:
    program = """
from auditor.grading.registry import find_policy
policy = find_policy("python-literal")
nines = "9" * 4301
same = [("1" + "0" * 5000,) * 2, (nines, f" {nines[0]}_{nines[1:]}"), (f"[-{nines}]", f"[ -{nines},]")]
same += [("0", "0" * 700)]
same += [(f"['{nines}', {nines}]", f'["{nines}",{nines}] # {nines}'), (hex(10**700), "1" + "0" * 700)]
same += [(f"[{nines}" + ", 1" * 30_000 + "]", f"[{nines}" + ",1" * 30_000 + "]")]
other = [(nines, nines[1:] + "8"), (nines, "-" + nines), (nines, f"'{nines}'"), (f"[{nines}]", f"({nines},)")]
assert all(policy.equal(*pair).correct for pair in same), [policy.equal(*pair) for pair in same]
assert not any(policy.equal(*pair).correct or policy.equal(*pair).non_literal for pair in other)
assert policy.equal("1", "0" + nines).non_literal
"""
    environment = {**os.environ, "PYTHONINTMAXSTRDIGITS": digits}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


@pytest.mark.parametrize(
    "prediction",
    [
        "",
        "x",
        "1 + 1",
        "len([1])",
        "'open",
        "a\x00b",
        "\ud83d",
        "9" * 400_001,
        "-" * 100_000 + "1",
        "[" * 100_000,
        "(" * 150 + ")" * 151,
        "1+" * 50_000 + "1",
        "x " * 300_000,
        '"\\N{nonsense}"',
        "{[]: 1}",
        "f'{1}'",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_is_no_literal_is_wrong_and_counted(prediction: str) -> None:
    verdict = find_policy("python-literal").equal("1", prediction)
    assert not verdict.correct
    assert verdict.non_literal
    assert "literal" in verdict.why


@pytest.mark.parametrize(
    ("oracle", "prediction", "same"),
    [
        ({"verdict": "success"}, '{"verdict":"success"}', True),
        ({"verdict": "success"}, "##success##", True),
        ({"verdict": "error", "rule": "Rule 76"}, '{"verdict":"error","rule":"Rule 76"}', True),
        ({"verdict": "error", "rule": "Rule 76"}, '{"verdict":"error","rule":76}', True),
        ({"verdict": "error", "rule": "Rule 76"}, '{"verdict":"error","rule":"Rule 73"}', False),
        ({"verdict": "error", "rule": "Rule 76"}, '{"verdict":"error"}', False),
        ({"verdict": "error"}, '{"verdict":"error"}', False),
        ({"verdict": "success", "rule": "None"}, '{"verdict":"error","rule":"Rule 2"}', False),
        ({"verdict": "error", "rule": "Rule 2"}, '{"verdict":"success"}', False),
        ({"verdict": "success"}, "maybe", False),
        ({"verdict": "success"}, "[" * 5000, False),
        ("nonsense", "##success##", False),
    ],
)
def test_verdict_needs_the_rule_on_error(oracle: JsonValue, prediction: str, same: bool) -> None:
    assert find_policy("verdict").equal(oracle, prediction).correct is same


@pytest.mark.parametrize(
    ("answer_type", "oracle", "prediction", "same"),
    [
        ("integer", 5, " 5\n", True),
        ("int", "5", "+05", True),
        ("Integer (count)", 5, "5.0", False),
        ("integer", 5, "five", False),
        ("float", 0.5, "5e-1", True),
        ("number", 2, "2.0", True),
        ("float", 0.3, "0.30000000000000004", False),
        ("boolean", True, "true", True),
        ("bool", "True", "Yes", True),
        ("boolean", False, "0", False),
        ("string", "abc", "'abc'", True),
        ("str", "abc", "abc ", True),
        ("string", "abc", "ABC", False),
        ("list of ints", [1, 2], "[1,2]", True),
        ("list", [1, 2], "(1, 2)", True),
        ("list", [1, 2], "[2, 1]", False),
        ("list", [1], "[true]", False),
        ("list", ["a"], "['a']", True),
        ("dict", {"a": 1}, "{'a': 1}", True),
        ("dictionary", {"a": 1}, "[1]", False),
        ("list", [1], "[" * 10_000, False),
        (None, 5, "5", True),
        (None, None, "None", True),
        ("??", [1], "[1]", True),
        ("string", "aab ", "'aab '", True),
        ("string", "aab ", "'aab'", False),
        ("string", "aab ", "aab", True),
        ("string", "", "''", True),
        ("string", "'a'", "\"'a'\"", True),
        ("string", "'a'", "a", True),
    ],
)
def test_probe_compares_under_the_declared_type(
    answer_type: str | None, oracle: JsonValue, prediction: str, same: bool
) -> None:
    assert find_policy("probe").equal(oracle, prediction, answer_type).correct is same


@pytest.mark.filterwarnings("error")
def test_a_strict_warning_filter_changes_no_verdict() -> None:
    assert find_policy("python-literal").equal("'\\\\d'", "'\\d'").correct
    assert find_policy("python-literal").equal("[1]", "[0x1for x in y]").non_literal


def test_call_equals_says_that_it_needs_execution() -> None:
    with pytest.raises(NeedsExecutionError, match="--execute"):
        find_policy("call-equals").equal("1", "f(1)")


@given(JSON_VALUES)
def test_every_json_value_equals_itself_however_it_is_laid_out(value: JsonValue) -> None:
    assert find_policy("json-or-tokens").equal(json.dumps(value), json.dumps(value, indent=2)).correct


@given(LITERALS)
def test_every_literal_equals_itself(value: object) -> None:
    assert find_policy("python-literal").equal(repr(value), repr(value)).correct


@given(st.text() | st.sampled_from(sorted(HOSTILE.values())))
def test_every_text_equals_itself(text: str) -> None:
    for name in ("json-or-tokens", "int-alpha-tokens", "bytes", "probe"):
        assert find_policy(name).equal(text, text).correct, name


@given(st.text(), st.text() | st.sampled_from(sorted(HOSTILE.values())))
def test_no_text_makes_a_policy_raise(oracle: str, prediction: str) -> None:
    for name, policy in policies().items():
        if name != "call-equals":
            policy.equal(oracle, prediction)
