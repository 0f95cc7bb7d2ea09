"""Several sessions of one task: pass@k without bias."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def pass_at_k(n: int, correct: int, k: int) -> Fraction | None:
    """Return the chance that at least one of k of these n sessions is right: 1 - C(n - c, k) / C(n, k).

    The unbiased estimator of Chen et al. 2021, exactly; None where there are fewer than k sessions.
    Raises ValueError unless 0 <= correct <= n and k >= 1.
    """
    if not 0 <= correct <= n or k < 1:
        raise ValueError(f"pass@{k} of {correct} right sessions out of {n} makes no sense")
    if n < k:
        return None
    return 1 - Fraction(comb(n - correct, k), comb(n, k))
