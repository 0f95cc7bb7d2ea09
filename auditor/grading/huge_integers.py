"""Integers of more digits than an interpreter may agree to convert: exact, in bounded time, everywhere the same."""

from __future__ import annotations

import re

_SAFE_DIGITS = 600
"""Below the lowest limit that an interpreter may set on converting digits to int."""
DIGITS_LIMIT = 400_000
"""Digits of one text that are converted; so many take about a fifth of a second."""
HUGE = re.compile(rf"[0-9_]{{{_SAFE_DIGITS + 1},}}")
_TOKEN = re.compile(
    r"(?P<other>#[^\n]*|\"\"\".*?\"\"\"|'''.*?'''|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    rf"|(?<![\w.])(?P<huge>[1-9](?:_?[0-9]){{{_SAFE_DIGITS},}}|0(?:_?0){{{_SAFE_DIGITS},}})(?![\w.])",
    re.DOTALL,
)
"""A huge decimal integer, or what may hold digits that are none: a comment, a string."""


class TooManyDigitsError(ValueError):
    """The integers of the text have more than DIGITS_LIMIT digits."""


class IntegerReader:
    """Reads the integers of one text, until their digits are more than DIGITS_LIMIT: then TooManyDigitsError."""

    def __init__(self) -> None:
        self._left = DIGITS_LIMIT

    def __call__(self, digits: str) -> int:
        """Return the integer that decimal digits stand for, a sign before them included."""
        if len(digits) <= _SAFE_DIGITS:
            return int(digits)
        self._left -= len(digits)
        if self._left < 0:
            raise TooManyDigitsError(f"the huge integers have more than {DIGITS_LIMIT:,} digits")
        return _exact(digits)


def _exact(digits: str) -> int:
    sign = -1 if digits.startswith("-") else 1
    return sign * _converted(digits.lstrip("+-"), {})


def _converted(digits: str, powers: dict[int, int]) -> int:
    if len(digits) <= _SAFE_DIGITS:
        return int(digits)
    low = len(digits) // 2
    if low not in powers:
        powers[low] = 10**low
    return _converted(digits[:-low], powers) * powers[low] + _converted(digits[-low:], powers)


def as_hexadecimal(text: str) -> str:
    """Write the huge decimal integers of a Python literal as hexadecimal ones, which no interpreter limits.

    Callers bound the length of the text, by DIGITS_LIMIT at most.
    """
    if HUGE.search(text) is None:
        return text
    return _TOKEN.sub(lambda match: match.group("other") or hex(_exact(match["huge"].replace("_", ""))), text)


def as_names(text: str) -> str:
    """Write the huge decimal integers of a Python expression as names of the same length, one for each integer."""
    if HUGE.search(text) is None:
        return text
    return _TOKEN.sub(
        lambda match: match.group("other") or "abcdefghij"[int(match["huge"][0])] + match["huge"][1:], text
    )
