"""Grade one reply: extract by the envelope, judge by the policy, explain by the computed mode."""

from __future__ import annotations

from dataclasses import replace

from auditor.grading.evaluated import Evaluate, settled
from auditor.grading.modes import wrong_answer_findings
from auditor.grading.question import Envelope, Extraction, NoOracleError, Policy, Question, Verdict
from auditor.grading.registry import find_envelope, find_policy
from auditor.model import Finding, Grade, Status
from auditor.text import counted

_ON_TEXTS = ("bytes", "json-or-tokens", "int-alpha-tokens")
_NO_RESPONSE = Grade(
    Status.NO_RESPONSE, "none", None, Finding("no_response", "There is no response to grade: the request gave none.")
)


def grade(
    question: Question,
    reply: str | None,
    *,
    policy: str,
    envelope: str,
    finish: str | None = None,
    evaluate: Evaluate | None = None,
) -> Grade:
    """Grade a reply; None is a recorded non-response, a reply without an answer is wrong.

    `evaluate` knows what running a predicted call or an answer that is an expression gave. A blank reply is an answer
    only where no envelope is asked for and the oracle is blank too. Raises InputError for an unknown policy or
    envelope, NoOracleError for a reply to a task without an oracle (None, which only a probe may have as its value),
    and NeedsExecutionError when the policy must run the prediction and nobody did; nothing else ever.
    """
    judge, reader = find_policy(policy), find_envelope(envelope)
    if reply is None:
        return _NO_RESPONSE
    if question.oracle is None and question.target != "probe":
        raise NoOracleError("the task has no oracle, so its replies cannot be graded.")
    if not reply.strip() and not _is_blank_answer(question, reply, judge, reader):
        status = Status.WRONG_VALID if reader.name == "none" else Status.WRONG_INVALID
        words = (
            f"The reply holds only white space ({counted(len(reply), 'character')})."
            if reply
            else "The reply is empty."
        )
        return Grade(status, "none", None, Finding("empty", words), note="the reply is blank")
    found = reader.read(reply, question, finish)
    if found.prediction is None:
        return _malformed(found, reply, finish)
    by_running = None if evaluate is None else settled(question, found, judge, evaluate, finish)
    if by_running is not None:
        return by_running
    verdict = judge.equal(question.oracle, found.prediction, question.answer_type)
    if verdict.correct:
        status = Status.CORRECT_VALID if found.valid else Status.CORRECT_INVALID
        why = verdict.why[:1].upper() + verdict.why[1:]
        return Grade(status, found.rule, found.prediction, Finding("correct", f"{why}."), note=found.note)
    findings = wrong_answer_findings(question, found.prediction, judge, verdict, finish)
    status = Status.WRONG_VALID if found.valid else Status.WRONG_INVALID
    return Grade(
        status,
        found.rule,
        found.prediction,
        _with_reason(findings[0], verdict),
        tuple(findings[1:]),
        non_literal=verdict.non_literal,
        note=found.note,
    )


def _is_blank_answer(question: Question, reply: str, judge: Policy, reader: Envelope) -> bool:
    """Say whether a blank reply is the right output of a program that writes nothing, under a policy on texts."""
    blank = isinstance(question.oracle, str) and not question.oracle.strip()
    return blank and reader.name == "none" and judge.name in _ON_TEXTS and judge.equal(question.oracle, reply).correct


def _with_reason(finding: Finding, verdict: Verdict) -> Finding:
    """Say beside a more specific mode that the prediction could not be read as a literal."""
    if not verdict.non_literal or finding.mode == "wrong_value":
        return finding
    return replace(finding, evidence=f"{finding.evidence.rstrip('.')}; {verdict.why}.")


def _malformed(found: Extraction, reply: str, finish: str | None) -> Grade:
    note = found.note or "nothing to extract"
    finding = Finding("malformed", f"No answer can be taken: {note}.", detail=note)
    others: tuple[Finding, ...] = ()
    if found.truncated or finish == "length":
        words = "The reply ends before the answer does." if found.truncated else "The reply was cut off at its limit."
        others = (Finding("truncated", words, detail=counted(len(reply), "character")),)
    return Grade(Status.WRONG_INVALID, "none", None, finding, others, note=note)
