"""Cluster-robust logits against references, statsmodels by another way and sums by hand; and the fits that are none."""

from __future__ import annotations

import builtins
import json
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.analysis.logistic import LogisticFit, cluster_logit
from auditor.errors import AuditorError

REFERENCES = Path(__file__).parent.parent / "refs" / "stats.json"
CASES = [
    case
    for case in json.loads(REFERENCES.read_text(encoding="utf-8"))["cases"]
    if case["statistic"] == "cluster_robust_logit"
]


def fitted(case: dict[str, Any]) -> LogisticFit:
    names, rows = case["params"]["names"], case["data"]
    design = [[1.0, *(row[name] for name in names[1:])] for row in rows]
    return cluster_logit([row["y"] for row in rows], names, design, [row["cluster"] for row in rows])


def test_all_reference_cases_are_there() -> None:
    assert len(CASES) == 5


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_a_fit_is_the_reference(case: dict[str, Any]) -> None:
    found, expected = fitted(case), case["expected"]
    if expected.get("status") == "undefined":
        assert [(one.se, one.t, one.p, one.low) for one in found.terms] == [(None,) * 4] * 2
        assert found.reason is not None and "one cluster" in found.reason
        return
    near = case["tolerance"]
    assert found.converged and found.reason is None and found.max_score is not None and found.max_score < 1e-9
    for at, term in enumerate(found.terms):
        assert (term.coefficient, term.se) == pytest.approx((expected["coef"][at], expected["se"][at]), abs=near)
        if expected["p"][at] is None:
            assert (term.t, term.p, term.low, term.odds_interval) == (None,) * 4
            continue
        assert term.p == pytest.approx(expected["p"][at], abs=near)
        if "ci" in expected:
            assert term.t == pytest.approx(expected["t"][at], abs=near)
            assert (term.low, term.high) == pytest.approx(tuple(expected["ci"][at]), abs=near)
    if "factor" in expected:
        assert (found.df, found.n_clusters, found.n) == (expected["df"], expected["G"], expected["N"])
        assert found.factor == pytest.approx(expected["factor"])


