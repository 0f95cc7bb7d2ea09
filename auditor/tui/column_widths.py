"""How the columns of a table share a width: each has what its contents need, as far as there is room for that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple


class ColumnNeed(NamedTuple):
    """What a column needs, in cells."""

    wanted: int
    """In these all of it can be seen; it is never given more."""
    least: int
    """In less it says nothing: it is left out."""
    weight: int = 1
    """How many times as wide as one of weight 1 it becomes where neither has what it wants."""
    rank: int = 0
    """Columns of the highest rank are left out first, and of these the one on the right."""


def share_width(needs: Sequence[ColumnNeed], room: int, gap: int = 2) -> tuple[int | None, ...]:
    """Return the cells of each column, None = left out; `gap` cells stand between two that are shown.

    Whoever is the narrowest for its weight gets the next cell, until all have what they want or nothing is left, so
    that more room makes no column narrower, but where it brings back one that was left out.
    """
    return _share_width(tuple(needs), room, gap)


@lru_cache(maxsize=128)
def _share_width(needs: tuple[ColumnNeed, ...], room: int, gap: int) -> tuple[int | None, ...]:
    shown = list(range(len(needs)))

    def free() -> int:
        return room - sum(min(needs[at].least, needs[at].wanted) for at in shown) - gap * (len(shown) - 1)

    while shown and free() < 0:
        shown.remove(max(shown, key=lambda at: (needs[at].rank, at)))
    cells: list[int | None] = [None] * len(needs)
    widths = {at: min(needs[at].least, needs[at].wanted) for at in shown}
    for _ in range(min(max(0, free()), sum(needs[at].wanted - widths[at] for at in shown))):
        growing = (at for at in shown if widths[at] < needs[at].wanted)
        widths[min(growing, key=lambda at: widths[at] / max(1, needs[at].weight))] += 1
    for at, width in widths.items():
        cells[at] = width
    return tuple(cells)


class WidestSeen:
    """The widest contents of each column on the pages that were looked at: paging makes a column wider, never narrower.

    So the columns stand still where pages are alike, and never jump back and forth where they are not.
    """

    def __init__(self) -> None:
        self._widest: dict[str, int] = {}

    def forget(self) -> None:
        """Begin anew: another table is shown."""
        self._widest.clear()

    def see(self, cells: Iterable[tuple[str, int]]) -> bool:
        """Take the cells of contents, each with its column's name; return whether any column's widest changed."""
        changed = False
        for name, width in cells:
            if width > self._widest.get(name, 0):
                self._widest[name] = width
                changed = True
        return changed

    def of(self, name: str) -> int:
        """Return the cells of the widest contents of a column; 0 = nothing was seen in it."""
        return self._widest.get(name, 0)
