"""Quantiles of Student's t for whole degrees of freedom, without a statistics package."""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt


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


def two_sided_quantile(confidence: float, df: int) -> float:
    """Return t with P(-t < T < t) = confidence; raises ValueError for impossible arguments."""
    if df < 1 or not 0 < confidence < 1:
        raise ValueError(f"no quantile for confidence {confidence} and {df} degrees of freedom")
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
