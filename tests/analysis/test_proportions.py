"""Wilson's interval against references, and at its ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.analysis.proportions import wilson_interval

REFERENCES = Path(__file__).parent.parent / "refs" / "stats.json"
CASES = [
    case
    for case in json.loads(REFERENCES.read_text(encoding="utf-8"))["cases"]
    if case["statistic"] == "wilson_interval"
]


def test_all_reference_cases_are_there() -> None:
    assert len(CASES) == 8


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_wilson_interval_is_the_reference(case: dict[str, Any]) -> None:
    found, expected = wilson_interval(**case["params"]), case["expected"]
    if expected["ci"] is None:
        assert found == (None, None, None)
        return
    assert found.value == pytest.approx(expected["value"], abs=case["tolerance"])
    assert (found.low, found.high) == pytest.approx(tuple(expected["ci"]), abs=case["tolerance"])


@given(st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.999))
def test_the_interval_holds_the_rate_within_zero_and_one(counts: tuple[int, int], confidence: float) -> None:
    k, n = counts
    value, low, high = wilson_interval(k, n, confidence)
    assert value is not None and low is not None and high is not None
    assert 0 <= low <= value + 1e-12 and value - 1e-12 <= high <= 1
    mirrored = wilson_interval(n - k, n, confidence)
    assert mirrored.low == pytest.approx(1 - high, abs=1e-12)


@pytest.mark.parametrize(("k", "n", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 1.0), (1, 3, 0.0)])
def test_impossible_counts_and_confidences_are_refused(k: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="must lie between"):
        wilson_interval(k, n, confidence)
