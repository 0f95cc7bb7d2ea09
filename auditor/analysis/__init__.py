"""Statistics of graded responses: intervals for rates and paired differences. No database, no screen."""

from __future__ import annotations

from auditor.analysis.cluster_bootstrap import (
    GENERATOR,
    PairedDifference,
    RatioInterval,
    cluster_bootstrap_ratio,
    paired_difference,
)
from auditor.analysis.proportions import Proportion, wilson_interval

__all__ = [
    "GENERATOR",
    "PairedDifference",
    "Proportion",
    "RatioInterval",
    "cluster_bootstrap_ratio",
    "paired_difference",
    "wilson_interval",
]
