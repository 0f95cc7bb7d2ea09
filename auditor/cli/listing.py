"""Lists that a command prints in part and gives whole as JSON."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def first_records(
    file: Path, read: Callable[[sqlite3.Connection], Iterable[T]], most: int | None
) -> tuple[list[T], int]:
    """Read records of an audit file; return the first ones, None = all, and how many more there are.

    Raises AuditFileError where the file cannot be read, and what `read` raises.
    """
    from auditor.store.file import open_for_reading, translate

    with closing(open_for_reading(file)) as connection:
        try:
            records = iter(read(connection))
            return list(islice(records, most)), sum(1 for _ in records)
        except sqlite3.Error as error:
            raise translate(error, file) from error
