"""The grading policies: what makes a prediction right. Each compares one oracle with one prediction, nothing else."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from auditor.grading.exact_json import NotJsonError, TooHardError, read_json, same_json
from auditor.grading.literals import LiteralTooLongError, NotLiteralError, read_literal, same_literal
from auditor.grading.probe_types import answer_kind, same_answer
from auditor.grading.question import NeedsExecutionError, Verdict
from auditor.grading.verdicts import read_verdict
from auditor.model import JsonValue
from auditor.text import to_bytes

INT_OR_ALPHA = re.compile(r"[+-]?[0-9]+|[A-Za-z]+")


def oracle_text(oracle: JsonValue) -> str:
    """Return an oracle as text: itself, or the compact JSON of a value."""
    return oracle if isinstance(oracle, str) else json.dumps(oracle, ensure_ascii=False, separators=(",", ":"))


def _verdict(correct: bool, right: str, wrong: str) -> Verdict:
    return Verdict(correct, False, right if correct else wrong)


def _same_tokens(oracle: str, prediction: str) -> Verdict:
    return _verdict(
        oracle.split() == prediction.split(),
        "the same tokens between white space",
        "other tokens between white space",
    )


class JsonOrTokens(NamedTuple):
    """Equal as JSON values where the oracle is JSON, else equal lists of tokens between white space."""

    name: str = "json-or-tokens"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare; an oracle too large or too deep for a structural comparison is compared by its tokens."""
        expected = oracle_text(oracle)
        try:
            value = read_json(expected)
        except NotJsonError:
            return _same_tokens(expected, prediction)
        except TooHardError as error:
            verdict = _same_tokens(expected, prediction)
            return verdict._replace(why=f"{verdict.why}; the oracle is not comparable structurally: {error}")
        try:
            same = same_json(value, read_json(prediction))
        except NotJsonError as error:
            return Verdict(False, False, f"the oracle is JSON, the prediction is not: {error}")
        except TooHardError as error:
            return Verdict(False, False, f"the prediction is not comparable structurally: {error}")
        return _verdict(same, "equal as JSON values", "other JSON values")


def canonical(token: str) -> str:
    """Return an integer without its plus and leading zeros; a word as it is."""
    if token[0].isalpha():
        return token
    digits = token.lstrip("+-").lstrip("0") or "0"
    return f"-{digits}" if token[0] == "-" and digits != "0" else digits


class IntAlphaTokens(NamedTuple):
    """Equal sequences of integers, by value, and of runs of ASCII letters; what stands between is ignored."""

    name: str = "int-alpha-tokens"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare as text without signs of plus and leading zeros, so that any number of digits is exact."""
        expected, given = INT_OR_ALPHA.findall(oracle_text(oracle)), INT_OR_ALPHA.findall(prediction)
        same = len(expected) == len(given) and all(
            a == b or canonical(a) == canonical(b) for a, b in zip(expected, given, strict=True)
        )
        return _verdict(same, "the same integers and words", "other integers or words")


class Bytes(NamedTuple):
    """Equal byte for byte."""

    name: str = "bytes"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare the bytes that the texts stand for."""
        same = to_bytes(oracle_text(oracle)) == to_bytes(prediction)
        return _verdict(same, "the same bytes", "other bytes")


class PythonLiteral(NamedTuple):
    """Equal Python literals of the same types throughout."""

    name: str = "python-literal"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare; a prediction that is no literal is wrong and marked `non_literal`."""
        expected = oracle_text(oracle)
        try:
            given = read_literal(prediction)
        except LiteralTooLongError as error:
            if prediction == expected:
                return Verdict(True, False, "the same text, too long to be read as a literal")
            return Verdict(False, True, f"the prediction is not comparable as a Python literal: {error}")
        except NotLiteralError as error:
            return Verdict(False, True, f"the prediction is no Python literal: {error}")
        try:
            value = read_literal(expected)
        except NotLiteralError as error:
            return Verdict(False, False, f"the oracle is no Python literal: {error}")
        try:
            same, equal_only = same_literal(value, given), value == given
        except RecursionError:
            return Verdict(False, False, "the values nest too deep to be compared")
        return _verdict(same, "equal literals", "equal values of other types" if equal_only else "other values")


class RuleVerdictPolicy(NamedTuple):
    """The verdict is equal and, on error, the rule is."""

    name: str = "verdict"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare; an error without a readable rule number is wrong."""
        expected, given = read_verdict(oracle), read_verdict(prediction)
        if expected is None:
            return Verdict(False, False, "the oracle states no verdict")
        if given is None:
            return Verdict(False, False, "the prediction states no verdict")
        if expected.verdict != given.verdict:
            return Verdict(False, False, f"{given.verdict} predicted, {expected.verdict} is right")
        if expected.verdict == "success":
            return Verdict(True, False, "the program runs without an error, as predicted")
        same = expected.rule is not None and expected.rule == given.rule
        return _verdict(same, "the same verdict and rule", "the same verdict, another rule")


class VerdictOnly(NamedTuple):
    """The verdict is equal, whichever rule is cited."""

    name: str = "verdict-only"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare the verdicts alone."""
        expected, given = read_verdict(oracle), read_verdict(prediction)
        if expected is None:
            return Verdict(False, False, "the oracle states no verdict")
        if given is None:
            return Verdict(False, False, "the prediction states no verdict")
        wrong = f"{given.verdict} predicted, {expected.verdict} is right"
        return _verdict(expected.verdict == given.verdict, "the same verdict; rules are not compared", wrong)


class Probe(NamedTuple):
    """Equal under the probe's declared answer type."""

    name: str = "probe"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare under `answer_type`, or under the oracle's own type when none is declared."""
        kind = answer_kind(answer_type, oracle)
        return _verdict(same_answer(kind, oracle, prediction), f"equal as {kind}", f"not equal as {kind}")


class CallEquals(NamedTuple):
    """Input prediction: right when running the predicted call gives the oracle."""

    name: str = "call-equals"

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Raise NeedsExecutionError: many calls give the same output, so only running one can tell."""
        raise NeedsExecutionError(
            "the policy call-equals runs the predicted call, which grading by texts cannot do.",
            "Ask for execution with --execute.",
        )


JSON_OR_TOKENS = JsonOrTokens()
INT_ALPHA_TOKENS = IntAlphaTokens()
BYTES = Bytes()
PYTHON_LITERAL = PythonLiteral()
VERDICT = RuleVerdictPolicy()
VERDICT_ONLY = VerdictOnly()
PROBE = Probe()
CALL_EQUALS = CallEquals()
