"""How two widgets above each other share their rows: by what they hold, and moved only where more of it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textual.widget import Widget

_WORTH_MOVING = 3
"""Rows more on the screen for which the border between two widgets is moved."""


class Share(NamedTuple):
    """Parts of the rows: of the upper widget, and of the lower one."""

    above: int
    below: int


SHARES = tuple(Share(*parts) for parts in ((7, 1), (3, 1), (2, 1), (3, 2), (1, 1), (2, 3), (1, 2), (1, 3)))
"""Few, so that the border of most items stands where that of others does."""


class Need(NamedTuple):
    """What a widget needs of the rows."""

    rows: int
    """To show all."""
    least: int
    """Below which it is not made smaller."""


class RowSharing:
    """The border between two widgets. It stands where it stood, unless an item shows more with it elsewhere."""

    def __init__(self, above: Widget, below: Widget, usual: Share, needs: Callable[[], tuple[Need, Need]]) -> None:
        """`usual` is how the border stands at first; `needs` gives what the upper and the lower widget need now."""
        self._above, self._below = above, below
        self._needs = needs
        self._usual = self._now = usual

    def follow(self) -> bool:
        """Move the border where that shows more of what there is now; say whether it was moved."""
        rows = self._above.outer_size.height + self._below.outer_size.height
        best = choose_share(self._now, self._usual, rows, *self._needs())
        if best == self._now:
            return False
        self._now = best
        self.apply()
        return True

    def apply(self) -> None:
        """Put the border where it stood last."""
        self._above.styles.height, self._below.styles.height = f"{self._now.above}fr", f"{self._now.below}fr"

    def give_up(self) -> None:
        """Leave the heights to the style sheet, which lays the widgets out otherwise now."""
        self._above.styles.height = self._below.styles.height = None


def choose_share(now: Share, usual: Share, rows: int, above: Need, below: Need) -> Share:
    """Return the share of `rows` that shows most without cutting what is whole now.

    It is the one that is there where no other shows clearly more.
    """

    def split(share: Share) -> tuple[int, int]:
        upper = rows * share.above // (share.above + share.below)
        return upper, rows - upper

    def hidden(share: Share) -> tuple[int, int]:
        upper, lower = split(share)
        return max(0, above.rows - upper), max(0, below.rows - lower)

    cut = hidden(now)
    best, fewest = now, sum(cut) - _WORTH_MOVING + 1
    for share in (usual, *SHARES):
        upper, lower = split(share)
        is_possible = share == usual or (upper >= above.least and lower >= below.least)
        then = hidden(share)
        cuts_anew = any(later and not before for later, before in zip(then, cut, strict=True))
        if is_possible and not cuts_anew and sum(then) < fewest:
            best, fewest = share, sum(then)
    return best
