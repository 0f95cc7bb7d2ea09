"""How much a prediction tells."""

from __future__ import annotations

import pytest

from auditor.diagnosis.surprise import EXPECTED_BY_CHANCE, bits_of, expected_by_chance


@pytest.mark.parametrize(
    ("prediction", "oracle", "bits"),
    [("0", "5", 1.0), ("True", "0", 1.0), ("[]", "[1, 2]", 0.5), ("7", "8", 3.0), ("1023", "1", 11.0)],
)
def test_short_answers_tell_little(prediction: str, oracle: str, bits: float) -> None:
    assert bits_of(prediction, oracle) == pytest.approx(bits, abs=0.01)


def test_a_small_difference_in_a_long_answer_tells_little() -> None:
    oracle = " ".join(map(str, range(1_000, 1_020)))
    near, far = oracle.replace("1007", "1008"), " ".join(map(str, range(4_000, 4_020)))
    assert bits_of(near, oracle) < 8 < 100 < bits_of(far, oracle)


def test_chance_grows_with_the_answers_met() -> None:
    assert expected_by_chance(10, 100) < EXPECTED_BY_CHANCE < expected_by_chance(10, 1_000)
    assert expected_by_chance(1e9, 10) < 1e-200


def test_huge_answers_are_measured_at_once() -> None:
    assert bits_of("9" * 100_000, "8" * 100_000) > 1_000
    assert bits_of("a b " * 10_000, "b a " * 10_000) > 1_000
