"""Intervals of a coefficient: asymptotic, or bootstrap by clusters or items; and why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

from auditor.agreement.coefficient import CLUSTER, PERCENTILE, Options, T
from auditor.agreement.ratings import Bools, Floats
from auditor.agreement.resampling import Resampler, percentile_interval
from auditor.agreement.student import two_sided_quantile

FEW_CLUSTERS = 20
"""Below this many clusters a nominal 95 % cluster bootstrap covers less than about 93 %."""
MANY_UNDEFINED = 0.05
SINGLE_ITEM = "There is no interval: a single item has no sampling variance."
_NO_WIDTH = ": an interval would have no width and say nothing about other items."


class Interval(NamedTuple):
    """An interval, or the reason for having none."""

    se: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None
    replicates: int | None = None
    undefined: int | None = None
    seed: int | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    t_low: float | None = None
    t_high: float | None = None
    shown: str | None = None
    """Which interval of a bootstrap to show: `percentile` or `t`."""


@dataclass(eq=False)
class Resamples:
    """Sums of one table over the resamples, computed when first asked for, with those of all tables made till then."""

    options: Options
    resampler: Resampler | None
    """None = no bootstrap is asked for."""
    features: Callable[[], Floats]
    """Gives the additive sums of one item of each pattern, shape (m, k)."""

    def __post_init__(self) -> None:
        self._later = None if self.resampler is None else self.resampler.later(self.features())

    def units(self, measured: Bools) -> int:
        """Count what is resampled and holds something to measure; `measured` says it of each pattern, shape (m,)."""
        return 0 if self.resampler is None else self.resampler.units_with(measured)

    def obstacle(self, units: int) -> str | None:
        """Say in a sentence why nothing can be resampled, when so many units hold something to measure."""
        if self.resampler is None or units > 1:
            return None
        if self.options.bootstrap == CLUSTER:
            what = "all items" if self.resampler.units < 2 else "all that can be measured"
            verb = "come" if what == "all items" else "comes"
            return f"There is no interval: {what} {verb} from one cluster, and a bootstrap needs at least two."
        return "There is no interval: a bootstrap needs at least two items that can be measured."

    @property
    def sums(self) -> Floats:
        """The summed features by replicate, shape (replicates, k)."""
        assert self._later is not None
        return self._later.sums


def bootstrap_interval(options: Options, value: float, values: Floats, units: int) -> Interval:
    """Return the interval of a value from its values by replicate, with what a reader must know of it.

    The limits are the percentiles, unless the options ask for t; value +- t(G - 1) x SE x sqrt(G / (G - 1)) stands
    beside them in any case, G the clusters or items resampled that hold something to measure.
    """
    found = percentile_interval(values, options.confidence)
    what = "cluster" if options.bootstrap == CLUSTER else "item"
    few = options.bootstrap == CLUSTER and units < FEW_CLUSTERS
    shown = options.interval or (T if few else PERCENTILE)
    notes = [_few_clusters(units, options.interval)] if few else []
    if found.undefined > MANY_UNDEFINED * len(values):
        notes.append(
            f"In {found.undefined:,} of the {len(values):,} samples drawn anew for the interval the coefficient is"
            " undefined; they were left out."
        )
    drawn = Interval(replicates=len(values), undefined=found.undefined, seed=options.seed, warnings=tuple(notes))
    if found.low is None or found.se is None:
        return drawn._replace(
            reason="There is no interval: the coefficient was undefined in all but at most one replicate."
        )
    if not found.differing:
        drawn = drawn._replace(warnings=(*notes, f"Every defined replicate gives the same value{_NO_WIDTH}"))
    half = two_sided_quantile(options.confidence, units - 1) * found.se * sqrt(units / (units - 1))
    low, high, method = found.low, found.high, "percentile"
    if options.interval == T:
        low, high, method = value - half, value + half, "t(G - 1)"
    drawn = drawn._replace(low=low, high=high, t_low=value - half, t_high=value + half)
    return drawn._replace(se=found.se, method=f"{what} bootstrap, {method}", shown=shown)


def _few_clusters(units: int, asked: str | None) -> str:
    """Say what an interval from few clusters is worth, by the interval that was asked for."""
    if asked == T:
        return f"Only {units} clusters: from fewer than {FEW_CLUSTERS} even a t interval is too narrow on average."
    return (
        f"Only {units} clusters: a percentile interval from fewer than {FEW_CLUSTERS} is too narrow on average;"
        " take the t interval (t_low, t_high), which is wider."
    )


def normal_interval(value: float, se: float, method: str, confidence: float) -> Interval:
    """Return value +- z x se, not truncated."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    notes = (f"The standard error is 0{_NO_WIDTH}",) if se == 0 else ()
    return Interval(se, value - z * se, value + z * se, method, warnings=notes)


def wilson(successes: float, n: int, se: float, confidence: float) -> Interval:
    """Return Wilson's 1927 score interval of a share of independent items."""
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    centre = (successes + z2 / 2) / (n + z2)
    half = sqrt(z2 * (successes * (n - successes) / n + z2 / 4)) / (n + z2)
    # At the ends one limit is exactly the share, which rounding would miss.
    low, high = 0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half
    return Interval(se, low, high, "Wilson score, items independent")


def logit_interval(value: float, se: float, method: str, confidence: float) -> Interval:
    """Return the interval of a share that is value +- z x se on the logit scale, so that it stays within 0 and 1."""
    if not 0 < value < 1:
        reason = f"There is no asymptotic interval at {value:.0f}, where the standard error is 0: resample items."
        return Interval(se, reason=reason)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre, half = log(value / (1 - value)), z * se / (value * (1 - value))
    low, high = (1 / (1 + exp(-min(max(end, -700.0), 700.0))) for end in (centre - half, centre + half))
    return Interval(se, low, high, f"{method}, logit scale")
