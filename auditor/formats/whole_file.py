"""Files that are complete or not there: written under another name beside the target, and renamed at the end."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from auditor.errors import InputError
from auditor.text import visible_line


@contextmanager
def whole_file(path: Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name when the block ends well, and not at all when it does not.

    Raises InputError when the path is taken and not `force`, when there is no folder for it, and when writing fails.
    """
    where = visible_line(str(path))
    check_target(path, force=force)
    path = path.resolve()
    partial = path.with_name(f".{path.name[:50]}-{uuid.uuid4().hex[:12]}")
    try:
        try:
            with partial.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            check_target(path, force=force)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"writing it failed ({error.strerror}).", where=where) from error


def check_target(path: Path, *, force: bool = False) -> None:
    """Raise InputError where a file cannot be written under a path, before anything is made for it."""
    where = visible_line(str(path))
    if path.is_dir():
        raise InputError("it is a folder.", where=where, hint="Name a file.")
    if path.exists() and not path.is_file():
        # Renaming over it would put a file in the place of a device.
        raise InputError("it is a device or a pipe, not a file.", where=where, hint="Name a file.")
    if not force and (path.exists() or path.is_symlink()):
        raise InputError("it exists already.", where=where, hint="Name another file, or replace it with --force.")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {visible_line(str(path.parent))}.", where=where)
