"""How one number differs from another: sign, by one, digits swapped, one digit."""

from __future__ import annotations

import re
from typing import NamedTuple

from auditor.grading.code_points import common_prefix, common_suffix

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_DIGITS_CONVERTED = 600


class NumberMode(NamedTuple):
    """A mode of section 6 with what to say of it."""

    mode: str
    words: str
    detail: str | None = None


def number_modes(oracle: str, prediction: str) -> list[NumberMode]:
    """Return every mode that holds between two different numbers in decimal, most specific first."""
    if not (_NUMBER.fullmatch(oracle) and _NUMBER.fullmatch(prediction)):
        return []
    a, b = oracle.lstrip("+-"), prediction.lstrip("+-")
    negative = oracle.startswith("-"), prediction.startswith("-")
    found = []
    if a == b and negative[0] != negative[1]:
        found.append(NumberMode("sign", "the sign is turned round"))
    step = _step(oracle, prediction)
    if step in (1, -1):
        found.append(NumberMode("off_by_one", "one too many" if step > 0 else "one too few", f"{step:+d}"))
    if negative[0] == negative[1] and a != b:
        found += _digit_modes(a, b)
    return found


def _step(oracle: str, prediction: str) -> int | None:
    if len(oracle) > _DIGITS_CONVERTED or len(prediction) > _DIGITS_CONVERTED:
        return None
    if not (_INTEGER.fullmatch(oracle) and _INTEGER.fullmatch(prediction)):
        return None
    return int(prediction) - int(oracle)


def _digit_modes(a: str, b: str) -> list[NumberMode]:
    if max(len(a), len(b)) < 2:
        return []  # of a single digit nothing is kept, so it is simply another number
    start = common_prefix(a, b)
    tail = common_suffix(a, b, min(len(a), len(b)) - start)
    left, right = a[start : len(a) - tail], b[start : len(b) - tail]
    if len(left) == len(right) == 2 and left == right[::-1]:
        return [NumberMode("transposed_digits", f"the digits {left[0]} and {left[1]} are swapped")]
    if len(left) == len(right) == 1:
        return [NumberMode("one_digit", f"the digit {left} became {right}", "replaced")]
    if not right and len(left) == 1:
        return [NumberMode("one_digit", f"the digit {left} is dropped", "dropped")]
    if not left and len(right) == 1:
        return [NumberMode("one_digit", f"a digit {right} is added", "added")]
    return []
