"""Quantiles of Student's t for whole degrees of freedom, without a statistics package."""

from __future__ import annotations

from functools import lru_cache
from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist

_LARGE = 300
"""From this many degrees of freedom on, the expansion below errs by less than 1e-10."""


def central_probability(t: float, df: int) -> float:
    """Return P(-t < T < t) by the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    angle = atan(t / sqrt(df))
    term = 1.0 if df % 2 == 0 else cos(angle)
    total = term if df > 1 else 0.0
    for step in range(df % 2 + 2, df - 1, 2):
        term *= (step - 1) / step * cos(angle) ** 2
        total += term
    if df % 2 == 0:
        return sin(angle) * total
    return 2 / pi * (angle + sin(angle) * total)


@lru_cache(maxsize=256)
def two_sided_quantile(confidence: float, df: int) -> float:
    """Return t with P(-t < T < t) = confidence; raises ValueError for impossible arguments."""
    if df < 1 or not 0 < confidence < 1:
        raise ValueError(f"no quantile for confidence {confidence} and {df} degrees of freedom")
    if df >= _LARGE:
        return _expansion(NormalDist().inv_cdf((1 + confidence) / 2), df)
    low, high = 0.0, 1.0
    while central_probability(high, df) < confidence:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if central_probability(middle, df) < confidence:
            low = middle
        else:
            high = middle
    return high


def _expansion(z: float, df: int) -> float:
    """Return the quantile from that of the normal distribution, Abramowitz and Stegun 26.7.5."""
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / df + second / df**2 + third / df**3 + fourth / df**4
