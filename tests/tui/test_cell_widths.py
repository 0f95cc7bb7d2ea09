"""The cells of a text, all at once: what one character after the other would give."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from auditor.text import visible
from auditor.tui.cell_widths import cell_widths
from tests.hostile import HOSTILE

STARTS = (0, 0x300, 0x1100, 0x2000, 0x3000, 0xD800, 0xFE00, 0x1F300, 0xE0000)


@pytest.mark.parametrize("start", STARTS, ids=hex)
def test_every_character_takes_the_cells_of_what_is_shown_of_it(start: int) -> None:
    text = "".join(chr(code) for code in range(start, start + 0x1000) if chr(code) not in "\n\t")
    assert list(cell_widths(text)) == [cell_len(visible(char)) for char in text]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_text_of_several_pieces_is_measured_as_one(text: str) -> None:
    several = f"{text}漢" * (120_000 // (len(text) + 1))
    assert cell_widths(several) == cell_widths(f"{text}漢") * (120_000 // (len(text) + 1))
