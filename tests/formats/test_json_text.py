from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.formats.json_text import UnusableError, parse_json, parse_object
from auditor.model import JsonValue
from auditor.text import UndecodedText, extra_text, json_line, read_extra
from tests.hostile import HOSTILE

BROKEN: dict[bytes, str] = {
    b"": "it is not JSON: expecting value at character 1.",
    b'{"a": 1': "it is not JSON: expecting ',' delimiter at character 8.",
    b'{"a": "b': "it is not JSON: unterminated string at character 7.",
    b"{'a': 1}": "it is not JSON: expecting property name enclosed in double quotes at character 2.",
    b'{"a": 1} x': "it is not JSON: extra data at character 10.",
    b'{"a": "b\x01c"}': "it is not JSON: invalid control character at character 9.",
    b'{"a": "\\x"}': "it is not JSON: invalid \\escape at character 8.",
    b'{"a": NaN}': "it holds NaN, which is not JSON.",
    b'{"a": -Infinity}': "it holds -Infinity, which is not JSON.",
    b'{"a": 1e999}': "it holds the number 1e999, which is out of range.",
    b'{"a": ' + b"9" * 5000 + b"}": "it holds a whole number with too many digits.",
    b'{"a": 1, "b": 2, "a": 1}': 'the key "a" appears twice.',
    b'{"a": 1, "\\u0061": 1}': 'the key "a" appears twice.',
    b'{"a": {"\\u001b": 1, "\\u001b": 1}}': 'the key "␛" appears twice.',
    b'{"a": ' + b"[" * 101 + b"]" * 101 + b"}": "it is nested more than 100 levels deep.",
    b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}": "it is nested more than 100 levels deep.",
    b'{"a": "\xff", "b": "\\udc80"}': "it holds both bytes that are not UTF-8 and an escape from \\udc80 to \\udcff, "
    "which cannot be told apart once read.",
    b"[1]": "it is a list, but must be an object.",
    b"null": "it is null, but must be an object.",
    b"12": "it is the number 12, but must be an object.",
    b"9" * 100: "it is a number, but must be an object.",
    b'"text"': "it is text, but must be an object.",
    b"false": "it is false, but must be an object.",
}


@pytest.mark.parametrize("data", BROKEN, ids=lambda data: repr(data[:30]))
def test_what_is_no_usable_object_is_refused_with_its_sentence(data: bytes) -> None:
    with pytest.raises(UnusableError) as caught:
        parse_object(data)
    assert str(caught.value) == BROKEN[data]


def test_braces_inside_strings_do_not_count_as_nesting() -> None:
    assert parse_json(json.dumps("[" * 5000).encode()) == "[" * 5000


def test_a_hundred_levels_are_accepted() -> None:
    assert parse_json(b"[" * 100 + b"]" * 100)


def test_repeated_keys_can_be_collected_instead_of_refused() -> None:
    repeated: set[str] = set()
    assert parse_json(b'{"a": 1, "b": 2, "a": 3}', repeated) == {"a": 3, "b": 2}
    assert repeated == {"a"}


def test_lone_surrogates_of_escapes_stay() -> None:
    assert parse_json(b'["\\ud83d", "\\udc80", "\\ud83d\\ude00"]') == ["\ud83d", "\udc80", "\U0001f600"]


def test_bytes_that_are_not_utf8_stay_where_they_are() -> None:
    value = parse_object(b'{"a": "x\xff\xc3", "b": "plain \xc3\xa9", "c": ["\xfe"], "\x80": 1}')
    assert value == {"a": "x\udcff\udcc3", "b": "plain é", "c": ["\udcfe"], "\udc80": 1}
    assert isinstance(value["a"], UndecodedText)
    assert type(value["b"]) is str
    assert isinstance(list(value)[3], UndecodedText)
    assert json_line(value) == b'{"a": "x\xff\xc3", "b": "plain \xc3\xa9", "c": ["\xfe"], "\x80": 1}'


def test_a_pair_of_escapes_may_stand_beside_raw_bytes() -> None:
    value = parse_object(b'{"a": "\xff", "b": "\\ud83d\\udc80", "c": "\\\\udc80"}')
    assert value == {"a": "\udcff", "b": "\U0001f480", "c": "\\udc80"}


def test_half_a_pair_before_another_pair_is_no_raw_byte() -> None:
    with pytest.raises(UnusableError, match="told apart"):
        parse_object(b'{"a": "\xff", "b": "\\ud83d \\udc80"}')


@pytest.mark.parametrize("name", HOSTILE)
def test_what_stands_beside_a_response_comes_back_as_it_was(name: str) -> None:
    extra: dict[str, JsonValue] = {
        "usage": {HOSTILE[name]: HOSTILE[name]},
        HOSTILE[name]: [HOSTILE[name], 1, 2.5, None, True],
    }
    text = extra_text(extra)
    assert read_extra(text) == extra
    assert extra_text(read_extra(text)) == text


def test_raw_bytes_beside_a_response_come_back_as_raw_bytes() -> None:
    text = extra_text({"note": UndecodedText("a\udcff")})
    value = read_extra(text)["note"]
    assert value == "a\udcff"
    assert isinstance(value, UndecodedText)


def test_nothing_beside_a_response_takes_no_text() -> None:
    assert extra_text({}) is None
    assert read_extra(None) == {}


@given(st.binary(max_size=60))
def test_any_bytes_are_parsed_or_refused_with_a_sentence(data: bytes) -> None:
    try:
        parse_json(data)
    except UnusableError as err:
        assert str(err).endswith(".")
