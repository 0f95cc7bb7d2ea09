"""What auditor.text promises: nothing forbidden is shown, and no code unit or byte is ever lost."""

from __future__ import annotations

import json
import sqlite3
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditor.text import (
    UndecodedText,
    from_bytes,
    from_json_line,
    from_storage,
    has_invisible,
    json_line,
    to_bytes,
    to_storage,
    visible,
    visible_line,
    visible_name,
)
from tests.hostile import HOSTILE

ANY_CHARACTER = st.characters(codec=None, exclude_categories=())
ODD = st.sampled_from('\0\x1b\x7f\x80\x85\x9b\ud83d\ude00\udc80\udcff\udced\udcb2\udcc3\udca9\u200d\ufe0fé漢a\n\t\\"')
ANY_TEXT = st.text(ANY_CHARACTER | ODD, max_size=40)
ANY_BYTES = st.binary(max_size=40) | st.lists(
    st.sampled_from([b"\xff", b"\xed\xa0\xbd", b"\xed\xb2\x80", b"\xed", b"\xb2", b"\x80", b"\xc3\xa9", b"a", b"\0"]),
    max_size=12,
).map(b"".join)
UNDECODED = ANY_BYTES.map(from_bytes)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT | UNDECODED,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT | UNDECODED, inner, max_size=4),
    max_leaves=12,
)


def forbidden(char: str) -> bool:
    """Decide by Unicode category, so that the module's own list is not its own witness."""
    if char in "\n\t ":
        return False
    return (
        unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"} or char in "\u034f\u115f\u3164\ufe0f\u2800"
    )


# --- what is shown ---


def test_every_control_format_surrogate_and_odd_space_character_is_marked() -> None:
    left = [
        f"{code:04X}" for code in range(sys.maxunicode + 1) if forbidden(chr(code)) and visible(chr(code)) == chr(code)
    ]
    assert left == []


def test_letters_signs_emoji_and_combining_marks_are_shown_as_they_are() -> None:
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in {"Lu", "Ll", "Nd", "Sm", "Sc", "Pd", "Ps", "Pe"}:
            assert visible(chr(code)) == chr(code), f"{code:04X}"
    for text in ("漢字かな交じり文", "cafe\u0301", "👩👧", "for i in range(n): total += nums[i]", "a\n\tb", "[/]"):
        assert visible(text) == text


@given(
    st.text(
        st.sampled_from("ae1 ]\u0301\u0323\u00e9\u212b\u1112\u1161\u11ab\ud55c\u0958\u0915\u093c\u09c7\u09be\x1b\n"),
        max_size=12,
    )
)
def test_names_that_differ_only_in_unicode_s_forms_are_shown_apart(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert visible_name(composed) == visible_line(composed)
    assert (visible_name(text) == visible_name(composed)) == (text == composed)
    assert not has_invisible(visible_name(text)) and "\n" not in visible_name(text)
    assert len(visible_name(text, 5)) <= 5 and (len(text) > 5 or visible_name(text, 500) == visible_name(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\r\nb", "a␍\nb"),
        ("a\u2028b\u0085c", "a<U+2028>b<U+0085>c"),
        ("abc\u202edef", "abc<U+202E>def"),
        ("\ufeffa\u200b", "<U+FEFF>a<U+200B>"),
        ("hello \ud83d", "hello <U+D83D>"),
        ("a\u00a0b", "a<U+00A0>b"),
        ("👩\u200d👧", "👩<U+200D>👧"),
        ("❤\ufe0f", "❤<U+FE0F>"),
        ("x\U000e0041y", "x<U+E0041>y"),
    ],
)
def test_marks_name_what_they_stand_for(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_nothing_forbidden_is_ever_shown(text: str) -> None:
    assert not any(map(forbidden, visible(text)))
    assert has_invisible(text) == (visible(text) != text)
    assert visible(visible(text)) == visible(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_shown_without_anything_forbidden_on_one_line(name: str) -> None:
    shown = visible_line(HOSTILE[name])
    assert not any(map(forbidden, shown))
    assert "\n" not in shown and "\t" not in shown


@given(ANY_TEXT, st.integers(min_value=0, max_value=12))
@example("\u200b" * 3, 9)
@example("abc", 0)
def test_a_limited_line_is_a_beginning_that_ends_in_an_ellipsis_and_cuts_no_mark(text: str, limit: int) -> None:
    whole, shown = visible_line(text), visible_line(text, limit)
    assert len(shown) <= limit
    if len(whole) <= limit:
        assert shown == whole
    elif limit:
        assert shown.endswith("…")
        assert any(shown[:-1] == visible_line(text[:count]) for count in range(limit))


# --- storage ---


@given(ANY_TEXT)
def test_any_text_comes_back_from_storage(text: str) -> None:
    kept = to_storage(text)
    back = from_storage(kept)
    assert back == text
    assert not isinstance(back, UndecodedText)


@given(ANY_TEXT.map(UndecodedText))
def test_text_that_claims_raw_bytes_comes_back_even_when_it_cannot_have_been_read_from_any(text: str) -> None:
    assert from_storage(to_storage(text)) == text


@given(ANY_BYTES)
@example(b"\xed\xb2\x80\xff")
@example(b"\xed\xa0\xbd\xff\xed\xb8\x80")
def test_any_bytes_come_back_as_they_were_even_through_storage(data: bytes) -> None:
    text = from_bytes(data)
    assert to_bytes(text) == data
    back = from_storage(to_storage(text))
    assert back == text and to_bytes(back) == data


@pytest.mark.parametrize("name", HOSTILE)
def test_sqlite_gives_hostile_texts_back(name: str) -> None:
    text = HOSTILE[name]
    stored = sqlite3.connect(":memory:").execute("select ?", [to_storage(text)]).fetchone()[0]
    assert from_storage(stored) == text


def test_ordinary_text_is_stored_as_text_and_nothing_as_nothing() -> None:
    assert to_storage("漢字 é") == "漢字 é"
    assert to_storage(None) is None
    assert from_storage(None) is None


# --- JSON lines ---


@given(JSON_VALUES)
@example("\ud83d\ude00")
@example("\ud83d\udc80")
@example([UndecodedText("\udcff"), "\udc80", "\ud83d\udc80"])
@example({UndecodedText("\ud83d\udcff"): UndecodedText("\udcc3\udca9")})
def test_a_json_line_reads_back_as_the_same_values(value: object) -> None:
    line = json_line(value)
    assert b"\n" not in line
    assert from_json_line(line) == value


@given(st.lists(st.sampled_from([b"\xff", b"\xc3", b"\xa9", b"\x80", b"a", b" ["]), min_size=1).map(b"".join))
def test_raw_bytes_are_written_raw_again(data: bytes) -> None:
    assert json_line({"response": from_bytes(data)}) == b'{"response": "' + data + b'"}'


def test_an_undecodable_line_is_written_back_byte_for_byte() -> None:
    line = b'{"case": "caf\xe9", "response": "\\ud83d \xff", "other": "\xc3\xa9 \\udfff"}'
    value = from_json_line(line)
    assert isinstance(value["response"], UndecodedText)
    assert not isinstance(value["other"], UndecodedText)
    assert json_line(value) == line


def test_lone_surrogates_are_escaped_so_that_any_json_reader_takes_the_line() -> None:
    line = json_line({"response": "hello \ud83d", 1: None})
    assert line == b'{"response": "hello \\ud83d", "1": null}'
    assert json.loads(line.decode()) == {"response": "hello \ud83d", "1": None}
