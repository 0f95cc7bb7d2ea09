"""Files with a row about an item each, CSV or JSON lines: how rows are read and their fields checked, one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from auditor.errors import InputError
from auditor.formats.csv_table import CsvTable
from auditor.formats.fields import LARGEST
from auditor.formats.json_text import BOM, UnusableError, kind_of, parse_json, parse_object
from auditor.formats.lines import numbered_lines, open_binary, read_bytes
from auditor.formats.records import Refusal
from auditor.model import ResponseKey, split_key
from auditor.text import UNDECODABLE, UndecodedText, visible_line

NAMES = ("study", "case", "arm", "setting", "sample")
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")
_DIGITS = re.compile("[0-9]{1,19}")
R = TypeVar("R")


class RowForm(NamedTuple, Generic[R]):
    """What the rows of a kind of file look like."""

    noun: str
    """What a row is called; with an s it is the name of the list in a single JSON document."""
    columns: Collection[str]
    """The columns that mean something."""
    required: str
    """The column that a table must have beside those that name the item."""
    read: Callable[[str, Mapping[str, Any]], R]
    """Makes a row of where it stands and its fields; raises UnusableError."""


class RowFile(Generic[R]):
    """A table or JSON lines about items: what it lacks as a whole is refused at once, what a row lacks row by row."""

    def __init__(self, path: Path, form: RowForm[R]) -> None:
        """Look at the file's beginning; raises InputError when it is no such table."""
        self.path = path
        self._form = form
        self.ignored: set[str] = set()
        """Columns that mean nothing here, complete after the rows were read."""
        with open_binary(path) as file:
            head = file.read(4096).removeprefix(BOM)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError("it is UTF-16.", where=visible_line(str(path)), hint="Save it as UTF-8.")
        self._is_json = head.lstrip()[:1] in (b"{", b"[")

    def rows(self) -> Iterator[R | Refusal]:
        """Read the rows; raises InputError with file and line where the file as a whole is unusable."""
        for where, fields in self._json() if self._is_json else self._csv():
            if isinstance(fields, UnusableError):
                yield Refusal(where, str(fields))
                continue
            self.ignored |= fields.keys() - set(self._form.columns)
            try:
                yield self._form.read(where, fields)
            except UnusableError as error:
                yield Refusal(where, str(error))

    def _csv(self) -> Iterator[tuple[str, Mapping[str, Any] | UnusableError]]:
        with CsvTable(self.path) as table:
            table.require(self._form.required, *(() if "item" in table.columns else NAMES[:4]))
            for line, fields in table:
                # CSV has no null: an empty field is one, but for a name, which may be empty where no item says it.
                kept = () if fields.get("item") else NAMES[:4]
                given = {name: text for name, text in fields.items() if text or name in kept}
                yield f"{self.path.name}:{line}", {self._form.required: None, **given}

    def _json(self) -> Iterator[tuple[str, Mapping[str, Any] | UnusableError]]:
        document = self._document()
        if document is not None:
            for number, value in enumerate(document, 1):
                where = f"{self.path.name}: {self._form.noun} {number}"
                yield where, value if isinstance(value, dict) else UnusableError(f"it is {kind_of(value)}.")
            return
        for line, data in numbered_lines(self.path):
            where = f"{self.path.name}:{line}"
            try:
                yield where, parse_object(data)
            except UnusableError as error:
                yield where, error

    def _document(self) -> list[Any] | None:
        """Return the list in a single document, as `--json` prints it; None for JSON lines."""
        first = next(numbered_lines(self.path))[1]
        try:
            value = parse_json(first)
        except UnusableError:
            try:
                value = parse_json(read_bytes(self.path))
            except UnusableError:
                return None
        name = f"{self._form.noun}s"
        if isinstance(value, dict) and isinstance(value.get(name), list):
            value = value[name]
        return value if isinstance(value, list) else None


def text_of(fields: Mapping[str, Any], name: str) -> str | None:
    """Return a text, or None where there is none; raises UnusableError for anything else."""
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value
    raise UnusableError(f"{name} is {kind_of(value)}, but must be text or null.")


def whole_of(fields: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number from 0, written as one or as text; raises UnusableError for anything else."""
    value = fields.get(name)
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST):
        return value
    shown = repr(visible_line(value, 40)) if isinstance(value, str) else kind_of(value)
    raise UnusableError(f"{name} is {shown}, but must be a whole number from 0.")


def number_of(fields: Mapping[str, Any], name: str) -> float | None:
    """Return a number from 0, written as one or as text; raises UnusableError for anything else."""
    value = fields.get(name)
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = float(value)
    if not value and not isinstance(value, bool | int | float):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return float(value)
    shown = repr(visible_line(value, 40)) if isinstance(value, str) else kind_of(value)
    raise UnusableError(f"{name} is {shown}, but must be a number from 0.")


def flag_of(fields: Mapping[str, Any], name: str) -> bool:
    """Return a truth value, written as one or as text; nothing is false. Raises UnusableError for anything else."""
    value = fields.get(name)
    if value in (None, "", False, "false", True, "true"):
        return value in (True, "true")
    shown = repr(visible_line(value, 40)) if isinstance(value, str) else kind_of(value)
    raise UnusableError(f"{name} is {shown}, but must be true or false.")


def one_of(fields: Mapping[str, Any], name: str, kinds: type[Any]) -> Any:
    """Return a member of an enumeration, or None; raises UnusableError for a word that is none of its."""
    value = text_of(fields, name)
    if not value:
        return None
    try:
        return kinds(value)
    except ValueError as error:
        known = ", ".join(kind.value for kind in kinds)
        raise UnusableError(f"there is no {name} {visible_line(value, 40)!r}: it is one of {known}.") from error


def time_of(fields: Mapping[str, Any]) -> str | None:
    """Return the time `at`, in UTC; raises UnusableError for what is no time."""
    value = text_of(fields, "at")
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


def key_of(fields: Mapping[str, Any]) -> ResponseKey:
    """Return the item that a row is about, by its key or its names; raises UnusableError where they do not agree."""
    item = text_of(fields, "item")
    names = [text_of(fields, name) for name in NAMES[:4]]
    sample = whole_of(fields, "sample")
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
