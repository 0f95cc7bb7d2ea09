"""What auditor.compare.json_diff promises: empty exactly when values are equal under the grading rule."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from deepdiff import DeepDiff
from hypothesis import assume, given
from hypothesis import strategies as st

from auditor.compare import json_diff
from auditor.compare.json_diff import Change, diff_json, render_path
from auditor.compare.json_values import json_type

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-3, max_value=3)
    | st.sampled_from([2**53, 2**53 + 1, 10**400, 0.5, -0.0, 1.0, float(2**53), math.nan, math.inf, Decimal("0.5")])
    | st.sampled_from(["", "1", "a", "b", "a\nb", "__a", "\ud83d", "A"])
)
KEYS = st.sampled_from(["a", "b", "__a", "a b", "", "0", "a.b[0]'"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=14,
)


def equal(left: Any, right: Any) -> bool:
    """Decide by the grading rule, written as a plain recursion: the reference for both differs."""
    if json_type(left) != json_type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right or (left != left and right != right))


@pytest.fixture(params=["deepdiff", "own"])
def differ(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "own":
        monkeypatch.setattr(json_diff, "_DEEPDIFF_NODES", 0)
    return str(request.param)


def own_changes(left: Any, right: Any) -> tuple[Change, ...]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_diff, "_DEEPDIFF_NODES", 0)
        return diff_json(left, right).changes


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@given(VALUES, VALUES)
def test_a_difference_is_empty_exactly_when_the_values_are_equal(left: Any, right: Any) -> None:
    diff = diff_json(left, right)
    assert (diff.changes == ()) == equal(left, right)
    assert diff.exact and diff.reason is None
    assert (own_changes(left, right) == ()) == equal(left, right)


def with_names_for_scalars(value: Any) -> Any:
    """Name each scalar so that names are equal when the scalars are, since DeepDiff takes [1] for [true]."""
    if isinstance(value, dict):
        return {key: with_names_for_scalars(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_names_for_scalars(item) for item in value]
    return f"{json_type(value)} {Decimal(value).normalize() + 0 if json_type(value) == 'number' else value}"


@given(VALUES, VALUES)
def test_our_own_differ_and_deepdiff_agree_on_what_is_equal(left: Any, right: Any) -> None:
    assume("10000" not in repr((left, right)))  # normalising a Decimal rounds it
    theirs = DeepDiff(
        with_names_for_scalars(left),
        with_names_for_scalars(right),
        ignore_private_variables=False,
        ignore_nan_inequality=True,
        threshold_to_diff_deeper=0,
    )
    assert (own_changes(left, right) == ()) == (not theirs)


@given(VALUES, VALUES)
def test_every_change_holds_what_stands_at_its_path(left: Any, right: Any) -> None:
    for changes in (diff_json(left, right).changes, own_changes(left, right)):
        assert len({(change.path, change.kind) for change in changes}) == len(changes)
        for change in changes:
            if change.kind == "extra":
                assert change.prediction is at(right, change.path)
            else:
                assert change.oracle is at(left, change.path)
            if change.kind in {"changed", "type"}:
                assert not equal(change.oracle, change.prediction)
                assert (json_type(change.oracle) == json_type(change.prediction)) == (change.kind == "changed")


@given(st.dictionaries(KEYS, VALUES, max_size=4), SCALARS)
def test_one_member_added_is_one_change(value: dict[str, Any], added: Any) -> None:
    key = "new"
    assert diff_json(value, {**value, key: added}).changes == (Change((key,), "extra", None, added),)
    assert diff_json({**value, key: added}, value).changes == (Change((key,), "missing", added, None),)


@pytest.mark.parametrize(
    ("oracle", "prediction"),
    [
        (1, 1.0),
        (0, -0.0),
        (math.nan, math.nan),
        ([1, 2], [1.0, 2]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (10**400, 10**400),
    ],
)
def test_values_that_the_grading_rule_calls_equal_have_no_difference(differ: str, oracle: Any, prediction: Any) -> None:
    assert diff_json(oracle, prediction).changes == ()


@pytest.mark.parametrize(
    ("oracle", "prediction", "expected"),
    [
        (True, 1, ["type $"]),
        ([True], [1], ["type $[0]"]),
        ({"a": True}, {"a": 1}, ["type $.a"]),
        ("1", 1, ["type $"]),
        ([], {}, ["type $"]),
        (None, 0, ["type $"]),
        (2**53 + 1, float(2**53), ["changed $"]),
        (10**400, 10**400 + 1, ["changed $"]),
        ({"__x": 1}, {"__x": 2}, ["changed $.__x"]),
        ([1, 1, 1], [1, 1], ["missing $[2]"]),
        ([1, 2, 3], [1, 3], ["missing $[1]"]),
        ([1, 3], [1, 2, 3], ["extra $[1]"]),
        ({"a": 1, "b": 2}, {"c": 3, "a": 1}, ["missing $.b", "extra $.c"]),
        ({"b": {"x": [1, 2]}, "a": "s"}, {"a": "t", "b": {"x": [1, 5]}}, ["changed $.b.x[1]", "changed $.a"]),
        ({"a": [1]}, {"a": {"b": 1}}, ["type $.a"]),
        ({"a b": "x\ny"}, {"a b": "x\nz"}, ['changed $["a b"]']),
        ([{"a": 1}, {"a": 2}], [{"a": 2}], ["missing $[0]"]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 5]], ["changed $[1][1]"]),
        ([7, 8, [1, 2]], [8, [2, 3]], ["missing $[0]", "missing $[2][0]", "extra $[1][1]"]),
    ],
)
def test_changes_are_named_by_kind_and_path(differ: str, oracle: Any, prediction: Any, expected: list[str]) -> None:
    diff = diff_json(oracle, prediction)
    assert [f"{change.kind} {render_path(change.path)}" for change in diff.changes] == expected


def test_paths_are_readable_and_harmless() -> None:
    assert render_path(()) == "$"
    assert render_path(("a", 3, "b")) == "$.a[3].b"
    assert render_path(("größe", "", "a.b", '"', "1")) == '$.größe[""]["a.b"]["\\""]["1"]'
    assert render_path(("\x1b[2J\u202e\n",)) == '$["\\u001b[2J<U+202E>\\n"]'


def test_few_changes_in_long_arrays_are_found_one_by_one() -> None:
    rows = [{"a": number, "b": [number, number]} for number in range(2_000)]
    changed = [dict(row) for row in rows]
    for place in range(0, 2_000, 100):
        changed[place]["a"] = -1
    assert len(diff_json(rows, changed).changes) == 20
    diff = diff_json(rows, rows[:100] + rows[101:1_700] + rows[1_701:])
    assert [(change.kind, change.path) for change in diff.changes] == [("missing", (100,)), ("missing", (1_700,))]
    numbers = list(range(50_000))
    assert [change.path for change in diff_json(numbers, numbers[1:]).changes] == [(0,)]


def test_deep_values_are_compared_without_recursion() -> None:
    left: Any = 1
    right: Any = 2
    for _ in range(5_000):
        left, right = [left], [right]
    (change,) = diff_json(left, right).changes
    assert (change.oracle, change.prediction, len(change.path)) == (1, 2, 5_000)


def test_more_changes_than_anyone_reads_are_cut_and_the_difference_says_so() -> None:
    diff = diff_json(list(range(10_500)), list(range(-10_500, 0)), seconds=5)
    assert len(diff.changes) == 10_000
    assert not diff.exact and diff.reason == "stopped after 10,000 changes"


def test_arrays_that_take_too_long_to_align_are_paired_by_place_and_the_difference_says_so() -> None:
    left = [number % 7 for number in range(9_000)]
    right = [number * number % 5 for number in range(9_000)]
    diff = diff_json({"a": [left]}, {"a": [right]}, seconds=0)
    assert not diff.exact
    assert diff.reason is not None and diff.reason.startswith("stopped aligning arrays after 0 s")
    assert len(diff.changes) == sum(one != two for one, two in zip(left, right, strict=True))


def test_two_changes_in_a_large_matrix_and_one_in_a_long_text_are_found() -> None:
    matrix = [[row * column % 97 for column in range(200)] for row in range(200)]
    changed = [list(row) for row in matrix]
    changed[3][4], changed[150][5] = -1, -2
    assert [change.path for change in diff_json(matrix, changed).changes] == [(3, 4), (150, 5)]
    assert [change.path for change in diff_json({"s": "a" * 900_000}, {"s": "a" * 899_999 + "b"}).changes] == [("s",)]
