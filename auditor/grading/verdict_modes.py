"""Computed modes of a wrong verdict: false success, false error, wrong rule, unparsed rule."""

from __future__ import annotations

import re

from auditor.grading.cstar_rules import K_FRAMEWORK, SMALL_STEP, Formalism, formalisms_of
from auditor.grading.verdicts import RuleVerdict
from auditor.model import Finding, Span

_VERDICT = re.compile(r'"verdict"\s*:\s*("[^"]*")')
_RULE = re.compile(r'"rule"\s*:\s*("[^"]*"|[0-9]+)')


def _span(pattern: re.Pattern[str], text: str) -> Span | None:
    match = pattern.search(text)
    return Span(*match.span(1)) if match else None


def verdict_findings(
    expected: RuleVerdict, given: RuleVerdict, oracle: str, prediction: str, formalism: Formalism | None = None
) -> list[Finding]:
    """Explain a wrong verdict, the most telling finding first; spans count in the texts `oracle` and `prediction`.

    `formalism` is that of the rules; where it is not known, it is taken from the rule that is right.
    """
    spans = _span(_VERDICT, oracle), _span(_VERDICT, prediction)
    if expected.verdict != given.verdict:
        if given.verdict == "success":
            rule = f" by Rule {expected.rule}" if expected.rule is not None else ""
            return [Finding("false_success", f"Success is predicted, but the program ends in an error{rule}.", *spans)]
        return [Finding("false_error", "An error is predicted, but the program runs without one.", *spans)]
    if given.rule is None:
        return [Finding("unparsed_rule", "An error is predicted rightly, but no rule number can be read.", *spans)]
    rules = _span(_RULE, oracle), _span(_RULE, prediction)
    if expected.rule is None:
        return [Finding("wrong_rule", f"Rule {given.rule} is cited, but the oracle names no rule.", *rules)]
    reasons = _reasons(expected.rule, given.rule, formalism)
    if not reasons:
        return [Finding("wrong_rule", f"Rule {given.rule} is cited instead of Rule {expected.rule}.", *rules)]
    return [Finding("wrong_rule", why, *rules, detail=detail) for detail, why in reasons]


def _reasons(expected: int, given: int, formalism: Formalism | None) -> list[tuple[str, str]]:
    """Return (detail, sentence) of every way in which a wrong rule is near: most specific first."""
    homes = (formalism,) if formalism else formalisms_of(expected)
    cited = f"Rule {given} is cited instead of Rule {expected}"
    if given < 1 or given > max(home.rules for home in homes):
        top = " or ".join(f"{home.name} ends at Rule {home.rules}" for home in homes)
        return [
            ("no such rule", f"{cited}: there is no such rule, {top}."),
            *_other_formalism(expected, given, homes, cited),
        ]
    reasons = _other_formalism(expected, given, homes, cited)
    if abs(given - expected) == 1:
        reasons.append(("adjacent number", f"{cited}: the numbers are adjacent."))
    families = {home.family(expected) for home in homes if home.family(expected) == home.family(given)}
    if len(families) == 1 and len(homes) == sum(home.family(expected) == home.family(given) for home in homes):
        reasons.append(("same family", f"{cited}: both belong to the family {families.pop()}."))
    elif len(homes) == 1 and homes[0].error(expected) and homes[0].error(expected) == homes[0].error(given):
        reasons.append(("same family", f"{cited}: both state {homes[0].error(expected)}."))
    return reasons


def _other_formalism(expected: int, given: int, homes: tuple[Formalism, ...], cited: str) -> list[tuple[str, str]]:
    """The cited rule states the same error in the other semantics."""
    for home, other in ((SMALL_STEP, K_FRAMEWORK), (K_FRAMEWORK, SMALL_STEP)):
        error = home.error(expected) if home in homes else None
        if error and other.error(given) == error and home.error(given) != error:
            return [("other formalism", f"{cited}: Rule {given} states {error} in {other.name}, not in {home.name}.")]
    return []
