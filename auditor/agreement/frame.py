"""Puts a value and its interval together with what all coefficients of one table have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from auditor.agreement.coefficient import Coefficient
from auditor.agreement.intervals import Interval, Resamples, bootstrap_interval
from auditor.agreement.ratings import Bools, Floats


@dataclass(frozen=True, slots=True)
class Frame:
    """What the coefficients of one table have in common."""

    scope: str
    names: tuple[str, ...]
    tag: str | None
    group: str | None
    n_items: int
    n_clusters: int | None
    prevalence: float | None
    rare: str | None
    """The warning of a tag that is too rare for an interval; None = it is not."""
    confidence: float
    resamples: Resamples

    def coefficient(
        self,
        statistic: str,
        value: float | None,
        interval: Interval,
        observed: float | None = None,
        expected: float | None = None,
        reason: str | None = None,
    ) -> Coefficient:
        """Return the finished coefficient."""
        warnings = list(interval.warnings)
        if interval.low is not None and self.rare is not None:
            warnings.append(self.rare)
        return Coefficient(
            statistic,
            self.scope,
            self.names,
            self.tag,
            self.n_items,
            self.n_clusters,
            value,
            se=interval.se,
            ci_low=interval.low,
            ci_high=interval.high,
            ci_method=interval.method,
            confidence=None if interval.low is None else self.confidence,
            replicates=interval.replicates,
            replicates_undefined=interval.undefined,
            seed=interval.seed,
            observed=observed,
            expected=expected,
            prevalence=self.prevalence,
            reason=reason or interval.reason,
            warnings=tuple(warnings),
            t_low=interval.t_low,
            t_high=interval.t_high,
            interval=interval.shown,
            group=self.group,
        )


def interval_of(
    resamples: Resamples,
    value: float,
    by_replicate: Callable[[Floats], Floats],
    asymptotic: Callable[[], Interval],
    measured: Bools,
) -> Interval:
    """Resample as the options say, or take the asymptotic interval; `measured` are the patterns that count for it."""
    if resamples.resampler is None:
        return asymptotic()
    units = resamples.units(measured)
    obstacle = resamples.obstacle(units)
    if obstacle:
        return Interval(reason=obstacle)
    return bootstrap_interval(resamples.options, value, by_replicate(resamples.sums), units)
