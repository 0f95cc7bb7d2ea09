"""Lines that are not wrapped: every window shows the characters of its columns, however wide these are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes

from auditor.tui.unwrapped import UnwrappedText, Window
from auditor.tui.wrapping import shown_lines
from tests.hostile import HOSTILE

TEXTS = st.lists(
    st.sampled_from(
        ["a", " ", "word", "漢", "é", "e\u0301", "😀", "🇩🇪", "\u0301", "\t", "\n", "\x1b", "0" * 90, "漢" * 70]
    )
).map("".join)


@given(TEXTS, st.integers(0, 200), st.integers(1, 90))
def test_a_window_holds_what_stands_wholly_in_its_columns(text: str, left: int, cells: int) -> None:
    lines = shown_lines(text)
    unwrapped = UnwrappedText(lines, 80)
    assert unwrapped.rows == len(lines)
    for number, line in enumerate(lines):
        start, end, pad = unwrapped.window(number, left, cells)
        column, expected = 0, ""
        for first, last, width in split_graphemes(line)[0]:
            if left <= column and column + width <= left + cells:
                expected += line[first:last]
            column += width
        assert line[start:end].rstrip("\u0301") == expected.rstrip("\u0301")
        if start < end:
            assert unwrapped.column_of(number, start) == left + pad
            assert pad + cell_len(line[start:end]) <= cells
        assert unwrapped.cells_of(number) == cell_len(line)
    assert unwrapped.widest == max(map(cell_len, lines))


def test_a_wide_character_at_the_edge_leaves_its_cells_empty() -> None:
    unwrapped = UnwrappedText(["漢字かな"], 80)
    assert unwrapped.window(0, 1, 5) == Window(1, 3, 1)
    assert unwrapped.window(0, 0, 3) == Window(0, 1, 0)
    assert unwrapped.window(0, 8, 5) == Window(4, 4, 0)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_windows_side_by_side_hold_all_of_a_line(text: str) -> None:
    lines = shown_lines(text)
    unwrapped = UnwrappedText(lines, 80)
    for number, line in enumerate(lines):
        if cell_len(line) == len(line):
            windows = [unwrapped.window(number, left, 7) for left in range(0, len(line) + 7, 7)]
            assert "".join(line[start:end] for start, end, _ in windows) == line
