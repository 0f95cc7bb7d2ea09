"""Lines of JSON files: split at the newline byte only, numbered from 1, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from auditor.errors import InputError
from auditor.formats.json_text import BOM

CHUNK = 1 << 17
"""Bytes read at a time; small, so that one odd line slows down only its neighbours."""
HEAD = 1 << 18
"""Bytes from the beginning of a file by which its format is recognised."""
_BLANK = b" \t\r"


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading; raises InputError with the system's reason."""
    try:
        return path.open("rb")
    except OSError as err:
        raise InputError(f"it cannot be read ({err.strerror}).", where=str(path)) from err


def read_bytes(path: Path) -> bytes:
    """Read a whole file without its byte order mark; raises InputError with the system's reason."""
    with open_binary(path) as file:
        return b"".join(_blocks(file)).removeprefix(BOM)


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    try:
        while block := file.read(CHUNK):
            yield block
    except OSError as err:
        raise InputError(f"reading it failed ({err.strerror}).", where=file.name) from err


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the file in pieces of whole lines; only the last piece may lack its newline.

    Raises InputError when reading fails.
    """
    parts: list[bytes] = []
    for block in _blocks(file):
        end = block.rfind(b"\n") + 1
        if not end:
            parts.append(block)
            continue
        parts.append(block[:end])
        yield b"".join(parts)
        parts = [block[end:]]
    if tail := b"".join(parts):
        yield tail


def split_lines(chunk: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) for the lines of a chunk that are not blank; `first` numbers the chunk's first line.

    White space around a line, a carriage return included, is taken off: JSON gives it no meaning.
    """
    for number, line in enumerate(chunk.split(b"\n"), first):
        if content := line.strip(_BLANK):
            yield number, content


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) for the lines of a file that are not blank, without a leading byte order mark."""
    with open_binary(path) as file:
        first = 1
        for chunk in chunks(file):
            yield from split_lines(chunk.removeprefix(BOM) if first == 1 else chunk, first)
            first += chunk.count(b"\n")
