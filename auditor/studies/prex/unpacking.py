"""Gzipped data read piece by piece, so that what stands before a place where it is broken still comes out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from auditor.formats.json_text import BOM
from auditor.formats.lines import chunks, open_binary, split_lines

GZIP = b"\x1f\x8b"
_PIECE = 1 << 12
"""Packed bytes taken at a time: what they hold is lost when they are broken."""
_WITH_HEADER = 31
"""zlib's word for data with the header and the checksum of gzip."""


class Unpacked:
    """A gzipped file, of one member or several, as something to read from."""

    def __init__(self, file: BinaryIO) -> None:
        self.name = file.name
        self._file = file
        self._member = zlib.decompressobj(_WITH_HEADER)
        self._between = False
        """Whether a member has ended and no other one has begun."""
        self._rest = b""

    def read(self, _: int) -> bytes:
        """Return some bytes, as many as come, and b"" at the end.

        Raises EOFError where the data ends early, and zlib.error where it is broken.
        """
        while data := self._rest or self._file.read(_PIECE):
            self._rest = b""
            if self._between:
                data = data.lstrip(b"\0")
                if not data:
                    continue
                self._member, self._between = zlib.decompressobj(_WITH_HEADER), False
            unpacked = self._member.decompress(data)
            if self._member.eof:
                self._rest, self._between = self._member.unused_data, True
            if unpacked:
                return unpacked
        if not self._between:
            raise EOFError
        return b""


def packed_or_plain_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) of a file, gzipped or not, as `numbered_lines` does; raises as `Unpacked.read` too."""
    with open_binary(path) as file:
        packed = file.read(2) == GZIP
        file.seek(0)
        first = 1
        for chunk in chunks(cast(BinaryIO, Unpacked(file)) if packed else file):
            yield from split_lines(chunk.removeprefix(BOM) if first == 1 else chunk, first)
            first += chunk.count(b"\n")
