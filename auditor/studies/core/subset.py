"""The smallest set of tests that covers what all of them cover: exact for few tests, else greedy."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple, TypeVar

Item = TypeVar("Item", bound=Hashable)
EXACT_UP_TO = 25
"""Tests; of more the greedy algorithm's set is taken, which may be larger than needed."""
_NODES = 200_000
"""Branches of the exact search, after which what was found so far is taken, and named greedy."""


class Subset(NamedTuple):
    """A choice of tests, by their places."""

    chosen: tuple[int, ...]
    exact: bool
    """Whether no smaller set covers as much."""


def minimal_subset(covered: Sequence[Collection[Item]]) -> Subset:
    """Return the places of as few sets as cover together what all cover (CoRE, section 3.1).

    Up to 25 sets the answer is exact: branch and bound on the least covered item (minimum set cover). Beyond, it is
    that of the greedy algorithm (Chvatal 1979). The same sets give the same answer.
    """
    masks = _masks(covered)
    greedy = _greedy(masks)
    if len(masks) > EXACT_UP_TO:
        return Subset(tuple(sorted(greedy)), len(greedy) <= 1)
    search = _Search(masks, greedy)
    search.run((), _union(masks))
    return Subset(tuple(sorted(search.best)), search.nodes <= _NODES)


def _masks(covered: Sequence[Collection[Item]]) -> list[int]:
    """Return each set as bits, with one bit for all items that the same sets cover."""
    places: dict[Item, int] = {}
    for place, items in enumerate(covered):
        for item in items:
            places[item] = places.get(item, 0) | 1 << place
    masks = [0] * len(covered)
    for bit, by in enumerate(sorted(set(places.values()))):
        for place in range(len(covered)):
            if by >> place & 1:
                masks[place] |= 1 << bit
    return masks


def _union(masks: Sequence[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _greedy(masks: Sequence[int]) -> list[int]:
    """Take the set that adds most, the first of several, until nothing is left; then drop what is not needed."""
    left, chosen = _union(masks), []
    while left:
        best = max(range(len(masks)), key=lambda place: ((masks[place] & left).bit_count(), -place))
        chosen.append(best)
        left &= ~masks[best]
    for place in sorted(chosen, reverse=True):
        others = [other for other in chosen if other != place]
        if _union([masks[other] for other in others]) == _union(masks):
            chosen = others
    return chosen


class _Search:
    """Branch and bound: some set that covers the least covered item must be among the chosen."""

    def __init__(self, masks: Sequence[int], best: list[int]) -> None:
        self.masks = masks
        self.best = best
        self.nodes = 0

    def run(self, chosen: tuple[int, ...], left: int) -> None:
        self.nodes += 1
        if not left:
            if len(chosen) < len(self.best):
                self.best = list(chosen)
            return
        gains = [(mask & left).bit_count() for mask in self.masks]
        least = -(-left.bit_count() // max(gains))
        if len(chosen) + least >= len(self.best) or self.nodes > _NODES:
            return
        for place in self._by_gain(left, gains):
            self.run((*chosen, place), left & ~self.masks[place])

    def _by_gain(self, left: int, gains: list[int]) -> list[int]:
        """Return the sets that cover the item which the fewest cover, those that add most first."""
        fewest: list[int] = []
        bits = left
        while bits:
            bit = bits & -bits
            bits ^= bit
            by = [place for place, mask in enumerate(self.masks) if mask & bit]
            if not fewest or len(by) < len(fewest):
                fewest = by
        return sorted(fewest, key=lambda place: (-gains[place], place))
