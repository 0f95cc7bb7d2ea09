"""What auditor.compare.text_diff promises: pieces rebuild both texts, and nothing partial looks complete."""

from __future__ import annotations

import random
import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.text_diff import (
    LITTLE_IN_COMMON,
    TextDiff,
    diff_text,
    differences,
    first_difference,
    readable_diff,
)
from tests.compare.test_alignment import longest
from tests.compare.texts import PAIRS, TEXTS
from tests.hostile import HOSTILE


def parts(oracle: str, prediction: str) -> list[tuple[str, str, str]]:
    return [
        (p.kind, oracle[slice(*p.oracle)], prediction[slice(*p.prediction)])
        for p in diff_text(oracle, prediction).pieces
    ]


def shared_beginning(oracle: str, prediction: str) -> int:
    pairs = enumerate(zip(oracle, prediction, strict=False))
    return next((place for place, (one, two) in pairs if one != two), min(len(oracle), len(prediction)))


def assert_covers(diff: TextDiff, oracle: str, prediction: str) -> None:
    i = j = 0
    before = None
    for piece in diff.pieces:
        assert (piece.oracle.start, piece.prediction.start) == (i, j)
        i, j = piece.oracle.end, piece.prediction.end
        old, new = oracle[slice(*piece.oracle)], prediction[slice(*piece.prediction)]
        kind = "equal" if old == new else "insert" if not old else "delete" if not new else "replace"
        assert piece.kind == kind
        assert old or new
        assert (before == "equal") != (kind == "equal") or before is None
        before = kind
    assert (i, j) == (len(oracle), len(prediction))


@given(PAIRS)
def test_pieces_rebuild_both_texts_and_alternate_between_equal_and_changed(pair: tuple[str, str]) -> None:
    diff = diff_text(*pair)
    assert_covers(diff, *pair)
    assert diff.exact and diff.reason is None


@given(PAIRS)
def test_a_difference_is_empty_exactly_when_the_texts_are_equal(pair: tuple[str, str]) -> None:
    oracle, prediction = pair
    diff = diff_text(oracle, prediction)
    assert (differences(diff) == ()) == (oracle == prediction)
    assert (first_difference(diff) is None) == (oracle == prediction)
    assert differences(diff_text(oracle, oracle)) == ()


@given(PAIRS)
def test_the_first_differing_character_is_exact(pair: tuple[str, str]) -> None:
    assert diff_text(*pair).common == shared_beginning(*pair)


@given(PAIRS)
def test_no_alignment_keeps_more_words_numbers_and_marks_whole(pair: tuple[str, str]) -> None:
    oracle, prediction = pair
    spans = [match.span() for match in TOKENS.finditer(oracle)]
    equal = [piece.oracle for piece in diff_text(oracle, prediction).pieces if piece.kind == "equal"]
    kept = sum(any(piece.start <= start and end <= piece.end for piece in equal) for start, end in spans)
    assert kept >= longest([oracle[start:end] for start, end in spans], TOKENS.findall(prediction))


TOKENS = re.compile(r"[^\W\d_]+|\d+|\n|\S")


@given(TEXTS, TEXTS, st.sampled_from([0.0, 0.001]))
def test_without_time_the_pieces_still_cover_both_texts(oracle: str, prediction: str, seconds: float) -> None:
    assert_covers(diff_text(oracle, prediction, seconds=seconds), oracle, prediction)


@pytest.mark.parametrize(
    ("oracle", "prediction", "expected"),
    [
        ("", "", ""),
        ("", "x", "+x"),
        ("63250", "63240", "632|-5+4|0"),
        ("-5", "5", "--|5"),
        ("[1, 2, 3]", "[1, 3]", "[1, |-2, |3]"),
        ("abc\n", "abc", "abc|-\n"),
        ("cafe\u0301", "caf\u00e9", "caf|-e\u0301+\u00e9"),
        ("ab", "a\rb", "a|+\r|b"),
        ("x  y \n", "x y\n", "x |- |y|- |\n"),
        ("a\tb \nc", "a b\nc", "a|-\t+ |b|- |\nc"),
        ("1 2", "3 4", "-1+3| |-2+4"),
        ("a\r\nb", "a\nb", "a|-\r|\nb"),
        ("1\n3 4\n5 6\n", "1\n5 6\n7 8\n", "1\n|-3 4\n|5 6\n|+7 8\n"),
        ("a\nb\n", "a\nb\nc\n", "a\nb\n|+c\n"),
        ("kitten", "sundog", "-kitten+sundog"),
    ],
)
def test_what_changed_is_what_a_reader_would_mark(oracle: str, prediction: str, expected: str) -> None:
    assert "|".join(map(marked, parts(oracle, prediction))) == expected


def marked(part: tuple[str, str, str]) -> str:
    kind, old, new = part
    return old if kind == "equal" else (f"-{old}" if old else "") + (f"+{new}" if new else "")


def test_long_words_that_are_much_alike_are_looked_into_by_character() -> None:
    oracle = "abcdefghijklmnopqrstuvwxyz"
    prediction = oracle.replace("f", "").replace("t", "u")
    assert "|".join(map(marked, parts(oracle, prediction))) == "abcde|-f|ghijklmnopqrs|-t+u|uvwxyz"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_compared_with_what_is_left_of_them(name: str) -> None:
    text = HOSTILE[name]
    for other in (text[1:], text[:-1], text + "\n", text.strip(), ""):
        assert_covers(diff_text(text, other), text, other)


def random_numbers(seed: int, count: int) -> str:
    source = random.Random(seed)
    return ", ".join(str(source.randrange(1000)) for _ in range(count))


