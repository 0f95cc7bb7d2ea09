"""Puts a value and its interval together with what all coefficients of one table have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from auditor.agreement.coefficient import Coefficient
from auditor.agreement.intervals import Interval, Resamples, bootstrap_interval, rare_tag_warning
from auditor.agreement.ratings import Bools, Floats


@dataclass(frozen=True, slots=True)
class Frame:
    """What the coefficients of one table have in common."""

    scope: str
    names: tuple[str, ...]
    tag: str | None
    n_items: int
    n_clusters: int | None
    prevalence: float | None
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
        if interval.low is not None and self.tag is not None and self.prevalence is not None:
            rare = rare_tag_warning(self.tag, self.prevalence, self.n_items)
            warnings += [rare] if rare else []
        return Coefficient(
            statistic,
            self.scope,
            self.names,
            self.tag,
            self.n_items,
            self.n_clusters,
            value,
            interval.se,
            interval.low,
            interval.high,
            interval.method,
            None if interval.low is None else self.confidence,
            interval.replicates,
            interval.undefined,
            interval.seed,
            observed,
            expected,
            self.prevalence,
            reason or interval.reason,
            tuple(warnings),
            interval.t_low,
            interval.t_high,
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
    return bootstrap_interval(resamples, value, by_replicate(resamples.sums), units)
