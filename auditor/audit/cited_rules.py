"""The rule that a program violates beside the rule that is cited: for the review's page and `auditor trace`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from auditor.audit.cstar_item import is_cstar
from auditor.errors import InputError
from auditor.grading.verdict_modes import verdict_findings
from auditor.grading.verdicts import RuleVerdict, read_verdict
from auditor.model import Finding
from auditor.store.queue import ReviewItem
from auditor.studies.prex.cstar.notation import STANDARD, Notation
from auditor.studies.prex.cstar.rules import Formalism, Rule, rules_of


class Side(NamedTuple):
    """What one of the two says: the oracle, or the prediction."""

    verdict: str
    """In words: `error, Rule 19`, `success`, `no answer was found`."""
    rule: Rule | None
    """The rule of the task's semantics that it names."""
    absent: str
    """Where it names none, or one that there is not: that, as a sentence."""
    elsewhere: Rule | None = None
    """The rule of this number in the other semantics, where it may be meant."""


@dataclass(frozen=True)
class CitedRules:
    """Both sides of one item."""

    formalism: Formalism
    notation: Notation
    oracle: Side
    prediction: Side
    findings: tuple[Finding, ...]
    """How the prediction differs from the oracle; none where it does not."""

    @property
    def sentences(self) -> list[str]:
        """Say how the cited rule stands to the violated one, a sentence each."""
        if self.findings:
            details = (f" ({one.detail})" if one.detail else "" for one in self.findings)
            return [
                f"{one.mode.replace('_', ' ')}{detail}: {one.evidence}"
                for one, detail in zip(self.findings, details, strict=True)
            ]
        if self.oracle.rule is not None and self.prediction.rule is not None:
            return ["The rule that is cited is the one that is violated."]
        return ["Both say success: there is no rule to compare."] if self.prediction.verdict == "success" else []


def has_rules(item: ReviewItem) -> bool:
    """Say whether an item is about the rules of C*."""
    return is_cstar(item.task) and item.task.target == "verdict"


def cited_rules(item: ReviewItem) -> CitedRules:
    """Return both rules of an item; raises InputError that says why there are none to compare."""
    from auditor.audit.cstar_run import formalism_of_task, notation_of_task

    task = item.task
    if not has_rules(item):
        raise InputError("this task asks for no rule of C*.")
    if item.hidden:
        raise InputError("the semantics are hidden in this blind review.")
    formalism = formalism_of_task(task)
    if formalism is None:
        raise InputError("neither the facet semantics nor the arm says S or K.")
    expected = read_verdict(task.oracle)
    prediction = item.grade.prediction if item.grade else None
    given = read_verdict(prediction) if prediction is not None else None
    findings: tuple[Finding, ...] = ()
    if expected is not None and given is not None and expected != given:
        found = verdict_findings(expected, given, item.oracle_text or "", prediction or "", formalism.numbers)
        findings = tuple(found)
    notation = notation_of_task(task) or STANDARD
    nothing = "not graded yet" if item.grade is None else "no answer was found"
    return CitedRules(
        formalism,
        notation,
        _side(expected, formalism, "no oracle is known", is_oracle=True),
        _side(given, formalism, nothing, is_oracle=False),
        findings,
    )


def _side(verdict: RuleVerdict | None, formalism: Formalism, nothing: str, *, is_oracle: bool) -> Side:
    if verdict is None:
        return Side(nothing, None, "")
    if verdict.verdict == "success":
        return Side("success", None, "No rule is violated." if is_oracle else "No rule is cited.")
    if verdict.rule is None:
        return Side("error", None, "The oracle names no rule." if is_oracle else "No rule number can be read.")
    number, rules = verdict.rule, rules_of(formalism)
    words = f"error, Rule {number}"
    other = Formalism.K if formalism is Formalism.S else Formalism.S
    others = rules_of(other)
    elsewhere = others[number - 1] if 1 <= number <= len(others) else None
    if not 1 <= number <= len(rules):
        return Side(words, None, f"There is no such rule: {formalism.value} ends at Rule {len(rules)}.", elsewhere)
    rule = rules[number - 1]
    is_meant_there = elsewhere is not None and elsewhere.error is not None and rule.error is None
    return Side(words, rule, "", elsewhere if is_meant_there and not is_oracle else None)
