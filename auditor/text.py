"""Text from data: making control characters visible, and keeping every code unit and byte losslessly.

Nothing else in the package decides what a control character looks like or how odd text is stored.
"""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

# --- what is shown -------------------------------------------------------------------------------------------------

_MARKED = """
    0000-0008 000B-001F 007F-009F 00AD
    0600-0605 061C 06DD 070F 0890-0891 08E2 180E 200B-200F 2028-202E 2060-206F FEFF FFF0-FFFB
    00A0 1680 2000-200A 202F 205F 3000
    034F 115F-1160 17B4-17B5 180B-180F 2800 3164 FFA0 FE00-FE0F
    D800-DFFF FDD0-FDEF FFFE-FFFF
    110BD 110CD 13430-1343F 16FE4 1BCA0-1BCA3 1D159 1D173-1D17A E0000-E0FFF
"""
"""Code points that a terminal would act on, that leave no mark, or that cannot be told from a plain space.

By line: controls and the soft hyphen; format characters (bidi, zero-width, joiners, U+2028/9, BOM); spaces other than
U+0020; blank letters, fillers and variation selectors; surrogates and noncharacters; the same kinds beyond U+FFFF,
tags and further selectors among them. Newline and tab are left to the views.

Joiners and variation selectors inside emoji are marked too: terminals disagree on how wide such a sequence is, a
picture hides how many code points it holds, and selectors can smuggle any text. Each emoji of the sequence is still
drawn. Combining marks are not in the list: they show, and composition is for `auditor.compare.code_points` to tell.
"""


def _classes() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile the marked code points up to U+FFFF and those beyond: one class of both is six times slower."""
    ranges = [
        (int(low, 16), int(high or low, 16)) for low, _, high in (part.partition("-") for part in _MARKED.split())
    ]
    low = "".join(f"\\u{first:04x}-\\u{last:04x}" for first, last in ranges if last <= 0xFFFF)
    high = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges if first > 0xFFFF)
    return re.compile(f"[{low}]"), re.compile(f"[{high}]")


_LOW, _HIGH = _classes()
PLAIN_LINE = rf"(?:(?!{_LOW.pattern}|{_HIGH.pattern})[^\t\n])*"
"""A pattern of the lines that are shown as they are, without any mark."""
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
_LAYOUT_PICTURES = str.maketrans({"\n": "␊", "\t": "␉"})


def _mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(_PICTURES[code]) if code in _PICTURES else f"<U+{code:04X}>"


def visible(text: str) -> str:
    """Return text with every control, format, surrogate, blank and unusual space character shown as a mark.

    C0 controls and DEL become their pictures (`␛`), anything else `<U+200B>`. Newlines and tabs stay, since views lay
    them out; use `visible_line` where they must show too. The marks are for reading: what is stored stays as it was.
    """
    if text.isascii():
        return text.translate(_PICTURES)
    shown = _LOW.sub(_mark, text)
    return _HIGH.sub(_mark, shown) if _BEYOND.search(shown) else shown


def visible_line(text: str, limit: int | None = None) -> str:
    """Return one line for a table cell, a message or a key: as `visible`, with newline and tab as pictures.

    `limit` is the most characters to return; a cut ends in `…` and never falls inside a mark.
    """
    if limit is None:
        return visible(text).translate(_LAYOUT_PICTURES)
    shown = visible(text[:limit]).translate(_LAYOUT_PICTURES)
    if len(text) <= limit and len(shown) <= limit:
        return shown
    room = max(0, limit - 1)
    if len(shown) == len(text[:limit]):
        return shown[:room] + "…"[:limit]
    kept = []
    for char in text[:room]:
        mark = visible(char).translate(_LAYOUT_PICTURES)
        room -= len(mark)
        if room < 0:
            break
        kept.append(mark)
    return "".join(kept) + "…"[:limit]


_PARTS = re.compile("[\u1100-\u11ff]+|\\w[^\\w\\s]*|.", re.DOTALL)
"""A character with the marks that follow it, Hangul of several letters, or anything else."""


def visible_name(text: str, limit: int | None = None) -> str:
    """Return one line as `visible_line`, and of what Unicode also writes in another way its code points.

    Names and answers that differ only in that look the same otherwise: `é` as one character stays, as a letter and a
    mark it is shown as `e<U+0301>`. What has no other form stays as it is.
    """
    if text.isascii():
        return visible_line(text, limit)
    if limit is not None:
        # What goes on behind the limit is cut by it, and what stands before it is looked at no further.
        text, is_cut = text[:limit], len(text) > limit
        shown = visible_name(text)
        return visible_line(shown + ("…" if is_cut else ""), limit)
    if unicodedata.is_normalized("NFC", text):
        return visible_line(text)
    parts = _PARTS.findall(text)
    odd = {part for part in parts if not unicodedata.is_normalized("NFC", part)}
    # Where no part for itself has another form, they have it together.
    return "".join(with_code_points(part) if part in odd or not odd else visible_line(part) for part in parts)


def with_code_points(text: str) -> str:
    """Return one line with the code point of each character that is no ASCII; of ASCII alone those of all."""
    every = text.isascii()
    return "".join(f"<U+{ord(char):04X}>" if every or not char.isascii() else visible_line(char) for char in text)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return e.g. `1 row` or `2,000 rows`; a plural that is no noun with an s is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def has_invisible(text: str) -> bool:
    """Say whether `visible` would change the text."""
    return _LOW.search(text) is not None or (_BEYOND.search(text) is not None and _HIGH.search(text) is not None)


# --- storage -------------------------------------------------------------------------------------------------------

UNDECODABLE = re.compile("[\udc80-\udcff]")
"""Characters that stand for raw bytes in an `UndecodedText`; in any other text they are lone surrogates."""


class UndecodedText(str):
    """Text read from bytes that are not UTF-8: U+DC80-U+DCFF in it stand for the raw bytes 0x80-0xFF.

    Slices and other derived strings are plain `str`: wrap them again where they are to be written as bytes.
    """

    __slots__ = ()


_SPELLED = re.compile(rb"\xed[\xa0-\xb1\xb4-\xbf][\x80-\xbf]")
"""Three bytes that spell a surrogate which stands for no raw byte."""


def _keep_odd(error: UnicodeError) -> tuple[str | bytes, int]:
    """Map undecodable bytes to U+DC80-U+DCFF and back; other surrogates keep the three bytes that spell them."""
    if isinstance(error, UnicodeDecodeError):
        if spelled := _SPELLED.match(error.object, error.start):
            return spelled.group().decode("utf-8", "surrogatepass"), spelled.end()
        return error.object[error.start : error.end].decode("ascii", "surrogateescape"), error.end
    if isinstance(error, UnicodeEncodeError):
        run = error.object[error.start : error.end]
        raw = (c.encode("utf-8", "surrogateescape" if UNDECODABLE.match(c) else "surrogatepass") for c in run)
        return b"".join(raw), error.end
    raise error


_KEEP_ODD = "auditor.text"
codecs.register_error(_KEEP_ODD, _keep_odd)


def to_bytes(text: str) -> bytes:
    """Encode text as UTF-8; undecoded bytes become themselves again, other surrogates take their three bytes.

    `from_bytes` gives the same characters back for every text, and the same bytes for what it made itself.
    """
    if isinstance(text, UndecodedText):
        data = text.encode("utf-8", _KEEP_ODD)
        # Text that was put together can hold raw bytes that spell a character when they meet: then it is no longer
        # what it says, and its surrogates are kept as any other text's.
        if from_bytes(data) == text:
            return data
    return text.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """Decode UTF-8, with surrogates spelled in three bytes; an `UndecodedText` when the bytes are anything else."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return UndecodedText(data.decode("utf-8", _KEEP_ODD))