def test_a_megabyte_of_unrelated_text_stops_in_time_and_says_so() -> None:
    oracle, prediction = random_numbers(1, 210_000), random_numbers(2, 210_000)
    started = process_time()
    diff = diff_text(oracle, prediction)
    assert process_time() - started < 0.5
    assert not diff.exact
    assert diff.reason is not None and "of 1,0" in diff.reason
    assert_covers(diff, oracle, prediction)


def test_a_search_that_is_stopped_keeps_what_it_aligned_and_lumps_the_rest() -> None:
    oracle = random_numbers(1, 210_000)
    source = random.Random(3)
    edited = list(oracle)
    for _ in range(3_000):
        edited[source.randrange(len(edited))] = source.choice("0123456789")
    prediction = "".join(edited)
    diff = diff_text(oracle, prediction)
    assert not diff.exact and diff.reason is not None and diff.reason.startswith("stopped after 0.15 s")
    assert_covers(diff, oracle, prediction)
    assert len(diff.pieces) > 20
    assert diff.common == shared_beginning(oracle, prediction)


@pytest.mark.parametrize("length", [100_000, 1_000_000])
def test_repetitive_and_hardly_changed_long_texts_are_exact(length: int) -> None:
    zeros = "0" * length
    one_changed = zeros[: length // 2] + "1" + zeros[length // 2 + 1 :]
    assert [p.kind for p in diff_text(zeros, one_changed, seconds=5).pieces] == ["equal", "replace", "equal"]
    numbers = random_numbers(1, length // 5)
    edited = numbers
    for at in range(1, 21):
        place = at * len(numbers) // 21
        edited = f"{edited[:place]}x{edited[place + 1 :]}"
    diff = diff_text(numbers, edited, seconds=5)
    assert diff.exact and len(differences(diff)) == 20
    assert_covers(diff, numbers, edited)


def test_ten_thousand_tokens_with_one_in_twenty_changed_are_exact() -> None:
    source = random.Random(5)
    tokens = [str(source.randrange(100)) for _ in range(5_000)]
    changed = [token if source.random() > 0.05 else "x" for token in tokens]
    diff = diff_text(", ".join(tokens), ", ".join(changed), seconds=5)
    assert diff.exact
    assert len(differences(diff)) == sum(one != two for one, two in zip(tokens, changed, strict=True))


def changed_tokens(kind: str) -> tuple[list[str], list[str], int | None]:
    """Make ten thousand tokens twice, and the number of differences where it is known."""
    source = random.Random(11)
    letters = [source.choice("abcde") for _ in range(10_000)]
    if kind == "all zero, one change":
        return ["0"] * 10_000, ["0"] * 5_000 + ["1"] + ["0"] * 4_999, 1
    if kind == "five symbols, unrelated":
        return letters, [source.choice("abcde") for _ in range(10_000)], None
    left = [f"{number}" for number in range(10_000)] if kind == "unique, one in a hundred" else letters
    places = set(source.sample(range(10_000), 100))
    return left, ["x" if place in places else token for place, token in enumerate(left)], None


@pytest.mark.parametrize(
    "kind",
    ["unique, one in a hundred", "five symbols, one in a hundred", "five symbols, unrelated", "all zero, one change"],
)
def test_sequences_that_took_other_engines_seconds_are_exact(kind: str) -> None:
    left, right, count = changed_tokens(kind)
    oracle, prediction = " ".join(left), " ".join(right)
    diff = diff_text(oracle, prediction, seconds=5)
    assert diff.exact
    assert_covers(diff, oracle, prediction)
    assert count is None or len(differences(diff)) == count
    if kind.endswith("one in a hundred"):
        changed = sum(piece.prediction.end - piece.prediction.start for piece in differences(diff))
        assert 100 <= changed <= 500


def test_a_rotated_megabyte_is_flagged_and_still_rebuilt() -> None:
    oracle = random_numbers(1, 210_000)
    prediction = oracle[100_000:] + oracle[:100_000]
    diff = diff_text(oracle, prediction)
    assert not diff.exact and diff.reason
    assert_covers(diff, oracle, prediction)


# --- little in common ----------------------------------------------------------------------------------------------

PROSE = "Let's go step by step:\n\n1. The function takes a list.\n2. It has -4, then 0 - so 5 is left [1].\n" * 5


def test_a_short_text_is_not_torn_apart_over_accidental_matches_with_a_long_one() -> None:
    diff = readable_diff("[-4, -5, 0]", PROSE)
    assert [piece.kind for piece in diff.pieces] == ["replace"]
    assert (diff.exact, diff.reason) == (False, LITTLE_IN_COMMON)
    assert len(diff_text("[-4, -5, 0]", PROSE).pieces) > 3


@pytest.mark.parametrize(
    ("oracle", "prediction"),
    [
        ("".join(f"line {n} is {n * n}\n" for n in range(200)), "".join(f"line {n} is {n * n}\n" for n in range(20))),
        ("7\n", "7\n" + "8\n" * 100),
        ("a 1 b", "c 1 d"),
        (f"{'x' * 50} 3", f"{PROSE} {'x' * 50} 4 {PROSE}"),
        (PROSE, PROSE.replace("list", "tuple")),
        ("x" * 100, "y" * 100),
    ],
)
def test_what_is_shared_by_no_accident_stays_aligned(oracle: str, prediction: str) -> None:
    assert readable_diff(oracle, prediction) == diff_text(oracle, prediction)


@given(PAIRS)
def test_a_readable_difference_covers_both_texts(pair: tuple[str, str]) -> None:
    assert_covers(readable_diff(*pair), *pair)
    assert (differences(readable_diff(*pair)) == ()) == (pair[0] == pair[1])
