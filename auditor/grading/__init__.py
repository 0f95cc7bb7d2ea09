"""Grading by texts alone: policies, envelopes and computed failure modes. Values in, values out."""

from __future__ import annotations

from auditor.grading.grade import grade
from auditor.grading.question import (
    Envelope,
    Extraction,
    NeedsExecutionError,
    NoOracleError,
    Policy,
    Question,
    Verdict,
)
from auditor.grading.registry import envelopes, find_envelope, find_policy, policies

__all__ = [
    "Envelope",
    "Extraction",
    "NeedsExecutionError",
    "NoOracleError",
    "Policy",
    "Question",
    "Verdict",
    "envelopes",
    "find_envelope",
    "find_policy",
    "grade",
    "policies",
]
