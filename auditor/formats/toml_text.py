"""Write TOML such that `tomllib` reads back the same values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from auditor.errors import InputError
from auditor.model import JsonValue
from auditor.text import visible_line

_BARE_KEY = re.compile("[A-Za-z0-9_-]+")
_ESCAPED = re.compile('[\x00-\x1f"\\\\\x7f-\x9f\u2028\u2029]')
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def toml_pair(key: str, value: JsonValue) -> str:
    """Return `key = value`; raises InputError for what TOML cannot hold: lone surrogates, null, NaN, infinities."""
    return f"{toml_key(key)} = {toml_value(value, key)}"


def toml_key(key: str) -> str:
    """Return a key, quoted where it must be."""
    return key if _BARE_KEY.fullmatch(key) else _string(key, key)


def toml_value(value: JsonValue, key: str) -> str:
    """Return a value on one line; `key` names it in errors."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value, key)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = ", ".join(toml_pair(name, item) for name, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(toml_value(item, key) for item in value)}]"
    raise _impossible(key, "null" if value is None else repr(value))


def _string(text: str, key: str) -> str:
    if _SURROGATE.search(text):
        raise _impossible(key, "a lone surrogate or a byte that is not UTF-8")
    escaped = _ESCAPED.sub(lambda match: _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}", text)
    return f'"{escaped}"'


def _impossible(key: str, what: str) -> InputError:
    return InputError(f'"{visible_line(key, 60)}" holds {what}, which a TOML file cannot hold.')
