"""What auditor.compare.glance promises: the place of the first difference, short enough for a row."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.glance import Glance, glance


@pytest.mark.parametrize(
    ("oracle", "prediction", "expected"),
    [
        ("1 2 3", "1 2 3", Glance("equal")),
        ("1 2 3", "1 5 3", Glance("changed", None, "1 2 3", "1 5 3", 2)),
        ("abc", "ab", Glance("changed", None, "abc", "ab", 2)),
        ("", "x", Glance("changed", None, "", "x", 0)),
        ("0123456789abcdef", "0123456789abcdeX", Glance("changed", None, "3456789abcdef", "3456789abcdeX", 12, True)),
    ],
)
def test_texts(oracle: str, prediction: str, expected: Glance) -> None:
    assert glance(oracle, prediction, fields=False) == expected


@pytest.mark.parametrize(
    ("oracle", "prediction", "state", "field", "value"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "equal", None, ""),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, "changed", "b", "3"),
        ({"a": 1, "b": 2}, {"a": True, "b": 2}, "changed", "a", "true"),
        ({"a": 1, "b": 2}, {"b": 2}, "missing", "a", ""),
        ({"a": 1}, {"a": 1, "c": [5]}, "extra", "c", "[5]"),
    ],
)
def test_states(oracle: dict[str, int], prediction: dict[str, int], state: str, field: str | None, value: str) -> None:
    found = glance(json.dumps(oracle), json.dumps(prediction), fields=True)
    assert (found.state, found.field, found.prediction) == (state, field, value)


def test_a_state_that_is_no_object_is_looked_at_as_a_text() -> None:
    found = glance('{"a": 1}', "a = 1", fields=True)
    assert (found.state, found.field, found.at) == ("changed", None, 0)


def test_long_texts_are_cut_on_both_sides_of_the_difference() -> None:
    found = glance("x" * 1_000_000 + "a" * 1_000_000, "x" * 1_000_000 + "b" * 1_000_000, fields=True)
    assert found.cut and found.at == 12
    assert len(found.oracle) == len(found.prediction) <= 200
    assert (found.oracle[found.at], found.prediction[found.at]) == ("a", "b")


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_excerpts_agree_up_to_the_place_and_differ_at_it(oracle: str, prediction: str) -> None:
    found = glance(oracle, prediction, fields=False)
    assert (found.state == "equal") == (oracle == prediction)
    assert found.oracle[: found.at] == found.prediction[: found.at]
    if found.state != "equal":
        assert found.oracle[found.at : found.at + 1] != found.prediction[found.at : found.at + 1]
        assert found.oracle in oracle and found.prediction in prediction
