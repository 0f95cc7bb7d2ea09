"""Reads a CSV of ratings: columns item, annotator, label, optionally cluster and count. Labels are never converted."""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from auditor.agreement.ratings import Label, RatingError, Ratings, RatingsBuilder
from auditor.errors import InputError
from auditor.text import UNDECODABLE, visible_line

if TYPE_CHECKING:
    from _csv import Reader

T = TypeVar("T")
REQUIRED = ("item", "annotator", "label")
OPTIONAL = ("cluster", "count")
_BLOCK = 5_000
_MAX_FIELD = 1 << 24
_LINE_BREAK = re.compile("\r\n|\r|\n")
_HEADER = -1
"""The row number of the header line."""


class _Columns(NamedTuple):
    """Where each column stands in a row; None = absent."""

    item: int
    annotator: int
    label: int
    cluster: int | None
    counts: int | None
    width: int


def read_ratings(path: str | Path, *, multi: bool = False, categories: Sequence[str] | None = None) -> Ratings:
    """Read ratings from a UTF-8 CSV file with a header line.

    With `multi` a label field holds tags separated by `|`; an empty field means reviewed, none.
    Raises InputError naming file and line when anything in the file is not as described.
    """
    where = visible_line(str(path))
    limit = csv.field_size_limit(_MAX_FIELD)
    records = _Records()
    try:
        # Bytes that are not UTF-8 become surrogates, so that the row that holds them can be named.
        with Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
            columns = _read_header(records.header(lines))
            builder = RatingsBuilder(
                multi=multi, clustered=columns.cluster is not None, counted=columns.counts is not None
            )
            for first, rows in records.blocks():
                _add_rows(builder, rows, columns, first)
        return builder.build(categories)
    except RatingError as error:
        at = f"{where}:{records.line_of(error.row)}"
        raise InputError(error.message, where=at, hint=error.hint) from None
    except csv.Error as error:
        raise InputError(f"this is not well-formed CSV ({error}).", where=f"{where}:{records.line}") from error
    except OSError as error:
        raise InputError(f"cannot read {where}: {error.strerror or error}.") from error
    finally:
        csv.field_size_limit(limit)


class _Records:
    """CSV records in blocks, remembering on which line each data row starts."""

    def __init__(self) -> None:
        self.line = 1
        """Line of the next record."""
        self._reader: Reader = csv.reader([])
        self._rows = 0
        self._starts: list[tuple[int, int]] = [(0, 1)]
        """(row, line) wherever rows and lines stop going in step."""

    def header(self, lines: Iterable[str]) -> list[str]:
        """Start reading and return the fields of the first line."""
        self._reader = csv.reader(lines, strict=True)
        fields = next(self._reader, [])
        self.line = self._reader.line_num + 1
        return fields

    def blocks(self) -> Iterator[tuple[int, list[list[str]]]]:
        """Yield blocks of data rows with the number of the first; blank lines are no rows."""
        while True:
            block: list[list[str]] = []
            first = self._rows
            try:
                block.extend(islice(self._reader, _BLOCK))
            finally:
                # Also when the reader fails: `line` is then where the record begins that it failed on.
                self._note_lines(block)
            if not block:
                return
            yield first, block if all(block) else [row for row in block if row]

    def line_of(self, row: int) -> int:
        """Return the line on which a data row starts."""
        if row == _HEADER:
            return 1
        start, line = self._starts[bisect_right(self._starts, row, key=itemgetter(0)) - 1]
        return line + row - start

    def _note_lines(self, block: list[list[str]]) -> None:
        if self._reader.line_num + 1 - self.line == len(block) and all(block):
            self._starts.append((self._rows, self.line))
            self._rows += len(block)
            self.line += len(block)
            return
        for fields in block:
            if fields:
                self._starts.append((self._rows, self.line))
                self._rows += 1
            self.line += 1 + sum(len(_LINE_BREAK.findall(field)) for field in fields)


def _read_header(header: list[str]) -> _Columns:
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        *most, last = (f"'{name}'" for name in missing)
        which = f" {last}" if not most else f"s {', '.join(most)} and {last}"
        found = ", ".join(visible_line(name, 40) for name in header[:20]) or "nothing"
        raise RatingError(f"the header has no column{which}; it has: {found}.", _HEADER)
    names = [*REQUIRED, *OPTIONAL]
    for name in names:
        if header.count(name) > 1:
            raise RatingError(f"the header has the column '{name}' twice.", _HEADER)
    item, annotator, label, cluster, count = (header.index(name) if name in header else -1 for name in names)
    return _Columns(item, annotator, label, None if cluster < 0 else cluster, None if count < 0 else count, len(header))


def _add_rows(builder: RatingsBuilder, rows: list[list[str]], columns: _Columns, first: int) -> None:
    """Check one block of rows and append it; `first` is the number of its first row."""
    if not rows:
        return
    widths = list(map(len, rows))
    if set(widths) != {columns.width}:
        number = next(place for place, width in enumerate(widths) if width != columns.width)
        raise RatingError(f"this row has {widths[number]} fields where the header has {columns.width}.", first + number)
    fields = list(zip(*rows, strict=True))
    for name, place in zip((*REQUIRED, *OPTIONAL), columns[:-1], strict=True):
        if place is not None:
            _check_column(name, fields[place], first)
    texts = fields[columns.label]
    labels: Sequence[Label] = _each(texts, _tag_set, first) if builder.multi else texts
    clusters = None if columns.cluster is None else fields[columns.cluster]
    counts = None if columns.counts is None else _each(fields[columns.counts], _count, first)
    builder.extend(fields[columns.item], fields[columns.annotator], labels, clusters, counts)


def _check_column(name: str, column: Sequence[str], first: int) -> None:
    """Refuse bytes that are not UTF-8, and empty fields where only a label may be empty."""
    if UNDECODABLE.search("\n".join(column)):
        number = next(place for place, text in enumerate(column) if UNDECODABLE.search(text))
        raise RatingError("this row is not UTF-8 text.", first + number, hint="Save the file as UTF-8.")
    if name not in ("label", "count") and "" in column:
        raise RatingError(f"the {name} is empty.", first + column.index(""))


def _each(column: Sequence[str], convert: Callable[[str], T], first: int) -> list[T]:
    """Convert a column, each different text once; a ValueError becomes a RatingError at its first row."""
    converted: dict[str, T] = {}
    for text in dict.fromkeys(column):
        try:
            converted[text] = convert(text)
        except ValueError as error:
            raise RatingError(str(error), first + column.index(text)) from None
    return [converted[text] for text in column]


def _tag_set(text: str) -> frozenset[str]:
    if not text:
        return frozenset()
    tags = text.split("|")
    if "" in tags:
        raise ValueError(f"the set '{visible_line(text, 60)}' holds an empty tag.")
    return frozenset(tags)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= 1):
        raise ValueError(f"the count '{visible_line(text, 40)}' is not a whole number of at least 1.")
    return int(text)
