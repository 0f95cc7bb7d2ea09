"""A state question as rows: each field with its value in oracle and prediction as written, and what changed in it."""

from __future__ import annotations

import re
from time import monotonic
from typing import Any, Literal, NamedTuple

from auditor.compare.json_values import Numbering, json_type, read_value
from auditor.compare.text_diff import diff_text, differences
from auditor.model import Span

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?[0-9.]+")


class FieldRow(NamedTuple):
    """One field of a state."""

    field: str
    state: Literal["equal", "changed", "type", "missing", "extra"]
    """`equal` under the grading rule, however it is written; `missing` from the prediction, `extra` in it."""
    oracle: str | None
    """The value exactly as the oracle's text writes it; None when the field is extra."""
    prediction: str | None
    oracle_at: Span | None
    """Where the value stands in the whole text of the oracle."""
    prediction_at: Span | None
    oracle_changed: tuple[Span, ...] = ()
    """The characters of `oracle` that differ, counted within it; none for equal values."""
    prediction_changed: tuple[Span, ...] = ()
    exact: bool = True
    """False when time ran out: then `*_changed` lump together what was not compared any more."""


class FieldRows(NamedTuple):
    """The rows in the oracle's order, what is extra after them; or none, and the reason in words."""

    rows: tuple[FieldRow, ...]
    reason: str | None


class _Member(NamedTuple):
    value: Any
    at: Span


def field_rows(oracle_text: str, prediction_text: str, *, seconds: float = 0.15) -> FieldRows:
    """Compare two texts that each hold one JSON object, field by field; about so many seconds go into all values.

    When one of them does not (it is no strict JSON object, a key appears twice, it nests too deep), there are no rows
    and the reason says why: show the difference of the texts instead.
    """
    sides = []
    for name, text in (("oracle", oracle_text), ("prediction", prediction_text)):
        try:
            sides.append(_members(text))
        except ValueError as error:
            return FieldRows((), f"the {name} is not a JSON object that can be read: {error}")
    oracle, prediction = sides
    deadline = monotonic() + seconds
    rows = [
        _row(field, oracle[field], prediction.get(field), oracle_text, prediction_text, deadline) for field in oracle
    ]
    rows += [_extra(field, member, prediction_text) for field, member in prediction.items() if field not in oracle]
    return FieldRows(tuple(rows), None)


def _members(text: str) -> dict[str, _Member]:
    """Read the members of the one object that a text holds, each with its place; raises ValueError."""
    members: dict[str, _Member] = {}
    at = _after(text, _blank(text, 0), "{")
    closing = _blank(text, at)
    while text[closing : closing + 1] != "}":
        at = _after(text, closing, ",") if members else closing
        at = _blank(text, at)
        if text[at : at + 1] != '"':
            raise ValueError(f"a quoted field name was expected at character {at}")
        field, at = read_value(text, at)
        if field in members:
            raise ValueError("an object has a key twice")
        at = _blank(text, _after(text, _blank(text, at), ":"))
        value, end = read_value(text, at)
        members[field] = _Member(value, Span(at, end))
        closing = _blank(text, end)
    if (end := _blank(text, closing + 1)) != len(text):
        raise ValueError(f"something follows it at character {end}")
    return members


def _blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _after(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise ValueError(f"{mark!r} was expected at character {at}")
    return at + 1


def _row(
    field: str,
    oracle: _Member,
    prediction: _Member | None,
    oracle_text: str,
    prediction_text: str,
    deadline: float,
) -> FieldRow:
    written = oracle_text[slice(*oracle.at)]
    if prediction is None:
        return FieldRow(field, "missing", written, None, oracle.at, None)
    answered = prediction_text[slice(*prediction.at)]
    numbers = Numbering()
    if numbers.add(oracle.value) == numbers.add(prediction.value):
        return FieldRow(field, "equal", written, answered, oracle.at, prediction.at)
    state: Literal["changed", "type"] = "changed" if json_type(oracle.value) == json_type(prediction.value) else "type"
    left, right, exact = _changed_characters(written, answered, max(0.0, deadline - monotonic()))
    return FieldRow(field, state, written, answered, oracle.at, prediction.at, left, right, exact)


def _extra(field: str, member: _Member, prediction_text: str) -> FieldRow:
    return FieldRow(field, "extra", None, prediction_text[slice(*member.at)], None, member.at)


def _changed_characters(
    oracle: str, prediction: str, seconds: float
) -> tuple[tuple[Span, ...], tuple[Span, ...], bool]:
    """Mark digits by place in numbers of the same length; elsewhere what the texts' difference says."""
    if len(oracle) == len(prediction) and _NUMBER.fullmatch(oracle) and _NUMBER.fullmatch(prediction):
        spans = _runs([place for place, pair in enumerate(zip(oracle, prediction, strict=True)) if pair[0] != pair[1]])
        return spans, spans, True
    diff = diff_text(oracle, prediction, seconds=seconds)
    changed = differences(diff)
    return (
        tuple(piece.oracle for piece in changed if piece.kind != "insert"),
        tuple(piece.prediction for piece in changed if piece.kind != "delete"),
        diff.exact,
    )


def _runs(places: list[int]) -> tuple[Span, ...]:
    spans: list[Span] = []
    for place in places:
        if spans and spans[-1].end == place:
            spans[-1] = Span(spans[-1].start, place + 1)
        else:
            spans.append(Span(place, place + 1))
    return tuple(spans)
