"""Rows of a tags file, CSV or JSON lines: what each says, checked one by one. Names are looked up elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from auditor.errors import InputError
from auditor.formats.csv_table import CsvTable
from auditor.formats.fields import LARGEST
from auditor.formats.json_text import BOM, UnusableError, kind_of, parse_json, parse_object
from auditor.formats.lines import numbered_lines, open_binary, read_bytes
from auditor.formats.records import Refusal
from auditor.model import AnnotatorKind, ResponseKey, ReviewState, split_key
from auditor.text import UNDECODABLE, UndecodedText, visible_line

NAMES = ("study", "case", "arm", "setting", "sample")
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
)
"""The columns that mean something, in the order in which they are written."""
_DIGITS = re.compile("[0-9]{1,19}")


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


class TagFile:
    """A file of tags: what it lacks as a whole is refused at once, what a row lacks row by row."""

    def __init__(self, path: Path) -> None:
        """Look at the file's beginning; raises InputError when it is no table of tags."""
        self.path = path
        self.ignored: set[str] = set()
        """Columns that mean nothing here, complete after the rows were read."""
        with open_binary(path) as file:
            head = file.read(4096).removeprefix(BOM)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError("it is UTF-16.", where=visible_line(str(path)), hint="Save it as UTF-8.")
        self._is_json = head.lstrip()[:1] in (b"{", b"[")

    def rows(self) -> Iterator[TagRow | Refusal]:
        """Read the rows; raises InputError with file and line where the file as a whole is unusable."""
        for where, fields in self._json() if self._is_json else self._csv():
            if isinstance(fields, UnusableError):
                yield Refusal(where, str(fields))
                continue
            self.ignored |= fields.keys() - set(COLUMNS)
            try:
                yield _row(where, fields)
            except UnusableError as error:
                yield Refusal(where, str(error))

    def _csv(self) -> Iterator[tuple[str, Mapping[str, Any] | UnusableError]]:
        with CsvTable(self.path) as table:
            table.require("tag", *(() if "item" in table.columns else NAMES[:4]))
            for line, fields in table:
                # CSV has no null: an empty field is one, but for a name, which may be empty where no item says it.
                kept = () if fields.get("item") else NAMES[:4]
                given = {name: text for name, text in fields.items() if text or name in kept}
                yield f"{self.path.name}:{line}", {"tag": None, **given}

    def _json(self) -> Iterator[tuple[str, Mapping[str, Any] | UnusableError]]:
        document = self._document()
        if document is not None:
            for number, value in enumerate(document, 1):
                where = f"{self.path.name}: tag {number}"
                yield where, value if isinstance(value, dict) else UnusableError(f"it is {kind_of(value)}.")
            return
        for line, data in numbered_lines(self.path):
            where = f"{self.path.name}:{line}"
            try:
                yield where, parse_object(data)
            except UnusableError as error:
                yield where, error

    def _document(self) -> list[Any] | None:
        """Return the list in a single document, as `tags list --json` prints it; None for JSON lines."""
        first = next(numbered_lines(self.path))[1]
        try:
            value = parse_json(first)
        except UnusableError:
            try:
                value = parse_json(read_bytes(self.path))
            except UnusableError:
                return None
        if isinstance(value, dict) and isinstance(value.get("tags"), list):
            value = value["tags"]
        return value if isinstance(value, list) else None


def _row(where: str, fields: Mapping[str, Any]) -> TagRow:
    if "tag" not in fields:
        raise UnusableError("it has no tag: null says that the item was reviewed and has none.")
    return TagRow(
        where,
        _key(fields),
        _text(fields, "annotator") or None,
        _text(fields, "tag") or None,
        _text(fields, "note"),
        _time(fields),
        _one_of(fields, "kind", AnnotatorKind),
        _one_of(fields, "state", ReviewState),
        _text(fields, "codebook") or None,
        _whole(fields, "revision"),
        _flag(fields, "blind"),
        _one_of(fields, "revealed", Revealed),
    )


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value
    raise UnusableError(f"{name} is {kind_of(value)}, but must be text or null.")


def _whole(fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST):
        return value
    shown = repr(visible_line(value, 40)) if isinstance(value, str) else kind_of(value)
    raise UnusableError(f"{name} is {shown}, but must be a whole number from 0.")


def _flag(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name)
    if value in (None, "", False, "false", True, "true"):
        return value in (True, "true")
    shown = repr(visible_line(value, 40)) if isinstance(value, str) else kind_of(value)
    raise UnusableError(f"{name} is {shown}, but must be true or false.")


def _one_of(fields: Mapping[str, Any], name: str, kinds: type[Any]) -> Any:
    value = _text(fields, name)
    if not value:
        return None
    try:
        return kinds(value)
    except ValueError as error:
        known = ", ".join(kind.value for kind in kinds)
        raise UnusableError(f"there is no {name} {visible_line(value, 40)!r}: it is one of {known}.") from error


def _time(fields: Mapping[str, Any]) -> str | None:
    value = _text(fields, "at")
    if not value:
        return None
    try:
        return utc_time(value)
    except (ValueError, OverflowError) as error:
        raise UnusableError(
            f"at is {visible_line(value, 40)!r}, which is no time such as 2026-03-01T09:30:00Z."
        ) from error


def utc_time(text: str) -> str:
    """Return an ISO 8601 time as the audit file writes it: in UTC, to the millisecond or as finely as it is given.

    A time without a zone is UTC. Raises ValueError or OverflowError for what is no time.
    """
    time = datetime.fromisoformat(text)
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    fine = "microseconds" if time.microsecond % 1000 else "milliseconds"
    return time.isoformat(timespec=fine).replace("+00:00", "Z")


def _key(fields: Mapping[str, Any]) -> ResponseKey:
    item = _text(fields, "item")
    names = [_text(fields, name) for name in NAMES[:4]]
    sample = _whole(fields, "sample")
    if not item:
        missing = [name for name, value in zip(NAMES, names, strict=False) if value is None]
        if missing:
            raise UnusableError(f"it has neither an item nor {' and '.join(missing)}.")
        return _response_key([name or "" for name in names], sample or 0)
    key = parse_item(item)
    for name, given, keyed in zip(NAMES, (*names, sample), key, strict=True):
        if given is not None and given != keyed:
            raise UnusableError(f"its item and its {name} name different things.")
    # An item spells raw bytes as it spells surrogates; the names say which.
    return _response_key([k if n is None else n for k, n in zip(key[:4], names, strict=True)], key.sample)


def _response_key(names: Sequence[str], sample: int) -> ResponseKey:
    study, case, arm, setting = names
    return ResponseKey(study, case, arm, setting, sample)


def parse_item(item: str) -> ResponseKey:
    """Read the key of an item, as `tags list` prints it; raises UnusableError."""
    try:
        names = split_key(item)
    except ValueError:
        names = []
    if len(names) != 5 or not _DIGITS.fullmatch(names[4]) or names[4] != str(int(names[4])):
        raise UnusableError(f"the item {visible_line(item, 80)!r} is not made as study/case/arm/setting/sample.")
    return _response_key(names[:4], int(names[4]))


def with_raw_bytes(key: ResponseKey) -> ResponseKey | None:
    """Return the key whose names hold raw bytes where this one has surrogates; None when it has none."""
    if not any(UNDECODABLE.search(name) for name in key[:4]):
        return None
    names = [UndecodedText(name) if UNDECODABLE.search(name) else name for name in key[:4]]
    return _response_key(names, key.sample)
