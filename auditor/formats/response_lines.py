"""The hot path: `responses.jsonl` to rows. Whole pieces of the file are decoded at once; odd lines one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import msgspec

from auditor.formats.fields import (
    LARGEST,
    take_object,
    take_optional_text,
    take_required,
    take_seconds,
    take_text,
    take_whole,
    wrong,
)
from auditor.formats.json_text import BOM, DEPTH, UnusableError, parse_object
from auditor.formats.lines import chunks, open_binary, split_lines
from auditor.formats.records import Batch, Refusal, ResponseRow
from auditor.text import extra_text, visible_line

BATCH_BYTES = 1 << 21
_FIELDS: dict[str, Any] = {
    "study": str,
    "case": str,
    "arm": str,
    "setting": str,
    "sample": Annotated[int, msgspec.Meta(ge=0, le=LARGEST)],
    "response": str | None,
    "reasoning": str | None,
    "finish": str | None,
    "error": str | None,
    "usage": dict[str, Any] | None,
    "seconds": int | float | None,
}
_OTHER_NAMES = frozenset({"reply", "output", "answer", "completion", "text", "content", "prediction", "generation"})
"""Keys under which other tools keep what is called `response` here."""
_DEFAULTS = {"sample": 0}
_encode = json.JSONEncoder(ensure_ascii=False).encode
_new = tuple.__new__
"""Builds a row without the Python-level constructor of a named tuple, which costs as much as decoding its line."""


class _Shape:
    """A decoder of records with exactly these keys.

    msgspec takes the last of repeated keys without a word. So every key of the shape is required, and the keys in the
    bytes are counted: n records of k keys that hold more than n * k keys repeat one.
    """

    def __init__(self, keys: frozenset[str]) -> None:
        required = [(name, kind) for name, kind in _FIELDS.items() if name in keys]
        absent = [(name, kind, _DEFAULTS.get(name)) for name, kind in _FIELDS.items() if name not in keys]
        struct = msgspec.defstruct("ResponseLine", [*required, *absent], forbid_unknown_fields=True, gc=False)
        decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(struct)
        self.decode = decoder.decode
        self.decode_lines = decoder.decode_lines
        self.size = len(keys)
        self.plain = keys.isdisjoint(("usage", "seconds"))

    def rows(self, records: list[Any], data: bytes, first: int) -> list[ResponseRow] | None:
        """Return the rows of the records decoded from the data, whose lines are numbered from `first`.

        None when the data holds more keys than the records have: then one is repeated.
        """
        expected, keys = self.size * len(records), data.count(b'":') - data.count(b'\\":')
        if self.plain:
            if keys != expected:
                return None
            return [
                _new(
                    ResponseRow,
                    (r.study, r.case, r.arm, r.setting, r.sample, r.response, r.reasoning, r.finish, r.error, None, n),
                )
                for n, r in enumerate(records, first)
            ]
        if keys != expected + sum(_count_keys(r.usage, DEPTH - 1) for r in records):
            return None
        return [
            _new(
                ResponseRow,
                (r.study, r.case, r.arm, r.setting, r.sample, r.response, r.reasoning, r.finish, r.error, _extra(r), n),
            )
            for n, r in enumerate(records, first)
        ]


def _count_keys(value: object, levels: int) -> int:
    """Count the keys of all objects inside a value, but those that end in a backslash: counting bytes misses them.

    Raises RecursionError for a value nested too deeply.
    """
    if not isinstance(value, dict | list):
        return 0
    if levels == 0:
        raise RecursionError
    if isinstance(value, list):
        return sum([_count_keys(item, levels - 1) for item in value])
    own = sum([not key.endswith("\\") for key in value])
    return own + sum([_count_keys(item, levels - 1) for item in value.values() if isinstance(item, dict | list)])


def _extra(record: Any) -> str | None:
    """Return the same text as `extra_text`, which msgspec's values never make harder: they hold no surrogates."""
    extra = {}
    if record.usage is not None:
        extra["usage"] = record.usage
    if record.seconds is not None:
        extra["seconds"] = record.seconds
    return _encode(extra) if extra else None


def _is_countable(data: bytes) -> bool:
    """Say whether every key in JSON text is directly followed by its colon, so that counting `":` counts keys.

    Inside a string a quote has a backslash before it. A string that begins with a colon is counted too, which can only
    send its record to the slow path.
    """
    return not (b" :" in data or b"\t" in data or (b"\r" in data and b"\r:" in data))


