"""How long a person is at each item: the time goes on while keys come, and stands still when none has for a while."""

from __future__ import annotations

import time
from collections.abc import Callable

IDLE_SECONDS = 60.0
"""So long after the last key the person is taken to be still there."""


class ItemClock:
    """Adds up seconds by item. `at` returns the time in seconds, from any start."""

    def __init__(self, at: Callable[[], float] = time.monotonic) -> None:
        self._at = at
        self._item: int | None = None
        self._since: float | None = None
        """The last sign of life; None = the clock stands."""
        self._spent: dict[int, float] = {}
        self._kept: dict[int, float] = {}
        """Of the time spent, what was handed out."""

    def touch(self) -> None:
        """Note a sign of life: a key, or something that was typed."""
        self._add()
        self._since = self._at()

    def go_to(self, item: int) -> None:
        """Be at an item from now on."""
        if item != self._item:
            self.touch()
            self._item = item

    def pause(self) -> None:
        """Let the clock stand until the next sign of life."""
        self._add()
        self._since = None

    @property
    def seconds(self) -> float:
        """Return how long the person has been at the item in all."""
        spent = self._spent.get(self._item, 0.0) if self._item is not None else 0.0
        return spent + self._running

    def take(self) -> float:
        """Return the seconds at the item that were not handed out before."""
        self.touch()
        if self._item is None:
            return 0.0
        new = self._spent.get(self._item, 0.0) - self._kept.get(self._item, 0.0)
        self._kept[self._item] = self._spent.get(self._item, 0.0)
        return new

    def give_back(self, item: int, seconds: float) -> None:
        """Hand out seconds again the next time: they were not kept."""
        self._kept[item] = self._kept.get(item, 0.0) - seconds

    @property
    def _running(self) -> float:
        return 0.0 if self._since is None else min(self._at() - self._since, IDLE_SECONDS)

    def _add(self) -> None:
        if self._item is not None:
            self._spent[self._item] = self._spent.get(self._item, 0.0) + self._running
