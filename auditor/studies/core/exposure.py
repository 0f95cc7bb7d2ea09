"""How many tests it takes until a setting that fails on an implementation is seen to fail. Values in, values out.

Figure 6 of the paper shows an "exposure ratio" that it does not define; this definition is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

ORDERS = 1_000
"""How many random orders of the tests the band is made of."""


class FailingPair(NamedTuple):
    """A setting in one repetition and an implementation of which it got at least one output wrong."""

    problem: str
    tests: tuple[str, ...]
    """All tests of the implementation, each once, in the same order for all of them."""
    failed: frozenset[str]
    """Those without a right reply; not empty."""


class Exposed(NamedTuple):
    """The share of failing pairs that are seen to fail on the first k tests."""

    tests: int
    """k, from 1."""
    mean: float
    """Over all orders of the tests, exactly."""
    low: float
    """The 10th percentile over random orders."""
    high: float
    """The 90th percentile."""


def exposure(pairs: Sequence[FailingPair], seed: int = 0, orders: int = ORDERS) -> list[Exposed]:
    """Return for each k the share of failing pairs that already fail on the first k tests of an order.

    An order is drawn of the tests of each problem, the same for all of its pairs; of an implementation with fewer tests
    those that it has are taken in that order. A pair of n tests and f failures is exposed by k of them with the
    probability 1 - C(n - f, k) / C(n, k), whose mean over pairs is the mean over all orders. The band is the 10th and
    90th percentile (linear) over `orders` orders. No pairs give an empty list.
    """
    if not pairs:
        return []
    most = max(len(pair.tests) for pair in pairs)
    sizes = Counter((len(pair.tests), len(pair.failed)) for pair in pairs)
    shares = _drawn(pairs, most, seed, orders)
    low, high = np.quantile(shares, [0.1, 0.9], axis=0)
    found = []
    for k in range(1, most + 1):
        hidden = sum(count * comb(n - f, k) / comb(n, min(k, n)) for (n, f), count in sizes.items())
        found.append(Exposed(k, 1 - hidden / len(pairs), float(low[k - 1]), float(high[k - 1])))
    return found


def _drawn(pairs: Sequence[FailingPair], most: int, seed: int, orders: int) -> npt.NDArray[np.float64]:
    """Return the shares of random orders: a row an order, a column a k."""
    rng = np.random.default_rng(seed)
    first = np.zeros((orders, most), dtype=np.int64)
    rows = np.arange(orders)
    for alike in _by_problem(pairs).values():
        tests = sorted({test for pair in alike for test in pair.tests})
        place = rng.random((orders, len(tests)))
        for (own, failed), count in _alike(alike, tests).items():
            ranks = place[:, own].argsort(axis=1).argsort(axis=1)
            np.add.at(first, (rows, ranks[:, failed].min(axis=1)), count)
    return first.cumsum(axis=1) / len(pairs)


def _by_problem(pairs: Sequence[FailingPair]) -> Mapping[str, list[FailingPair]]:
    found: dict[str, list[FailingPair]] = {}
    for pair in sorted(pairs, key=lambda one: one.problem):
        found.setdefault(pair.problem, []).append(pair)
    return found


def _alike(pairs: Sequence[FailingPair], tests: Sequence[str]) -> Counter[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Count pairs that have and fail the same tests: places of those they have, and which of these they fail."""
    at = {test: number for number, test in enumerate(tests)}
    counts: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    for pair in pairs:
        failed = tuple(number for number, test in enumerate(pair.tests) if test in pair.failed)
        counts[tuple(at[test] for test in pair.tests), failed] += 1
    return counts
