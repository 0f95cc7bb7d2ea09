"""Reads a CSV of ratings: columns item, annotator, label, optionally cluster and count. Labels are never converted."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from auditor.agreement.ratings import Label, RatingError, Ratings, RatingsBuilder
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from _csv import Reader

T = TypeVar("T")
REQUIRED = ("item", "annotator", "label")
OPTIONAL = ("cluster", "count")
_BLOCK = 5_000
_MAX_FIELD = 1 << 24


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
    path = Path(path)
    try:
        with _open_csv(path) as reader:
            columns = _read_header(reader)
            builder = RatingsBuilder(
                multi=multi, clustered=columns.cluster is not None, counted=columns.counts is not None
            )
            done = 0
            while block := list(islice(reader, _BLOCK)):
                rows = block if all(block) else [row for row in block if row]
                _add_rows(builder, rows, columns, done)
                done += len(rows)
        return builder.build(categories)
    except RatingError as error:
        where = f"{visible_line(str(path))}:{_line_of_row(path, error.row)}"
        raise InputError(error.message, where=where, hint=error.hint) from None


@contextmanager
def _open_csv(path: Path) -> Iterator[Reader]:
    """Open the file as CSV records and turn what goes wrong while reading into one sentence."""
    where = visible_line(str(path))
    limit = csv.field_size_limit(_MAX_FIELD)
    line = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, strict=True)
            try:
                yield reader
            finally:
                line = reader.line_num
    except OSError as error:
        raise InputError(f"cannot read {where}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        at = f"{where}:{_line_of_bad_bytes(path)}"
        raise InputError("this line is not UTF-8 text.", where=at, hint="Save the file as UTF-8.") from error
    except csv.Error as error:
        raise InputError(f"this is not well-formed CSV ({error}).", where=f"{where}:{max(line, 1)}") from error
    except _HeaderError as error:
        raise InputError(error.message, where=f"{where}:1", hint=error.hint) from None
    finally:
        csv.field_size_limit(limit)


class _HeaderError(InputError):
    """The header line is not one of a ratings file."""


def _read_header(reader: Reader) -> _Columns:
    header = next(reader, [])
    names = [*REQUIRED, *OPTIONAL]
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        which = " and ".join(f"'{name}'" for name in missing)
        found = ", ".join(visible_line(name, 40) for name in header[:20]) or "nothing"
        raise _HeaderError(f"the header has no column {which}; it has: {found}.")
    for name in names:
        if header.count(name) > 1:
            raise _HeaderError(f"the header has the column '{name}' twice.")
    places = [header.index(name) if name in header else None for name in names]
    item, annotator, label, cluster, count = places
    assert item is not None and annotator is not None and label is not None
    return _Columns(item, annotator, label, cluster, count, len(header))


def _add_rows(builder: RatingsBuilder, rows: list[list[str]], columns: _Columns, done: int) -> None:
    """Check one block of rows and append it; `done` rows came before it."""
    if not rows:
        return
    widths = list(map(len, rows))
    if set(widths) != {columns.width}:
        number = next(place for place, width in enumerate(widths) if width != columns.width)
        raise RatingError(f"this row has {widths[number]} fields where the header has {columns.width}.", done + number)
    fields = list(zip(*rows, strict=True))
    for name, place in (("item", columns.item), ("annotator", columns.annotator), ("cluster", columns.cluster)):
        if place is not None and "" in fields[place]:
            raise RatingError(f"the {name} is empty.", done + fields[place].index(""))
    texts = fields[columns.label]
    labels: Sequence[Label] = _each(texts, _tag_set, done) if builder.multi else texts
    clusters = None if columns.cluster is None else fields[columns.cluster]
    counts = None if columns.counts is None else _each(fields[columns.counts], _count, done)
    builder.extend(fields[columns.item], fields[columns.annotator], labels, clusters, counts)


def _each(column: Sequence[str], convert: Callable[[str], T], done: int) -> list[T]:
    """Convert a column, each different text once; a ValueError becomes a RatingError at its first row."""
    converted: dict[str, T] = {}
    for text in dict.fromkeys(column):
        try:
            converted[text] = convert(text)
        except ValueError as error:
            raise RatingError(str(error), done + column.index(text)) from None
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


def _line_of_row(path: Path, row: int) -> int:
    """Return the line on which a data row starts; only errors pay for finding it."""
    seen = -2
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, strict=True)
        start = 1
        for fields in reader:
            seen += bool(fields) or seen == -2
            if seen == row:
                break
            start = reader.line_num + 1
    return start


def _line_of_bad_bytes(path: Path) -> int:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1
