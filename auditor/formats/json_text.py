"""Strict JSON from bytes: losslessly for odd text, with a sentence for everything that is not JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from auditor.model import JsonValue
from auditor.text import UNDECODABLE, UndecodedText, from_bytes, visible_line

BOM = b"\xef\xbb\xbf"
DEPTH = 100
"""The most levels of nesting that are accepted, so that whoever handles the value later never runs out of stack."""
TOO_DEEP = f"it is nested more than {DEPTH} levels deep."
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


class UnusableError(Exception):
    """A record cannot be used; its text is one sentence that says why."""


def parse_json(data: bytes, repeated: set[str] | None = None) -> JsonValue:
    """Parse one JSON value exactly: lone surrogates stay, bytes that are not UTF-8 become `UndecodedText`.

    Raises UnusableError for what is not JSON (NaN included), for numbers out of range, and for repeated keys unless
    `repeated` is there to collect them; then the last one's value is returned.
    """
    text = _decode(data)
    try:
        value: JsonValue = (_DECODER if repeated is None else _decoder(repeated)).decode(text)
    except json.JSONDecodeError as err:
        raise UnusableError(_not_json(err)) from err
    except RecursionError as err:
        raise UnusableError(TOO_DEEP) from err
    except ValueError as err:
        # CPython refuses to convert integers of more than 4300 digits.
        raise UnusableError("it holds a whole number with too many digits.") from err
    if text.count("[") + text.count("{") > DEPTH and is_deeper(value, DEPTH):
        raise UnusableError(TOO_DEEP)
    if isinstance(text, UndecodedText):
        value = _mark_undecoded(value)
    return value


def parse_object(data: bytes) -> dict[str, JsonValue]:
    """Parse one JSON object as `parse_json` does; raises UnusableError for any other value."""
    value = parse_json(data)
    if not isinstance(value, dict):
        raise UnusableError(f"it is {kind_of(value)}, but must be an object.")
    return value


def kind_of(value: object) -> str:
    """Name the kind of a JSON value for a sentence."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value!r}" if len(repr(value)) < 30 else "a number"
    if isinstance(value, str):
        return "text"
    return "an object" if isinstance(value, dict) else "a list"


def _mark_undecoded(value: Any) -> Any:
    """Return a JSON value in which every text that holds U+DC80-U+DCFF is marked as `UndecodedText`."""
    if isinstance(value, str):
        return UndecodedText(value) if UNDECODABLE.search(value) else value
    if isinstance(value, dict):
        return {_mark_undecoded(key): _mark_undecoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mark_undecoded(item) for item in value]
    return value


def is_deeper(value: object, levels: int) -> bool:
    """Say whether lists and objects are nested more than `levels` deep."""
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_deeper(item, levels - 1) for item in items)


def _decode(data: bytes) -> str:
    text = from_bytes(data)
    if isinstance(text, UndecodedText) and _escapes_a_byte(data):
        raise UnusableError(
            "it holds both bytes that are not UTF-8 and an escape from \\udc80 to \\udcff, "
            "which cannot be told apart once read."
        )
    return text


def _escapes_a_byte(data: bytes) -> bool:
    """Say whether an escape stands for one of the lone surrogates by which undecodable bytes are kept."""
    high_end = -1
    for match in _ESCAPE.finditer(data):
        code = int(match[1], 16) if match[1] else 0
        if 0xDC80 <= code <= 0xDCFF and match.start() != high_end:
            return True
        high_end = match.end() if 0xD800 <= code < 0xDC00 else -1
    return False


def _not_json(err: json.JSONDecodeError) -> str:
    problem = re.sub(r"(?: starting)? at$|:.*", "", err.msg)
    return f"it is not JSON: {problem[0].lower()}{problem[1:]} at character {err.pos + 1}."


def _repeats(pairs: list[tuple[str, Any]]) -> list[str]:
    counts = Counter(key for key, _ in pairs)
    return [key for key, count in counts.items() if count > 1]


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise UnusableError(f'the key "{visible_line(_repeats(pairs)[0], 60)}" appears twice.')
    return value


def _decoder(repeated: set[str] | None = None) -> json.JSONDecoder:
    def noting_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if repeated is not None and len(value) < len(pairs):
            repeated.update(_repeats(pairs))
        return value

    hook = _without_repeats if repeated is None else noting_repeats
    return json.JSONDecoder(object_pairs_hook=hook, parse_constant=_refuse_constant, parse_float=_finite_float)


def _refuse_constant(name: str) -> float:
    raise UnusableError(f"it holds {name}, which is not JSON.")


def _finite_float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise UnusableError(f"it holds the number {visible_line(text, 30)}, which is out of range.")
    return number


_DECODER = _decoder()
