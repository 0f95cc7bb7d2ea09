"""What a build has finished while it goes on, kept beside the run directory that it will write in one piece."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.formats.json_text import UnusableError, parse_object
from auditor.model import JsonValue
from auditor.text import json_line, visible_line


def unfinished_file(folder: Path) -> Path:
    """Return the file beside the run directory where a build keeps what is finished until all is."""
    return folder.parent / f".{folder.name[:50]}-unfinished.jsonl"


def keep_line(folder: Path, record: Mapping[str, JsonValue]) -> None:
    """Keep what is finished of a run directory, whatever becomes of the build. Raises InputError when writing fails."""
    path = unfinished_file(folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A line in one piece behind a newline: what a killed build left of a line spoils no other.
        with path.open("ab", buffering=0) as file:
            file.write(b"\n" + json_line(record) + b"\n")
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(f"writing it failed ({error.strerror}).", where=visible_line(str(path))) from error


def kept_lines(folder: Path) -> Iterator[dict[str, Any]]:
    """Return what a build that was killed had kept; a line that cannot be read is left out."""
    try:
        lines = unfinished_file(folder).read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(UnusableError):
            yield parse_object(line)


def take_the_place(beside: Path, folder: Path) -> None:
    """Put a finished run directory in the place of an earlier one; what was kept meanwhile goes then.

    The folder is the new one or as it was before. Raises InputError when that fails; what stands beside is taken away.
    """
    try:
        _put(beside, folder)
    except OSError as error:
        raise InputError(f"writing it failed ({error.strerror}).", where=visible_line(str(folder))) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    unfinished_file(folder).unlink(missing_ok=True)


def _put(beside: Path, folder: Path) -> None:
    if not folder.exists():
        beside.rename(folder)
        return
    old = beside.with_name(beside.name + ".old")
    folder.rename(old)
    try:
        beside.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