def to_storage(text: str | None) -> str | bytes | None:
    """Return what goes into a column: the text itself, or a blob when SQLite's TEXT cannot hold it exactly."""
    if text is None:
        return None
    if "\0" in text:  # SQLite's own string functions stop at it
        return to_bytes(text)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return to_bytes(text)
    return text


def from_storage(value: str | bytes | None) -> str | None:
    """Read back what `to_storage` made."""
    return from_bytes(value) if isinstance(value, bytes) else value


# --- JSON ----------------------------------------------------------------------------------------------------------

_LONE = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|[\udc00-\udfff]")
"""Surrogates to be escaped. A reader joins two escapes in a row into one character, so the first half of a pair is not
among them: it is written in the three bytes that spell it."""
_LONE_BESIDE_RAW = re.compile("[\ud800-\udbff](?![\udc00-\udc7f\udd00-\udfff])|[\udc00-\udc7f\udd00-\udfff]")
"""The same where U+DC80-U+DCFF stand for raw bytes and are written as these."""


def json_line(value: Any) -> bytes:
    """Serialise one record as a UTF-8 JSON line without its newline, so that `from_json_line` gives the same values.

    Lone surrogates are written as `\\uXXXX` escapes; bytes that came undecoded are written raw again.
    """
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return _odd_json(value)


def _odd_json(value: Any) -> bytes:
    """Serialise a value that holds surrogates, string by string since each may be of either kind."""
    if isinstance(value, dict):
        # As json does it, a key that is no string is written as the text of its JSON form.
        pairs = ((key if isinstance(key, str) else json.dumps(key), item) for key, item in value.items())
        return b"{" + b", ".join(_odd_json(key) + b": " + _odd_json(item) for key, item in pairs) + b"}"
    if isinstance(value, list | tuple):
        return b"[" + b", ".join(map(_odd_json, value)) + b"]"
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, UndecodedText):
        data = to_bytes(UndecodedText(_LONE_BESIDE_RAW.sub(_escape, text)))
        if isinstance(from_bytes(data), UndecodedText):
            return data
    return _LONE.sub(_escape, text).encode("utf-8", "surrogatepass")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def from_json_line(data: bytes) -> Any:
    """Read a JSON line, raw bytes and all; raises ValueError or RecursionError as `json.loads` does."""
    line = from_bytes(data)
    value = json.loads(line)
    return _with_raw_bytes(value) if isinstance(line, UndecodedText) else value


def _with_raw_bytes(value: Any) -> Any:
    """Say of each string of an undecoded line that holds raw bytes that it does."""
    if isinstance(value, str):
        return UndecodedText(value) if UNDECODABLE.search(value) else value
    if isinstance(value, dict):
        return {_with_raw_bytes(key): _with_raw_bytes(item) for key, item in value.items()}
    return [_with_raw_bytes(item) for item in value] if isinstance(value, list) else value


def extra_text(extra: Mapping[str, Any]) -> str | None:
    """Serialise what a response carries beside its known fields, always the same way; None when there is nothing."""
    if not extra:
        return None
    return from_bytes(json_line(extra))


def read_extra(text: str | None) -> dict[str, Any]:
    """Return what `extra_text` serialised."""
    if text is None:
        return {}
    value = from_json_line(to_bytes(text))
    if not isinstance(value, dict):
        raise ValueError("what was stored beside a response is no JSON object")
    return value
