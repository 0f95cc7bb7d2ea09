"""The numbers below a bound in a random order that a seed decides; drawing the first costs next to nothing."""

from __future__ import annotations

import random
from array import array


class Shuffle:
    """A shuffle from the front (Fisher and Yates): what has been drawn does not depend on how much is drawn later."""

    def __init__(self, count: int, seed: int) -> None:
        """Shuffle 0 … count - 1."""
        self._numbers = array("q", range(count))
        # Of Python's generators only this one gives the same numbers for the same seed in every version.
        self._random = random.Random(seed).random
        self._drawn = 0

    def __len__(self) -> int:
        """Return how many are left to draw."""
        return len(self._numbers) - self._drawn

    def draw(self, count: int) -> array[int]:
        """Return the next numbers, fewer at the end."""
        numbers, draw, total, start = self._numbers, self._random, len(self._numbers), self._drawn
        end = min(start + count, total)
        for at in range(start, end):
            other = at + int(draw() * (total - at))
            numbers[at], numbers[other] = numbers[other], numbers[at]
        self._drawn = end
        return numbers[start:end]
