"""The measures of CoRE for one problem, and their means over problems with intervals. Values in, values out.

The numbers of the equations are those of the paper, "CoRE: A Fine-Grained Code Reasoning Benchmark Beyond Output
Prediction". What is missing is never right: a test or a probe without a right reply counts as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from auditor.analysis import RatioInterval, Resampling, cluster_bootstrap_ratio

NO_OUTPUTS = "The problem has no outputs to predict."
NO_PROBES = "The problem has no probes."
NO_SUCH_PROBE = "No probe that was asked carries the dimension."
NEVER_BOTH = "No repetition of the problem has both outputs and probes."
_OF_OUTPUTS, _OF_PROBES = ("I", "I_s"), ("W", "W_s")


class Tally(NamedTuple):
    """How many of the tests of an implementation were predicted rightly."""

    right: int
    asked: int
    """At least 1, whether there was a reply or not."""

    @property
    def all_right(self) -> bool:
        return self.right == self.asked


class Probe(NamedTuple):
    """A probe as one setting answered it."""

    right: bool
    dimensions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ProblemRun:
    """What one setting made of one problem in one repetition."""

    implementations: Sequence[Tally] = ()
    probes: Sequence[Probe] = ()


class ProblemMeasures(NamedTuple):
    """The measures of one problem, each a fraction between 0 and 1; None where it is undefined."""

    strict_output: Fraction | None
    soft_output: Fraction | None
    strict_process: Fraction | None
    soft_process: Fraction | None
    consistency_score: Fraction | None
    agreement_text: Fraction | None
    agreement_table: Fraction | None
    reason: str | None = None
    """Why some are undefined."""

    def why_undefined(self, measure: str) -> str | None:
        """Return why a measure, by the paper's name, is undefined; None where it has a value."""
        if getattr(self, MEASURES[measure]) is not None:
            return None
        if measure in _OF_OUTPUTS:
            return NO_OUTPUTS
        if measure in _OF_PROBES:
            return NO_PROBES
        lacks = [
            why for value, why in ((self.strict_output, NO_OUTPUTS), (self.soft_process, NO_PROBES)) if value is None
        ]
        return " ".join(lacks) or NEVER_BOTH


MEASURES: Mapping[str, str] = {
    "I": "strict_output",
    "I_s": "soft_output",
    "W": "strict_process",
    "W_s": "soft_process",
    "RCS": "consistency_score",
    "Cons(I, W_s)": "agreement_text",
    "Cons(I, W)": "agreement_table",
}
"""The paper's names of the measures, and the fields that have them."""


def strict_output(run: ProblemRun) -> Fraction | None:
    """Return I, equation 6: 1 if every output of every implementation was predicted rightly, else 0."""
    if not run.implementations:
        return None
    return Fraction(all(one.all_right for one in run.implementations))


def soft_output(run: ProblemRun) -> Fraction | None:
    """Return I_s, equation 7: the share of the implementations all of whose outputs were predicted rightly."""
    if not run.implementations:
        return None
    return Fraction(sum(one.all_right for one in run.implementations), len(run.implementations))


def soft_process(run: ProblemRun) -> Fraction | None:
    """Return W_s, equation 8: the share of the probes that were answered rightly."""
    if not run.probes:
        return None
    return Fraction(sum(one.right for one in run.probes), len(run.probes))


def strict_process(run: ProblemRun) -> Fraction | None:
    """Return W (section 4.3): 1 if W_s is 1, else 0."""
    soft = soft_process(run)
    return None if soft is None else Fraction(soft == 1)


