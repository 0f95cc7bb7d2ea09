"""Code points side by side: both texts in order, and each difference where the difference of the texts has it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.aligned_points import CONTEXT, MOST_PAIRS, aligned_points, count_differences
from auditor.compare.text_diff import diff_text, differences
from tests.hostile import HOSTILE

TEXTS = st.text(st.sampled_from("ab1 \n\t漢é\u0301\u200b\u00a0\ud83d\x1b"), max_size=60)


@given(TEXTS, TEXTS)
def test_every_difference_is_shown_with_what_stands_around_it(oracle: str, prediction: str) -> None:
    diff = diff_text(oracle, prediction)
    pieces = differences(diff)
    assert count_differences(diff) == len(pieces)
    for nth, piece in enumerate(pieces):
        shown = aligned_points(oracle, prediction, diff, nth)
        for side, text, span in (
            ([pair.oracle for pair in shown.pairs], oracle, piece.oracle),
            ([pair.prediction for pair in shown.pairs], prediction, piece.prediction),
        ):
            offsets = [point.offset for point in side if point is not None]
            assert offsets == list(range(offsets[0], offsets[-1] + 1)) if offsets else not text
            assert [point.code for point in side if point] == [f"U+{ord(text[at]):04X}" for at in offsets]
            assert set(range(*span)) <= set(offsets)
        for pair in shown.pairs:
            if pair.oracle is None or pair.prediction is None or pair.oracle.code != pair.prediction.code:
                assert pair.differs
        first = shown.pairs[shown.first]
        assert first.differs
        begins = [point.offset for point in (first.oracle, first.prediction) if point is not None]
        assert piece.oracle.start in begins or piece.prediction.start in begins
        assert shown.first <= CONTEXT and not shown.left_out


def test_what_looks_alike_is_said_and_marked() -> None:
    oracle, prediction = "total a\u00a0b 1", "total a b 2"
    shown = aligned_points(oracle, prediction, diff_text(oracle, prediction), 0)
    assert [(pair.differs, pair.alike) for pair in shown.pairs[7:11]] == [
        (True, True),
        (False, False),
        (False, False),
        (True, False),
    ]
    assert shown.sentence == "white space: the oracle has U+00A0 NO-BREAK SPACE where the prediction has U+0020 SPACE"
    assert aligned_points(oracle, prediction, diff_text(oracle, prediction), 1).sentence == ""


def test_a_missing_character_has_no_counterpart() -> None:
    shown = aligned_points("ab\n", "ab", diff_text("ab\n", "ab"), 0)
    assert [(pair.oracle and pair.oracle.name, pair.prediction and pair.prediction.name) for pair in shown.pairs] == [
        ("LATIN SMALL LETTER A", "LATIN SMALL LETTER A"),
        ("LATIN SMALL LETTER B", "LATIN SMALL LETTER B"),
        ("LINE FEED", None),
    ]


def test_a_very_long_difference_says_how_much_is_left_out() -> None:
    oracle, prediction = "1" * 5_000, ""
    shown = aligned_points(oracle, prediction, diff_text(oracle, prediction), 0)
    assert (len(shown.pairs), shown.left_out) == (MOST_PAIRS, 3_000)
    with pytest.raises(IndexError):
        aligned_points(oracle, prediction, diff_text(oracle, prediction), 1)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_hostile_character_is_drawn_as_it_is(text: str) -> None:
    for pair in aligned_points(text + "x", text, diff_text(text + "x", text), 0).pairs:
        for point in (pair.oracle, pair.prediction):
            assert point is None or (point.shown.isprintable() and point.name)
