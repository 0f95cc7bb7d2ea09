"""JSON in a TEXT column: ASCII, so that SQLite's own JSON functions read it, and lossless for text of any kind."""

from __future__ import annotations

import json
from typing import Any

from auditor.text import UNDECODABLE, UndecodedText

_RAW_BYTES = "\n"
"""What ends a document in which U+DC80-U+DCFF stand for raw bytes; to every other reader of JSON it means nothing.

A document comes from one line or file, whose reader refuses what holds both raw bytes and such surrogates.
"""


def dump_json(value: Any, *, sort_keys: bool = False) -> str:
    """Return a value as ASCII JSON that `load_json` reads back, `UndecodedText` included."""
    text = json.dumps(value, sort_keys=sort_keys)
    return text + _RAW_BYTES if "\\udc" in text and _holds_raw_bytes(value) else text


def load_json(text: str) -> Any:
    """Read back what `dump_json` made."""
    value = json.loads(text)
    return _with_raw_bytes(value) if text.endswith(_RAW_BYTES) else value


def _holds_raw_bytes(value: Any) -> bool:
    if isinstance(value, str):
        return isinstance(value, UndecodedText) and UNDECODABLE.search(value) is not None
    if isinstance(value, dict):
        return any(map(_holds_raw_bytes, [*value, *value.values()]))
    return isinstance(value, list | tuple) and any(map(_holds_raw_bytes, value))


def _with_raw_bytes(value: Any) -> Any:
    if isinstance(value, str):
        return UndecodedText(value) if UNDECODABLE.search(value) else value
    if isinstance(value, dict):
        return {_with_raw_bytes(key): _with_raw_bytes(item) for key, item in value.items()}
    return [_with_raw_bytes(item) for item in value] if isinstance(value, list) else value
