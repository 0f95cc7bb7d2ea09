"""The envelope state-tags, and the policies on verdicts and final states."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.grading.final_state import read_state
from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.grading.registry import find_envelope, find_policy
from tests.grading.findings import check_spans
from tests.hostile import HOSTILE

QUESTION = Question("state", '{"a":10}', "")


@pytest.mark.parametrize(
    ("reply", "valid", "prediction"),
    [
        ("<answer><a>10</a></answer>", True, '{"a":10}'),
        (" <answer>\n <a> 10 </a>\n <b>-03</b></answer>\n", True, '{"a":10,"b":-3}'),
        ("<answer></answer>", True, "{}"),
        ("<answer> ##error## </answer>", True, '"##error##"'),
        ("<answer>##timeout##</answer>", True, '"##timeout##"'),
        ("<reason>a is <answer><a>1</a></answer></reason><answer><a>10</a></answer>", True, '{"a":10}'),
        ("<answer><a>1</a></answer> no: <answer><a>10</a></answer>", False, '{"a":10}'),
        ("<answer><answer>5</answer></answer>", True, '{"answer":5}'),
        ("<answer><a>ten</a></answer>", True, '{"a":"ten"}'),
        ("<answer><a>" + "9" * 5000 + "</a></answer>", True, '{"a":' + "9" * 5000 + "}"),
        ("<answer><a>10</a>", False, None),
        ("<answer><a>10</b></answer>", False, None),
        ("<answer><a>1</a><a>1</a></answer>", False, None),
        ("<answer>a is <a>1</a></answer>", False, None),
        ("<answer><a>1</a> and that is all</answer>", False, None),
        ("a is 10", False, None),
        ("<think><answer><a>10</a></answer>", False, None),
    ],
)
def test_what_is_read_from_a_reply(reply: str, valid: bool, prediction: str | None) -> None:
    found = find_envelope("state-tags").read(reply, QUESTION)
    assert (found.valid, found.prediction) == (valid, prediction)


@pytest.mark.parametrize(
    ("oracle", "answer", "mode"),
    [
        ('{"a":10,"b":3}', "<b>3</b><a>+010</a>", "correct"),
        ('{"a":10,"b":3}', "<a>10</a><b>4</b>", "off_by_one"),
        ('{"a":10,"b":3}', "<a>10</a>", "missing_field"),
        ('{"a":10}', "<a>10</a><c>0</c>", "extra_field"),
        ('{"a":10}', "##error##", "false_error"),
        ('{"a":10}', "##timeout##", "wrong_value"),
        ('"##error##"', "##error##", "correct"),
        ('"##error##"', "<a>10</a>", "false_success"),
        ('"##error##"', "##timeout##", "false_success"),
        ('"##timeout##"', "##error##", "false_error"),
        ('"##timeout##"', "<a>10</a>", "wrong_value"),
    ],
)
def test_final_states_are_compared_as_values_and_explained(oracle: str, answer: str, mode: str) -> None:
    reply = f"<answer>{answer}</answer>"
    result = grade(Question("state", oracle, ""), reply, policy="json-or-tokens", envelope="state-tags")
    assert result.finding.mode == mode
    assert result.status.is_correct == (mode == "correct")
    check_spans(result, oracle)


@given(st.dictionaries(st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,5}", fullmatch=True), st.integers(), max_size=8))
def test_a_state_written_in_tags_is_read_back(state: dict[str, int]) -> None:
    text = "".join(f"<{name}>{value}</{name}>" for name, value in state.items())
    content = read_state(text)
    assert content.prediction is not None and json.loads(content.prediction) == state
    found = find_envelope("state-tags").read(f"<answer>{text}</answer>", QUESTION)
    assert found.valid and found.prediction == content.prediction


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_are_read_or_refused(text: str) -> None:
    for reply in (
        text,
        f"<answer>{text}</answer>",
        f"<answer><a>{text}</a></answer>",
        f"{text}<answer><a>1</a></answer>",
    ):
        found = find_envelope("state-tags").read(reply, QUESTION)
        assert found.prediction is None or json.loads(found.prediction) is not None
        find_envelope("ans-tags").read(f"<ans>##error##</ans><rule>{text}</rule>", QUESTION)


def test_many_tags_take_time_in_proportion() -> None:
    for reply in ("<answer>" * 100_000, "<answer><a>" * 50_000 + "</answer>", "<reason>" * 50_000 + "</reason>" * 3):
        find_envelope("state-tags").read(reply, QUESTION)
    assert read_state("<a>" + "x" * 1_000_000).prediction is None


@pytest.mark.parametrize(
    ("oracle", "prediction", "correct"),
    [
        ({"verdict": "error", "rule": "Rule 7"}, '{"verdict":"error","rule":"Rule 9"}', True),
        ({"verdict": "error", "rule": "Rule 7"}, '{"verdict":"error"}', True),
        ({"verdict": "success"}, '{"verdict":"success"}', True),
        ({"verdict": "success"}, '{"verdict":"error","rule":"Rule 9"}', False),
        ({"verdict": "error", "rule": "Rule 7"}, "no verdict", False),
    ],
)
def test_verdict_only_ignores_the_rule(oracle: dict[str, str], prediction: str, correct: bool) -> None:
    assert find_policy("verdict-only").equal(oracle, prediction).correct == correct
