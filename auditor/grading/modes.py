"""Order the computed failure modes of one wrong answer: the most specific that holds is primary, others stand beside.

The order is PRECEDENCE. An answer that equals another arm's oracle or the input is no coincidence when it is long;
a short one (fewer than COINCIDENCE characters) is listed, but never hides what is wrong with the value.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditor.grading.code_points import common_prefix, common_suffix
from auditor.grading.final_state import ending_finding
from auditor.grading.first_difference import first_difference
from auditor.grading.formatting import formatting_finding
from auditor.grading.policies import oracle_text
from auditor.grading.question import Policy, Question, Verdict
from auditor.grading.value_modes import value_findings
from auditor.grading.verdict_modes import verdict_findings
from auditor.grading.verdicts import read_verdict
from auditor.model import Finding, Span
from auditor.text import counted, visible_line

PRECEDENCE = (
    "no_response",
    "oracle_disputed",
    "empty",
    "malformed",
    "correct",
    "false_success",
    "false_error",
    "unparsed_rule",
    "wrong_rule",
    "formatting_only",
    "sibling_arm",
    "echoes_input",
    "other_iteration",
    "stale_value",
    "missing_field",
    "extra_field",
    "wrong_type",
    "permuted",
    "sign",
    "off_by_one",
    "transposed_digits",
    "one_digit",
    "truncated",
    "one_element",
    "counterfactual",
    "wrong_value",
)
"""Every mode, the most specific first.

