"""Statistics of graded responses: intervals, paired differences, regressions, rank tests. No database, no screen."""

from __future__ import annotations

from auditor.analysis.cluster_bootstrap import (
    GENERATOR,
    NOTHING_VARIES,
    PairedDifference,
    RatioDifference,
    RatioInterval,
    Resampling,
    cluster_bootstrap_difference,
    cluster_bootstrap_ratio,
    paired_difference,
)
from auditor.analysis.contrast import cluster_bootstrap_contrast
from auditor.analysis.logistic import FEW_CLUSTERS, LogisticFit, Term, cluster_logit, require_statsmodels
from auditor.analysis.multiplicity import Adjusted, benjamini_hochberg
from auditor.analysis.proportions import Proportion, wilson_interval
from auditor.analysis.sessions import pass_at_k
from auditor.analysis.theta import RankAssociation, rank_association

__all__ = [
    "FEW_CLUSTERS",
    "GENERATOR",
    "NOTHING_VARIES",
    "Adjusted",
    "LogisticFit",
    "PairedDifference",
    "Proportion",
    "RankAssociation",
    "RatioDifference",
    "RatioInterval",
    "Resampling",
    "Term",
    "benjamini_hochberg",
    "cluster_bootstrap_contrast",
    "cluster_bootstrap_difference",
    "cluster_bootstrap_ratio",
    "cluster_logit",
    "paired_difference",
    "pass_at_k",
    "rank_association",
    "require_statsmodels",
    "wilson_interval",
]
