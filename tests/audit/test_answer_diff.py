"""Answers under their policy: what counts as a difference is what the policy counts, and both texts stay whole."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditor.audit.answer_diff import AnswerDiff, diff_answers
from auditor.compare.text_diff import differences
from auditor.grading.graded_values import VALUES_UP_TO
from auditor.grading.registry import find_policy
from tests.hostile import HOSTILE

PYTHON = "python-literal"
JSON = "json-or-tokens"
SCALARS = (
    st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, 2.5, True, False, None, b"a", 1j])
    | st.text("ab'\"\\\n\u00e9 ", max_size=4)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.integers(0, 2) | st.text("ab", max_size=2) | st.booleans(), inner, max_size=4)
        | st.sets(st.integers(0, 4), max_size=3)
    ),
    max_leaves=8,
)
JSON_VALUES = st.recursive(
    st.integers(-2, 2) | st.sampled_from([0.5, 1.0, True, None]) | st.text("ab\"'\\", max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


def spelled(value: Any, random: random.Random) -> str:
    """Write a value as a literal in one of its spellings."""
    if isinstance(value, dict):
        fields = [f"{spelled(key, random)}:{spelled(item, random)}" for key, item in value.items()]
        random.shuffle(fields)
        return f"{{{random.choice([',', ', ']).join(fields)}}}"
    if isinstance(value, str):
        return random.choice([repr(value), json.dumps(value), "'" + json.dumps(value)[1:-1].replace("'", "\\'") + "'"])
    if isinstance(value, list | set) and value:
        inner = [spelled(item, random) for item in value]
        opening, closing = "[]" if isinstance(value, list) else "{}"
        return f"{opening}{random.choice([',', ',  ']).join(inner)}{closing}"
    if isinstance(value, tuple) and len(value) > 1:
        return f"({' , '.join(spelled(item, random) for item in value)})"
    return repr(value)


def rebuilt(answers: AnswerDiff) -> tuple[str, str]:
    """Join the pieces of both sides, which must follow each other."""
    left = right = 0
    for piece in answers.diff.pieces:
        assert (piece.oracle.start, piece.prediction.start) == (left, right)
        left, right = piece.oracle.end, piece.prediction.end
        same = answers.oracle[slice(*piece.oracle)] == answers.prediction[slice(*piece.prediction)]
        assert same == (piece.kind == "equal")
    return answers.oracle[:left], answers.prediction[:right]


def counted(policy: str, oracle: str, prediction: str) -> list[tuple[str, str]]:
    """Return what both have at each difference that counts, and check what holds of every difference."""
    answers = diff_answers(policy, oracle, prediction)
    assert rebuilt(answers) == (oracle, answers.prediction)
    assert sorted(answers.prediction) == sorted(prediction)
    judge = find_policy(policy)
    assert answers.prediction == prediction or judge.equal(prediction, answers.prediction).correct
    return [
        (answers.oracle[slice(*piece.oracle)], answers.prediction[slice(*piece.prediction)])
        for piece in differences(answers.diff)
    ]


@example(1, True, random.Random(1))
@example({"a": 1, "b": 2}, {"b": 2, "a": 3}, random.Random(1))
@given(VALUES, VALUES, st.randoms(use_true_random=False))
def test_nothing_counts_exactly_where_the_policy_calls_two_literals_equal(
    one: Any, two: Any, random: random.Random
) -> None:
    for oracle, prediction in ((repr(one), spelled(one, random)), (spelled(one, random), spelled(two, random))):
        correct = find_policy(PYTHON).equal(oracle, prediction).correct
        assert (counted(PYTHON, oracle, prediction) == []) == correct
        assert diff_answers(PYTHON, oracle, prediction).equal == (correct and oracle != prediction)


@given(JSON_VALUES, JSON_VALUES)
def test_nothing_counts_exactly_where_the_policy_calls_two_json_values_equal(one: Any, two: Any) -> None:
    for left, right in ((one, two), (one, one)):
        oracle, prediction = json.dumps(left), json.dumps(right, sort_keys=True, ensure_ascii=False, indent=1)
        correct = find_policy(JSON).equal(oracle, prediction).correct
        assert (counted(JSON, oracle, prediction) == []) == correct


@pytest.mark.parametrize(
    ("oracle", "prediction", "expected"),
    [
        ("{'La': 3, 'b': [1, 2]}", '{"La": 2, "b": [1,2]}', [("3", "2")]),
        ("{'a': 1, 'b': {'c': 2, 'd': 3}}", "{'b': {'d': 4, 'c': 2}, 'a': 1}", [("3", "4")]),
        ("[1, 2, 3]", "[1, 3]", [(", 2", "")]),
        ("[1, 2]", "[1, 2, 3]", [("", ", 3")]),
        ("[]", "[1]", [("", "1")]),
        ("{'a': 1}", '{"b": 1}', [("a", "b")]),
        ("{'a': 1, 'c': 2}", "{'c': 2}", [("'a': 1, ", "")]),
        ("'it\\'s x'", '"it\'s y"', [("x", "y")]),
        ("'a\\nb'", "'a\\x0ac'", [("b", "c")]),
        ("'1'", "1", [("'1'", "1")]),
        ("True", "1", [("True", "1")]),
        ("[1, 2]", "(1, 2)", [("[", "("), ("]", ")")]),
        ("{1, 2}", "{3, 1}", [("2", "3")]),
        ("63250", "63240", [("5", "4")]),
    ],
)
def test_what_counts_in_two_literals(oracle: str, prediction: str, expected: list[tuple[str, str]]) -> None:
    assert counted(PYTHON, oracle, prediction) == expected


def test_what_does_not_count_is_said() -> None:
    assert diff_answers(PYTHON, "['a']", '["a"]').remark == "spelled differently, equal as values"
    wrong = diff_answers(PYTHON, "{'a': 1, 'b': 2}", '{"b": 3, "a": 1}')
    assert wrong.remark == (
        "what is dim is spelled differently, equal as values; the prediction is shown in the oracle's order"
    )
    assert wrong.prediction == '{"a": 1, "b": 3}'
    assert diff_answers(PYTHON, "['a']", "['b']").remark == ""


def test_texts_are_compared_where_values_are_not_and_it_is_said_where_they_might_be() -> None:
    assert counted("bytes", "['a']", '["a"]') == [("'", '"'), ("'", '"')]
    assert counted(JSON, "['a']", '["a"]') != []
    assert diff_answers(PYTHON, "[1]", "no list").note == ""
    long = f"[{'1, ' * VALUES_UP_TO}1]"
    assert "more than 60,000 characters" in diff_answers(PYTHON, long, long.replace(", ", ",")).note
    twice = diff_answers(PYTHON, "{'a': 1}", "{'a': 2, 'a': 3}")
    assert twice.note == "compared as texts: the values cannot be taken apart"
    assert differences(twice.diff)
    assert diff_answers(PYTHON, "{'a': 1}", "{'a': 2, 'a': 1}").equal


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_strings_are_compared_by_what_they_say(text: str) -> None:
    text = text[:2_000]
    assert counted(PYTHON, repr(text), json.dumps(text).replace("/", "\\x2f")) == [] or "\\ud" in json.dumps(text)
    assert counted(PYTHON, repr([text, 1]), repr([text, 2])) == [("1", "2")]
