"""What is asked of an agreement measurement, and one measured coefficient."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

STATISTICS = (
    "cohen_kappa",
    "light_kappa",
    "scott_pi",
    "fleiss_kappa",
    "conger_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "gwet_ac2",
    "brennan_prediger",
    "percent",
    "positive_agreement",
    "negative_agreement",
    "prevalence_index",
    "bias_index",
)
"""Every name that may be asked for."""

CLUSTER = "cluster"
ITEM = "item"
NONE = "none"
BOOTSTRAPS = (ITEM, CLUSTER, NONE)
WEIGHTS = ("linear", "quadratic")
METRICS = ("nominal", "ordinal", "interval", "ratio", "masi", "jaccard")
PAIR = "pair"
ALL = "all"
DEFAULT_REPLICATES = 10_000
MAX_REPLICATES = 1_000_000
GENERATOR = "numpy PCG64"


@dataclass(frozen=True, slots=True)
class Options:
    """How to measure; the defaults are the command's."""

    statistics: tuple[str, ...] = ()
    """Names of coefficients; empty = the usual ones, overall and per tag."""
    annotators: tuple[str, ...] | None = None
    """Whom to compare, in this order; None = everybody."""
    tags: tuple[str, ...] = ()
    """Each of these tags against the rest; empty = the categories as they stand (every tag when labels are sets)."""
    weights: str | None = None
    """`linear`, `quadratic` or None; concerns the coefficients that can be weighted."""
    scores: tuple[float, ...] | None = None
    """Numeric value of each category, for weights; None = ranks in the declared order."""
    metric: str | None = None
    """Distance of Krippendorff's alpha; None = `nominal`, or `masi` when labels are sets."""
    bootstrap: str | None = None
    """`item`, `cluster`, `none`; None = `cluster` when the clusters are known, else `none`."""
    replicates: int = DEFAULT_REPLICATES
    seed: int = 0
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient of one group of annotators; what is undefined is None and `reason` says why."""

    statistic: str
    scope: str
    """`pair`, or `all` for a coefficient over all chosen annotators."""
    annotators: tuple[str, ...]
    tag: str | None
    """The tag that is held against the rest; None = all categories."""
    n_items: int
    """Items rated by both (pair), or by at least two of the annotators (all)."""
    n_clusters: int | None
    """Clusters of these items; None = not known."""
    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str | None = None
    confidence: float | None = None
    replicates: int | None = None
    replicates_undefined: int | None = None
    seed: int | None = None
    observed: float | None = None
    """Observed agreement, weighted when the coefficient is."""
    expected: float | None = None
    """Agreement expected by chance; None for coefficients that are not corrected for chance."""
    prevalence: float | None = None
    """Share of the tag among the labels of the compared annotators; None without a tag."""
    reason: str | None = None
    """Why there is no value or, where there is one, why it has no interval."""
    warnings: tuple[str, ...] = ()
    """What a reader must know before trusting the interval."""
    t_low: float | None = None
    """Lower end of value +- t(G - 1) x SE x sqrt(G / (G - 1)), given beside a bootstrap of G < 20 clusters."""
    t_high: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return asdict(self) | {"annotators": list(self.annotators), "warnings": list(self.warnings)}
