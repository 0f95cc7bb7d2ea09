"""Rows of a file of bookmarks and memos, CSV or JSON lines: what each says, checked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from auditor.formats.json_text import UnusableError
from auditor.formats.row_file import NAMES, RowForm, flag_of, key_of, one_of, text_of, time_of, whole_of
from auditor.model import AnnotatorKind, ResponseKey

COLUMNS = (
    "item",
    *NAMES,
    "annotator",
    "kind",
    "codebook",
    "place",
    "number",
    "quote",
    "text",
    "at",
    "revision",
    "blind",
)
"""The columns that mean something, in the order in which they are written."""


class Place(StrEnum):
    """Where something was put."""

    ITEM = "item"
    """A bookmark."""
    LINE = "line"
    """A memo on a line of the source."""
    DIFFERENCE = "difference"
    """A memo on a difference between oracle and prediction."""


class PlaceRow(NamedTuple):
    """One row: a bookmark, or a memo."""

    where: str
    key: ResponseKey
    annotator: str | None
    kind: AnnotatorKind | None
    codebook: str | None
    place: Place
    number: int | None
    """None of a bookmark."""
    quote: str | None
    """What stood there; None = not said."""
    text: str
    at: str | None
    """UTC, ISO 8601."""
    revision: int | None
    """Of the codebook."""
    blind: bool
    """Whether a blind review hid what it hides."""


def _row(where: str, fields: Mapping[str, Any]) -> PlaceRow:
    place = one_of(fields, "place", Place)
    number, text = whole_of(fields, "number"), text_of(fields, "text") or ""
    if place is None:
        raise UnusableError(f"it has no place: one of {', '.join(Place)}.")
    if place is Place.ITEM and (number is not None or text):
        raise UnusableError("a bookmark is on the item as a whole: it has no number and no text.")
    if place is not Place.ITEM and not number:
        raise UnusableError(f"it does not say on which {place} the memo is: number counts from 1.")
    if place is not Place.ITEM and not text.strip():
        raise UnusableError("it is a memo without a text.")
    return PlaceRow(
        where,
        key_of(fields),
        text_of(fields, "annotator") or None,
        one_of(fields, "kind", AnnotatorKind),
        text_of(fields, "codebook") or None,
        place,
        number,
        text_of(fields, "quote"),
        text,
        time_of(fields),
        whole_of(fields, "revision"),
        flag_of(fields, "blind"),
    )


PLACE_ROWS = RowForm("place", COLUMNS, "place", _row)
