"""Tables as lines: alignment, folding to the width of a terminal, and text that would do something to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from auditor.cli.table import Number, table_lines, wrapped
from auditor.text import has_invisible
from tests.hostile import HOSTILE


def test_numbers_stand_to_the_right_and_text_to_the_left() -> None:
    assert table_lines(["name", "n"], [["a", 1], ["long name", 12345], ["none", None]], None) == [
        "name            n",
        "─────────  ──────",
        "a               1",
        "long name  12,345",
        "none            -",
    ]


def test_values_are_shown_as_people_write_them() -> None:
    (*_, line) = table_lines(["a", "b", "c", "d"], [[True, 0.5, Number("12.0 %"), None]], None)
    assert line == "yes  0.500  12.0 %  -"


def test_a_table_without_rows_is_its_head() -> None:
    assert table_lines(["a", "bc"], [], 80) == ["a  bc", "─  ──"]


def test_cells_fold_between_words_when_the_terminal_is_narrow() -> None:
    row = ["gpt-5.6-sol", Number("93.0/93.0 [82.1] n=400")]
    assert table_lines(["setting", "short-trace-final"], [row], 24) == [
        "setting           short-",
        "             trace-final",
        "───────────  ───────────",
        "gpt-5.6-sol    93.0/93.0",
        "                  [82.1]",
        "                   n=400",
    ]


def test_a_column_folds_only_where_it_says() -> None:
    row = ["demo/long-case-name/short-trace-final/model-a/0", "2026-03-02 10:14", "a few words"]
    assert table_lines(["item", "at", "note"], [row], 44, {"item": "/", "at": ""}) == [
        "item                at                note",
        "──────────────────  ────────────────  ──────",
        "demo/               2026-03-02 10:14  a few",
        "long-case-name/                       words",
        "short-trace-final/",
        "model-a/0",
    ]


def test_wide_characters_take_two_cells() -> None:
    lines = table_lines(["a", "b"], [["漢字", 1], ["ab", 2]], None)
    assert {cell_len(line) for line in lines} == {7}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_reaches_the_terminal_raw(name: str) -> None:
    text = HOSTILE[name]
    lines = table_lines([text], [[text]], 40)
    assert not any(has_invisible(line) or "\n" in line or "\t" in line for line in lines)
    assert all(line.count(" ") == len(line.split(" ")) - 1 for line in lines)


@given(
    st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=60), min_size=1, max_size=4),
    st.integers(20, 60),
)
def test_folding_loses_no_character_and_keeps_the_width(cells: list[str], width: int) -> None:
    wide = table_lines(["h"] * len(cells), [cells], None)
    narrow = table_lines(["h"] * len(cells), [cells], width)
    assert sorted("".join(wide[2:]).replace(" ", "")) == sorted("".join(narrow[2:]).replace(" ", ""))
    assert max(map(cell_len, narrow)) <= max(width, 18 * len(cells))


@pytest.mark.parametrize("width", [20, 40, 80])
def test_sentences_break_between_words_only(width: int) -> None:
    text = "  Intervals of whole clusters; a path such as /some/where/that/is/long stays in one piece whatever comes."
    lines = wrapped(text, width)
    assert " ".join(line.strip() for line in lines) == text.strip()
    assert all(line.startswith("  ") for line in lines)
    assert all(cell_len(line) <= width or " " not in line.strip() for line in lines)
    assert wrapped("short", width) == ["short"] and wrapped("", width) == [""]


def test_one_huge_cell_is_whole_and_pads_no_other_row() -> None:
    lines = table_lines(["note", "n"], [["x" * 100_000, 1], *[["short", 2]] * 50], None)
    assert lines[2].startswith("x" * 100_000) and lines[2].endswith("1")
    assert max(map(len, [*lines[:2], *lines[3:]])) < 300


def test_one_huge_cell_is_folded_whole_in_a_terminal() -> None:
    lines = table_lines(["note", "n"], [["漢" * 20_000, 1], ["short", 2]], 80)
    assert max(map(cell_len, lines)) <= 80
    assert "".join(lines).count("漢") == 20_000
