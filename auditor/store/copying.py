"""A copy of an audit file in one state, whoever writes meanwhile; it needs no other file beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from auditor.store.file import open_for_reading, translate


def copy_audit(path: Path, target: Path) -> None:
    """Write an audit file's present state to a new file; raises AuditFileError where that cannot be done."""
    with closing(open_for_reading(path)) as connection:
        try:
            connection.execute("PRAGMA query_only = OFF")  # which would refuse the new file too
            connection.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.Error as error:
            raise translate(error, target) from error
