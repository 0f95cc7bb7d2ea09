"""Take known fields out of a JSON object, one check each; what remains afterwards are the unknown keys."""

from __future__ import annotations

import math
from collections.abc import Mapping

from auditor.formats.json_text import UnusableError, kind_of
from auditor.model import JsonValue, Scalar
from auditor.text import visible_line

Fields = dict[str, JsonValue]
LARGEST = 2**63 - 1
"""The largest whole number that the audit file can hold."""


def wrong(name: str, value: object, wanted: str) -> UnusableError:
    """Return the error for a field of the wrong type."""
    return UnusableError(f"{visible_line(name, 60)} is {kind_of(value)}, but must be {wanted}.")


def take_required(fields: Fields, name: str) -> JsonValue:
    """Take a field that must be there, whatever its type."""
    if name not in fields:
        raise UnusableError(f"it has no {name}.")
    return fields.pop(name)


def take_text(fields: Fields, name: str) -> str:
    """Take a text that must be there; it may be empty."""
    value = take_required(fields, name)
    if not isinstance(value, str):
        raise wrong(name, value, "text")
    return value


def take_optional_text(fields: Fields, name: str) -> str | None:
    """Take a text that may be absent or null."""
    value = fields.pop(name, None)
    if value is None or isinstance(value, str):
        return value
    raise wrong(name, value, "text or null")


def take_whole(fields: Fields, name: str, least: int = 0) -> int:
    """Take a whole number of at least `least` that must be there."""
    value = take_required(fields, name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
        raise wrong(name, value, f"a whole number from {least}")
    return value


def take_optional_whole(fields: Fields, name: str, least: int = 0) -> int | None:
    """Take a whole number of at least `least` that may be absent or null."""
    if fields.get(name) is None:
        fields.pop(name, None)
        return None
    return take_whole(fields, name, least)


def take_texts(fields: Fields, name: str) -> tuple[str, ...]:
    """Take a list of texts; absent or null is the empty list."""
    value = fields.pop(name, None)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise wrong(name, value, "a list of texts")
    for item in value:
        if not isinstance(item, str):
            raise UnusableError(f"{name} holds {kind_of(item)}, but must be a list of texts.")
    return tuple(value)


def take_object(fields: Fields, name: str) -> Fields | None:
    """Take an object that may be absent or null."""
    value = fields.pop(name, None)
    if value is None or isinstance(value, dict):
        return value
    raise wrong(name, value, "an object")


def take_measures(fields: Fields) -> Mapping[str, float]:
    """Take `measures`: an object of numbers."""
    measures: dict[str, float] = {}
    for name, value in (take_object(fields, "measures") or {}).items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(f"measures.{name}", value, "a number")
        measures[name] = value
    return measures


def take_facets(fields: Fields) -> Mapping[str, Scalar]:
    """Take `facets`: an object of scalars."""
    facets: dict[str, Scalar] = {}
    for name, value in (take_object(fields, "facets") or {}).items():
        if not (value is None or isinstance(value, bool | int | float | str)):
            raise wrong(f"facets.{name}", value, "a single value")
        facets[name] = value
    return facets


def take_seconds(fields: Fields) -> int | float | None:
    """Take `seconds`: a number that may be absent or null."""
    value = fields.pop("seconds", None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise wrong("seconds", value, "a number or null")
    return value
