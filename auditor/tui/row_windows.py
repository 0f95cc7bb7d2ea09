"""Rows of a long table, read a window at a time; only the windows that were looked at last are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

_WINDOW = 64
_KEPT = 8

Row = TypeVar("Row")


class RowWindows(Generic[Row]):
    """Reads rows where they are asked for."""

    def __init__(self, read: Callable[[int, int], Sequence[Row]], window: int = _WINDOW) -> None:
        """`read` takes a place and a count, and returns the rows that there are; `window` rows are read at a time."""
        self._read = read
        self._window = window
        self._windows: dict[int, Sequence[Row]] = {}

    def row(self, index: int) -> Row | None:
        """Return a row, read if it has to be; None when there is none at the place."""
        start = index - index % self._window
        if start not in self._windows:
            if len(self._windows) >= _KEPT:
                self._windows.pop(next(iter(self._windows)))
            self._windows[start] = self._read(start, self._window)
        rows = self._windows[start]
        return rows[index - start] if index - start < len(rows) else None

    def forget(self) -> None:
        """Read all rows again: they may have changed."""
        self._windows.clear()

    def forget_unfilled(self) -> None:
        """Read the windows again that were not full: the table has more rows now."""
        self._windows = {at: rows for at, rows in self._windows.items() if len(rows) == self._window}
