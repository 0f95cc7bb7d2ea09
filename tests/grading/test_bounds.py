"""Grading takes bounded time and never raises, whatever the reply is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.grading.registry import envelopes, policies
from tests.grading.findings import check_spans
from tests.hostile import HOSTILE

bounded = pytest.mark.timeout(90)
"""Far above what is needed, so that a busy machine does not fail the test; without bounds these take minutes."""
PATTERNS = [
    '{"a":',
    '{"a":[',
    "{'a':",
    "{'a': 1} ",
    '{"output":"',
    '{"output": NaN} ',
    "```x\n",
    "<think>",
    "[ANSWER]",
    "<reason>",
]
TEXTS = st.text() | st.sampled_from(sorted(HOSTILE.values())) | st.sampled_from(PATTERNS).map(lambda text: text * 5)
JUDGES = sorted(set(policies()) - {"call-equals"})


@given(TEXTS, TEXTS, st.sampled_from(JUDGES), st.sampled_from(sorted(envelopes())), st.sampled_from([None, "length"]))
def test_no_text_makes_grading_raise(oracle: str, reply: str, policy: str, envelope: str, finish: str | None) -> None:
    question = Question("output", oracle, reply[:20], siblings={"other": reply}, call="f(1)")
    result = grade(question, reply, policy=policy, envelope=envelope, finish=finish)
    check_spans(result, oracle)


@bounded
@pytest.mark.parametrize("envelope", ["output-json", "ans-tags", "answer-tags"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_searching_a_hostile_reply_is_bounded(pattern: str, envelope: str) -> None:
    reply = pattern * (2_000_000 // len(pattern))
    result = grade(Question("output", "5", ""), reply, policy="bytes", envelope=envelope)
    assert result.status.is_wrong


@bounded
@pytest.mark.parametrize("policy", ["json-or-tokens", "bytes", "int-alpha-tokens", "python-literal"])
def test_one_wrong_element_among_very_many_is_found_in_bounded_time(policy: str) -> None:
    numbers = [index * 7919 % 1000 for index in range(200_000)]
    changed = [*numbers[:100_000], numbers[100_000] + 1, *numbers[100_001:]]
    oracle, reply = json.dumps(numbers), json.dumps(changed)
    result = grade(Question("output", oracle, "", siblings={"a": oracle}), reply, policy=policy, envelope="none")
    assert result.finding.mode == "off_by_one"
    check_spans(result, oracle)


@bounded
def test_a_ten_megabyte_word_is_graded_in_bounded_time() -> None:
    oracle = "x" * 10_000_000
    for policy in JUDGES:
        result = grade(Question("output", oracle, ""), oracle[:-1] + "y", policy=policy, envelope="none")
        assert result.status.is_wrong
        check_spans(result, oracle)


def test_a_long_answer_cut_off_is_truncated() -> None:
    oracle = " ".join(map(str, range(30_000)))
    result = grade(Question("output", oracle, ""), oracle[:100_000], policy="json-or-tokens", envelope="none")
    assert result.finding.mode == "truncated"
    check_spans(result, oracle)
