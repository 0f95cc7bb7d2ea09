"""The envelopes ans-tags, answer-tags and none."""

from __future__ import annotations

import pytest

from auditor.grading.question import Question
from auditor.grading.registry import find_envelope
from tests.hostile import HOSTILE

QUESTION = Question("output", "5", "", call="f([1, 2])")
ERROR_76 = '{"verdict":"error","rule":"Rule 76"}'


@pytest.mark.parametrize(
    ("reply", "valid", "rule", "prediction"),
    [
        ("<ans>##success##</ans>", True, "envelope", '{"verdict":"success"}'),
        ("<ans>##error##</ans><rule>76</rule>", True, "envelope", ERROR_76),
        ("<reason>r <rule>2</rule></reason>\n<ans>##error##</ans>\n<rule>[Rule 76]</rule>", True, "envelope", ERROR_76),
        ("So: <ans>##error##</ans> <rule>rule-76</rule>", False, "last-tag", ERROR_76),
        ("<ans>##success##</ans> no: <ans>##error##</ans><rule>76</rule>", False, "last-tag", ERROR_76),
        ("<think><ans>##success##</ans></think><ans>##error##</ans><rule>76</rule>", False, "last-tag", ERROR_76),
        ("<ans>##error##</ans>", False, "last-tag", '{"verdict":"error"}'),
        ("<ans>##error##</ans><rule>none</rule>", False, "last-tag", '{"verdict":"error"}'),
        ("<ans>Error</ans><rule>76</rule>", False, "bare-word", ERROR_76),
        ("<ans>perhaps</ans>", False, "none", None),
        ("<ans>##SUCCESS##</ans>", False, "bare-word", '{"verdict":"success"}'),
        ("<ans>##error##", False, "none", None),
        ("<think><ans>##success##</ans>", False, "none", None),
        ("##success##", False, "none", None),
    ],
)
def test_ans_tags_give_the_last_verdict_outside_reasoning(
    reply: str, valid: bool, rule: str, prediction: str | None
) -> None:
    assert find_envelope("ans-tags").read(reply, QUESTION)[:3] == (valid, rule, prediction)


@pytest.mark.parametrize(
    ("reply", "valid", "rule", "prediction"),
    [
        ("[ANSWER] f([1, 2]) == 5 [/ANSWER]", True, "envelope", "5"),
        ("[ANSWER]5[/ANSWER]", True, "envelope", "5"),
        (
            "[THOUGHT] [ANSWER]4[/ANSWER] [/THOUGHT]\n[ANSWER]\nassert f([1,2]) == 'a'\n[/ANSWER]",
            True,
            "envelope",
            "'a'",
        ),
        ("[ANSWER] f([1, 2]) == 'x == y' [/ANSWER]", True, "envelope", "'x == y'"),
        ("[ANSWER] 'x == y' [/ANSWER]", True, "envelope", "'x == y'"),
        ("[ANSWER] f([1, 2]) == f([1, 2]) == 5 [/ANSWER]", True, "envelope", "f([1, 2]) == 5"),
        ("[ANSWER]\n```python\nf([1, 2]) == 5\n```\n[/ANSWER]", False, "fence", "5"),
        ("So [ANSWER] f([1, 2]) == 5 [/ANSWER]", False, "prose", "5"),
        ("[ANSWER]5[/ANSWER] [ANSWER]5[/ANSWER]", False, "repeated", "5"),
        ("[ANSWER] f([2, 1]) == 5 [/ANSWER]", False, "other-call", "5"),
        ("[ANSWER]4[/ANSWER] [ANSWER]5[/ANSWER]", False, "none", None),
        ("[ANSWER] when x == y it is 5 [/ANSWER]", False, "none", None),
        ("[ANSWER] f([1, 2]) == [/ANSWER]", False, "none", None),
        ("[ANSWER] [/ANSWER]", False, "none", None),
        ("[ANSWER] f([1, 2]) == 5", False, "none", None),
        ("[THOUGHT] [ANSWER]4[/ANSWER]", False, "none", None),
        ("5", False, "none", None),
    ],
)
def test_answer_tags_split_at_the_call_that_was_asked(
    reply: str, valid: bool, rule: str, prediction: str | None
) -> None:
    assert find_envelope("answer-tags").read(reply, QUESTION)[:3] == (valid, rule, prediction)


def test_an_expected_text_with_equals_in_the_call_splits_behind_the_call() -> None:
    question = Question("output", "5", "", call="f('a == b')")
    assert find_envelope("answer-tags").read("[ANSWER] f('a == b') == 'c' [/ANSWER]", question).prediction == "'c'"
    unknown = Question("output", "5", "")
    assert find_envelope("answer-tags").read("[ANSWER] f('a == b') == 'c' [/ANSWER]", unknown).prediction == "'c'"


def test_an_input_prediction_is_the_call() -> None:
    question = Question("input", "5", "")
    assert find_envelope("answer-tags").read("[ANSWER]assert f('==') == 5[/ANSWER]", question).prediction == "f('==')"


def test_an_open_block_is_taken_only_when_the_reply_ended_by_its_stop_sequence() -> None:
    envelope = find_envelope("answer-tags")
    assert envelope.read("[ANSWER] f([1, 2]) == 5", QUESTION, "stop")[:3] == (False, "stop-sequence", "5")
    assert envelope.read("[ANSWER] f([1, 2]) == 5", QUESTION, "length").truncated


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_no_envelope_leaves_the_reply_as_it_is(name: str) -> None:
    assert find_envelope("none").read(HOSTILE[name], QUESTION)[:3] == (True, "reply", HOSTILE[name])
