"""Names in few cells: what tells them apart stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from auditor.text import visible_line
from auditor.tui.short_names import NameCuts, NearCuts, ShortNames, end_cut, middle_cut, telling_cut


def test_what_all_names_begin_with_is_left_out_by_whole_words() -> None:
    short = ShortNames(["simulated/careful", "simulated/off-by-one"], 13)
    assert [short.of("simulated/careful"), short.of("simulated/off-by-one")] == ["careful", "off-by-one"]
    assert short.cells == 10
    assert ShortNames(["cot", "cotton"], 13).of("cotton") == "cotton"
    assert ShortNames(["a/b"], 13).of("a/b") == "a/b"
    assert ShortNames(["a/", "a/b"], 13).of("a/") == "a/"


@pytest.mark.parametrize(
    ("names", "cells", "shown"),
    [
        (["output-of-all", "state-after-all"], 8, ["output-…", "state-a…"]),
        (["sample-of-run 1", "sample-of-run 2"], 8, ["sample…1", "sample…2"]),
        (["sim/careful", "sim/by-operator", "gemma-three"], 10, ["si…careful", "…by-opera…", "gemma-thr…"]),
        (["two-sum/naive/3", "two-sum/naive/14"], 10, ["two-sum/…3", "two-sum…14"]),
        (["aaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaac"], 8, ["…aaab", "…aaac"]),
        (["word/aaaaaaaaaaaab", "word/aaaaaaaaaaaac"], 8, ["…aaab", "…aaac"]),
    ],
)
def test_what_tells_names_apart_stays(names: list[str], cells: int, shown: list[str]) -> None:
    assert [NameCuts(names).cut(name, cells) for name in names] == shown


def test_a_long_name_keeps_its_start_and_its_end() -> None:
    assert middle_cut("inside-loop-state", 11) == "insid…state"
    assert middle_cut("漢字漢字漢字", 7) == "漢字…字"


def test_a_name_among_too_many_to_know_is_told_from_those_beside_it() -> None:
    asked: list[str] = []

    def near(name: str) -> list[str]:
        asked.append(name)
        return ["problem/1", "problem/30"]

    cuts = NearCuts(near)
    assert [cuts.cut("problem/3", cells) for cells in (9, 8, 6, 6)] == ["problem/3", "proble…3", "prob…3", "prob…3"]
    assert asked == ["problem/3"]


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=3), st.integers(0, 20))
def test_a_telling_cut_never_takes_more_cells(text: str, near: list[str], cells: int) -> None:
    assert cell_len(telling_cut(visible_line(text), [visible_line(one) for one in near], cells)) <= cells


@given(st.text(max_size=30), st.integers(0, 20))
def test_a_cut_name_never_takes_more_cells(text: str, cells: int) -> None:
    assert cell_len(middle_cut(visible_line(text), cells)) <= cells
    assert cell_len(end_cut(visible_line(text), cells)) <= cells


@pytest.mark.parametrize("names", [[], [""], ["", "x"], ["same", "same"]])
def test_odd_lists_of_names_are_taken(names: list[str]) -> None:
    short = ShortNames(names, 8)
    assert [short.of(name) for name in names] == names


def test_names_of_which_only_the_unicode_form_differs_are_told_apart() -> None:
    names = ["caf\u00e9", "cafe\u0301", "caff"]
    near = NearCuts(lambda name: names)
    assert [near.cut(name, 20) for name in names] == ["caf\u00e9", "cafe<U+0301>", "caff"]
    assert [ShortNames(names, 20).of(name) for name in names] == ["caf\u00e9", "cafe<U+0301>", "caff"]
