"""Strict JSON with exact numbers: no duplicate keys, no NaN, `true` is not `1`, `1` equals `1.0`, 10**400 is exact.

Texts nested deeper than DEPTH_LIMIT are refused, so that a verdict never depends on how deep the caller's stack is.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn

DEPTH_LIMIT = 200
_SAFE_DIGITS = 600
"""Below the lowest limit that an interpreter may set on converting digits to int."""
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NOT_BRACKET = re.compile(r"[^\[\]{}]+")


class NotJsonError(ValueError):
    """The text is not JSON in the strict sense; the message says why."""


class TooHardError(ValueError):
    """The text may be JSON, but is nested too deep or holds an exponent too long to be compared structurally."""


class ExactNumber(NamedTuple):
    """A number that is no small integer: (-1)**negative * digits * 10**exponent, without outer zeros in `digits`."""

    negative: bool
    digits: str
    exponent: int


def exact_number(text: str) -> int | ExactNumber:
    """Read a decimal number so that equal values compare equal, however they are written.

    Raises TooHardError when the exponent has more than 18 digits.
    """
    mantissa, _, power = text.lower().partition("e")
    if len(power) > 19:
        raise TooHardError("a number has an exponent of more than 18 digits")
    negative = mantissa.startswith("-")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return 0
    stripped = digits.rstrip("0")
    exponent = int(power or 0) - len(fraction) + len(digits) - len(stripped)
    if 0 <= exponent <= _SAFE_DIGITS - len(stripped):
        return int(f"{'-' if negative else ''}{stripped}{'0' * exponent}")
    return ExactNumber(negative, stripped, exponent)


def _integer(text: str) -> int | ExactNumber:
    if len(text) <= _SAFE_DIGITS:
        return int(text)
    return exact_number(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotJsonError("an object has a key twice")
    return value


def _constant(name: str) -> NoReturn:
    raise NotJsonError(f"{name} is not JSON")


def json_decoder(*, strict: bool = True) -> json.JSONDecoder:
    """Return a decoder with the rules of this module; `strict=False` admits raw control characters in strings."""
    return json.JSONDecoder(
        strict=strict,
        object_pairs_hook=_object,
        parse_constant=_constant,
        parse_int=_integer,
        parse_float=exact_number,
    )


_DECODER = json_decoder()
_PLAIN_KINDS = frozenset({int, float, str, ExactNumber, type(None)})
"""Of these, equal means equal: no boolean can hide among them."""


def deeper_than(text: str, limit: int, strings: re.Pattern[str] = _STRING) -> bool:
    """Say whether brackets outside strings nest deeper than `limit`, in time linear in the text for few levels."""
    if text.count("[") + text.count("{") <= limit:
        return False
    brackets = _NOT_BRACKET.sub("", strings.sub("", text))
    for _ in range(limit):
        shorter = brackets.replace("[]", "").replace("{}", "")
        if shorter == brackets:
            break
        brackets = shorter
    return brackets.count("[") + brackets.count("{") > 0


def read_json(text: str) -> Any:
    """Parse text as one strict JSON value; integral numbers become int, other numbers and huge ones ExactNumber.

    Raises NotJsonError, or TooHardError when the text cannot be compared structurally within bounds.
    """
    if deeper_than(text, DEPTH_LIMIT):
        raise TooHardError(f"it nests deeper than {DEPTH_LIMIT} levels")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at character {error.pos}") from None
    except (RecursionError, MemoryError):
        raise TooHardError("it is too large to be read") from None


def same_json(left: Any, right: Any) -> bool:
    """Compare two values of `read_json`: key order is free, booleans are no numbers."""
    if left != right:
        return False
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, bool) or isinstance(b, bool):
            if a is not b:
                return False
        elif isinstance(a, list):
            if not _PLAIN_KINDS.issuperset(map(type, a)) or not _PLAIN_KINDS.issuperset(map(type, b)):
                stack.extend(zip(a, b, strict=True))
        elif isinstance(a, dict):
            stack.extend((item, b[key]) for key, item in a.items())
    return True
