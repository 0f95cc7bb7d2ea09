"""Where an answer first leaves its oracle, short enough for a row of a list; the texts are exact, not yet visible."""

from __future__ import annotations

from typing import Literal, NamedTuple

from auditor.compare.alignment import common_prefix
from auditor.compare.fields import field_rows

_FIELD_CHARACTERS = 20_000
"""Of both texts together: longer states are looked at as texts."""
_BEFORE = 12
"""Characters shown before the first that differs."""
_SHOWN = 200
"""Characters of each side; more fit in no row."""


class Glance(NamedTuple):
    """The first difference, from shortly before it on."""

    state: Literal["equal", "changed", "missing", "extra"]
    """`missing` from the prediction, `extra` in it: of a state a field that is not asked for."""
    field: str | None = None
    """Of a state the field that differs; None of other texts."""
    oracle: str = ""
    prediction: str = ""
    at: int = 0
    """How many of the first characters are on both sides."""
    cut: bool = False
    """Whether something stands before these characters."""


def glance(oracle: str, prediction: str, *, fields: bool) -> Glance:
    """Return the first difference; with `fields`, of two JSON objects the first field that differs."""
    if fields and len(oracle) + len(prediction) <= _FIELD_CHARACTERS:
        rows = field_rows(oracle, prediction, seconds=0).rows
        for row in rows:
            if row.state != "equal":
                state = "changed" if row.state == "type" else row.state
                return _text_glance(row.oracle or "", row.prediction or "")._replace(state=state, field=row.field)
        if rows:
            return Glance("equal")
    return _text_glance(oracle, prediction)


def _text_glance(oracle: str, prediction: str) -> Glance:
    at = common_prefix(oracle, prediction)
    if at == len(oracle) == len(prediction):
        return Glance("equal")
    start = max(0, at - _BEFORE)
    left, right = (text[start : start + _SHOWN] for text in (oracle, prediction))
    return Glance("changed", None, left, right, at - start, start > 0)
