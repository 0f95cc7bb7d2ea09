"""How the tables of CoRE write their numbers, and the sentences under them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from fractions import Fraction

from auditor.analysis import RatioInterval, Resampling
from auditor.audit.core_replies import Problems
from auditor.model import Scalar
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.text import counted, visible_line

Progress = Callable[[int, int], None]
"""Is told how many parts of how many are done; it may raise to stop."""
TO = "\u2013"
"""Between the ends of an interval, which so stays on one line of a narrow table."""


def untold(done: int, total: int) -> None:
    """Tell nobody."""


def estimate_fields(one: RatioInterval) -> dict[str, Scalar]:
    """Return an estimate as fields of a record."""
    return {
        **{"value": one.value, "ci_low": one.low, "ci_high": one.high, "problems": one.n_clusters},
        **{"replicates": one.replicates, "replicates_undefined": one.replicates_undefined, "reason": one.reason},
    }


def percent(value: float | None) -> str:
    """Return a share in percent, as the paper prints it."""
    return "-" if value is None else f"{100 * value:z.2f}"


def number(measure: str, value: Fraction | float | None) -> str:
    """Return a measure as the paper prints it: a share in percent, Cons as a fraction."""
    if value is None or not measure.startswith("Cons"):
        return percent(None if value is None else float(value))
    return f"{float(value):z.2f}"


def interval(measure: str, one: RatioInterval) -> str:
    """Return the interval of a measure."""
    if one.low is None or one.high is None:
        return "-"
    return f"{number(measure, one.low)}{TO}{number(measure, one.high)}"


def repetitions_told(problems: Problems) -> str:
    """Say how many problems and repetitions the means are of."""
    numbers = sorted({len(runs) for found in problems.answers.values() for runs in found.values()})
    of = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    noun = "repetition" if numbers == [1] else "repetitions"
    total = len({problem for found in problems.answers.values() for problem in found})
    missing = f": {problems.missing:,} of {problems.asked:,}" if problems.missing else ""
    return f"{counted(total, 'problem')}; the mean of {of} {noun} each. What has no reply counts as wrong{missing}."


def resampling_told(resampling: Resampling) -> str:
    """Say how the intervals were made."""
    replicates, seed, confidence = resampling
    return (
        f"{100 * confidence:.4g} % intervals: {replicates:,} bootstrap replicates of whole problems, percentiles,"
        f" seed {seed}; none where every replicate gives the same value."
    )


def doubts_told(connection: sqlite3.Connection, where: str, policy: str | None) -> list[str]:
    """Say what is left out as invalid, of how many replies the oracle is disputed, and who judged them."""
    invalid, disputed = count_left_out(connection, where), count_disputed(connection, where)
    told = [f"Left out as invalid, with what was asked there: {invalid:,}."] if invalid else []
    if disputed:
        told.append(f"The oracle is disputed for {disputed:,} of the replies that the filter leaves.")
    if policy is not None:
        told.append(f"Outputs are judged by the policy {visible_line(policy, 60)}.")
    return told
