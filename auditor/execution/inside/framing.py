"""Messages on a byte stream: a JSON header and some blobs, each with its length in front."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

_LENGTH = struct.Struct("<I")
_encode = json.JSONEncoder().encode
"""Taken before a program that is run in this process can put something else in the place of `json.dumps`."""
HEADER_LIMIT = 1 << 20
"""Bytes that a header may have."""


class Message(NamedTuple):
    """What one side sends to the other."""

    header: dict[str, Any]
    blobs: list[bytes]


class FramingError(ValueError):
    """The other side sent something that is no message, or one beyond the limits."""


def pack(header: dict[str, Any], *blobs: bytes) -> bytes:
    """Return a message as bytes."""
    text = _encode({**header, "blobs": [len(blob) for blob in blobs]}).encode()
    return b"".join((_LENGTH.pack(len(text)), text, *blobs))


def headers_in(data: bytes | bytearray, start: int) -> tuple[list[dict[str, Any]], int]:
    """Return the headers of the whole messages that stand in some bytes from a place on, and where these end.

    Raises FramingError for what is no message.
    """
    found: list[dict[str, Any]] = []
    while len(data) >= start + _LENGTH.size:
        (length,) = _LENGTH.unpack_from(data, start)
        if length > HEADER_LIMIT:
            raise FramingError("the header is too long")
        body = start + _LENGTH.size
        if len(data) < body + length:
            break
        header, sizes = _header(bytes(data[body : body + length]))
        end = body + length + sum(sizes)
        if len(data) < end:
            break
        found.append(header)
        start = end
    return found, start


def _header(text: bytes) -> tuple[dict[str, Any], list[int]]:
    """Return a header and the lengths of the blobs behind it; raises FramingError."""
    try:
        header = json.loads(text)
        sizes = header.pop("blobs")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise FramingError("the header is no JSON object with its blobs") from None
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise FramingError("the blobs have no lengths")
    return header, sizes


def unpack(take: Callable[[int], bytes], limit: int) -> Message | None:
    """Read one message; None at the end of the stream.

    `take` returns exactly as many bytes as it is asked for, or fewer at the end. Raises FramingError, also when the
    blobs are longer than `limit` together.
    """
    start = take(_LENGTH.size)
    if not start:
        return None
    if len(start) < _LENGTH.size:
        raise FramingError("the stream ends within a length")
    (length,) = _LENGTH.unpack(start)
    if length > HEADER_LIMIT:
        raise FramingError("the header is too long")
    text = take(length)
    if len(text) < length:
        raise FramingError("the stream ends within a header")
    header, sizes = _header(text)
    if sum(sizes) > limit:
        raise FramingError("the blobs are too long")
    blobs = [take(size) for size in sizes]
    if any(len(blob) < size for blob, size in zip(blobs, sizes, strict=True)):
        raise FramingError("the stream ends within a blob")
    return Message(header, blobs)