class ResponseLines:
    """Read a responses file in batches; `done` counts its bytes, `settings` collects the settings seen."""

    def __init__(self, path: Path, studies: frozenset[str]) -> None:
        self.path = path
        self.done = 0
        self.settings: dict[str, None] = {}
        self.studies = studies
        self._shapes: list[_Shape] = []
        self._known: set[frozenset[str]] = set()

    def batches(self) -> Iterator[Batch]:
        """Yield rows and refusals in the order of the file; raises InputError when reading fails."""
        batch: Batch = []
        self.done, line, size = 0, 1, 0
        with open_binary(self.path) as file:
            for chunk in chunks(file):
                lines = chunk.count(b"\n")
                batch += self._read(chunk.removeprefix(BOM) if line == 1 else chunk, line, lines)
                line += lines
                size += len(chunk)
                if size >= BATCH_BYTES:
                    self.done += size
                    yield batch
                    batch, size = [], 0
        self.done += size
        if batch:
            yield batch

    def _read(self, chunk: bytes, first: int, lines: int) -> Sequence[ResponseRow | Refusal]:
        whole = self._whole(chunk, first, lines)
        return whole or [self._line(number, line) for number, line in split_lines(chunk, first)]

    def _whole(self, chunk: bytes, first: int, lines: int) -> list[ResponseRow]:
        """Decode a chunk in which every line is a record of the current shape; return nothing when one is not."""
        ending = b"}\r\n" if chunk.endswith(b"\r\n") else b"}\n"
        # msgspec also takes several records on a line and one on several lines. A line can end in a brace and the next
        # begin with one only between records: so every line begins one here, and no line two when their numbers agree.
        begun = chunk.endswith(ending) and chunk.count(ending + b"{") == lines - 1
        if not begun or not self._shapes or not _is_countable(chunk):
            return []
        shape = self._shapes[0]
        try:
            rows = shape.rows(shape.decode_lines(chunk), chunk, first)
        except (ValueError, RecursionError):
            return []
        if not rows or len(rows) != lines:
            return []
        met = dict.fromkeys([(row[0], row[3]) for row in rows])  # study and setting, in the order of the file
        if not all(study in self.studies for study, _ in met):
            return []
        self.settings.update((setting, None) for _, setting in met)
        return rows

    def _line(self, number: int, line: bytes) -> ResponseRow | Refusal:
        row = self._known_shape(line, number)
        if row is None:
            try:
                row = self._any_shape(line, number)
            except UnusableError as err:
                return Refusal(f"{self.path.name}:{number}", str(err))
        if row.study not in self.studies:
            shown = visible_line(row.study, 60)
            return Refusal(f"{self.path.name}:{number}", f'its study "{shown}" is not declared in run.toml.')
        self.settings[row.setting] = None
        return row

    def _known_shape(self, line: bytes, number: int) -> ResponseRow | None:
        if not _is_countable(line):
            return None
        for place, shape in enumerate(self._shapes):
            try:
                rows = shape.rows([shape.decode(line)], line, number)
            except (ValueError, RecursionError):
                continue
            if rows:
                if place:
                    self._shapes.insert(0, self._shapes.pop(place))
                return rows[0]
        return None

    def _any_shape(self, line: bytes, number: int) -> ResponseRow:
        """Read one line with full diagnostics, and learn its shape; raises UnusableError."""
        record = parse_object(line)
        keys = frozenset(record)
        row = response_row(record, number)
        if keys <= _FIELDS.keys() and keys not in self._known:
            self._known.add(keys)
            self._shapes.insert(0, _Shape(keys))
        return row


def _no_response(fields: dict[str, Any]) -> UnusableError:
    """Return the error for a record without a response, which may stand under another name."""
    unknown = [name for name in fields if name not in _FIELDS]
    near = [name for name in unknown if name.lower() in _OTHER_NAMES] or get_close_matches("response", unknown, 1)
    ask = f"; did you mean its key {visible_line(near[0], 40)}?" if near else "."
    return UnusableError(f"it has no response{ask}")


def response_row(fields: dict[str, Any], line: int) -> ResponseRow:
    """Take a response out of its JSON object; raises UnusableError."""
    study, case, arm = take_text(fields, "study"), take_text(fields, "case"), take_text(fields, "arm")
    setting = take_text(fields, "setting")
    sample = take_whole(fields, "sample") if "sample" in fields else 0
    if "response" not in fields:
        raise _no_response(fields)
    text = take_required(fields, "response")
    if not (text is None or isinstance(text, str)):
        raise wrong("response", text, "text or null")
    reasoning, finish = take_optional_text(fields, "reasoning"), take_optional_text(fields, "finish")
    error = take_optional_text(fields, "error")
    known = {"usage": take_object(fields, "usage"), "seconds": take_seconds(fields)}
    extra = {name: value for name, value in known.items() if value is not None} | fields
    return ResponseRow(study, case, arm, setting, sample, text, reasoning, finish, error, extra_text(extra), line)
