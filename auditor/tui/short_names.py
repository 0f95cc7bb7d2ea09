"""Names cut to a few cells so that they can still be told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len, set_cell_size

from auditor.text import visible_line

_SEPARATORS = "/-_.: "


class ShortNames:
    """A column of names: what all of them begin with is left out, and the rest is cut in the middle."""

    def __init__(self, names: Sequence[str], most: int) -> None:
        shared = _shared_start(names) if len(names) > 1 else ""
        # Only whole words are left out, and never a whole name.
        end = max((shared.rfind(mark) + 1 for mark in _SEPARATORS), default=0)
        self._left_out = shared[: 0 if any(len(name) <= end for name in names) else end]
        self._most = most
        self.cells = max((cell_len(self.of(name)) for name in names), default=0)
        """Cells of the widest."""

    def of(self, name: str) -> str:
        """Return the short form of a name."""
        return middle_cut(visible_line(name.removeprefix(self._left_out), 200), self._most)


def _shared_start(names: Sequence[str]) -> str:
    """Return what all names begin with; the first and the last in order decide for all."""
    first, last = min(names), max(names)
    same = next((at for at, char in enumerate(first) if last[at] != char), len(first))
    return first[:same]


def cut_for(names: Sequence[str], cells: int) -> Callable[[str, int], str]:
    """Return how to cut visible names: at the end where their beginnings tell them apart, else in the middle."""
    return end_cut if len({end_cut(name, cells) for name in names}) == len(set(names)) else middle_cut


def end_cut(text: str, cells: int) -> str:
    """Cut visible text to a number of cells, and leave its start."""
    if cell_len(text) <= cells:
        return text
    return f"{set_cell_size(text, cells - 1)}…" if cells > 0 else ""


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
