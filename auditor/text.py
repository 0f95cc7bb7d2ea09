"""Text from data: making control characters visible, and keeping every code unit and byte losslessly.

Nothing else in the package decides what a control character looks like or how odd text is stored.
"""

from __future__ import annotations

import json
import re
from typing import Any

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Everything that a terminal would act on or that leaves no mark, but for newline and tab."""

_NEWLINE_OR_TAB = {"\n": "␊", "\t": "␉"}
UNDECODABLE = re.compile("[\udc80-\udcff]")


class UndecodedText(str):
    """Text read from bytes that are not UTF-8: U+DC80-U+DCFF in it stand for the raw bytes 0x80-0xFF."""

    __slots__ = ()


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"<U+{code:04X}>"


def visible(text: str) -> str:
    """Return text with every control, bidi, zero-width and surrogate character shown as a mark.

    Newlines and tabs stay, since views lay them out; use `visible_line` where they must show too.
    """
    return _INVISIBLE.sub(_picture, text)


def visible_line(text: str, limit: int | None = None) -> str:
    """Return one line for a table cell, a message or a key: as `visible`, with newline and tab as pictures.

    `limit` is the most characters to return; a cut ends in `…`.
    """
    if limit is not None and len(text) > limit:
        text, cut = text[: max(0, limit - 1)], "…"
    else:
        cut = ""
    shown = visible(text)
    for char, mark in _NEWLINE_OR_TAB.items():
        shown = shown.replace(char, mark)
    return shown + cut


def has_invisible(text: str) -> bool:
    """Say whether `visible` would change the text."""
    return _INVISIBLE.search(text) is not None


# --- storage -------------------------------------------------------------------------------------------------------


def _raw_bytes(error: UnicodeError) -> tuple[bytes, int]:
    """Encode undecodable bytes back to themselves and other surrogates as `surrogatepass` would."""
    assert isinstance(error, UnicodeEncodeError)
    out = bytearray()
    for char in error.object[error.start : error.end]:
        code = ord(char)
        out += bytes([code - 0xDC00]) if 0xDC80 <= code <= 0xDCFF else char.encode("utf-8", "surrogatepass")
    return bytes(out), error.end


def to_bytes(text: str) -> bytes:
    """Encode text as UTF-8; undecoded bytes become themselves again, other lone surrogates take their three bytes."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        if isinstance(text, UndecodedText):
            parts, at = [], 0
            for match in re.finditer("[\ud800-\udfff]+", text):
                parts.append(text[at : match.start()].encode())
                parts.append(_raw_bytes(UnicodeEncodeError("utf-8", text, match.start(), match.end(), error.reason))[0])
                at = match.end()
            return b"".join(parts) + text[at:].encode()
        return text.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """Decode what `to_bytes` made."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        pieces, at = [], 0
        while at < len(data):
            try:
                pieces.append(data[at:].decode("utf-8", "surrogatepass"))
                break
            except UnicodeDecodeError as error:
                pieces.append(data[at : at + error.start].decode("utf-8", "surrogatepass"))
                bad = data[at + error.start : at + error.end]
                pieces.append("".join(chr(0xDC00 + byte) for byte in bad))
                at += error.end
        return UndecodedText("".join(pieces))


def to_storage(text: str | None) -> str | bytes | None:
    """Return what goes into a column: the text itself, or a blob when SQLite's TEXT cannot hold it exactly."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    if "\0" in text:
        return to_bytes(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return to_bytes(text)
    return text


def from_storage(value: str | bytes | None) -> str | None:
    """Read back what `to_storage` made."""
    return from_bytes(value) if isinstance(value, bytes) else value


# --- JSON ----------------------------------------------------------------------------------------------------------


_LONE = re.compile("[\ud800-\udfff]")


def json_line(value: Any) -> bytes:
    """Serialise one record as a UTF-8 JSON line without its newline, so that reading it back gives the same values.

    Lone surrogates are written as `\\uXXXX` escapes; bytes that came undecoded are written raw again.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    if _LONE.search(text) is None:
        return text.encode()
    if _holds_undecoded(value):
        escaped = re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda m: f"\\u{ord(m.group()):04x}", text)
        return to_bytes(UndecodedText(escaped))
    return _LONE.sub(lambda m: f"\\u{ord(m.group()):04x}", text).encode()


def _holds_undecoded(value: Any) -> bool:
    if isinstance(value, UndecodedText):
        return True
    if isinstance(value, dict):
        return any(_holds_undecoded(item) for pair in value.items() for item in pair)
    return isinstance(value, list | tuple) and any(map(_holds_undecoded, value))
