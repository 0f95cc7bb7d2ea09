"""The answer to "does this program violate a rule, and which": reading it from JSON or from the benchmark's words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from auditor.grading.exact_json import NotJsonError, TooHardError, read_json
from auditor.model import JsonValue

_WORD = re.compile(r"[#\s]*(success|error)[#\s]*", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^\]]+)\]")
_RULE_NUMBER = re.compile(r"[0-9]+")
_MOST_DIGITS = 100
"""Digits of a rule number; no sentence about it has room for more."""


class RuleVerdict(NamedTuple):
    """`success`, or `error` with the violated rule's number where one could be read."""

    verdict: str
    rule: int | None = None

    def text(self) -> str:
        """Return the compact JSON text that stands for a verdict prediction."""
        fields: dict[str, str] = {"verdict": self.verdict}
        if self.rule is not None:
            fields["rule"] = f"Rule {self.rule}"
        return json.dumps(fields, separators=(",", ":"))


def read_word(text: str) -> str | None:
    """Return `success` or `error` for `##success##`, `Error` …; None for anything else."""
    match = _WORD.fullmatch(text)
    return match.group(1).lower() if match else None


def in_brackets(text: str) -> str:
    """Return what stands in the first brackets that hold something; the whole text where there are none."""
    # Behind the last one that closes nothing can be found, and many that open would each be looked at to the end.
    found = _BRACKETED.search(text, 0, text.rfind("]") + 1)
    return found[1] if found else text


def read_rule(text: str) -> int | None:
    """Return the first rule number of a rule text, of its bracketed part if there is one."""
    match = _RULE_NUMBER.search(in_brackets(text))
    return int(match.group()) if match and len(match.group()) <= _MOST_DIGITS else None


def read_verdict(value: JsonValue) -> RuleVerdict | None:
    """Read a verdict from an oracle value, from its JSON text or from a bare word; None when it is neither."""
    if isinstance(value, str):
        word = read_word(value)
        if word:
            return RuleVerdict(word)
        try:
            value = read_json(value)
        except (NotJsonError, TooHardError):
            return None
    if not isinstance(value, Mapping):
        return None
    word = read_word(str(value.get("verdict", "")))
    if word is None:
        return None
    rule = value.get("rule")
    if word == "success" or rule is None or isinstance(rule, bool):
        return RuleVerdict(word)
    return RuleVerdict(word, read_rule(str(rule)))