`oracle_disputed`, `other_iteration`, `stale_value` and `counterfactual` take running the program, others texts alone.
"""

COINCIDENCE = 3
_BARE_REASONS = ("other ", "not equal as ")
_LITERAL_STARTS = tuple("'\"[({")
_RANK = {mode: rank for rank, mode in enumerate(PRECEDENCE)}
_WEAK_RANK = _RANK["one_element"] + 0.5
_COMPARED_LENGTH = 1_000_000
"""Longer answers are compared with the other arms and the input as text only."""
_COMPARED_ARMS = 100
"""Of a case with more arms their oracles are compared as text only."""
_NAMED_ARMS = 5
"""Arms with the same oracle that get a finding each; the last one tells how many more there are."""


def wrong_answer_findings(
    question: Question, prediction: str, policy: Policy, verdict: Verdict, finish: str | None
) -> list[Finding]:
    """Return the modes of a wrong prediction in their order; never empty."""
    oracle = oracle_text(question.oracle)
    if question.target == "verdict" or policy.name == "verdict":
        expected, given = read_verdict(question.oracle), read_verdict(prediction)
        if expected and given:
            return verdict_findings(expected, given, oracle, prediction, question.formalism)
    ending = ending_finding(oracle, prediction) if question.target == "state" else None
    if ending:
        return [ending]
    if not prediction.strip():
        return [Finding("empty", "The answer is empty.", Span(0, len(oracle)), Span(0, len(prediction)))]
    exact = policy.name == "python-literal" and not verdict.non_literal
    formatting = formatting_finding(oracle, prediction, types_count=exact)
    if formatting:
        found = [formatting]
    elif verdict.non_literal:
        found = _unclosed(prediction, verdict)
    else:
        found = value_findings(oracle, prediction, exact_types=exact)
    whole = [*_siblings(question, prediction, policy), *_echoes(question, prediction, policy)]
    weak = len(prediction.strip()) < COINCIDENCE
    ranked: list[tuple[float, Finding]] = [(_RANK[each.mode], each) for each in found]
    ranked += [(_WEAK_RANK if weak else _RANK[each.mode], each) for each in whole]
    if finish == "length" and not any(each.mode == "truncated" for each in found):
        words = "The reply was cut off at its length limit."
        ranked.append((_RANK["truncated"], Finding("truncated", words, None, Span(0, len(prediction)), "length limit")))
    if not ranked:
        return [_wrong_value(oracle, prediction, policy, verdict)]
    return _once([each for _, each in sorted(ranked, key=lambda pair: pair[0])])


def _once(findings: list[Finding]) -> list[Finding]:
    """Keep the first finding of each mode; several arms may have the same oracle, and each is told."""
    seen: set[str] = set()
    kept = []
    for each in findings:
        if each.mode == "sibling_arm" or each.mode not in seen:
            kept.append(each)
        seen.add(each.mode)
    return kept


def _unclosed(prediction: str, verdict: Verdict) -> list[Finding]:
    """A literal that begins and is never closed was cut off; other text that is no literal may be anything."""
    begins = prediction.lstrip()[:1] in _LITERAL_STARTS
    if begins and ("unterminated" in verdict.why or "never closed" in verdict.why):
        words = "The answer begins a literal and never closes it."
        return [Finding("truncated", words, None, Span(0, len(prediction)), "unclosed literal")]
    return []


def _siblings(question: Question, prediction: str, policy: Policy) -> list[Finding]:
    arms = list(_arms_answered(question, prediction, policy))
    span = Span(0, len(prediction))
    found = []
    for number, arm in enumerate(arms[:_NAMED_ARMS], 1):
        more = len(arms) - _NAMED_ARMS if number == _NAMED_ARMS else 0
        others = f", and of {counted(more, 'more arm')}" if more > 0 else ""
        words = f"The answer is the oracle of the arm {visible_line(arm, 80)}{others}."
        found.append(Finding("sibling_arm", words, None, span, visible_line(arm, 80)))
    return found


def _arms_answered(question: Question, prediction: str, policy: Policy) -> Iterator[str]:
    """Yield the other arms whose oracle the answer is."""
    # Among thousands of arms reading each oracle for each reply would take time with the square of their number.
    as_text = len(prediction) > _COMPARED_LENGTH or len(question.siblings) > _COMPARED_ARMS
    given = prediction.strip()
    for arm, oracle in question.siblings.items():
        if oracle == question.oracle:
            continue
        if as_text or len(oracle) > _COMPARED_LENGTH:
            same = oracle.strip() == given
        else:
            same = oracle.split() == given.split() or policy.equal(oracle, prediction, question.answer_type).correct
        if same:
            yield arm


def _echoes(question: Question, prediction: str, policy: Policy) -> list[Finding]:
    """The answer is the input, or one of its lines."""
    span = Span(0, len(prediction))
    given = prediction.strip()
    text = question.input.strip()
    if not given or not text or len(given) > len(question.input) + 2:
        return []
    alike = len(text) + len(given) <= _COMPARED_LENGTH and len(text) <= 2 * len(given) + 20
    if _same_text(text, given) or (alike and policy.equal(text, given, question.answer_type).correct):
        return [Finding("echoes_input", "The answer is the input itself.", None, span, "whole input")]
    lines = text.split("\n")
    if len(lines) > 1 and len(given) >= COINCIDENCE:
        for number, line in enumerate(lines, 1):
            if line.strip() == given:
                words = f"The answer is line {number} of the input."
                return [Finding("echoes_input", words, None, span, f"line {number}")]
    return []


def _same_text(text: str, given: str) -> bool:
    """Equal but for white space, or for the parentheses that Python puts around several arguments."""
    if text.split() == given.split():
        return True
    return given.startswith("(") and given.endswith(")") and given[1:-1].split() == text.split()


def _wrong_value(oracle: str, prediction: str, policy: Policy, verdict: Verdict) -> Finding:
    why = verdict.why[:1].upper() + verdict.why[1:]
    if verdict.non_literal:
        start = common_prefix(oracle, prediction)
        tail = common_suffix(oracle, prediction, min(len(oracle), len(prediction)) - start)
        spans = Span(start, len(oracle) - tail), Span(start, len(prediction) - tail)
        return Finding("wrong_value", f"{why}; only an evaluation could tell its value.", *spans, detail="no literal")
    told, left, right = first_difference(oracle, prediction, policy=policy.name)
    # That the values differ is all that some reasons say, and what differs says it better.
    bare, _, rest = verdict.why.partition("; ")
    if not bare.startswith(_BARE_REASONS):
        told = f"{why}. {told}"
    elif rest:
        told = f"{told}; {rest}"
    return Finding("wrong_value", f"{told}.", left, right)
