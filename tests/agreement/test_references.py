"""Every reference case of a coefficient that is built, to the tolerance it states."""

from __future__ import annotations

import pytest

from auditor.agreement.coefficient import STATISTICS
from tests.agreement import exact
from tests.agreement.references import Case, cases, measured, statistic_of

BUILT_CASES = [case for case in cases() if statistic_of(case) in STATISTICS]
BOOTSTRAPPED = [case for case in BUILT_CASES if "resample" in case["params"]]
ANALYTIC = [case for case in BUILT_CASES if "resample" not in case["params"]]


def _id(case: Case) -> str:
    return str(case["id"])


def test_the_references_hold_the_cases_that_are_built() -> None:
    assert len(cases()) == 147
    assert len(BUILT_CASES) == 140


@pytest.mark.parametrize("case", ANALYTIC, ids=_id)
def test_value_error_interval_and_items_are_the_reference(case: Case) -> None:
    expected, found, tolerance = case["expected"], measured(case), case["tolerance"]
    if expected["status"] == "undefined":
        assert found.value is None and found.se is None and found.ci_low is None
        assert found.reason and found.reason.endswith(".")
        return
    assert found.value == pytest.approx(expected["value"], abs=tolerance)
    for name in ("se", "se_table", "se_gwet"):
        if name in expected:
            assert found.se == pytest.approx(expected[name], abs=tolerance)
    if "ci" in expected:
        assert (found.ci_low, found.ci_high) == pytest.approx(tuple(expected["ci"]), abs=tolerance)
    if "n_corated" in expected:
        assert found.n_items == expected["n_corated"]


@pytest.mark.parametrize("case", [case for case in BOOTSTRAPPED if "bootstrap_se" in case["expected"]], ids=_id)
def test_bootstrap_interval_lies_in_the_exact_brackets(case: Case) -> None:
    expected, found = case["expected"], measured(case)
    assert found.value == pytest.approx(expected["value"], abs=1e-9)
    assert found.se == pytest.approx(expected["bootstrap_se"], rel=0.02)
    assert found.replicates == 10_000 and found.replicates_undefined is not None
    assert found.replicates_undefined / 10_000 == pytest.approx(expected["undefined_fraction"], abs=0.015)
    assert found.ci_low is not None and found.ci_high is not None
    slack = 1e-12
    assert expected["ci_lo_bracket"][0] - slack <= found.ci_low <= expected["ci_lo_bracket"][1] + slack
    assert expected["ci_hi_bracket"][0] - slack <= found.ci_high <= expected["ci_hi_bracket"][1] + slack


@pytest.mark.parametrize("case", [case for case in cases() if case["statistic"] == "fleiss_kappa_cuzick"], ids=_id)
def test_fleiss_kappa_is_gwets_and_not_the_one_of_fleiss_and_cuzick(case: Case) -> None:
    other = exact.fleiss_cuzick([(row["item"], row["annotator"], row["label"]) for row in case["ratings"]])
    assert float(other) == pytest.approx(case["expected"]["value"], abs=case["tolerance"])
    ours = measured({**case, "statistic": "fleiss_kappa"})
    assert ours.value is not None and abs(ours.value - float(other)) > 0.01
    assert "Gwet 2014" in ours.as_json()["definition"]


def test_an_interval_without_width_is_never_given_without_a_warning() -> None:
    found = measured(next(case for case in BOOTSTRAPPED if case["id"] == "boot-degenerate"))
    assert (found.ci_low, found.ci_high) == (1, 1)
    assert any("no width" in warning for warning in found.warnings)
    assert any("undefined" in warning for warning in found.warnings)


def test_one_cluster_gives_a_value_and_no_interval() -> None:
    found = measured(next(case for case in BOOTSTRAPPED if case["id"] == "boot-cluster-1"))
    assert found.value == pytest.approx(0.5)
    assert (found.ci_low, found.ci_high, found.se, found.ci_method) == (None, None, None, None)
    assert found.n_clusters == 1
    assert found.reason is not None and "one cluster" in found.reason
