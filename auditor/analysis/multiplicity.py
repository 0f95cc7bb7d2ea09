"""Benjamini and Hochberg's correction over a declared family of tests."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

_ROUNDING = 1e-12
"""A share and its floating-point number differ by less than this, relatively."""


class Adjusted(NamedTuple):
    """P values of a family, adjusted; parallel to the given ones."""

    p: list[float | None]
    """Adjusted; None where the test is undefined."""
    rejected: list[bool]
    """Whether it is at most alpha; never where the test is undefined."""
    defined: int
    """Tests that the family has: undefined ones do not count."""


def benjamini_hochberg(p: Sequence[float | None], alpha: float = 0.05) -> Adjusted:
    """Adjust p values by Benjamini & Hochberg 1995 over those that are defined (not None), which controls the FDR.

    The adjusted value of the i-th smallest of m is the least of m p(j) / j over j >= i, at most 1.
    Products are rounded once, and a p that rounding alone put above alpha is at most alpha: 0.05 as the largest of
    three is rejected at 0.05, though in floating point 0.05 x 3 / 3 is more.
    Raises ValueError for a p or alpha outside [0, 1].
    """
    if not 0 <= alpha <= 1 or any(one is not None and not 0 <= one <= 1 for one in p):
        raise ValueError("p values and alpha must lie between 0 and 1")
    order = sorted((value, at) for at, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    least = 1.0
    for rank, (value, at) in reversed(list(enumerate(order, 1))):
        least = min(least, float(Fraction(value) * len(order) / rank))
        adjusted[at] = least
    most = alpha * (1 + _ROUNDING)
    return Adjusted(adjusted, [one is not None and one <= most for one in adjusted], len(order))
