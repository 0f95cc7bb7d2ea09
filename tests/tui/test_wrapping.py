"""Long text in rows: nothing is lost, nothing is too wide, whatever the text and the width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from auditor.text import has_invisible, visible
from auditor.tui.wrapping import TAB_MARK, WrappedText, expand_tabs, shown_lines
from tests.hostile import HOSTILE

TEXTS = st.lists(
    st.sampled_from(["a", " ", "word", "漢", "é", "e\u0301", "😀", "🇩🇪", "\u0301", "\t", "\n", "\x1b", "0" * 9])
).map("".join)


@given(TEXTS, st.integers(2, 30))
def test_the_rows_of_a_line_join_to_it_and_fit(text: str, width: int) -> None:
    lines = shown_lines(text)
    wrapped = WrappedText(lines, width)
    rows = [wrapped.row(y) for y in range(wrapped.rows)]
    for number, line in enumerate(lines):
        assert "".join(line[row.start : row.end] for row in rows if row.line == number) == line
    assert all(cell_len(lines[row.line][row.start : row.end]) <= width for row in rows)


@given(TEXTS, st.integers(2, 30))
def test_every_character_is_found_on_the_row_that_shows_it(text: str, width: int) -> None:
    wrapped = WrappedText(shown_lines(text), width)
    for y in range(wrapped.rows):
        row = wrapped.row(y)
        assert all(wrapped.row_at(row.line, offset) == y for offset in range(row.start, row.end))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_lines_are_those_of_newlines_and_hold_nothing_invisible(text: str) -> None:
    lines = shown_lines(text)
    assert len(lines) == text.count("\n") + 1
    assert not any(has_invisible(line) for line in lines)
    if "\t" not in text:
        assert "\n".join(lines) == visible(text)


def test_a_tab_is_a_mark_up_to_the_next_stop() -> None:
    assert expand_tabs("\ta") == f"{TAB_MARK}   a"
    assert expand_tabs("ab\tc\t") == f"ab{TAB_MARK} c{TAB_MARK}  "
    assert expand_tabs("漢\tc") == f"漢{TAB_MARK} c"


def test_words_stay_whole_where_they_fit() -> None:
    wrapped = WrappedText(["the quick brown fox"], 11)
    assert [wrapped.row(y)[1:] for y in range(wrapped.rows)] == [(0, 10), (10, 19)]


def test_no_lines_have_no_rows() -> None:
    assert WrappedText((), 10).rows == 0


@pytest.mark.parametrize("text", ["0123456789, " * 87_000, "abc def\n" * 50_000], ids=["1 MB line", "50,000 lines"])
@pytest.mark.timeout(60)
def test_plain_text_of_a_megabyte_is_laid_out_to_its_end(text: str) -> None:
    wrapped = WrappedText(shown_lines(text), 57)
    assert wrapped.row(wrapped.rows - 1).end == len(wrapped.lines[-1])


def test_a_number_and_its_percent_sign_stay_together() -> None:
    line = "they agree on 65.5 % of the items"
    wrapped = WrappedText([line], 18)
    assert [line[row.start : row.end] for row in map(wrapped.row, range(wrapped.rows))] == [
        "they agree on ",
        "65.5 % of the ",
        "items",
    ]
