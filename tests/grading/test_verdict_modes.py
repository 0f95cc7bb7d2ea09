"""Computed modes of verdicts: false success, false error, and in which way a wrong rule is near."""

from __future__ import annotations

import json

import pytest

from auditor.grading.cstar_rules import K_FRAMEWORK, SMALL_STEP, Formalism
from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.model import Grade, JsonValue
from tests.grading.findings import check_spans


def graded(oracle: JsonValue, reply: str) -> Grade:
    result = grade(Question("verdict", oracle, "", language="cstar"), reply, policy="verdict", envelope="ans-tags")
    check_spans(result, json.dumps(oracle, separators=(",", ":")))
    return result


def error(rule: int) -> JsonValue:
    return {"verdict": "error", "rule": f"Rule {rule}"}


@pytest.mark.parametrize(
    ("oracle", "reply", "mode"),
    [
        ({"verdict": "success"}, "<ans>##success##</ans>", "correct"),
        (error(76), "<ans>##error##</ans><rule>76</rule>", "correct"),
        (error(76), "<ans>##success##</ans>", "false_success"),
        ({"verdict": "success"}, "<ans>##error##</ans><rule>19</rule>", "false_error"),
        ({"verdict": "success"}, "<ans>##error##</ans>", "false_error"),
        (error(19), "<ans>##error##</ans>", "unparsed_rule"),
        (error(19), "<ans>##error##</ans><rule>divide</rule>", "unparsed_rule"),
        (error(19), "<ans>##error##</ans><rule>50</rule>", "wrong_rule"),
        (error(19), "I cannot tell", "malformed"),
        (error(19), "", "empty"),
    ],
)
def test_each_failure_of_a_verdict_has_its_name(oracle: JsonValue, reply: str, mode: str) -> None:
    assert graded(oracle, reply).finding.mode == mode


@pytest.mark.parametrize(
    ("oracle", "given", "details"),
    [
        (76, 73, ["same family"]),
        (23, 24, ["adjacent number", "same family"]),
        (19, 7, ["other formalism", "same family"]),
        (7, 19, ["other formalism"]),
        (31, 76, ["no such rule", "other formalism"]),
        (34, 35, ["adjacent number", "same family"]),
        (19, 79, ["no such rule"]),
        (19, 0, ["no such rule"]),
        (2, 1, ["adjacent number", "same family"]),
        (2, 3, ["adjacent number"]),
        (2, 99, ["no such rule"]),
        (19, 73, [None]),
    ],
)
def test_a_wrong_rule_says_how_it_is_near(oracle: int, given: int, details: list[str | None]) -> None:
    result = graded(error(oracle), f"<ans>##error##</ans><rule>{given}</rule>")
    findings = [result.finding, *result.others]
    assert {finding.mode for finding in findings} == {"wrong_rule"}
    assert [finding.detail for finding in findings] == details
    assert f"Rule {given} is cited instead of Rule {oracle}" in result.finding.evidence


@pytest.mark.parametrize(
    ("home", "oracle", "given", "details"),
    [
        (SMALL_STEP, 2, 6, ["same family"]),
        (K_FRAMEWORK, 2, 6, ["other formalism"]),
        (K_FRAMEWORK, 2, 77, ["no such rule"]),
        (SMALL_STEP, 2, 77, [None]),
        (K_FRAMEWORK, 7, 19, ["other formalism"]),
        (SMALL_STEP, 7, 19, ["same family"]),
    ],
)
def test_a_known_formalism_decides_what_is_near(
    home: Formalism, oracle: int, given: int, details: list[str | None]
) -> None:
    question = Question("verdict", error(oracle), "", language="cstar", formalism=home)
    reply = f"<ans>##error##</ans><rule>{given}</rule>"
    result = grade(question, reply, policy="verdict", envelope="ans-tags")
    assert [finding.detail for finding in (result.finding, *result.others)] == details


@pytest.mark.parametrize("formalism", [SMALL_STEP, K_FRAMEWORK], ids=lambda each: each.name)
def test_every_rule_belongs_to_exactly_one_family(formalism: Formalism) -> None:
    for rule in range(1, formalism.rules + 1):
        homes = [name for name, ranges in formalism.families if any(a <= rule <= b for a, b in ranges)]
        assert len(homes) == 1, rule
    assert formalism.family(0) is formalism.family(formalism.rules + 1) is None
