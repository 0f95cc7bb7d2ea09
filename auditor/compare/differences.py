"""What stands at each difference between an oracle and a prediction, numbered as every view of them numbers them."""

from __future__ import annotations

from typing import NamedTuple

from auditor.compare.fields import FieldRow, field_rows
from auditor.compare.text_diff import TextDiff, differences
from auditor.model import Span

_BESIDE = 20
"""Characters before and after a difference that tell where it is."""
FIELD_TARGETS = frozenset({"state", "verdict"})
"""Targets whose answers are compared field by field, where both are objects."""


class Difference(NamedTuple):
    """One place where the two differ."""

    oracle: str
    """What the oracle has there; empty = nothing."""
    prediction: str
    field: str = ""
    """The field of a state or a verdict; empty in other texts."""
    oracle_around: str = ""
    """The same with what stands beside it in its line; of a field the value."""
    prediction_around: str = ""


def compared_fields(target: str, oracle: str, prediction: str) -> tuple[FieldRow, ...]:
    """Return the fields that an oracle and a prediction are compared by; none where they are compared as texts."""
    return field_rows(oracle, prediction).rows if target in FIELD_TARGETS else ()


def list_differences(target: str, oracle: str, prediction: str, diff: TextDiff) -> list[Difference]:
    """List the differences of an oracle and a prediction, the first one first: by field, or the pieces that count."""
    rows = compared_fields(target, oracle, prediction)
    if rows:
        values = [(row.oracle or "", row.prediction or "", row.field) for row in rows if row.state != "equal"]
        return [Difference(left, right, field, left, right) for left, right, field in values]
    found = []
    for piece in differences(diff):
        here = oracle[slice(*piece.oracle)], prediction[slice(*piece.prediction)]
        around = _around(oracle, piece.oracle), _around(prediction, piece.prediction)
        found.append(Difference(*here, "", *around))
    return found


def _around(text: str, span: Span) -> str:
    """Return a stretch of a text with a few characters of its line before and after it."""
    start = max(span.start - _BESIDE, text.rfind("\n", 0, span.start) + 1)
    end = text.find("\n", span.end, span.end + _BESIDE)
    return text[start : end if end >= 0 else span.end + _BESIDE]
