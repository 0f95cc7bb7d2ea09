"""Read one object at a place in a reply: its top-level pairs with the ranges of their values."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, NamedTuple

from auditor.grading.exact_json import NotJsonError, TooHardError, exact_number, json_decoder
from auditor.grading.literals import NotLiteralError, read_expression, read_literal

_SPACE = re.compile(r"[ \t\n\r]*")
_STRICT, _LOOSE = json_decoder(), json_decoder(strict=False)
_PYTHON_TOKEN = re.compile(
    r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|(?P<open>[\[{(])|(?P<close>[\]})])|[^'\"\[\]{}()]+", re.DOTALL
)
_PYTHON_KEY = re.compile(r"\{\s*(?:'[^'\n]{0,200}'|\"[^\"\n]{0,200}\")\s*:")
_REFUSED_COST, _DEEP_COST = 2_000, 100_000
"""What a reading is charged that failed on duplicate keys or on nesting and does not say how far it came."""
_PYTHON_COST = 10
"""Reading Python costs this much more a character."""
_PYTHON_LENGTH = 100_000
_QUOTE = "[\"'\u2018\u2019\u201c\u201d]"
_CURLY = re.compile(
    rf"\{{\s*{_QUOTE}output{_QUOTE}\s*:\s*"
    r"(?:\u201c(?P<double>[^\u201c\u201d\"\\]*)\u201d|\u2018(?P<single>[^\u2018\u2019'\\]*)\u2019|(?P<number>-?[0-9]+))"
    r"\s*,?\s*\}"
)
"""An object whose quotes were turned into curly ones, or whose key has a quote of each kind."""
_CURLY_QUOTE = re.compile("[\u2018\u2019\u201c\u201d]")


class Pair(NamedTuple):
    """A key of an object, its value, and the value's range in the text."""

    key: str
    value: Any
    start: int
    end: int


class ReadObject(NamedTuple):
    """An object that was read; `repair` names what it needed, None for strict JSON."""

    pairs: tuple[Pair, ...]
    end: int
    repair: str | None = None


class Failure(NamedTuple):
    """No object."""

    truncated: bool
    """The text, or the fence around it, ends inside the object."""
    at: int
    """How far it was JSON: nothing before this place stands by itself."""
    cost: int = 0
    """Characters looked at."""


def read_object(text: str, start: int) -> ReadObject | Failure:
    """Read the object whose brace is at `start`: as JSON, else by the first named repair that fits.

    Repairs: `raw-newline` (control characters left unescaped), `trailing-comma`, `python-style` (a Python dict of
    literals), `smart-quotes`, `mixed-quotes`. Raises nothing.
    """
    strict = _read_json(text, start, _STRICT)
    if isinstance(strict, ReadObject) or strict.truncated:
        return strict
    loose = _read_json(text, start, _LOOSE, trailing_comma=True)
    if isinstance(loose, ReadObject) or loose.truncated:
        return loose
    curly = _CURLY.match(text, start)
    if curly and _CURLY_QUOTE.search(curly.group()):
        return _quoted_object(curly, "smart-quotes")
    python = _read_python(text, start)
    if isinstance(python, ReadObject):
        return python
    if curly:
        return _quoted_object(curly, "mixed-quotes")
    read = strict.at + loose.at - 2 * start + _PYTHON_COST * (python.at - start)
    return Failure(python.truncated, strict.at, read + strict.cost + loose.cost)


def _quoted_object(match: re.Match[str], repair: str) -> ReadObject:
    group = match.lastgroup or ""
    value = exact_number(match[group]) if group == "number" else match[group]
    return ReadObject((Pair("output", value, *match.span(group)),), match.end(), repair)


def _read_json(
    text: str, start: int, decoder: json.JSONDecoder, *, trailing_comma: bool = False
) -> ReadObject | Failure:
    at = _skip(text, start + 1)
    pairs: list[Pair] = []
    repair = None if decoder is _STRICT else "raw-newline"
    while True:
        if text[at : at + 1] == "}" and (not pairs or trailing_comma):
            return ReadObject(tuple(pairs), at + 1, "trailing-comma" if pairs else repair)
        if text[at : at + 1] != '"':
            return Failure(_ended(text, at), at)
        try:
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                return Failure(_ended(text, at), at)
            begin = _skip(text, at + 1)
            value, at = decoder.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            unterminated = error.msg.startswith("Unterminated string")
            return Failure(unterminated or _ended(text, _skip(text, error.pos)), error.pos)
        except NotJsonError:
            return Failure(False, at, _REFUSED_COST)
        except (TooHardError, RecursionError, MemoryError):
            return Failure(False, at, _DEEP_COST)
        pairs.append(Pair(key, value, begin, at))
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return ReadObject(tuple(pairs), at + 1, repair)
        if text[at : at + 1] != ",":
            return Failure(_ended(text, at), at)
        at = _skip(text, at + 1)


def _ended(text: str, at: int) -> bool:
    """Nothing more comes, or the fence that holds the object is closed."""
    return at >= len(text) or text.startswith(("```", "~~~"), at)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _read_python(text: str, start: int) -> ReadObject | Failure:
    """Read a Python dict display of literals with string keys."""
    if not _PYTHON_KEY.match(text, start):
        return Failure(False, start)
    depth, at, limit = 0, start, min(len(text), start + _PYTHON_LENGTH)
    while at < limit:
        token = _PYTHON_TOKEN.match(text, at, limit)
        if token is None:
            return Failure(True, at)  # a quote that is never closed
        at = token.end()
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if depth == 0:
            pairs = _python_pairs(text[start:at], start)
            return ReadObject(pairs, at, "python-style") if pairs else Failure(False, at)
    return Failure(limit == len(text), at)


def _python_pairs(body: str, start: int) -> tuple[Pair, ...]:
    """Return the pairs of a dict display that begins at `start` of the reply; none when it is no literal."""
    tree = read_expression(body)
    if not isinstance(tree, ast.Dict):
        return ()
    pairs = []
    for key, node in zip(tree.keys, tree.values, strict=True):
        segment = ast.get_source_segment(body, node)
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str) or segment is None:
            return ()
        try:
            value = read_literal(segment)
        except NotLiteralError:
            return ()
        if value is Ellipsis:  # a placeholder in prose, `{"output": ...}`, is no answer
            return ()
        begin = start + body.find(segment)
        pairs.append(Pair(key.value, value, begin, begin + len(segment)))
    return tuple(pairs)
