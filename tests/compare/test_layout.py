"""What auditor.compare.layout promises: both texts whole, line by line, in one order, at once from anywhere."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.layout import Line, SideBySide
from auditor.compare.text_diff import diff_text, differences
from auditor.text import has_invisible
from tests.compare.texts import PAIRS
from tests.hostile import HOSTILE


def lay_out(oracle: str, prediction: str) -> SideBySide:
    return SideBySide(diff_text(oracle, prediction), oracle, prediction)


def drawn(line: Line | None) -> str:
    """Draw a line with its changed parts in braces; `~` where the side has none."""
    if line is None:
        return "~"
    return "".join(s.text if s.kind == "equal" else f"{{{s.text}}}" for s in line.segments)


def picture(oracle: str, prediction: str) -> list[tuple[str, str]]:
    layout = lay_out(oracle, prediction)
    return [(drawn(row.oracle), drawn(row.prediction)) for row in layout.rows(0, len(layout))]


@given(PAIRS)
def test_each_side_shows_all_its_lines_in_order_and_all_their_characters(pair: tuple[str, str]) -> None:
    layout = lay_out(*pair)
    rows = layout.rows(0, len(layout))
    assert len(rows) == len(layout)
    assert all(row.oracle or row.prediction for row in rows)
    for side, text in enumerate(pair):
        lines = [row[side] for row in rows if row[side] is not None]
        assert [line.number for line in lines if line] == list(range(1, text.count("\n") + 2))
        raw = ["".join(text[s.start : s.stop] for s in line.segments).removesuffix("\n") for line in lines if line]
        assert raw == text.split("\n")


@given(PAIRS)
def test_nothing_forbidden_is_drawn_and_changes_are_marked_exactly_where_texts_differ(pair: tuple[str, str]) -> None:
    rows = lay_out(*pair).rows(0, 1_000)
    for row in rows:
        for line in row:
            for segment in line.segments if line else ():
                assert segment.text and not has_invisible(segment.text)
                assert "\n" not in segment.text and "\t" not in segment.text
    assert any(row.changed for row in rows) == (pair[0] != pair[1])


@given(PAIRS, st.integers(min_value=-2, max_value=9), st.integers(min_value=0, max_value=9))
def test_a_window_is_a_part_of_the_whole(pair: tuple[str, str], start: int, count: int) -> None:
    layout = lay_out(*pair)
    assert layout.rows(start, start + count) == layout.rows(0, len(layout))[max(0, start) : max(0, start + count)]


@given(PAIRS, st.integers(min_value=0, max_value=30), st.integers(min_value=1, max_value=8))
def test_a_narrow_window_says_how_much_of_each_line_it_hides(pair: tuple[str, str], left: int, width: int) -> None:
    for row in lay_out(*pair).rows(0, 1_000, left=left, width=width):
        for text, line in zip(pair, row, strict=True):
            if line is not None:
                whole = text.split("\n")[line.number - 1]
                shown = "".join(text[s.start : s.stop] for s in line.segments).removesuffix("\n")
                assert shown == whole[left : left + width]
                assert line.left + len(shown) + line.right == len(whole)


@given(PAIRS)
def test_each_changed_piece_is_found_in_the_first_row_that_shows_it(pair: tuple[str, str]) -> None:
    diff = diff_text(*pair)
    layout = SideBySide(diff, *pair)
    rows = layout.rows(0, len(layout))
    for piece in differences(diff):
        row, column = layout.row_of(piece)
        assert column <= max(map(len, "\n".join(pair).split("\n")))
        shown = [
            number
            for number, lines in enumerate(rows)
            for line, span in zip(lines, (piece.oracle, piece.prediction), strict=True)
            for segment in (line.segments if line else ())
            if span.start <= segment.start < span.end
        ]
        assert row == min(shown)


def test_a_piece_of_inserted_lines_is_found_where_they_stand() -> None:
    diff = diff_text("a\nb", "a\nx\ny\nb")
    layout = SideBySide(diff, "a\nb", "a\nx\ny\nb")
    (piece,) = differences(diff)
    assert layout.row_of(piece) == (1, 0)


@pytest.mark.parametrize(
    ("oracle", "prediction", "rows"),
    [
        ("", "", [("", "")]),
        ("a\nb\nc\n", "b\nc\n", [("{a}{␊}", "~"), ("b", "b"), ("c", "c"), ("", "")]),
        ("x1\nz", "x2\ny\nz", [("x{1}", "x{2}{␊}"), ("~", "{y}"), ("z", "z")]),
        ("abc\n", "abc", [("abc{␊}", "abc"), ("", "~")]),
        ("x \ny", "x\ny", [("x{␠}", "x"), ("y", "y")]),
        ("x \ny", "x \nz", [("x␠", "x␠"), ("{y}", "{z}")]),
        ("a\tb", "a b", [("a{␉}b", "a{␠}b")]),
        ("a\r\nb", "a\nb", [("a{␍}", "a"), ("b", "b")]),
        ("a\u2028b\u0085c", "abc", [("a{<U+2028>}b{<U+0085>}c", "abc")]),
        ("cafe\u0301", "cafe\u0300", [("cafe{◌\u0301}", "cafe{◌\u0300}")]),
        (
            "1 2\n3 4\n5 6\n",
            "1 2\n5 6\n7 8\n",
            [("1 2", "1 2"), ("{3 4}{␊}", "~"), ("5 6", "5 6"), ("~", "{7 8}{␊}"), ("", "")],
        ),
    ],
)
def test_lines_that_belong_together_stand_beside_each_other(
    oracle: str, prediction: str, rows: list[tuple[str, str]]
) -> None:
    assert picture(oracle, prediction) == rows


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_equal_on_both_sides_are_drawn_whole_and_unmarked(name: str) -> None:
    for left, right in picture(HOSTILE[name], HOSTILE[name]):
        assert left == right
        assert not has_invisible(left)


def test_any_window_of_fifty_thousand_lines_takes_milliseconds() -> None:
    lines = [f"{number}, {number * 7}" for number in range(50_000)]
    changed = [*lines[:100], "new", *lines[100:30_000], *lines[30_002:]]
    oracle, prediction = "\n".join(lines), "\n".join(changed)
    layout = SideBySide(diff_text(oracle, prediction, seconds=5), oracle, prediction)
    assert len(layout) == 50_001
    started = process_time()
    for start in range(0, 50_000, 1_000):
        assert len(layout.rows(start, start + 40)) == 40
    assert process_time() - started < 2.5  # 50 windows; one takes about half a millisecond
    first, second = layout.rows(30_001, 30_003)
    assert first.oracle and first.oracle.number == 30_001 and first.prediction is None
    assert second.oracle and second.oracle.number == 30_002 and second.prediction is None
