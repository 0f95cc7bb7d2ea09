"""Say where a wrong answer first leaves its oracle: the place, what stands there, and what the oracle has."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from auditor.grading.answer_tree import Node, read_value
from auditor.grading.code_points import common_prefix
from auditor.grading.policies import INT_OR_ALPHA, canonical
from auditor.grading.tree_difference import Pair, Row, path_text, tree_difference
from auditor.grading.value_modes import TREE_LENGTH
from auditor.model import Span
from auditor.text import visible_line

_SHOWN = 40
_CONTEXT = 12
_TOKEN = re.compile(r"\S+")

Told = tuple[str, Span, Span]
"""A sentence without its full stop, and the spans of what it names: in the oracle, in the prediction."""


def first_difference(oracle: str, prediction: str, *, policy: str) -> Told:
    """Return where the texts first differ, in the pieces that the policy compares: values, tokens or characters."""
    if policy == "int-alpha-tokens":
        told = _tokens(oracle, prediction, INT_OR_ALPHA, canonical, "integer or word", "integers and words")
    else:
        told = _values(oracle, prediction, exact_types=policy == "python-literal")
        told = told or _tokens(oracle, prediction, _TOKEN, str, "token", "tokens")
    return told or _characters(oracle, prediction)


# --- values --------------------------------------------------------------------------------------------------------


def _values(oracle: str, prediction: str, *, exact_types: bool) -> Told | None:
    """Return the first difference between two JSON values or literals; None when one is neither, or too long."""
    if len(oracle) + len(prediction) > TREE_LENGTH:
        return None
    left, right = (read_value(text, python=exact_types) for text in (oracle, prediction))
    if left is None or right is None:
        return None
    found = tree_difference(left, right, exact_types=exact_types)
    places: list[Pair | Row] = [*found.values, *found.types, *found.rows]
    if not places:
        return None
    first = min(places, key=lambda place: place.prediction.start + (place.at if isinstance(place, Row) else 0))
    if isinstance(first, Row):
        return _row(oracle, prediction, first)
    given, wanted = _both(prediction, first.prediction, oracle, first.oracle)
    where = f"The values differ first at {_path(first)}: {given}" if first.path else f"The answer is {given}"
    return f"{where}, the oracle has {wanted}", first.oracle.span, first.prediction.span


def _row(oracle: str, prediction: str, row: Row) -> Told:
    """Two lists of different lengths."""
    a, b = row.oracle.children, row.prediction.children
    of = f"The values differ first at {_path(row)}: " if row.path else ""
    words = f"{of}{_count(len(b), 'element', 'elements')}, the oracle has {len(a):,}; "
    left = a[row.at] if row.at < len(a) else Node("end", "", row.oracle.end, row.oracle.end)
    right = b[row.at] if row.at < len(b) else Node("end", "", row.prediction.end, row.prediction.end)
    given, wanted = _both(prediction, right, oracle, left)
    words += f"element {row.at + 1:,} is {given}, the oracle has {wanted}"
    return words[:1].upper() + words[1:], left.span, right.span


def _path(place: Pair | Row) -> str:
    path = path_text(place.path)
    return visible_line(f"${path}" if path.startswith("[") else f"$.{path}", 2 * _SHOWN)


def _both(prediction: str, right: Node, oracle: str, left: Node) -> tuple[str, str]:
    return _shown(prediction[right.start : right.end], oracle[left.start : left.end])


# --- tokens and characters -----------------------------------------------------------------------------------------


def _tokens(
    oracle: str, prediction: str, pattern: re.Pattern[str], same: Callable[[str], str], one: str, many: str
) -> Told | None:
    """Return the first pair of tokens that differ; None when all are the same."""
    a, b = pattern.findall(oracle), pattern.findall(prediction)
    common = min(len(a), len(b))
    at = next((i for i in range(common) if a[i] != b[i] and same(a[i]) != same(b[i])), common)
    if at == len(a) == len(b):
        return None
    spans = _span(oracle, pattern, at), _span(prediction, pattern, at)
    given, wanted = _shown(b[at] if at < len(b) else "", a[at] if at < len(a) else "")
    if len(a) == len(b) == 1:
        return f"The answer is {given}, the oracle has {wanted}", *spans
    if len(a) == len(b):
        return f"{one[:1].upper()}{one[1:]} {at + 1:,} of {len(b):,} is {given}, the oracle has {wanted}", *spans
    words = (
        f"{_count(len(b), one, many)}, the oracle has {len(a):,}; {one} {at + 1:,} is {given}, the oracle has {wanted}"
    )
    return words[:1].upper() + words[1:], *spans


def _span(text: str, pattern: re.Pattern[str], at: int) -> Span:
    """Return where the token of this index stands; the end of the text when it has fewer."""
    match = next(islice(pattern.finditer(text), at, None), None)
    return Span(*match.span()) if match else Span(len(text), len(text))


def _characters(oracle: str, prediction: str) -> Told:
    at = common_prefix(oracle, prediction)
    given, wanted = _shown(prediction[at : at + 1], oracle[at : at + 1])
    spans = Span(at, min(at + 1, len(oracle))), Span(at, min(at + 1, len(prediction)))
    return f"Character {at + 1:,} is {given}, the oracle has {wanted}", *spans


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _shown(given: str, wanted: str) -> tuple[str, str]:
    """Return both texts cut to some characters, from shortly before the first that differs."""
    at = common_prefix(given, wanted)
    start = at - _CONTEXT if at > _SHOWN - _CONTEXT else 0
    lead = "…" if start else ""
    # No more than what can show is made visible: an answer may have megabytes.
    given, wanted = (
        text and f"`{visible_line(lead + text[start : start + 2 * _SHOWN], _SHOWN)}`" for text in (given, wanted)
    )
    return given or "not there", wanted or "none"
