"""Names cut to a few cells so that they can still be told apart."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from rich.cells import cell_len, set_cell_size

from auditor.text import visible_name

_SEPARATORS = "/-_.: +"
_SHOWN = 200
"""Characters of a name that are looked at: more never fit."""
_KEPT = 1_000
"""Names whose neighbours are remembered."""


class NameCuts:
    """Cuts names of a list so that each can be told from the others."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = sorted({visible_name(name, _SHOWN) for name in names})

    def cut(self, text: str, cells: int) -> str:
        """Cut a visible name to a number of cells."""
        if cell_len(text) <= cells:
            return text
        # In this order a name shares its longest beginning with the one before or the one behind.
        at = bisect_left(self._names, text)
        near = [one for one in self._names[max(0, at - 1) : at + 2] if one != text]
        return telling_cut(text, near, cells)


class NearCuts:
    """Cuts names of which there are too many to know them all."""

    def __init__(self, near: Callable[[str], Sequence[str]]) -> None:
        """`near` returns the names before and behind one, in the order of their characters."""
        self._read = near
        self._near: dict[str, list[str]] = {}

    def cut(self, name: str, cells: int) -> str:
        """Return a name, made visible and cut to a number of cells."""
        text = visible_name(name, _SHOWN)
        if cell_len(text) <= cells:
            return text
        if name not in self._near:
            if len(self._near) >= _KEPT:
                self._near.clear()
            self._near[name] = [visible_name(one, _SHOWN) for one in self._read(name)]
        return telling_cut(text, self._near[name], cells)


class ShortNames:
    """A column of names: what all of them begin with is left out, and the rest is cut so that it tells them apart."""

    def __init__(self, names: Sequence[str], most: int) -> None:
        shared = _shared_start(min(names), max(names)) if len(names) > 1 else ""
        # Only whole words are left out, and never a whole name.
        end = _end_of_words(shared)
        self._left_out = shared[: 0 if any(len(name) <= end for name in names) else end]
        self._most = most
        self._cuts = NameCuts([name.removeprefix(self._left_out) for name in names])
        self.cells = max((cell_len(self.of(name)) for name in names), default=0)
        """Cells of the widest."""

    def of(self, name: str) -> str:
        """Return the short form of a name."""
        return self._cuts.cut(visible_name(name.removeprefix(self._left_out), _SHOWN), self._most)


def telling_cut(text: str, near: Sequence[str], cells: int) -> str:
    """Cut visible text to a number of cells, and leave what tells it from other texts.

    That is the rest behind the words that it begins with as one of them does, with as much of these as there is room
    for; where it shares no word with any of them, its beginning.
    """
    if cell_len(text) <= cells:
        return text
    shared = max((_shared_start(text, other) for other in near), key=len, default="")
    word = _end_of_words(shared)
    rest = text[word:]
    if word and cell_len(rest) < cells - 1:
        return f"{set_cell_size(text, cells - 1 - cell_len(rest))}…{rest}"
    if not word and cell_len(text[: len(shared) + 1]) < cells:
        return end_cut(text, cells)
    if cell_len(text[word : len(shared) + 1]) > cells - 2:
        rest = text[max(0, len(shared) - max(0, cells - 2) // 2) :]
    return end_cut(f"…{rest}", cells)


def _shared_start(first: str, second: str) -> str:
    """Return what both begin with."""
    same = next((at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), None)
    return first[: min(len(first), len(second)) if same is None else same]


def _end_of_words(shared: str) -> int:
    """Return where the last whole word of a beginning that texts share ends; 0 when there is none."""
    return max((shared.rfind(mark) + 1 for mark in _SEPARATORS), default=0)


def end_cut(text: str, cells: int) -> str:
    """Cut visible text to a number of cells, and leave its start."""
    if cell_len(text) <= cells:
        return text
    return f"{set_cell_size(text, cells - 1)}…" if cells > 0 else ""


def end_fit(text: str, cells: int) -> str:
    """Return visible text in exactly so many cells: cut as `end_cut` does, or filled up with blanks."""
    return set_cell_size(end_cut(text, cells), cells)


def middle_cut(text: str, cells: int) -> str:
    """Cut visible text to a number of cells, and leave its start and its end."""
    if cell_len(text) <= cells:
        return text
    if cells < 3:
        return set_cell_size(text, max(0, cells))
    tail_cells = (cells - 1) // 2
    tail, start = "", len(text)
    while start and cell_len(text[start - 1 :]) <= tail_cells:
        start -= 1
        tail = text[start:]
    return f"{set_cell_size(text, cells - 1 - cell_len(tail))}…{tail}"
