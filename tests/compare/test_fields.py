"""What auditor.compare.fields promises: each field as it is written, and the characters that changed."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.fields import FieldRow, field_rows
from auditor.compare.json_diff import diff_json

STATES = st.dictionaries(
    st.sampled_from(["i", "total", "xs", "s", "", "__a", "a\n"]),
    st.integers() | st.booleans() | st.none() | st.text(max_size=4) | st.lists(st.integers(), max_size=3),
    max_size=5,
)


def the_row(oracle: str, prediction: str) -> FieldRow:
    (row,) = field_rows(f'{{"f": {oracle}}}', f'{{"f": {prediction}}}').rows
    return row


def marked(row: FieldRow) -> tuple[list[str], list[str]]:
    return (
        [(row.oracle or "")[slice(*span)] for span in row.oracle_changed],
        [(row.prediction or "")[slice(*span)] for span in row.prediction_changed],
    )


@pytest.mark.parametrize(
    ("oracle", "prediction", "state", "changed"),
    [
        ("63250", "63240", "changed", (["5"], ["4"])),
        ("12", "21", "changed", (["12"], ["21"])),
        ("19091", "13041", "changed", (["9", "9"], ["3", "4"])),
        ("12345", "2345", "changed", (["1"], [])),
        ("-5", "5", "changed", (["-"], [])),
        ("[1,2,3]", "[1,3]", "changed", (["2,"], [])),
        ('"abc"', '"abd"', "changed", (["c"], ["d"])),
        ("true", "1", "type", (["true"], ["1"])),
        ("1", "1.0", "equal", ([], [])),
        ("0.1", "1e-1", "equal", ([], [])),
        ("[1, 2]", "[1,2]", "equal", ([], [])),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', "equal", ([], [])),
        ("9007199254740993", "9007199254740992.0", "changed", (["3"], ["2.0"])),
        ("1e400", "2e400", "changed", (["1"], ["2"])),
        ("9" * 5000, "9" * 4999 + "8", "changed", (["9"], ["8"])),
    ],
)
def test_a_row_says_how_values_differ_and_which_characters(
    oracle: str, prediction: str, state: str, changed: tuple[list[str], list[str]]
) -> None:
    row = the_row(oracle, prediction)
    assert (row.field, row.state, row.oracle, row.prediction) == ("f", state, oracle, prediction)
    assert marked(row) == changed


def test_rows_keep_the_order_of_the_oracle_and_put_what_is_extra_last() -> None:
    rows, reason = field_rows('{"i": 3, "gone": null,\n "n": [ 1 ]}', '{"more":{"a":1}, "n":[1],"i":4}')
    assert reason is None
    assert [(row.field, row.state, row.oracle, row.prediction) for row in rows] == [
        ("i", "changed", "3", "4"),
        ("gone", "missing", "null", None),
        ("n", "equal", "[ 1 ]", "[1]"),
        ("more", "extra", None, '{"a":1}'),
    ]


@given(STATES, STATES)
def test_rows_agree_with_the_json_difference_and_point_into_the_texts(
    oracle: dict[str, object], prediction: dict[str, object]
) -> None:
    texts = json.dumps(oracle), json.dumps(prediction, indent=1, ensure_ascii=False)
    rows, reason = field_rows(*texts)
    assert reason is None
    assert {row.field for row in rows if row.state != "equal"} == {
        change.path[0] for change in diff_json(oracle, prediction).changes
    }
    for row in rows:
        for text, value, at in ((texts[0], row.oracle, row.oracle_at), (texts[1], row.prediction, row.prediction_at)):
            assert (value is None) == (at is None)
            assert at is None or text[slice(*at)] == value


@pytest.mark.parametrize(
    ("prediction", "reason"),
    [
        ("", "'{' was expected at character 0"),
        ("[1]", "'{' was expected at character 0"),
        ('{"a":1} x', "something follows it at character 8"),
        ('{"a":1,"a":2}', "an object has a key twice"),
        ('{"a":{"b":1,"b":2}}', "an object has a key twice"),
        ('{"a":NaN}', "NaN is not JSON"),
        ('{"a":1e99999999999999999999}', "a number has an exponent too long to be compared"),
        ('{"a":' + "[" * 100_000, "it nests too deep to be read"),
        ('{"a" 1}', "':' was expected at character 5"),
        ('{"a":1,}', "a quoted field name was expected at character 7"),
        ('{"a":1', "',' was expected at character 6"),
        ("{'a':1}", "a quoted field name was expected at character 1"),
        ('{"a":"\n"}', "invalid control character at character 6"),
    ],
)
def test_what_is_no_json_object_has_no_rows_and_a_reason(prediction: str, reason: str) -> None:
    assert field_rows('{"a":1}', prediction) == ((), f"the prediction is not a JSON object that can be read: {reason}")


def test_an_oracle_that_is_no_object_is_named_too() -> None:
    assert (
        field_rows("7", "{}").reason
        == "the oracle is not a JSON object that can be read: '{' was expected at character 0"
    )
    assert field_rows("{}", " { } ") == ((), None)


def test_long_values_that_take_too_long_are_marked_as_not_compared_to_the_end() -> None:
    source = random.Random(1)
    oracle, prediction = ([source.randrange(1000) for _ in range(40_000)] for _ in range(2))
    (row,) = field_rows(json.dumps({"xs": oracle}), json.dumps({"xs": prediction}), seconds=0.01).rows
    assert row.state == "changed" and not row.exact
    assert the_row("[1,2,3]", "[1,3]").exact
