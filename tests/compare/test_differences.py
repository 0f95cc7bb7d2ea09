"""Differences by number: as many as the comparison on the screen has, and what stands at each."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.differences import Difference, list_differences
from auditor.tui.comparison import compare_texts

TEXTS = st.text("ab1 \n", max_size=30)


def test_fields_of_a_state_are_named() -> None:
    oracle, prediction = {"total": 63250, "i": 17, "gone": 1}, {"total": 63240, "i": 17, "more": 2}
    found = list_differences("state", json.dumps(oracle), json.dumps(prediction))
    assert found == [
        Difference("63250", "63240", "total"),
        Difference("1", "", "gone"),
        Difference("", "2", "more"),
    ]


def test_texts_differ_in_pieces() -> None:
    assert list_differences("output", "a 1 b\n", "a 2 b\n") == [Difference("1", "2")]
    assert list_differences("state", "no object 1", "no object 2") == [Difference("1", "2")]
    assert list_differences("output", "same", "same") == []


@given(TEXTS, TEXTS, st.integers(20, 60))
def test_a_screen_of_any_width_numbers_them_so(oracle: str, prediction: str, width: int) -> None:
    shown = compare_texts(oracle, prediction, width)
    assert len(shown.differences) == len(list_differences("output", oracle, prediction))
