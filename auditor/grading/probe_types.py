"""A probe's declared answer type, whose spelling varies, and equality under it."""

from __future__ import annotations

import json
import re
from typing import Any

from auditor.grading.exact_json import NotJsonError, TooHardError, exact_number, read_json, same_json
from auditor.grading.literals import NotLiteralError, read_literal
from auditor.model import JsonValue

_KINDS = (
    ("list", re.compile(r"list|array|tuple|sequence|vector|\bset\b|\[")),
    ("object", re.compile(r"dict|map|object|json|state|record")),
    ("boolean", re.compile(r"bool|yes.?/?.?no|true.?/?.?false")),
    ("number", re.compile(r"float|number|numeric|decimal|double|real")),
    ("integer", re.compile(r"int|long|count|index|\bline\b")),
    ("string", re.compile(r"str|text|char|word")),
    ("null", re.compile(r"none|null")),
)
_TRUE, _FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_UNREADABLE = (NotJsonError, TooHardError, NotLiteralError)


def answer_kind(declared: str | None, oracle: JsonValue) -> str:
    """Return `integer`, `number`, `boolean`, `string`, `list`, `object` or `null`.

    A type that is absent or not understood is read off the oracle.
    """
    wanted = (declared or "").strip().lower()
    for kind, pattern in _KINDS:
        if wanted and pattern.search(wanted):
            return kind
    if isinstance(oracle, bool):
        return "boolean"
    if isinstance(oracle, int):
        return "integer"
    if isinstance(oracle, float):
        return "number"
    if oracle is None:
        return "null"
    if isinstance(oracle, str):
        return "string"
    return "object" if hasattr(oracle, "items") else "list"


def _unquoted(text: str) -> str:
    """Remove one layer of quotes when the whole text is one string literal."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        try:
            value = read_literal(text)
        except NotLiteralError:
            return text
        if isinstance(value, str):
            return value
    return text


def _plain(value: Any) -> Any:
    """Turn a Python literal into the value that the same text would have in JSON."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float):
        return exact_number(repr(value)) if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 1900:
        return exact_number(str(value))
    return value


def _structured(text: str, kind: str) -> Any:
    """Read a list or object written as JSON or as a Python literal; raises one of _UNREADABLE."""
    try:
        value = read_json(text)
    except (NotJsonError, TooHardError):
        literal = read_literal(text)
        if isinstance(literal, set | frozenset):
            raise NotLiteralError("a set has no order to compare") from None
        value = _plain(literal)
    if not isinstance(value, list if kind == "list" else dict):
        raise NotLiteralError(f"it is no {kind}")
    return value


def _same_text(oracle: str, given: str) -> bool:
    """Compare texts of which either may be quoted: spaces at the ends count inside of quotes, and not without them."""
    bare = oracle.strip()
    wanted = {oracle, _unquoted(bare)} if _unquoted(bare) != bare else {oracle}
    said = _unquoted(given)
    return said in (wanted if said != given else {text.strip() for text in wanted})


def same_answer(kind: str, oracle: JsonValue, prediction: str) -> bool:
    """Compare a probe's answer with its oracle under one kind of `answer_kind`; never raises for any prediction."""
    expected = oracle if isinstance(oracle, str) else json.dumps(oracle, ensure_ascii=False)
    expected, given = expected.strip(), prediction.strip()
    if kind == "boolean":
        a, b = expected.lower(), given.lower()
        return (a in _TRUE and b in _TRUE) or (a in _FALSE and b in _FALSE)
    if kind == "null":
        return expected in {"null", "None"} and given in {"null", "None"}
    if kind in {"integer", "number"}:
        pattern = _INTEGER if kind == "integer" else _NUMBER
        if pattern.fullmatch(expected):
            try:
                return bool(pattern.fullmatch(given)) and exact_number(expected) == exact_number(given)
            except TooHardError:
                return expected == given
        return expected == given
    if kind in {"list", "object"}:
        try:
            return same_json(_structured(expected, kind), _structured(given, kind))
        except (*_UNREADABLE, RecursionError, ValueError):
            return expected == given
    return given == expected or _same_text(oracle if isinstance(oracle, str) else expected, given)
