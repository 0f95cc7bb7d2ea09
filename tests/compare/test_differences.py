"""Differences by number: as many as the comparison on the screen has, and what stands at each."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.differences import Difference, list_differences
from auditor.compare.text_diff import readable_diff
from auditor.tui.comparison import compare_texts

TEXTS = st.text("ab1 \n", max_size=30)


def listed(target: str, oracle: str, prediction: str) -> list[Difference]:
    return list_differences(target, oracle, prediction, readable_diff(oracle, prediction))


def test_fields_of_a_state_are_named() -> None:
    oracle, prediction = {"total": 63250, "i": 17, "gone": 1}, {"total": 63240, "i": 17, "more": 2}
    found = listed("state", json.dumps(oracle), json.dumps(prediction))
    assert found == [
        Difference("63250", "63240", "total", "63250", "63240"),
        Difference("1", "", "gone", "1", ""),
        Difference("", "2", "more", "", "2"),
    ]


def test_texts_differ_in_pieces() -> None:
    assert listed("output", "a 1 b\nc", "a 2 b\nc") == [Difference("1", "2", "", "a 1 b", "a 2 b")]
    assert [one[:2] for one in listed("state", "no object 1", "no object 2")] == [("1", "2")]
    (far,) = listed("output", "x" * 50 + " 1 " + "y" * 50, "x" * 50 + " 2 " + "y" * 50)
    assert far.oracle_around == "x" * 19 + " 1 " + "y" * 19
    assert listed("output", "same", "same") == []


@given(TEXTS, TEXTS, st.integers(20, 60))
def test_a_screen_of_any_width_numbers_them_so(oracle: str, prediction: str, width: int) -> None:
    shown = compare_texts(oracle, prediction, width)
    assert len(shown.differences) == len(listed("output", oracle, prediction))
