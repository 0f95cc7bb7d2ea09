"""Names in few cells: what tells them apart stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from auditor.text import visible_line
from auditor.tui.short_names import ShortNames, cut_for, end_cut, middle_cut


def test_what_all_names_begin_with_is_left_out_by_whole_words() -> None:
    short = ShortNames(["simulated/careful", "simulated/off-by-one"], 13)
    assert [short.of("simulated/careful"), short.of("simulated/off-by-one")] == ["careful", "off-by-one"]
    assert short.cells == 10
    assert ShortNames(["cot", "cotton"], 13).of("cotton") == "cotton"
    assert ShortNames(["a/b"], 13).of("a/b") == "a/b"
    assert ShortNames(["a/", "a/b"], 13).of("a/") == "a/"


def test_names_are_cut_at_the_end_where_their_beginnings_tell_them_apart() -> None:
    arms = ["output-of-all", "state-after-all"]
    assert [cut_for(arms, 8)(name, 8) for name in arms] == ["output-…", "state-a…"]
    numbered = ["sample-of-run 1", "sample-of-run 2"]
    assert [cut_for(numbered, 8)(name, 8) for name in numbered] == ["samp…n 1", "samp…n 2"]


def test_a_long_name_keeps_its_start_and_its_end() -> None:
    assert middle_cut("inside-loop-state", 11) == "insid…state"
    assert middle_cut("漢字漢字漢字", 7) == "漢字…字"


@given(st.text(max_size=30), st.integers(0, 20))
def test_a_cut_name_never_takes_more_cells(text: str, cells: int) -> None:
    assert cell_len(middle_cut(visible_line(text), cells)) <= cells
    assert cell_len(end_cut(visible_line(text), cells)) <= cells


@pytest.mark.parametrize("names", [[], [""], ["", "x"], ["same", "same"]])
def test_odd_lists_of_names_are_taken(names: list[str]) -> None:
    short = ShortNames(names, 8)
    assert [short.of(name) for name in names] == names
