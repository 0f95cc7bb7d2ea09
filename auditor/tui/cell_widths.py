"""How many cells of the terminal each character of a text takes: the whole text in one call, not one by one."""

from __future__ import annotations

from rich.cells import get_character_cell_size

from auditor.text import visible

_PIECE = 50_000
"""Characters measured in one call, which no other thread can interrupt."""


class _Widths(dict[int, int]):
    """The cells of each code point, looked up once."""

    def __missing__(self, code: int) -> int:
        cells = self[code] = sum(get_character_cell_size(char) for char in visible(chr(code)))
        return cells


_WIDTHS = _Widths()
"""Of a control the cells of its mark; of a newline or tab none."""


def cell_widths(text: str) -> bytes:
    """Return the cells of each character: 0 for one that joins the character before, else 1 or more.

    A character that is shown as a mark counts as the mark.
    """
    if len(text) <= _PIECE:
        return text.translate(_WIDTHS).encode("latin-1")
    pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    return b"".join(piece.translate(_WIDTHS).encode("latin-1") for piece in pieces)
