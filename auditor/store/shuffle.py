"""The numbers below a bound in a random order that a seed decides; drawing the first costs next to nothing."""

from __future__ import annotations

import random
from array import array

_FEW = 4096
"""Numbers that are drawn before all that are left are put into one array."""
_AT_ONCE = 65_536


class _Unmoved(dict[int, int]):
    """The numbers by place, of which those are kept that are not where they were at first."""

    def __missing__(self, place: int) -> int:
        return place


class Shuffle:
    """A shuffle from the front (Fisher and Yates): what has been drawn does not depend on how much is drawn later."""

    def __init__(self, count: int, seed: int) -> None:
        """Shuffle 0 … count - 1."""
        self._count = count
        self._numbers: array[int] | _Unmoved = _Unmoved()
        # Of Python's generators only this one gives the same numbers for the same seed in every version.
        self._random = random.Random(seed).random
        self._drawn = 0

    def __len__(self) -> int:
        """Return how many are left to draw."""
        return self._count - self._drawn

    def draw(self, count: int) -> array[int]:
        """Return the next numbers, fewer at the end."""
        draw, total, start = self._random, self._count, self._drawn
        end = min(start + count, total)
        numbers = self._numbers = self._numbers if end <= _FEW else self._all()
        for at in range(start, end):
            other = at + int(draw() * (total - at))
            numbers[at], numbers[other] = numbers[other], numbers[at]
        self._drawn = end
        return array("q", [numbers[at] for at in range(start, end)])

    def _all(self) -> array[int]:
        """Return all numbers by place."""
        if isinstance(self._numbers, array):
            return self._numbers
        numbers = array("q")
        # A piece at a time, since no other thread runs meanwhile.
        for start in range(0, self._count, _AT_ONCE):
            numbers.extend(array("q", range(start, min(start + _AT_ONCE, self._count))))
        for place, number in self._numbers.items():
            numbers[place] = number
        return numbers
