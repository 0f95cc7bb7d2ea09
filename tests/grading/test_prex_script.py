"""How PrEx's own script reads replies, beside how they are graded here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.grading.grade import grade
from auditor.grading.prex_script import MODES, script_mode
from auditor.grading.question import Question
from auditor.grading.verdicts import RuleVerdict
from tests.hostile import HOSTILE

ERROR_23, SUCCESS = RuleVerdict("error", 23), RuleVerdict("success")


@pytest.mark.parametrize(
    ("expected", "reply", "script", "ours"),
    [
        (SUCCESS, "<ans>##success##</ans>", "correct", "correct"),
        (SUCCESS, "<ans>##error##</ans><rule>23</rule>", "false_error", "false_error"),
        (ERROR_23, "<ans>##success##</ans>", "false_success", "false_success"),
        (ERROR_23, "<ans>##error##</ans><rule>[Rule-23]</rule>", "correct", "correct"),
        (ERROR_23, "<ans>##error##</ans><rule>line 4 [rule 23]</rule>", "correct", "correct"),
        (ERROR_23, "<ans>##error##</ans><rule>24</rule>", "wrong_rule", "wrong_rule"),
        (ERROR_23, "<ans>##error##</ans><rule>none</rule>", "unparsed_rule", "unparsed_rule"),
        (ERROR_23, "<ans>##error##</ans>", "unparsed_rule", "unparsed_rule"),
        (ERROR_23, "It fails.", "malformed", "malformed"),
        (ERROR_23, "", "malformed", "empty"),
        (ERROR_23, "<ans>maybe</ans>", "other", "malformed"),
        (ERROR_23, "<ans> ##error## </ans><rule>23</rule>", "correct", "correct"),
        (ERROR_23, "<ans> </ans><rule>23</rule>", "malformed", "malformed"),
        (ERROR_23, "<ans>error</ans><rule>23</rule>", "other", "correct"),
        (ERROR_23, "<ans>##error##</ans><rule>[] 23</rule>", "correct", "correct"),
        (ERROR_23, "<ans>##error##</ans><rule>Rule N</rule>", "wrong_rule", "unparsed_rule"),
        (ERROR_23, "<ans>##error##</ans><rule>[Rule 24] not 23</rule>", "wrong_rule", "wrong_rule"),
        (
            ERROR_23,
            "<ans>##success##</ans> no: <ans>##error##</ans><rule>24</rule><rule>23</rule>",
            "correct",
            "correct",
        ),
        (ERROR_23, "<ans>##error##</ans><rule>" + "[" * 200_000 + "</rule>", "unparsed_rule", "unparsed_rule"),
        (ERROR_23, "<ans>##error##</ans><rule>twenty-three</rule>", "unparsed_rule", "unparsed_rule"),
        (ERROR_23, "<ans>##error##</ans><rule>19</rule>", "wrong_rule", "wrong_rule"),
        (ERROR_23, "<ans>##error##<ans></ans><rule>23</rule>", "malformed", "malformed"),
        (ERROR_23, "<ans>##error##</ans><rule>023</rule>", "wrong_rule", "correct"),
        (SUCCESS, "<think><ans>##success##</ans></think>", "correct", "malformed"),
        (ERROR_23, "<ans>##error##</ans><rule>" + "2" * 200 + "</rule>", "wrong_rule", "unparsed_rule"),
    ],
)
def test_the_scripts_mode_beside_ours(expected: RuleVerdict, reply: str, script: str, ours: str) -> None:
    assert script_mode(expected, reply) == script
    oracle = {"verdict": expected.verdict} | ({} if expected.rule is None else {"rule": f"Rule {expected.rule}"})
    question = Question("verdict", oracle, "", language="cstar")
    assert grade(question, reply, policy="verdict", envelope="ans-tags").finding.mode == ours


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_have_a_mode(text: str) -> None:
    assert script_mode(ERROR_23, text) in MODES
    assert script_mode(ERROR_23, f"<ans>{text}</ans><rule>{text}</rule>") in MODES


@given(st.integers(0, 10**9), st.sampled_from(("{}", "Rule {}", "[Rule {}]", "see 1 [{}]", "rule-{}", " {} or 4")))
def test_a_rule_number_is_read_however_it_is_dressed(number: int, dress: str) -> None:
    reply = f"<ans>##error##</ans><rule>{dress.format(number)}</rule>"
    assert script_mode(RuleVerdict("error", number), reply) == "correct"
