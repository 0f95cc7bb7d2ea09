"""Policies against slower definitions of the same equality, on generated values; spans of every finding beside."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.grading.registry import find_policy
from tests.grading.findings import check_spans
from tests.grading.test_policies import JSON_VALUES, LITERALS

NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)


def by_fractions(text: str) -> Any:
    return json.loads(text, parse_int=Fraction, parse_float=lambda number: Fraction(Decimal(number)))


def same_json(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    return bool(left == right)


def typed(value: Any) -> Any:
    """Return a value whose equality looks at types throughout."""
    if isinstance(value, list | tuple):
        return type(value), tuple(map(typed, value))
    if isinstance(value, set):
        return set, frozenset(map(typed, value))
    if isinstance(value, dict):
        return dict, frozenset((typed(key), typed(item)) for key, item in value.items())
    return type(value), value


@given(NUMBERS, NUMBERS)
def test_numbers_are_equal_exactly_when_their_fractions_are(left: str, right: str) -> None:
    same = find_policy("json-or-tokens").equal(left, right).correct
    assert same == (by_fractions(left) == by_fractions(right))


@given(JSON_VALUES, JSON_VALUES, st.booleans())
def test_json_is_equal_exactly_when_its_values_are(left: object, right: object, ascii_only: bool) -> None:
    oracle, reply = json.dumps(left, ensure_ascii=ascii_only), json.dumps(right, ensure_ascii=False, indent=1)
    result = grade(Question("state", oracle, ""), reply, policy="json-or-tokens", envelope="none")
    assert result.status.is_correct == same_json(by_fractions(oracle), by_fractions(reply))
    check_spans(result, oracle)


@given(LITERALS, LITERALS)
def test_literals_are_equal_exactly_when_values_and_types_are(left: object, right: object) -> None:
    result = grade(Question("output", repr(left), ""), repr(right), policy="python-literal", envelope="none")
    assert result.status.is_correct == (typed(left) == typed(right))
    check_spans(result, repr(left))


@given(LITERALS, st.integers(0, 200), st.sampled_from(["", "1", "x", ",", " ", ")", "'"]), st.integers(0, 1))
def test_a_slip_of_the_pen_anywhere_is_graded_with_spans_that_fit(value: object, at: int, new: str, drop: int) -> None:
    oracle = repr(value)
    at %= len(oracle)
    reply = oracle[:at] + new + oracle[at + drop :]
    for policy in ("python-literal", "bytes", "json-or-tokens", "int-alpha-tokens", "probe"):
        check_spans(grade(Question("output", oracle, ""), reply, policy=policy, envelope="none"), oracle)
