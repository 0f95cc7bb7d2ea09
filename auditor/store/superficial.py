"""Superficial execution: the output of a case predicted rightly, and a probe of the same run answered wrongly."""

from __future__ import annotations

_RIGHT, _WRONG = "('correct-valid', 'correct-invalid')", "('wrong-valid', 'wrong-invalid')"


def _answered(target: str, statuses: str) -> str:
    """Return the condition that the setting of `r`, in its sample, has such an answer to the case of `t`.

    It looks a case up by its name in every study, since outputs and probes may be in two. The order of the tables is
    fixed: from the case to its few answers, never from all the answers that have a status.
    """
    return (
        "EXISTS (SELECT 1 FROM studies s2 CROSS JOIN cases c2 ON c2.study_id = s2.id AND c2.name = c.name"
        " CROSS JOIN tasks t2 ON t2.case_id = c2.id AND t2.problem = t.problem AND t2.superseded_at IS NULL"
        f" AND t2.target = '{target}'"
        " CROSS JOIN responses r2 ON r2.task_id = t2.id AND r2.setting_id = r.setting_id AND r2.sample = r.sample"
        " AND r2.superseded_at IS NULL CROSS JOIN grades d2 ON d2.response_id = r2.id"
        f" WHERE +d2.status IN {statuses} AND NOT EXISTS (SELECT 1 FROM invalid_items v WHERE v.response_id = r2.id))"
    )


SUPERFICIAL = (
    f"CASE WHEN t.problem IS NULL OR NOT {_answered('output', _RIGHT)} THEN NULL"
    f" WHEN {_answered('probe', _WRONG)} THEN 'yes' WHEN {_answered('probe', _RIGHT)} THEN 'no' END"
)
"""Over the tables of a filter: `yes`, `no` where all answered probes are right, NULL without a right output or an
answered probe. Whoever has no reply to a probe has not answered it, be it wrong in the measures."""
