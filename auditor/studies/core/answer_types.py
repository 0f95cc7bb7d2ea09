"""Answers of probes as others wrote them: a type in whatever spelling, a value perhaps as text, made consistent."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from typing import NamedTuple

from auditor.grading.probe_types import answer_kind
from auditor.model import JsonValue
from auditor.studies.core.probes import answer_of

_DIMENSIONS = {"Arithmetic": "arith", "Logic": "logic", "State": "state", "Boundary": "bound"}
_YES, _NO = frozenset({"yes", "true"}), frozenset({"no", "false"})
_LONGEST = 20_000


class Normalised(NamedTuple):
    """An answer with a type that it has."""

    value: JsonValue
    kind: str
    respelled: bool
    """The declared type is spelled otherwise, or was not there."""
    was_text: bool
    """The value was written as a text."""
    contradiction: str | None
    """What the declared type says of the value that is not so; the type is then the value's own."""


def normalised(declared: str | None, truth: JsonValue) -> Normalised:
    """Return the answer under its declared type where it has that, else under its own."""
    kind = answer_kind(declared, truth)
    value, was_text = truth, False
    if isinstance(truth, str) and kind != "string":
        value, was_text = _read(truth, kind)
    own = "string" if isinstance(value, str) else _own_kind(value)
    contradiction = None
    if own != kind and not (kind == "number" and own == "integer"):
        contradiction = f"declared as {kind}, and the answer is {_named(own)}"
        kind = own
    return Normalised(value, kind, declared != kind, was_text, contradiction)


def _named(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" if kind != "null" else kind


def _own_kind(value: JsonValue) -> str:
    answer = answer_of(value)
    return answer.answer_type if answer is not None else "object"


def _read(text: str, kind: str) -> tuple[JsonValue, bool]:
    """Return the value that a text stands for, and whether it stands for one."""
    stripped = text.strip()
    if kind == "boolean" and stripped.lower() in _YES | _NO:
        return stripped.lower() in _YES, True
    if len(stripped) > _LONGEST:
        return text, False
    for read in (_json, _literal):
        try:
            value = read(stripped)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        answer = answer_of(value)
        if answer is not None and not isinstance(value, str):
            return answer.value, True
    return text, False


def _json(text: str) -> object:
    value = json.loads(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("JSON has no such number")
    return value


def _literal(text: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in a text are no concern of the reader
        return ast.literal_eval(text)


def dimensions_named(told: JsonValue) -> tuple[str, ...]:
    """Return the dimensions that a text, or a list of texts, names, in their order."""
    words = " ".join(map(str, told)) if isinstance(told, list) else str(told or "")
    return tuple(name for name, stem in _DIMENSIONS.items() if re.search(rf"\b{stem}", words, re.IGNORECASE))
