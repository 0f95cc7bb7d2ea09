"""Logistic regression with a covariance that is robust to what rows of one cluster share.

The fit is statsmodels' (extra `analysis`), which is imported when one is asked for. Checked and reported here is what
it passes over: a design without full rank, separation, a single cluster, a standard error of 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from auditor.analysis.separation import separated_columns
from auditor.errors import AuditorError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

FEW_CLUSTERS = 20
_ILL_CONDITIONED = 1e10
_EVENTS = 10
"""How often the rarer outcome must occur for each predictor."""
_MOST_STEPS = 100
_NAMES_SHOWN = 8
_TOLERANCE = 1e-10
"""By how much the last step may move a coefficient of orthonormal predictors, times the square root of the rows."""
_NO_VARIANCE = 1e-8
"""A robust standard error of less than this share of the model-based one is 0 but for rounding."""


@dataclass(frozen=True, slots=True)
class Term:
    """One coefficient; what is undefined is None."""

    name: str
    coefficient: float
    se: float | None = None
    t: float | None = None
    p: float | None = None
    """Two-sided."""
    low: float | None = None
    high: float | None = None

    @property
    def odds_ratio(self) -> float | None:
        """Return the factor on the odds for one unit more; None where it is beyond any number."""
        return _exp(self.coefficient)

    @property
    def odds_interval(self) -> tuple[float, float] | None:
        """Return the interval of the odds ratio."""
        if self.low is None or self.high is None:
            return None
        low, high = _exp(self.low), _exp(self.high)
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """A fit with its checks; without terms where there is none, and `reason` says why."""

    terms: tuple[Term, ...]
    n: int
    n_clusters: int
    positive: int
    """Rows whose outcome is true."""
    rank: int
    """Of the design."""
    df: int | None
    """Degrees of freedom of the t reference: clusters less one."""
    factor: float | None
    """On the sandwich covariance: G / (G - 1) x (N - 1) / (N - p)."""
    confidence: float
    converged: bool | None = None
    iterations: int | None = None
    max_score: float | None = None
    """The largest absolute score at the estimate; 0 but for rounding where it converged."""
    condition: float | None = None
    """Condition number of the information matrix; None where it is beyond any number."""
    positive_definite: bool | None = None
    """Whether the robust covariance is."""
    log_likelihood: float | None = None
    separated: tuple[str, ...] = ()
    """Columns of which some combination tells outcomes apart without error, so that no estimate is finite."""
    reason: str | None = None
    warnings: tuple[str, ...] = ()


def require_statsmodels() -> None:
    """Raise AuditorError where the extra `analysis` is not installed."""
    try:
        import statsmodels.api  # noqa: F401 - only whether it is there
    except ImportError as error:
        hint = "Install it with: pip install 'auditor[analysis]'"
        raise AuditorError("a regression needs statsmodels, which is not installed.", hint=hint) from error


def cluster_logit(
    outcome: Sequence[bool],
    columns: Sequence[str],
    design: Sequence[Sequence[float]] | Floats,
    clusters: Sequence[Hashable],
    confidence: float = 0.95,
) -> LogisticFit:
    """Fit by maximum likelihood; `design` has a row for each outcome and a column for each name, the constant included.

    Covariance: the sandwich with scores summed by cluster, times G / (G - 1) x (N - 1) / (N - p); intervals and
    two-sided tests by t with G - 1 degrees of freedom (Cameron & Miller 2015).
    Raises ValueError for unequal lengths or values that are not finite, AuditorError without statsmodels.
    """
    y, x = np.asarray(outcome, dtype=np.float64), np.asarray(design, dtype=np.float64)
    if x.ndim != 2 or x.shape != (len(y), len(columns)) or len(clusters) != len(y):
        raise ValueError("outcome, design and clusters must have a row each, and columns a name each")
    if not np.isfinite(x).all():
        raise ValueError("a value of the design is not finite")
    require_statsmodels()
    codes: dict[Hashable, int] = {}
    cluster = np.array([codes.setdefault(one, len(codes)) for one in clusters], dtype=np.int64)
    n, groups, positive = len(y), len(codes), int(y.sum())
    rank = int(np.linalg.matrix_rank(x)) if n else 0

    def without(reason: str, separated: tuple[str, ...] = ()) -> LogisticFit:
        return LogisticFit((), n, groups, positive, rank, None, None, confidence, separated=separated, reason=reason)

    if positive in (0, n):
        return without(f"There is no fit: {_all_alike(positive)}.")
    if rank < len(columns):
        return without(_rank_reason(x, columns, rank))
    separated = separated_columns(y, x, columns)
    if separated:
        told = "tells the outcomes apart without error (separation), so that no estimate is finite"
        hint = "Leave the rows concerned, or the predictor, out."
        which = f"a combination of {_listed(separated)}" if len(separated) > 1 else _listed(separated)
        return without(f"There is no fit: {which} {told}. {hint}", separated)
    try:
        return _fitted(y, x, columns, cluster, groups, rank, confidence)
    except (np.linalg.LinAlgError, OverflowError):
        return without("There is no fit: the information matrix became singular on the way to the estimate.")


def _fitted(
    y: Floats, x: Floats, columns: Sequence[str], cluster: Any, groups: int, rank: int, confidence: float
) -> LogisticFit:
    """Fit a design of full rank whose outcomes are not separated, and check the fit."""
    n, p = x.shape
    robust = groups > 1 and n > p
    found, back = _maximum(y, x, cluster if robust else None)
    estimate = back @ np.asarray(found.params)
    if not np.isfinite(estimate).all():
        raise OverflowError("a coefficient is beyond any number")
    chances = np.asarray(found.predict())
    information = x.T @ (x * (chances * (1 - chances))[:, None])
    condition = float(np.linalg.cond(information))
    terms = tuple(Term(name, float(value)) for name, value in zip(columns, estimate, strict=True))
    definite = None
    if robust:
        covariance = back @ np.asarray(found.cov_params()) @ back.T
        usual = np.sqrt(np.diag(np.linalg.inv(information)))
        terms = tuple(map(_tested, terms, np.diag(covariance), usual, repeat(groups - 1), repeat(confidence)))
        definite = groups > p and bool(np.linalg.eigvalsh(covariance).min() > 0)
    converged = bool(found.mle_retvals["converged"])
    return LogisticFit(
        terms=terms,
        n=n,
        n_clusters=groups,
        positive=int(y.sum()),
        rank=rank,
        df=groups - 1 if robust else None,
        factor=groups / (groups - 1) * (n - 1) / (n - p) if robust else None,
        confidence=confidence,
        converged=converged,
        iterations=int(found.mle_retvals["iterations"]),
        max_score=float(np.abs(x.T @ (y - chances)).max()),
        condition=condition if np.isfinite(condition) else None,
        positive_definite=definite,
        log_likelihood=float(found.llf),
        reason=_why_no_error(n, p, groups),
        warnings=tuple(_warnings(converged, condition, definite, groups, min(int(y.sum()), n - int(y.sum())), p - 1)),
    )


def _maximum(y: Floats, x: Floats, cluster: Any) -> tuple[Any, Floats]:
    """Return statsmodels' fit, with the robust covariance where there are clusters, and what turns it back.

    What is fitted are orthonormal combinations of the columns: Newton's steps then end at a maximum to which strongly
    correlated columns would only come within their rounding. `back` times its coefficients are those of the columns.
    """
    import statsmodels.api as sm

    options: dict[str, Any] = {"method": "newton", "maxiter": _MOST_STEPS, "tol": _TOLERANCE, "disp": False}
    if cluster is not None:
        # The correction is G / (G - 1) x (N - 1) / (N - p), and t has G - 1 degrees of freedom.
        options |= {"cov_type": "cluster", "cov_kwds": {"groups": cluster, "use_correction": True}, "use_t": True}
    size = np.linalg.norm(x, axis=0)
    orthonormal, triangle = np.linalg.qr(x / size)
    rows = sqrt(len(y))
    back = np.linalg.solve(triangle, np.eye(len(triangle))) * rows / size[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it would warn of is checked here
        return sm.Logit(y, orthonormal * rows).fit(warn_convergence=False, **options), back


def _warnings(
    converged: bool, condition: float, definite: bool | None, groups: int, rarer: int, predictors: int
) -> Iterator[str]:
    """Say what a reader must know of a fit; `definite` is None where there is no robust covariance.

    `rarer` is how often the rarer outcome occurs; fewer than ten times for each predictor is too few for a logit
    (Peduzzi et al. 1996).
    """
    if not converged:
        yield f"The fit did not converge in {_MOST_STEPS} steps: its numbers mean nothing."
    if not condition < _ILL_CONDITIONED:
        yield f"The information matrix is ill-conditioned ({condition:.2g}): coefficients cannot be told apart."
    if definite is False:
        yield "The robust covariance is not positive definite: no test of all coefficients at once is valid."
    if definite is not None and groups < FEW_CLUSTERS:
        yield f"Only {groups} clusters: intervals from fewer than {FEW_CLUSTERS} are too narrow on average."
    if rarer < _EVENTS * predictors:
        yield (
            f"The rarer outcome occurs {counted(rarer, 'time')} for {counted(predictors, 'predictor')}: with fewer than"
            f" {_EVENTS} times for each, estimates are unstable and too far from 0."
        )


def _tested(term: Term, variance: float, usual: float, df: int, confidence: float) -> Term:
    """Return a term with its robust standard error, test and interval; `usual` is the model-based standard error."""
    from scipy.stats import t as student

    se = sqrt(max(variance, 0.0))
    if se <= _NO_VARIANCE * usual:
        # The scores of every cluster cancel out: 0 but for rounding, which says nothing of certainty.
        return replace(term, se=0.0)
    ratio = term.coefficient / se
    half = float(student.ppf((1 + confidence) / 2, df)) * se
    p = 2 * float(student.sf(abs(ratio), df))
    return replace(term, se=se, t=ratio, p=p, low=term.coefficient - half, high=term.coefficient + half)


def _why_no_error(n: int, p: int, groups: int) -> str | None:
    if groups < 2:
        return "There is no standard error: all rows come from one cluster."
    return f"There is no standard error: {n} rows are not more than the {p} coefficients." if n <= p else None


def _rank_reason(x: Floats, columns: Sequence[str], rank: int) -> str:
    """Name the columns that others determine."""
    from scipy.linalg import qr

    *_, order = qr(x / np.maximum(np.abs(x).max(axis=0), 1e-300), mode="economic", pivoting=True)
    names = [columns[at] for at in sorted(order[rank:])]
    follow = "follows" if len(names) == 1 else "follow"
    return f"There is no fit: {_listed(names)} {follow} from the other columns (rank {rank} of {len(columns)})."


def _all_alike(positive: int) -> str:
    return "the outcome is true of every row" if positive else "the outcome is true of no row"


def _listed(names: Sequence[str]) -> str:
    shown = [visible_line(name, 60) for name in names[:_NAMES_SHOWN]]
    more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
    return f"{', '.join(shown)}{more}"


def _exp(value: float) -> float | None:
    """Return e to a power, None where it is beyond any number."""
    try:
        return exp(value)
    except OverflowError:
        return None
