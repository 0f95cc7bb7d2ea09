"""Grades that rest on running something: a predicted call, an answer that is an expression, a disputed oracle.

What was run comes in as values; nothing is run here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from auditor.grading.first_difference import first_difference
from auditor.grading.literals import LiteralTooLongError, NotLiteralError, read_expression, read_literal
from auditor.grading.modes import PRECEDENCE, wrong_answer_findings
from auditor.grading.policies import PYTHON_LITERAL, oracle_text
from auditor.grading.question import Extraction, Policy, Question, Verdict
from auditor.model import Finding, Grade, JsonValue, Span, Status
from auditor.text import visible_line

EXPRESSION_LIMIT = 150_000
"""Characters of an expression that is evaluated."""
_SHOWN = 100


class Evaluated(NamedTuple):
    """What came of evaluating an expression."""

    value: str | None
    """The value as Python writes it, where it is made of builtin types throughout."""
    ended: str
    """How it came to no such value, in words."""


Evaluate = Callable[[str], Evaluated | None]
"""Returns what an expression is known to give; None where it was not evaluated."""


def expression_of(policy: str, prediction: str, function: str | None) -> str | None:
    """Return the expression that has to be evaluated to judge a prediction; None where its text decides.

    `function` is the one that a predicted call must be of, None where the task has none.
    """
    if policy == "call-equals":
        return _call_of(prediction, function)
    if policy != PYTHON_LITERAL.name or len(prediction) > EXPRESSION_LIMIT:
        return None
    try:
        read_literal(prediction)
    except LiteralTooLongError:
        return None
    except NotLiteralError:
        return prediction.strip() if read_expression(prediction) is not None else None
    return None


def _call_of(prediction: str, function: str | None) -> str | None:
    if function is None or len(prediction) > EXPRESSION_LIMIT:
        return None
    tree = read_expression(prediction)
    called = tree.func if isinstance(tree, ast.Call) else None
    return prediction.strip() if isinstance(called, ast.Name) and called.id == function else None


def same_value(oracle: JsonValue, value: str) -> Verdict:
    """Compare an oracle with a value that Python wrote: as literals, or as texts where they are none (`inf`)."""
    expected = oracle_text(oracle)
    if expected.strip() == value.strip():
        return Verdict(True, False, "equal values")
    verdict = PYTHON_LITERAL.equal(expected, value)
    return verdict._replace(non_literal=False)


def settled(
    question: Question, found: Extraction, judge: Policy, evaluate: Evaluate, finish: str | None
) -> Grade | None:
    """Grade an extracted prediction by what running it gave; None where its text decides or it was not run."""
    assert found.prediction is not None
    if judge.name == "call-equals":
        return _settled_call(question, found, evaluate)
    if judge.name != PYTHON_LITERAL.name:
        return None
    verdict = judge.equal(question.oracle, found.prediction)
    if not verdict.non_literal:
        return None
    expression = expression_of(judge.name, found.prediction, None)
    if expression is None:
        return _no_expression(question, found, judge, verdict, finish)
    value = evaluate(expression)
    return None if value is None else _settled_expression(question, found, judge, value)


def _settled_call(question: Question, found: Extraction, evaluate: Evaluate) -> Grade | None:
    expression = expression_of("call-equals", found.prediction or "", question.function)
    span = Span(0, len(found.prediction or ""))
    if expression is None:
        if question.function is None:
            return None
        words = f"The prediction is no call of {visible_line(question.function, 80)}."
        return _wrong(found, Finding("malformed", words, None, span, "no call"))
    value = evaluate(expression)
    if value is None:
        return None
    if value.value is None:
        words = f"The predicted call gives no value: {value.ended}."
        return _wrong(found, Finding("wrong_value", words, None, span, "no value"))
    verdict = same_value(question.oracle, value.value)
    gives = f"The predicted call gives {_shown(value.value)}"
    if verdict.correct:
        return _right(found, f"{gives}, as the oracle has it.")
    words = f"{gives}, the oracle has {_shown(oracle_text(question.oracle))} ({verdict.why})."
    return _wrong(found, Finding("wrong_value", words, None, span, "evaluated"))


def _no_expression(
    question: Question, found: Extraction, judge: Policy, verdict: Verdict, finish: str | None
) -> Grade | None:
    """Say of a prediction that is no literal that it cannot be evaluated, where nothing more specific is known."""
    prediction = found.prediction or ""
    first, *others = wrong_answer_findings(question, prediction, judge, verdict, finish)
    if first.detail != "no literal" or len(prediction) > EXPRESSION_LIMIT:
        return None
    words = f"{verdict.why[:1].upper()}{verdict.why[1:]}; nor is it an expression, so it has no value."
    return _wrong(found, replace(first, evidence=words, detail="no expression"), *others, non_literal=True)


def _settled_expression(question: Question, found: Extraction, judge: Policy, value: Evaluated) -> Grade:
    assert found.prediction is not None
    span = Span(0, len(found.prediction))
    if value.value is None:
        words = f"The prediction is no literal, and evaluating it gives no value: {value.ended}."
        return _wrong(found, Finding("wrong_value", words, None, span, "no value"), non_literal=True)
    verdict = same_value(question.oracle, value.value)
    gives = f"Evaluated, the prediction gives {_shown(value.value)}"
    if verdict.correct:
        return _right(found, f"{gives}: {verdict.why}.", non_literal=True)
    first, *others = wrong_answer_findings(question, value.value, judge, verdict, None)
    findings = [replace(each, prediction_span=span) for each in (first, *others)]
    findings[0] = replace(findings[0], evidence=f"{gives}. {findings[0].evidence}")
    return _wrong(found, *findings, non_literal=True)


def _right(found: Extraction, words: str, *, non_literal: bool = False) -> Grade:
    status = Status.CORRECT_VALID if found.valid else Status.CORRECT_INVALID
    finding = Finding("correct", words, detail="evaluated")
    return Grade(status, found.rule, found.prediction, finding, (), non_literal, found.note)


def _wrong(found: Extraction, first: Finding, *others: Finding, non_literal: bool = False) -> Grade:
    status = Status.WRONG_VALID if found.valid else Status.WRONG_INVALID
    return Grade(status, found.rule, found.prediction, first, others, non_literal, found.note)


def with_findings_of_runs(grade: Grade, findings: Sequence[Finding]) -> Grade:
    """Put what runs found about a wrong answer among what its text shows, each at its place in PRECEDENCE.

    Weak evidence for a fault of the program stands last: it never hides what the text shows.
    """
    if not grade.status.is_wrong or not findings:
        return grade
    ranked = sorted([*findings, grade.finding, *grade.others], key=_rank)
    return replace(grade, finding=ranked[0], others=tuple(ranked[1:]))


def _rank(finding: Finding) -> int:
    is_weak = finding.mode == "counterfactual" and (finding.detail or "").endswith(", weak")
    return len(PRECEDENCE) if is_weak else PRECEDENCE.index(finding.mode)


def disputed_finding(oracle: JsonValue, output: str, policy: str, engine: str) -> Finding:
    """Say that running a task's program gives another output than its oracle; spans are of the oracle alone."""
    expected = oracle_text(oracle)
    told, where, _ = first_difference(expected, output, policy=policy)
    words = f"Run here ({visible_line(engine, 60)}), the program gives {_shown(output)}; the oracle has"
    words = f"{words} {_shown(expected)}"
    if max(len(expected), len(output)) > _SHOWN:
        words += f". In what it gives: {told[:1].lower()}{told[1:]}"
    return Finding("oracle_disputed", f"{words}.", where)


def with_disputed_oracle(grade: Grade, finding: Finding, *, as_predicted: bool = False) -> Grade:
    """Put a disputed oracle before all that was found by comparing with it; the verdict stays what it was.

    `as_predicted` says that the prediction is what the program gives.
    """
    if grade.status is Status.NO_RESPONSE:
        return grade
    if as_predicted:
        words = f"{finding.evidence} The prediction is what the program gives."
        finding = replace(finding, evidence=words, detail="as predicted")
    return replace(grade, finding=finding, others=(grade.finding, *grade.others))


def _shown(text: str) -> str:
    return f"`{visible_line(text, _SHOWN)}`" if text else "nothing"
