"""Tables as CSV that a spreadsheet cannot execute and that `read_csv` reads back unchanged, whatever the text.

UTF-8, every field in quotes, lines ending in a newline. CSV knows neither null nor types: JSON lines are canonical.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from auditor.errors import InputError
from auditor.formats.json_text import BOM
from auditor.formats.lines import open_binary
from auditor.model import Scalar
from auditor.text import from_bytes, to_bytes, visible_line

_MAX_FIELD = (1 << 31) - 1
"""Characters; the csv module's own limit of 131,072 is less than a long reply has."""
_EXECUTED = re.compile("'*[\\s\\x00-\\x20\ufeff\u200b-\u200f\u2060]*[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
"""What a spreadsheet may take for a formula, at once or once leading blanks are cut, and any such text after quotes.

Since quotes in front belong to it, a text of this kind stays of this kind with one quote more, and any other text does
not become one with one quote less. So one quote is put before each of these and taken off again, with nothing lost.
"""


def csv_field(value: Scalar) -> bytes:
    """Return a value as a quoted field; text that a spreadsheet would execute gets a `'` in front.

    None is an empty field, true and false are words, and numbers stand as they are: a number executes nothing.
    """
    if isinstance(value, str):
        text: str = f"'{value}" if _EXECUTED.match(value) else value
        if text is not value and type(value) is not str:
            text = type(value)(text)
        return b'"' + to_bytes(text).replace(b'"', b'""') + b'"'
    if value is None:
        return b'""'
    if isinstance(value, bool):
        return b'"true"' if value else b'"false"'
    return f'"{value!r}"'.encode()


def csv_line(values: Sequence[Scalar]) -> bytes:
    """Return one row with its newline."""
    return b",".join(map(csv_field, values)) + b"\n"


class CsvRow(NamedTuple):
    """One row of a table."""

    line: int
    """The line of the file on which the row starts, counted from 1."""
    fields: dict[str, str]
    """Texts by column."""


class CsvTable:
    """An open CSV file with a header line. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        """Open the file and read its header; raises InputError with file and line for a bad one."""
        self.path = path
        self._file = open_binary(path)
        try:
            if csv.field_size_limit() < _MAX_FIELD:
                csv.field_size_limit(_MAX_FIELD)
            # Each byte stands as one character until the fields are apart, so that every field decodes by itself.
            self._reader = csv.reader(_lines(self._file), strict=True)
            self.columns: tuple[str, ...] = self._header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> CsvTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def require(self, *names: str) -> None:
        """Raise InputError when the header lacks one of these columns."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            *most, last = (f"{name!r}" for name in missing)
            which = f"s {', '.join(most)} and {last}" if most else f" {last}"
            found = ", ".join(visible_line(name, 40) for name in self.columns[:20])
            raise self._error(1, f"the header has no column{which}; it has: {found}.")

    def __iter__(self) -> Iterator[CsvRow]:
        """Read the rows; raises InputError with file and line where the file is not as a table must be."""
        while (row := self._next()) is not None:
            line, fields = row
            if not fields:
                continue
            if len(fields) != len(self.columns):
                message = f"this row has {len(fields)} fields where the header has {len(self.columns)}."
                raise self._error(line, message)
            yield CsvRow(line, dict(zip(self.columns, fields, strict=True)))

    def _header(self) -> tuple[str, ...]:
        first = self._next()
        while first is not None and not first[1]:
            first = self._next()
        if first is None:
            raise InputError("it is empty: a table needs a header line.", where=visible_line(str(self.path)))
        line, names = first
        for place, name in enumerate(names):
            if name in names[:place]:
                raise self._error(line, f"the header has the column {visible_line(name, 40)!r} twice.")
        return tuple(names)

    def _next(self) -> tuple[int, list[str]] | None:
        """Return the next row with the line on which it starts; None at the end."""
        start = self._reader.line_num + 1
        try:
            raw = next(self._reader, None)
        except csv.Error as error:
            if str(error) == "unexpected end of data":
                raise self._error(start, "a quote is opened in this row and never closed.") from error
            raise self._error(start, f"this is not well-formed CSV ({visible_line(str(error), 100)}).") from error
        except OSError as error:
            raise InputError(f"reading it failed ({error.strerror}).", where=visible_line(str(self.path))) from error
        return None if raw is None else (start, [_text(field) for field in raw])

    def _error(self, line: int, message: str) -> InputError:
        return InputError(message, where=f"{visible_line(str(self.path))}:{line}")


def read_csv(path: Path, *required: str) -> Iterator[CsvRow]:
    """Read a table that has at least these columns; raises InputError with file and line for anything wrong."""
    with CsvTable(path) as table:
        table.require(*required)
        yield from table


def _lines(file: BinaryIO) -> Iterator[str]:
    for number, line in enumerate(file):
        yield (line.removeprefix(BOM) if number == 0 else line).decode("latin-1")


def _text(field: str) -> str:
    text = field if field.isascii() else from_bytes(field.encode("latin-1"))
    if text.startswith("'") and _EXECUTED.match(text, 1):
        bare = text[1:]
        return bare if type(text) is str else type(text)(bare)
    return text