def measure(run: ProblemRun) -> ProblemMeasures:
    """Return all measures of a problem.

    RCS is I x W_s, equation 9. Cons is one minus the mean squared error, so that its part of one problem is
    1 - (I - W_s)^2 as the text of section 5.1 has it, and 1 - (I - W)^2 as the printed table agrees with.
    """
    outputs, soft, probes = strict_output(run), soft_output(run), soft_process(run)
    strict = strict_process(run)
    if outputs is None or probes is None or strict is None:
        reasons = ((outputs, NO_OUTPUTS), (probes, NO_PROBES))
        told = " ".join(reason for value, reason in reasons if value is None)
        return ProblemMeasures(outputs, soft, strict, probes, None, None, None, told)
    return ProblemMeasures(
        outputs, soft, strict, probes, outputs * probes, 1 - (outputs - probes) ** 2, 1 - (outputs - strict) ** 2
    )


# --- over repetitions and problems ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary:
    """One measure over the problems of a setting."""

    estimate: RatioInterval
    """The mean over problems of the mean over repetitions, with its interval; its clusters are the problems."""
    undefined: int = 0
    """Problems for which the measure is undefined in every repetition; they are left out of the mean."""
    reasons: tuple[str, ...] = field(default=())


def average(found: Iterable[ProblemMeasures]) -> ProblemMeasures:
    """Return the mean of a problem's repetitions, each measure over those in which it is defined."""
    runs = list(found)
    reasons = dict.fromkeys(run.reason for run in runs if run.reason)
    means = [_mean([getattr(run, name) for run in runs]) for name in MEASURES.values()]
    outputs, soft, strict, process, score, text, table = means
    return ProblemMeasures(outputs, soft, strict, process, score, text, table, " ".join(reasons) or None)


def _mean(values: Iterable[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return sum(known, Fraction()) / len(known) if known else None


def summarise(problems: Sequence[ProblemMeasures], resampling: Resampling) -> dict[str, Summary]:
    """Return the mean of each measure over problems, by the paper's names, with problem-cluster intervals."""
    found = {}
    for name, attribute in MEASURES.items():
        values = [getattr(problem, attribute) for problem in problems]
        defined = [value is not None for value in values]
        reasons = sorted({why for one in problems if (why := one.why_undefined(name)) is not None})
        estimate = cluster_bootstrap_ratio(
            [float(value or 0) for value in values],
            [float(known) for known in defined],
            *resampling,
        )
        if estimate.value is None:
            estimate = replace(estimate, reason=" ".join(reasons) or None)
        found[name] = Summary(estimate, defined.count(False), tuple(reasons))
    return found


@dataclass(frozen=True, slots=True)
class DimensionScore:
    """How far the probes of one dimension were answered rightly."""

    pooled: RatioInterval
    """Right ones of all probes that carry the dimension, whatever problem they are of."""
    by_problem: RatioInterval
    """The mean over problems of W_s over the probes that carry the dimension."""
    probes: int
    """Probes that carry it, counted once, whatever the repetitions."""


def dimension_score(problems: Sequence[Sequence[ProblemRun]], dimension: str, resampling: Resampling) -> DimensionScore:
    """Return W_s over the probes that carry a dimension, in both readings; `problems` has each one's repetitions.

    The percentages of the paper's Table 2 are multiples of 1/54, 1/124, 1/154 and 1/75 for A, L, S and B, so that they
    are shares of all probes; equation 8 is a ratio for each problem.
    """
    right, asked, shares, known, probes = [], [], [], [], 0
    for runs in problems:
        carrying = [[one for one in run.probes if dimension in one.dimensions] for run in runs]
        answered = [some for some in carrying if some]
        right.append(sum(one.right for some in answered for one in some) / max(1, len(answered)))
        asked.append(sum(map(len, answered)) / max(1, len(answered)))
        shares.append(sum(sum(one.right for one in some) / len(some) for some in answered) / max(1, len(answered)))
        known.append(float(bool(answered)))
        probes += max(map(len, carrying), default=0)
    found = (cluster_bootstrap_ratio(right, asked, *resampling), cluster_bootstrap_ratio(shares, known, *resampling))
    pooled, by_problem = (one if one.value is not None else replace(one, reason=NO_SUCH_PROBE) for one in found)
    return DimensionScore(pooled, by_problem, probes)
