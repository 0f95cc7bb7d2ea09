"""Which tags two annotators put instead of each other: counts of items, tag by tag.

On an item, the tags that only one of the two put are held against those that only the other put: the item counts in the
cell of every such pair, and where the other put nothing instead, in the cell of nothing. A tag that both put counts on
the diagonal. Of single labels this is the usual table of two annotators.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from auditor.agreement.plan import annotator_codes
from auditor.agreement.ratings import Label, Ratings

Cell = tuple["str | None", "str | None"]
"""What the first and what the second put; None = nothing instead. Both None: neither put any tag."""


class Confusion(NamedTuple):
    """What two annotators put on the items that both rated."""

    first: str
    second: str
    tags: tuple[str, ...]
    """The declared tags, in their order."""
    items: dict[Cell, int]
    """Items by cell; cells without any are left out."""
    n_items: int

    def at(self, first: str | None, second: str | None) -> int:
        """Return the items of a cell."""
        return self.items.get((first, second), 0)

    @property
    def used(self) -> tuple[str, ...]:
        """Return the tags that stand in any cell, in their order."""
        there = {tag for cell in self.items for tag in cell}
        return tuple(tag for tag in self.tags if tag in there)

    @property
    def swaps(self) -> list[tuple[Cell, int]]:
        """Return the cells of disagreement, the most frequent first, then in the order of the tags."""
        place = {tag: at for at, tag in enumerate((*self.tags, None))}
        cells = [(cell, count) for cell, count in self.items.items() if cell[0] != cell[1]]
        return sorted(cells, key=lambda one: (-one[1], place[one[0][0]], place[one[0][1]]))


def confusion(ratings: Ratings, first: str, second: str) -> Confusion:
    """Count what two annotators put on the items that both rated; raises InputError for an unknown name."""
    codes = annotator_codes(ratings, (first, second))
    one, other = (ratings.of_annotator(code) for code in codes)
    both = np.flatnonzero((one >= 0) & (other >= 0))
    weight = np.ones(len(both), dtype=np.int64) if ratings.count is None else ratings.count[both]
    size = len(ratings.values)
    kinds, kind = np.unique(one[both] * size + other[both], return_inverse=True)
    counts = np.zeros(len(kinds), dtype=np.int64)
    np.add.at(counts, kind, weight)
    items: dict[Cell, int] = {}
    for key, count in zip(kinds.tolist(), counts.tolist(), strict=True):
        for cell in cells_of(ratings.values[key // size], ratings.values[key % size]):
            items[cell] = items.get(cell, 0) + count
    return Confusion(first, second, ratings.categories, items, int(weight.sum()))


def cells_of(first: Label, second: Label) -> list[Cell]:
    """Return the cells in which an item with these labels is counted."""
    one, other = (frozenset((label,)) if isinstance(label, str) else label for label in (first, second))
    shared: list[Cell] = [(tag, tag) for tag in sorted(one & other)]
    if one == other:
        return shared or [(None, None)]
    only_one: list[str | None] = [*sorted(one - other)] or [None]
    only_other: list[str | None] = [*sorted(other - one)] or [None]
    return shared + [(tag, instead) for tag in only_one for instead in only_other]
