"""Wilson's interval for a rate of independent trials."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple


class Proportion(NamedTuple):
    """A rate with its interval; all None when there were no trials."""

    value: float | None
    low: float | None
    high: float | None


def wilson_interval(k: int, n: int, confidence: float = 0.95) -> Proportion:
    """Return k / n with Wilson's 1927 score interval, no continuity correction; undefined for n = 0.

    Only for independent trials: with several rows a cluster use `cluster_bootstrap_ratio`.
    Raises ValueError unless 0 <= k <= n and 0 < confidence < 1.
    """
    if not 0 <= k <= n:
        raise ValueError(f"k = {k} must lie between 0 and n = {n}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence} must lie between 0 and 1")
    if n == 0:
        return Proportion(None, None, None)
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    rate = k / n
    centre = (k + z2 / 2) / (n + z2)
    half = sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    # At the ends one limit is exactly the rate, which rounding would miss.
    low = 0.0 if k == 0 else centre - half
    high = 1.0 if k == n else centre + half
    return Proportion(rate, low, high)
