"""Find answers that differ from the oracle only in their writing: white space, invisible characters, quotes …"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from auditor.grading.code_points import UNMARKED, code_point, common_prefix
from auditor.grading.exact_json import NotJsonError, TooHardError, exact_number, read_json, same_json
from auditor.model import Finding, Span

LENGTH_LIMIT = 2_000_000
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NORMAL_FORM_LIMIT = 200_000
_SEPARATORS = re.compile(r"[\s,;|]+")
_BRACKETED = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_QUOTED = re.compile(r"(`{3,}|[\"'`])(?:(?<=```)[A-Za-z]+(?=\s))?(.*)\1", re.DOTALL)
_CONSTANT = re.compile(r"\b(?:True|False|None)\b")
_JSON_NAMES = {"True": "true", "False": "false", "None": "null"}


def formatting_finding(oracle: str, prediction: str, *, types_count: bool) -> Finding | None:
    """Return what kind of writing alone sets a wrong prediction apart from its oracle; None when it is more.

    `types_count`: the policy compares typed values, so quotes, number formats and visible space are content.
    """
    if len(oracle) + len(prediction) > LENGTH_LIMIT or oracle == prediction:
        return None
    for detail, words, same in _INVISIBLE_TESTS if types_count else _TESTS:
        if same(oracle, prediction):
            return _finding(oracle, prediction, detail, words)
    return None


def _finding(oracle: str, prediction: str, detail: str, words: str) -> Finding:
    at = common_prefix(oracle, prediction)
    here = [f"{code_point(text[at])} at character {at}" if at < len(text) else "" for text in (prediction, oracle)]
    if here[0] and here[1]:
        where = f"the prediction has {here[0]}, the oracle {here[1]}"
    elif here[0]:
        where = f"the prediction goes on with {here[0]}, where the oracle ends"
    else:
        where = f"the prediction ends where the oracle has {here[1]}"
    spans = [Span(at, min(at + 1, len(text))) for text in (oracle, prediction)]
    evidence = f"Differs from the oracle only in {words}: {where}."
    return Finding("formatting_only", evidence, spans[0], spans[1], detail)


def _unmarked(left: str, right: str) -> bool:
    return UNMARKED.sub("", left) == UNMARKED.sub("", right)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", UNMARKED.sub("", text))


def _looks_alike(left: str, right: str) -> bool:
    if len(left) + len(right) > _NORMAL_FORM_LIMIT or (left.isascii() and right.isascii()):
        return False
    return _normal(left) == _normal(right)


def _normal_form(left: str, right: str) -> bool:
    if len(left) + len(right) > _NORMAL_FORM_LIMIT or (left.isascii() and right.isascii()):
        return False
    return _normal(left).split() == _normal(right).split()


def _white_space(left: str, right: str) -> bool:
    return left.split() == right.split() or UNMARKED.sub("", left).split() == UNMARKED.sub("", right).split()


def _same_json(left: str, right: str) -> bool:
    try:
        return same_json(read_json(left), read_json(right))
    except (NotJsonError, TooHardError, RecursionError):
        return False


def _unquoted(text: str) -> str:
    stripped = text.strip()
    match = _QUOTED.fullmatch(stripped)
    return match.group(2) if match else stripped


def _quotes(left: str, right: str) -> bool:
    return _unquoted(left).split() == _unquoted(right).split() and not (_is_json(left) and _is_json(right))


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except (NotJsonError, TooHardError):
        return False
    return True


def _notation(left: str, right: str) -> bool:
    """Python's way of writing against JSON's: single quotes, True, None."""

    def plain(text: str) -> list[str]:
        spelled = _CONSTANT.sub(lambda match: _JSON_NAMES[match.group()], text)
        return spelled.replace("'", '"').replace(",", ", ").replace(":", ": ").split()

    return plain(left) == plain(right)


def _separators(left: str, right: str) -> bool:
    """The same values in a row, apart from what stands between them and one pair of brackets around them all."""

    def row(text: str) -> list[str]:
        match = _BRACKETED.fullmatch(text.strip())
        return [token for token in _SEPARATORS.split(match.group(1) if match else text) if token]

    return row(left) == row(right) != []


def _numbers(left: str, right: str) -> bool:
    a, b = left.split(), right.split()
    return len(a) == len(b) and all(x == y or _same_number(x, y) for x, y in zip(a, b, strict=True))


def _same_number(left: str, right: str) -> bool:
    if not (_NUMBER.fullmatch(left) and _NUMBER.fullmatch(right)):
        return False
    try:
        return exact_number(left) == exact_number(right)
    except TooHardError:
        return False


_Test = tuple[str, str, Callable[[str, str], bool]]
_INVISIBLE_TESTS: tuple[_Test, ...] = (
    ("invisible characters", "characters that leave no mark", _unmarked),
    ("normal form", "the Unicode form of characters", _looks_alike),
)
_TESTS: tuple[_Test, ...] = (
    ("invisible characters", "characters that leave no mark", _unmarked),
    ("white space", "white space", _white_space),
    ("normal form", "the Unicode form of characters", _normal_form),
    ("same JSON value", "how the same JSON value is written", _same_json),
    ("quotes", "quotes around it", _quotes),
    ("notation", "its notation", _notation),
    ("number format", "how the same numbers are written", _numbers),
    ("separators", "what separates the values", _separators),
)
