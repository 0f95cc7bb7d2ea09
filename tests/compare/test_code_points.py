"""What auditor.compare.code_points promises: names for characters, and words for what looks alike."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from auditor.compare.code_points import code_points, look_alikes
from auditor.text import has_invisible
from tests.compare.texts import PAIRS
from tests.hostile import HOSTILE


@pytest.mark.parametrize(
    ("oracle", "prediction", "kind", "named"),
    [
        ("x \n", "x\n", "trailing white space", ["U+0020 SPACE"]),
        ("a\u00a0b", "a b", "white space", ["U+00A0 NO-BREAK SPACE", "U+0020 SPACE"]),
        ("a\tb", "a b", "white space", ["U+0009 TAB", "U+0020 SPACE"]),
        ("a  b", "a b", "white space", ["U+0020 SPACE"]),
        ("a\u0085b", "a b", "white space", ["U+0085 NEXT LINE"]),
        ("caf\u00e9", "cafe\u0301", "composition", ["U+00E9 LATIN SMALL", "U+0301 COMBINING ACUTE ACCENT"]),
        ("a\u200bb", "ab", "invisible characters", ["U+200B ZERO WIDTH SPACE"]),
        ("ab", "a\rb", "invisible characters", ["U+000D CARRIAGE RETURN"]),
        ("ab", "a\x08b", "invisible characters", ["U+0008 BACKSPACE"]),
        ("ab", "a\x0bb", "invisible characters", ["U+000B VERTICAL TAB"]),
        ("a\u2028b", "ab", "invisible characters", ["U+2028 LINE SEPARATOR"]),
        ("a\u202eb", "ab", "invisible characters", ["U+202E RIGHT-TO-LEFT OVERRIDE"]),
        ("a\ud83d", "a", "invisible characters", ["U+D83D LONE SURROGATE"]),
        ("❤\ufe0f", "❤", "invisible characters", ["U+FE0F VARIATION SELECTOR-16"]),
        ("a\r\nb", "a\nb", "line ending", ["U+000D CARRIAGE RETURN"]),
        ("abc\n", "abc", "final newline", ["U+000A LINE FEED"]),
        ("pa\u0441e", "pace", "similar characters", ["U+0441 CYRILLIC SMALL LETTER ES", "U+0063 LATIN SMALL LETTER C"]),
        ("-1", "\u22121", "similar characters", ["U+002D HYPHEN-MINUS", "U+2212 MINUS SIGN"]),
        ("\uff11", "1", "similar characters", ["U+FF11 FULLWIDTH DIGIT ONE"]),
        ("x\u0435\u200b", "xe", "several", ["U+0435 CYRILLIC SMALL LETTER IE", "U+200B ZERO WIDTH SPACE"]),
        ("x", "x" + " " * 9 + "\t\u2003\u2004\u2005", "trailing white space", ["9 x U+0020", "1 more char"]),
    ],
)
def test_what_looks_alike_is_told_apart_by_name(oracle: str, prediction: str, kind: str, named: list[str]) -> None:
    (found,) = look_alikes(oracle, prediction)
    assert found.kind == kind
    assert found.sentence.startswith(f"{kind}: ")
    for name in named:
        assert name in found.sentence


@pytest.mark.parametrize(
    ("oracle", "prediction"),
    [("63250", "63240"), ("a\n\nb", "a\nb"), ("a b", "ab"), ("x", ""), ("", " y"), ("same", "same"), ("e", "e\u0301")],
)
def test_what_a_reader_sees_at_once_is_not_called_alike(oracle: str, prediction: str) -> None:
    assert look_alikes(oracle, prediction) == []


@given(PAIRS)
def test_look_alikes_stand_where_the_texts_differ_and_speak_without_forbidden_characters(pair: tuple[str, str]) -> None:
    oracle, prediction = pair
    for found in look_alikes(oracle, prediction):
        assert oracle[slice(*found.oracle)] != prediction[slice(*found.prediction)]
        assert found.sentence.isprintable()


def test_many_changed_line_endings_are_told_up_to_a_limit_that_is_named() -> None:
    oracle, prediction = "a\r\n" * 2_000, "a\n" * 2_000
    *found, last = look_alikes(oracle, prediction)
    assert {each.kind for each in found} == {"line ending"} and len(found) == 500
    assert (last.kind, last.sentence) == ("not looked at", "1,500 further differences were not looked at")
    assert oracle[last.oracle.start : last.oracle.end].count("\r") == 1_500


def test_code_points_are_listed_with_offset_mark_and_name() -> None:
    assert [tuple(row) for row in code_points("xa\u0301\x1b\u00a0\ud83d\n\u0378\ue000", 1)] == [
        (1, "a", "U+0061", "LATIN SMALL LETTER A"),
        (2, "◌\u0301", "U+0301", "COMBINING ACUTE ACCENT"),
        (3, "␛", "U+001B", "ESCAPE"),
        (4, "<U+00A0>", "U+00A0", "NO-BREAK SPACE"),
        (5, "<U+D83D>", "U+D83D", "LONE SURROGATE"),
        (6, "␊", "U+000A", "LINE FEED"),
        (7, "\u0378", "U+0378", "UNASSIGNED"),
        (8, "\ue000", "U+E000", "PRIVATE USE"),
    ]
    assert [row.offset for row in code_points("abcdef", 2, 4)] == [2, 3]
    assert [row.offset for row in code_points("ab", -3, 40)] == [0, 1]


@pytest.mark.parametrize("name", HOSTILE)
def test_every_hostile_character_has_a_name_and_a_harmless_mark(name: str) -> None:
    rows = code_points(HOSTILE[name])
    assert len(rows) == len(HOSTILE[name])
    for row in rows:
        assert row.name == row.name.upper().strip() and row.name
        assert not has_invisible(row.shown) and "\n" not in row.shown and "\t" not in row.shown


def test_every_control_character_has_a_name_of_its_own() -> None:
    controls = [row for row in code_points("".join(map(chr, range(0x20))) + "\x7f\x85\x9b")]
    assert all(unicodedata.category(chr(int(row.code[2:], 16))) == "Cc" for row in controls)
    assert len({row.name for row in controls} - {"CONTROL"}) == 35