def by_hand(y: Any, x: Any, cluster: Any) -> tuple[Any, Any]:
    """Return coefficients and robust standard errors by Newton steps and summed scores."""
    b = np.zeros(x.shape[1])
    for _ in range(40):
        mean = 1 / (1 + np.exp(-x @ b))
        information = (x * (mean * (1 - mean))[:, None]).T @ x
        b = b + np.linalg.solve(information, x.T @ (y - mean))
    bread = np.linalg.inv(information)
    scores = [((y - mean)[cluster == one][:, None] * x[cluster == one]).sum(axis=0) for one in np.unique(cluster)]
    groups, (n, p) = len(scores), x.shape
    meat = sum(np.outer(score, score) for score in scores)
    return b, np.sqrt(np.diag(bread @ meat @ bread) * groups / (groups - 1) * (n - 1) / (n - p))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fit_is_the_one_by_hand_and_turns_around_with_the_outcome(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 300
    x = np.column_stack([np.ones(n), rng.integers(0, 2, n), rng.normal(size=n), rng.normal(3, 5, n)])
    cluster = rng.integers(0, 25, n)
    y = rng.random(n) < 1 / (1 + np.exp(-(x @ [0.3, -0.5, 0.8, 0.05])))
    names = ["constant", "a", "b", "c"]
    found = cluster_logit(y.tolist(), names, x, cluster.tolist())
    b, se = by_hand(y.astype(float), x, cluster)
    assert [one.coefficient for one in found.terms] == pytest.approx(b.tolist())
    assert [one.se for one in found.terms] == pytest.approx(se.tolist())
    assert (found.rank, found.positive_definite, found.separated, found.warnings) == (4, True, (), ())
    turned = cluster_logit((~y).tolist(), names, x, cluster.tolist())
    assert [one.coefficient for one in turned.terms] == pytest.approx([-one.coefficient for one in found.terms])
    ratio, interval = turned.terms[2].odds_ratio, found.terms[2].odds_interval
    assert ratio == pytest.approx(np.exp(-b[2])) and interval is not None
    assert interval[0] < np.exp(b[2]) < interval[1]


def test_two_groups_give_the_logs_of_their_odds() -> None:
    outcome = [True] * 3 + [False] * 9 + [True] * 6 + [False] * 2
    design = [[1, 0]] * 12 + [[1, 1]] * 8
    found = cluster_logit(outcome, ["constant", "group"], design, list(range(20)))
    assert [one.coefficient for one in found.terms] == pytest.approx([log(3 / 9), log((6 / 2) / (3 / 9))])
    assert found.positive == 9


SEPARATED = {
    "completely": ([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], {"constant", "x"}),
    "but for a tie": ([0, 0, 0, 1, 1, 1], [1, 2, 3, 3, 5, 6], {"constant", "x"}),
    "in one group": ([0, 1, 0, 1, 0, 0], [0, 0, 0, 0, 1, 1], {"x"}),
}


@pytest.mark.parametrize("name", SEPARATED)
def test_separation_is_no_fit_and_names_what_separates(name: str) -> None:
    y, x, expected = SEPARATED[name]
    noise = [0.3, -1.2, 0.5, 0.4, -0.1, 0.2] if name == "in one group" else [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    design = [[1.0, a, b] for a, b in zip(x, noise, strict=True)]
    found = cluster_logit([bool(one) for one in y], ["constant", "x", "z"], design, "aabbcc")
    assert found.terms == () and set(found.separated) == expected
    assert found.reason is not None and "separation" in found.reason


def test_what_cannot_be_fitted_says_why() -> None:
    alike = cluster_logit([True, True], ["constant"], [[1], [1]], "ab")
    assert alike.reason == "There is no fit: the outcome is true of every row."
    none = cluster_logit([], ["constant"], np.empty((0, 1)), [])
    assert none.reason == "There is no fit: the outcome is true of no row."
    twice = [[1, value, 2 * value + 1] for value in (1, 2, 3, 4)]
    found = cluster_logit([True, False, True, False], ["constant", "x", "y"], twice, "abcd")
    assert (found.terms, found.rank) == ((), 2)
    assert found.reason is not None and "rank 2 of 3" in found.reason
    with pytest.raises(ValueError, match="row each"):
        cluster_logit([True], ["constant"], [[1], [1]], "ab")
    with pytest.raises(ValueError, match="finite"):
        cluster_logit([True, False], ["x"], [[1], [float("nan")]], "ab")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("statsmodels"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(AuditorError, match=r"auditor\[analysis\]"):
        cluster_logit([True, False], ["constant"], [[1], [1]], "ab")


@pytest.mark.parametrize("apart", [1e-3, 1e-5])
def test_strongly_correlated_predictors_converge_in_a_few_steps(apart: float) -> None:
    draw = np.random.default_rng(1)
    first = draw.normal(size=3_000) * 4
    design = np.column_stack([np.ones(3_000), first, first + apart * draw.normal(size=3_000)])
    outcome = draw.random(3_000) < 1 / (1 + np.exp(-0.3 * first))
    found = cluster_logit(outcome.tolist(), ["one", "a", "b"], design, (np.arange(3_000) // 10).tolist())
    assert found.converged and found.iterations is not None and found.iterations < 20
    assert found.max_score is not None and found.max_score < 1e-9
    # What is fitted hangs not on which of the columns stand for the same plane.
    turned = np.column_stack([design[:, 0], design[:, 1], (design[:, 2] - design[:, 1]) / apart])
    plain = cluster_logit(outcome.tolist(), ["one", "a", "b"], turned, (np.arange(3_000) // 10).tolist())
    assert found.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-12)
    assert found.terms[2].coefficient * apart == pytest.approx(plain.terms[2].coefficient, rel=1e-6)
    assert found.terms[2].se is not None and found.terms[2].se * apart == pytest.approx(plain.terms[2].se, rel=1e-6)
