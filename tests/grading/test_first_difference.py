"""The evidence of a wrong value names the place and what stands there, and its spans show the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.grading.first_difference import first_difference
from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.text import has_invisible

CASES = [
    ("json-or-tokens", "a b 16256 d", "a b 217 x", "Token 3 of 4 is `217`, the oracle has `16256`."),
    ("json-or-tokens", "a b\nc q r", "a x", "2 tokens, the oracle has 5; token 2 is `x`, the oracle has `b`."),
    ("json-or-tokens", "1 2", "1 2 9 8", "4 tokens, the oracle has 2; token 3 is `9`, the oracle has none."),
    ("json-or-tokens", "3", "8", "The answer is `8`, the oracle has `3`."),
    (
        "json-or-tokens",
        '{"below": 16256, "x": [1, 7]}',
        '{"below": 217, "x": [1, 90]}',
        "The values differ first at $.below: `217`, the oracle has `16256`.",
    ),
    ("json-or-tokens", "[4, 7]", "[90, 31]", "The values differ first at $[0]: `90`, the oracle has `4`."),
    (
        "json-or-tokens",
        '{"x": [1, 7, 9, 4]}',
        '{"x": [1, 5]}',
        "The values differ first at $.x: 2 elements, the oracle has 4; element 2 is `5`, the oracle has `7`.",
    ),
    (
        "json-or-tokens",
        "17",
        "it is many",
        "The oracle is JSON, the prediction is not: Expecting value at character 0."
        " 3 tokens, the oracle has 1; token 1 is `it`, the oracle has `17`.",
    ),
    ("int-alpha-tokens", "a=1, b=16256", "a=+1 (b=217)", "Integer or word 4 of 4 is `217`, the oracle has `16256`."),
    ("python-literal", "(4, 'abc')", "(9, 'xyz')", "The values differ first at $[0]: `9`, the oracle has `4`."),
    ("bytes", "yes or no", "yes if so", "Token 2 of 3 is `if`, the oracle has `or`."),
]


@pytest.mark.parametrize(("policy", "oracle", "prediction", "words"), CASES)
def test_the_sentence_says_what_stands_where(policy: str, oracle: str, prediction: str, words: str) -> None:
    finding = grade(Question("output", oracle, ""), prediction, policy=policy, envelope="none").finding
    assert (finding.mode, finding.evidence) == ("wrong_value", words)
    assert finding.oracle_span is not None and finding.prediction_span is not None
    assert f"`{prediction[slice(*finding.prediction_span)]}`" in words
    wanted = oracle[slice(*finding.oracle_span)]
    assert words.endswith(f"the oracle has `{wanted}`." if wanted else "the oracle has none.")


def test_long_texts_are_cut_to_where_they_differ_and_shown_visibly() -> None:
    words, left, right = first_difference("a" * 500 + "X\x1b]0;" + "b" * 500, "a" * 500 + "Y" * 90, policy="bytes")
    assert words == f"The answer is `…{'a' * 12}{'Y' * 26}…`, the oracle has `…{'a' * 12}X␛]0;{'b' * 21}…`"
    assert (left, right) == ((0, 1005), (0, 590))


@given(
    st.text("ab1- \n[],\x1b\u200b", max_size=30), st.text("ab1- \n[],\x1b\u200b", max_size=30), st.sampled_from(CASES)
)
def test_spans_stay_in_their_texts_and_different_texts_are_told_apart(
    oracle: str, prediction: str, case: tuple[str, str, str, str]
) -> None:
    words, left, right = first_difference(oracle, prediction, policy=case[0])
    assert 0 <= left.start <= left.end <= len(oracle) and 0 <= right.start <= right.end <= len(prediction)
    assert not has_invisible(words) and "\n" not in words
    if oracle.split() != prediction.split() and case[0] != "int-alpha-tokens":
        assert oracle[slice(*left)] != prediction[slice(*right)]
