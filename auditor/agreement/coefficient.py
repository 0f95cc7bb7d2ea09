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

DEFINITIONS = {
    "percent": "share of agreeing pairs of ratings; over more than two annotators the mean over items",
    "cohen_kappa": "Cohen 1960, weighted Cohen 1968",
    "light_kappa": "Light 1971: the mean of Cohen's kappa over all pairs of annotators",
    "scott_pi": "Scott 1955",
    "fleiss_kappa": "Fleiss 1971, with unequal numbers of ratings as in Gwet 2014",
    "conger_kappa": "Conger 1980, with unequal numbers of ratings as in Gwet 2014",
    "krippendorff_alpha": "Krippendorff 2004, from coincidences",
    "gwet_ac1": "Gwet 2008, with unequal numbers of ratings as in Gwet 2014",
    "gwet_ac2": "Gwet 2014",
    "brennan_prediger": "Brennan and Prediger 1981 (of two categories PABAK), with unequal numbers as in Gwet 2014",
    "positive_agreement": "Cicchetti and Feinstein 1990",
    "negative_agreement": "Cicchetti and Feinstein 1990",
    "prevalence_index": "Byrt et al. 1993, without its sign",
    "bias_index": "Byrt et al. 1993, without its sign",
    "sensitivity": "of the items to which the reference gives the tag, the share to which the judge gives it",
    "specificity": "of the items to which the reference does not give the tag, the share to which the judge does not",
    "balanced_accuracy": "the mean of sensitivity and specificity",
    "precision": "of the items to which the judge gives the tag, the share to which the reference gives it",
}
"""Whose definition each coefficient follows; where several are in use they differ in value."""

CLUSTER = "cluster"
ITEM = "item"
NONE = "none"
BOOTSTRAPS = (ITEM, CLUSTER, NONE)
WEIGHTS = ("linear", "quadratic")
METRICS = ("nominal", "ordinal", "interval", "ratio", "masi", "jaccard")
PERCENTILE = "percentile"
T = "t"
INTERVALS = (PERCENTILE, T)
PAIR = "pair"
ALL = "all"
DEFAULT_REPLICATES = 10_000
DEFAULT_SEED = 20_261_011
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
    groups: tuple[str, ...] = ()
    """Which tag of each of these exclusive groups; empty = every group, unless `tags` are named."""
    weights: str | None = None
    """`linear`, `quadratic` or None; concerns the coefficients that can be weighted."""
    scores: tuple[float, ...] | None = None
    """Numeric value of each category, for weights; None = ranks in the declared order."""
    metric: str | None = None
    """Distance of Krippendorff's alpha; None = `nominal`, or `masi` when labels are sets."""
    bootstrap: str | None = None
    """`item`, `cluster`, `none`; None = `cluster` when the clusters are known, else `none`."""
    interval: str | None = None
    """`percentile` or `t`, of a bootstrap; None = percentile, and t is advised where there are few clusters."""
    replicates: int = DEFAULT_REPLICATES
    seed: int = DEFAULT_SEED
    confidence: float = 0.95


ROUNDING = 1e-12
"""By how much coefficients that are the same can differ, for the order in which they were added up."""


class TwoIntervals:
    """What has a percentile and a t interval of the same replicates, and says which of them to show."""

    __slots__ = ()
    ci_low: float | None
    ci_high: float | None
    t_low: float | None
    t_high: float | None
    interval: str | None

    @property
    def shown_low(self) -> float | None:
        """Return the lower end of the interval to show; None where it has no width, and so says nothing."""
        return self._shown[0]

    @property
    def shown_high(self) -> float | None:
        """Return the upper end of the interval to show; None where it has no width."""
        return self._shown[1]

    @property
    def _shown(self) -> tuple[float | None, float | None]:
        low, high = (self.t_low, self.t_high) if self.interval == T else (self.ci_low, self.ci_high)
        return (low, high) if low is not None and high is not None and high - low > ROUNDING else (None, None)


@dataclass(frozen=True, slots=True)
class Coefficient(TwoIntervals):
    """One coefficient of one group of annotators; what is undefined is None and `reason` says why."""

    statistic: str
    scope: str
    """`pair`, or `all` for a coefficient over all chosen annotators."""
    annotators: tuple[str, ...]
    tag: str | None
    """The tag that is held against the rest; None = all categories, or those of `group`."""
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
    """Lower end of value +- t(G - 1) x SE x sqrt(G / (G - 1)), given beside every bootstrap of G clusters or items."""
    t_high: float | None = None
    interval: str | None = None
    """Which interval of a bootstrap to show: the one asked for, else `t` where clusters are few, else `percentile`."""
    group: str | None = None
    """The exclusive group whose tags, and none of them, are the categories; None = not about a group."""
    pair_low: float | None = None
    """Of Light's kappa: the lowest kappa of a pair."""
    pair_high: float | None = None
    pair_sd: float | None = None
    """Of Light's kappa: the standard deviation of the pairs' kappas, divisor pairs - 1; None for a single pair."""

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        lists = {"annotators": list(self.annotators), "warnings": list(self.warnings)}
        return asdict(self) | lists | {"definition": DEFINITIONS[self.statistic]}
