"""JSON columns keep any text, raw bytes included, as ASCII."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.store.json_column import dump_json, load_json
from auditor.text import UndecodedText, from_bytes
from tests.hostile import HOSTILE

scalars = st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=[]))
values = st.recursive(scalars, lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=8)


@given(value=values)
def test_a_json_value_reads_back_as_it_was_written(value: Any) -> None:
    text = dump_json(value)
    assert text.isascii() and load_json(text) == value and json.loads(text) == value


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_stay_plain_texts(text: str) -> None:
    back = load_json(dump_json({text: [text]}))
    assert back == {text: [text]} and type(back[text][0]) is str


def test_raw_bytes_are_told_from_lone_surrogates() -> None:
    raw = from_bytes(b"\xff caf\xe9")
    back = load_json(dump_json({raw: {"a": [raw, "plain", 1]}}))
    assert back == {raw: {"a": [raw, "plain", 1]}}
    assert isinstance(back[raw]["a"][0], UndecodedText) and type(back[raw]["a"][1]) is str
    assert type(load_json(dump_json(["\udcff"]))[0]) is str
