"""Records as CSV, JSON lines or a Markdown table, one after the other in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from auditor.errors import InputError
from auditor.formats.csv_table import csv_line
from auditor.formats.markdown import table_head, table_line
from auditor.model import Scalar
from auditor.text import json_line, to_bytes, visible_line

Layout: TypeAlias = Literal["csv", "jsonl", "md"]
FlatRecord: TypeAlias = Mapping[str, Scalar]
LAYOUTS: tuple[Layout, ...] = ("csv", "jsonl", "md")


def layout_of(path: Path) -> Layout:
    """Return the layout that a path's extension names; raises InputError for another."""
    for layout in LAYOUTS:
        if path.suffix.lower() == f".{layout}":
            return layout
    shown = visible_line(path.suffix, 20)
    problem = f"the extension {shown!r} names no format." if shown else "its name has no extension."
    raise InputError(problem, where=visible_line(str(path)), hint="Use .csv, .jsonl or .md.")


def write_records(file: BinaryIO, layout: Layout, columns: Sequence[str], records: Iterable[FlatRecord]) -> int:
    """Write records and return how many; JSON lines take each as it is, tables take the columns."""
    line = _line_writer(layout, columns)
    if layout == "csv":
        file.write(csv_line(columns))
    elif layout == "md":
        file.write(to_bytes(table_head(columns)) + b"\n")
    count = 0
    for record in records:
        file.write(line(record))
        count += 1
    return count


def _line_writer(layout: Layout, columns: Sequence[str]) -> Callable[[FlatRecord], bytes]:
    if layout == "csv":
        return lambda record: csv_line([record.get(column) for column in columns])
    if layout == "md":
        return lambda record: to_bytes(table_line([record.get(column) for column in columns])) + b"\n"
    return lambda record: json_line(record) + b"\n"
