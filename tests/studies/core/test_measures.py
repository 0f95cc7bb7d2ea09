"""The measures of CoRE against problems worked out by hand, and what holds between them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.analysis import Resampling
from auditor.studies.core.measures import (
    MEASURES,
    NEVER_BOTH,
    NO_OUTPUTS,
    NO_PROBES,
    NO_SUCH_PROBE,
    Probe,
    ProblemMeasures,
    ProblemRun,
    Tally,
    average,
    dimension_score,
    measure,
    summarise,
)

ALL, HALF, NONE = Tally(4, 4), Tally(2, 4), Tally(0, 4)
FEW = Resampling(replicates=200)


def probes(right: str) -> list[Probe]:
    """Return probes from `+` (right) and `-` (wrong or missing)."""
    return [Probe(mark == "+") for mark in right]


@pytest.mark.parametrize(
    ("implementations", "answers", "expected"),
    [
        # I, I_s, W, W_s, RCS, 1 - (I - W_s)^2, 1 - (I - W)^2
        ([ALL, ALL], "++++", (1, 1, 1, 1, 1, 1, 1)),
        # Superficial: right outputs, one probe of four right.
        ([ALL, ALL], "+---", (1, 1, 0, "1/4", "1/4", "7/16", 0)),
        # One output of one of three implementations is wrong: the implementation does not count, and I is 0.
        ([ALL, ALL, Tally(3, 4)], "++", (0, "2/3", 1, 1, 0, 0, 0)),
        ([HALF, NONE], "+-", (0, 0, 0, "1/2", 0, "3/4", 1)),
        # A single test without a reply is one that is not right.
        ([Tally(0, 1)], "-", (0, 0, 0, 0, 0, 1, 1)),
    ],
)
def test_a_problem_by_hand(implementations: list[Tally], answers: str, expected: tuple[int | str, ...]) -> None:
    found = measure(ProblemRun(implementations, probes(answers)))
    assert found[:7] == tuple(map(Fraction, expected)) and found.reason is None


def test_what_is_not_asked_is_undefined_and_never_0() -> None:
    assert measure(ProblemRun([ALL])) == ProblemMeasures(
        Fraction(1), Fraction(1), None, None, None, None, None, NO_PROBES
    )
    found = measure(ProblemRun(probes=probes("+-")))
    half = Fraction(1, 2)
    assert found == ProblemMeasures(None, None, Fraction(0), half, None, None, None, NO_OUTPUTS)
    assert measure(ProblemRun()).reason == f"{NO_OUTPUTS} {NO_PROBES}"
    summary = summarise([measure(ProblemRun([ALL])), measure(ProblemRun([NONE], probes("++")))], FEW)
    assert summary["I"].estimate.value == 0.5 and summary["I"].undefined == 0
    assert summary["W_s"].estimate.value == 1 and summary["W_s"].estimate.low is None
    assert summary["RCS"].undefined == 1 and summary["RCS"].reasons == (NO_PROBES,)
    none = summarise([measure(ProblemRun([ALL]))], FEW)
    assert none["W"].estimate.value is None and none["W"].estimate.reason == NO_PROBES
    assert none["RCS"].estimate.reason == NO_PROBES and none["I"].estimate.value == 1


def test_each_undefined_measure_has_its_own_reason() -> None:
    only_probes = measure(ProblemRun(probes=probes("+")))
    reasons = {name: only_probes.why_undefined(name) for name in MEASURES}
    assert reasons == {
        **{"I": NO_OUTPUTS, "I_s": NO_OUTPUTS, "W": None, "W_s": None},
        **dict.fromkeys(("RCS", "Cons(I, W_s)", "Cons(I, W)"), NO_OUTPUTS),
    }
    apart = average([only_probes, measure(ProblemRun([ALL]))])
    assert apart.why_undefined("I") is None and apart.why_undefined("RCS") == NEVER_BOTH
    nothing = dimension_score([[ProblemRun(probes=[Probe(True, frozenset({"State"}))])]], "Logic", FEW)
    assert nothing.pooled.value is None and nothing.by_problem.reason == nothing.pooled.reason == NO_SUCH_PROBE


def test_means_over_repetitions_and_problems() -> None:
    # Of the first problem I is 1 and 0 in two repetitions and W_s 1/2 and 1, so that RCS is 1/2 and 0.
    first = average(
        [measure(ProblemRun([ALL], probes("+-"))), measure(ProblemRun([HALF], probes("++"))), measure(ProblemRun())]
    )
    assert first[:5] == (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(3, 4), Fraction(1, 4))
    # 1 - (1 - 1/2)^2 = 3/4 and 1 - (0 - 1)^2 = 0; with W: 1 - 1 = 0 and 0.
    assert first[5:7] == (Fraction(3, 8), Fraction(0)) and first.reason == f"{NO_OUTPUTS} {NO_PROBES}"
    second = measure(ProblemRun([ALL], probes("+")))
    found = summarise([first, second], FEW)
    assert [found[name].estimate.value for name in ("I", "I_s", "W", "W_s", "RCS")] == [0.75, 0.75, 0.75, 0.875, 0.625]
    assert found["Cons(I, W_s)"].estimate.value == pytest.approx((3 / 8 + 1) / 2)
    assert found["Cons(I, W)"].estimate.value == 0.5
    low, high = found["RCS"].estimate.low, found["RCS"].estimate.high
    assert (low, high) == (0.25, 1.0) and found["RCS"].estimate.n_clusters == 2


def test_probes_of_a_dimension_pooled_and_by_problem() -> None:
    def some(*answers: tuple[bool, str]) -> ProblemRun:
        return ProblemRun(probes=[Probe(right, frozenset(names)) for right, names in answers])

    one = [some((True, "A"), (False, "AL"), (False, "AS")), some((True, "A"), (True, "AL"), (False, "AS"))]
    other = [some((True, "AB")), some((True, "AB"))]
    found = dimension_score([one, other, [some((True, "L"))]], "A", FEW)
    # Four probes carry A. Rightly answered are 1 and 2 of 3, and 1 of 1 twice.
    assert found.probes == 4
    assert found.pooled.value == pytest.approx((1.5 + 1) / 4)
    assert found.by_problem.value == pytest.approx((0.5 + 1) / 2)
    assert dimension_score([one, other], "B", FEW).pooled.value == 1
    nothing = dimension_score([one], "B", FEW)
    assert nothing.probes == 0 and nothing.pooled.value is None and nothing.by_problem.reason is not None


tallies = st.integers(1, 5).flatmap(lambda asked: st.builds(Tally, st.integers(0, asked), st.just(asked)))
runs = st.builds(
    ProblemRun, st.lists(tallies, min_size=1, max_size=5), st.lists(st.builds(Probe, st.booleans()), min_size=1)
)


@given(runs)
def test_what_holds_between_the_measures_of_a_problem(run: ProblemRun) -> None:
    found = measure(run)
    outputs, soft, strict, process, score, text, table, _ = found
    assert outputs is not None and soft is not None and strict is not None and process is not None
    assert score is not None and text is not None and table is not None
    assert score <= process and score <= outputs <= soft <= 1
    assert (strict == 1) == (process == 1) and (outputs == 1) == (soft == 1)
    assert all(0 <= one <= 1 for one in (soft, process, score, text, table))


@settings(max_examples=25)
@given(st.lists(st.lists(runs, min_size=1, max_size=3), min_size=1, max_size=4))
def test_what_holds_between_the_means(problems: list[list[ProblemRun]]) -> None:
    found = summarise([average(map(measure, some)) for some in problems], Resampling(replicates=2))
    value = {name: one.estimate.value or 0.0 for name, one in found.items()}
    assert value["RCS"] <= value["W_s"] + 1e-12 and value["RCS"] <= value["I"] + 1e-12
    assert value["W"] <= value["W_s"] + 1e-12 and value["I"] <= value["I_s"] + 1e-12
