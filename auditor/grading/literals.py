"""Python literals under bounds: reading them without ever crashing, and equality that looks at types throughout."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

from auditor.grading.exact_json import deeper_than
from auditor.grading.huge_integers import HUGE, IntegerReader, as_hexadecimal, as_names

LENGTH_LIMIT = 400_000
"""Characters: the parser takes up to 4 µs and hundreds of bytes each, so longer texts are read only where JSON can."""
_QUICK_LENGTH = 50_000
_PARSER_DEPTH = 199
"""What CPython's tokenizer admits."""
_MAY_WARN = re.compile(r"\\|[0-9][A-Za-z]")
_JSON_NAMES = ("true", "false", "null", "NaN", "Infinity", "\\")
"""What JSON reads otherwise than Python does, wherever it stands."""


class NotLiteralError(ValueError):
    """The text is no Python literal, or is beyond the bounds; the message says why."""


class LiteralTooLongError(NotLiteralError):
    """The text may be a literal, but is beyond LENGTH_LIMIT."""


def _read_as_json(text: str) -> Any:
    """Read a long list or dict that means the same in JSON, whose reader needs a tenth of the time and memory.

    Raises ValueError for every text that it may not or cannot read.
    """
    if any(name in text for name in _JSON_NAMES):
        raise ValueError("JSON may read this otherwise")
    body = text if '"' in text else text.replace("'", '"')
    if deeper_than(body, _PARSER_DEPTH):
        raise ValueError("deeper than Python's parser reads")
    return json.loads(body, parse_int=IntegerReader() if HUGE.search(body) else None)


@contextlib.contextmanager
def _quiet(text: str) -> Iterator[None]:
    """Keep the parser from warning of odd escapes and numbers, which a strict filter would turn into errors.

    Filters belong to the whole process, so they are touched only where the parser could warn.
    """
    if _MAY_WARN.search(text) is None:
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def read_literal(text: str) -> Any:
    """Evaluate a Python literal as `ast.literal_eval` does.

    Integers of any number of digits are exact, whatever limit the interpreter sets on converting them. Raises
    NotLiteralError, also for what the parser cannot hold (nesting, NUL, lone surrogates).
    """
    text = text.lstrip(" \t").rstrip()
    if len(text) > _QUICK_LENGTH and text[0] in "[{":
        # What is not JSON after all, e.g. for a trailing comma, is left to the general way.
        with contextlib.suppress(ValueError, RecursionError):
            return _read_as_json(text)
    if len(text) > LENGTH_LIMIT:
        raise LiteralTooLongError(f"it has {len(text):,} characters, too many to be read as a literal")
    text = as_hexadecimal(text)
    try:
        with _quiet(text):
            return ast.literal_eval(text)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno and "\n" in text else ""
        raise NotLiteralError(f"{error.msg.split(' (detected')[0]}{where}") from None
    except RecursionError:
        raise NotLiteralError("it nests too deep") from None
    except MemoryError:
        raise NotLiteralError("it is too complex") from None
    except (ValueError, TypeError) as error:
        message = str(error).split(" on line ")[0].split(": <")[0]
        raise NotLiteralError("an expression, not a literal" if "malformed node" in message else message) from None


def read_expression(text: str) -> ast.expr | None:
    """Parse one Python expression; None when it is none or beyond what the parser holds.

    Huge integers are names in it, equal for equal digits, so that every node stands where it stands in the text.
    """
    text = as_names(text)
    try:
        with _quiet(text):
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _pairs(left: Any, right: Any) -> list[tuple[Any, Any]]:
    """Pair the members of two equal containers of one type."""
    if isinstance(left, dict):
        keys = {key: key for key in right}
        return [pair for key, item in left.items() for pair in ((key, keys[key]), (item, right[key]))]
    if isinstance(left, set | frozenset):
        members = {item: item for item in right}
        return [(item, members[item]) for item in left]
    return list(zip(left, right, strict=True))


def same_literal(left: Any, right: Any) -> bool:
    """Say whether two values are equal and of the same types throughout: `True` is not `1`, `(1,)` is not `[1]`."""
    if left != right:
        return False
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, list | tuple):
            if list(map(type, a)) != list(map(type, b)):
                return False
            if not any(isinstance(item, list | tuple | dict | set | frozenset) for item in a):
                continue
        if isinstance(a, list | tuple | dict | set | frozenset):
            stack.extend(_pairs(a, b))
    return True
