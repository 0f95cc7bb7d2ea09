"""How much a prediction tells: whether a fault that gives it may do so by chance.

An answer like 0, or one that is off by one from the right answer, comes out of many mistakes. Two lengths in bits are
estimated, that of the prediction by itself and that of how it differs from the oracle, and the smaller one counts. A
whole number n takes 1 + log2(1 + |n|) bits, a letter 5, a constant's name 1, a sign or bracket 1/4; a difference takes
the choice of its place among those of the oracle, and what stands there then (for a number: its distance). A search
that met D different wrong answers may meet a prediction of b bits by chance about D / 2^b times: above
EXPECTED_BY_CHANCE the evidence is weak.
"""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher

EXPECTED_BY_CHANCE = 0.25
_NAMES = ("True", "False", "None", "true", "false", "null")
_TOKEN = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b|[0-9]+|[A-Za-z_]|[^\w\s]|\s+|.", re.DOTALL)
_COMPARED = 4_000
"""Tokens of an answer that are compared; longer ones are never weak by their difference."""


def bits_of(prediction: str, oracle: str) -> float:
    """Return the smaller of the two lengths of a prediction, in bits."""
    given, right = _tokens(prediction), _tokens(oracle)
    alone = sum(map(_bits, given))
    if len(given) + len(right) > _COMPARED:
        return alone
    return min(alone, _difference(given, right))


def expected_by_chance(bits: float, different: int) -> float:
    """Return how often a prediction of this length comes out of so many different wrong answers by chance."""
    return different / 2 ** min(bits, 1_000.0)


def _tokens(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(text) if not token.isspace()]


def _bits(token: str) -> float:
    if token.isdigit() and token.isascii():
        return 1 + math.log2(1 + int(token)) if len(token) < 300 else 3.33 * len(token)
    if token in _NAMES:
        return 1.0
    return 5.0 if token.isalnum() or token == "_" else 0.25


def _difference(given: list[str], right: list[str]) -> float:
    total = 0.0
    place = math.log2(1 + len(right))
    for kind, a, b, c, d in SequenceMatcher(None, right, given, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        total += place
        old, new = right[a:b], given[c:d]
        if len(old) == len(new):
            total += sum(_distance(x, y) for x, y in zip(old, new, strict=True))
        else:
            total += 1 + math.log2(1 + abs(len(old) - len(new))) + sum(map(_bits, new))
    return total


def _distance(old: str, new: str) -> float:
    if old == new:
        return 0.0
    if old.isdigit() and new.isdigit() and old.isascii() and new.isascii() and max(len(old), len(new)) < 300:
        return 1 + math.log2(1 + abs(int(old) - int(new)))
    return _bits(new)
