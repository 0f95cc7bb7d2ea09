"""A folder of files of known formats: which of them can be read, and which are passed over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from auditor.errors import InputError
from auditor.formats.records import Format
from auditor.formats.registry import formats, recognise
from auditor.text import counted, visible_line

_MOST_FILES = 10_000
_NAMES_SHOWN = 5


class FoundFile(NamedTuple):
    """A file, or a folder within, of a format."""

    path: Path
    format: Format


class Found(NamedTuple):
    """What is in a folder."""

    files: tuple[FoundFile, ...]
    passed: tuple[Path, ...]
    """What no format, or more than one, fits; hidden files are not among them."""


def search_folder(folder: Path) -> Found:
    """Find what can be read in a folder that is of no format itself; raises InputError when nothing can."""
    files: list[FoundFile] = []
    passed: list[Path] = []
    for path in _entries(folder):
        try:
            files.append(FoundFile(path, recognise(path)))
        except InputError:
            passed.append(path)
        if len(files) + len(passed) > _MOST_FILES:
            raise InputError(f"it holds more than {_MOST_FILES:,} files.", where=str(folder), hint="Name the files.")
    if not files:
        seen = f"of its {counted(len(passed), 'file')} none is of a known format" if passed else "it is empty"
        raise InputError(
            f"it is a folder without a run.toml, and {seen}.",
            where=str(folder),
            hint=f"The known formats are {', '.join(formats())}.",
        )
    return Found(tuple(files), tuple(passed))


def _entries(folder: Path) -> Iterator[Path]:
    """Yield the folders within that are of a format, and all other files, in the order of their names."""
    for place, folders, names in os.walk(folder):
        inner = sorted(name for name in folders if not name.startswith("."))
        whole = [name for name in inner if is_of_a_format(Path(place, name))]
        folders[:] = [name for name in inner if name not in whole]
        yield from (Path(place, name) for name in sorted([*whole, *names]) if not name.startswith("."))


def is_of_a_format(path: Path) -> bool:
    """Say whether a file or folder is of a known format as a whole."""
    try:
        recognise(path)
    except InputError:
        return False
    return True


def describe_found(folder: Path, found: Found) -> str:
    """Say what was read of a folder, and what was not."""
    words = f"{visible_line(str(folder))}: {counted(len(found.files), 'file')} read"
    if not found.passed:
        return f"{words}."
    shown = ", ".join(visible_line(str(path.relative_to(folder)), 60) for path in found.passed[:_NAMES_SHOWN])
    more = ", …" if len(found.passed) > _NAMES_SHOWN else ""
    return f"{words}, {len(found.passed):,} of no known format passed over ({shown}{more})."
