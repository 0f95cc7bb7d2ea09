"""Rows of a tags file, CSV or JSON lines: what each says, checked one by one. Names are looked up elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from auditor.formats.json_text import UnusableError
from auditor.formats.row_file import NAMES, RowForm, flag_of, key_of, number_of, one_of, text_of, time_of, whole_of
from auditor.model import AnnotatorKind, ResponseKey, ReviewState

COLUMNS = (
    "item",
    *NAMES,
    "annotator",
    "kind",
    "tag",
    "note",
    "at",
    "revision",
    "state",
    "codebook",
    "blind",
    "revealed",
    "first_cause",
    "seconds",
    "invalid",
)
"""The columns that are known, in the order in which they are written; `invalid` says nothing of the review."""


class Revealed(StrEnum):
    """When an annotator had a blind item shown in full."""

    BEFORE = "before"
    """Before the last thing that was done to the review."""
    AFTER = "after"


class TagRow(NamedTuple):
    """One row: a tag that an annotator put on an item, or that the item was reviewed and has none."""

    where: str
    key: ResponseKey
    annotator: str | None
    tag: str | None
    """As it is written: an id or a name; None = reviewed, none."""
    note: str | None
    at: str | None
    """UTC, ISO 8601."""
    kind: AnnotatorKind | None
    state: ReviewState | None
    codebook: str | None
    revision: int | None
    blind: bool
    """Whether the review was done while a blind review hid what it hides."""
    revealed: Revealed | None
    """Whether a blind item was shown in full, and when."""
    first_cause: bool
    """Whether the tag is the one that came first and led to the others."""
    seconds: float | None
    """How long the annotator was at the item; None = not known."""


def _row(where: str, fields: Mapping[str, Any]) -> TagRow:
    if "tag" not in fields:
        raise UnusableError("it has no tag: null says that the item was reviewed and has none.")
    return TagRow(
        where,
        key_of(fields),
        text_of(fields, "annotator") or None,
        text_of(fields, "tag") or None,
        text_of(fields, "note"),
        time_of(fields),
        one_of(fields, "kind", AnnotatorKind),
        one_of(fields, "state", ReviewState),
        text_of(fields, "codebook") or None,
        whole_of(fields, "revision"),
        flag_of(fields, "blind"),
        one_of(fields, "revealed", Revealed),
        flag_of(fields, "first_cause"),
        number_of(fields, "seconds"),
    )


TAG_ROWS = RowForm("tag", COLUMNS, "tag", _row)
