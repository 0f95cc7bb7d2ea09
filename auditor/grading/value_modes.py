"""Computed modes of a wrong value: missing fields, types, order, signs, off by one, digits, elements, cut short."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from auditor.grading.answer_tree import Node, leaf_value, read_text, read_value
from auditor.grading.code_points import code_point, common_prefix, common_suffix
from auditor.grading.number_modes import NumberMode, number_modes
from auditor.grading.tree_difference import Difference, Pair, Row, leaves, path_text, same_leaves, tree_difference
from auditor.model import Finding, Span
from auditor.text import visible_line

TREE_LENGTH = 60_000
_WINDOW_MARGIN = 1_000
_SHOWN = 40
_SINGULAR = frozenset({"transposed_digits", "one_digit"})


class Answers(NamedTuple):
    """The two texts that are compared, and their trees."""

    oracle: str
    prediction: str
    left: Node
    right: Node
    cut: bool = False
    """The trees hold only the part where long texts differ."""


def value_findings(oracle: str, prediction: str, *, exact_types: bool) -> list[Finding]:
    """Return every mode that holds between a wrong prediction and its oracle, most specific first; may be empty."""
    if len(oracle) + len(prediction) <= TREE_LENGTH:
        left, right = (read_value(text, python=exact_types) for text in (oracle, prediction))
        if left is None or right is None:
            left, right = _rows_of_tokens(oracle, prediction, left, right)
    else:
        left, right = _windows(oracle, prediction)
    if left is None or right is None:
        return _long_prefix(oracle, prediction)
    cut = bool(oracle[: left.start].strip() or oracle[left.end :].strip())
    answers = Answers(oracle, prediction, left, right, cut)
    found = tree_difference(left, right, exact_types=exact_types)
    return [
        *_fields(found),
        *_types(answers, found),
        *_order(answers, found),
        *_numbers(answers, found),
        *_cut(answers, found),
        *_elements(answers, found),
        *_strings(answers, found),
    ]


def _rows_of_tokens(
    oracle: str, prediction: str, left: Node | None, right: Node | None
) -> tuple[Node | None, Node | None]:
    """Keep the trees when one is a container and the other plain text, which is a difference of type; else tokens."""
    texts = read_text(oracle), read_text(prediction)
    if left is not None and not left.is_leaf and right is None and "{[(".find(prediction.strip()[:1] or "x") < 0:
        return left, texts[1]
    return texts


def _windows(oracle: str, prediction: str) -> tuple[Node | None, Node | None]:
    """Read only the part between the equal ends of two long texts, widened to whole tokens."""
    start = common_prefix(oracle, prediction)
    tail = common_suffix(oracle, prediction, min(len(oracle), len(prediction)) - start)
    margin = max(0, start - _WINDOW_MARGIN)
    while start > margin and not oracle[start - 1].isspace():
        start -= 1
    for _ in range(min(tail, _WINDOW_MARGIN)):
        if oracle[len(oracle) - tail].isspace():
            break
        tail -= 1
    ends = len(oracle) - tail, len(prediction) - tail
    if ends[0] + ends[1] - 2 * start > TREE_LENGTH:
        return None, None
    return read_text(oracle, start, ends[0]), read_text(prediction, start, ends[1])


def _long_prefix(oracle: str, prediction: str) -> list[Finding]:
    body = prediction.rstrip()
    if not body or not oracle.startswith(body):
        return []
    words = f"The first {len(body):,} of {len(oracle):,} characters of the oracle are given, the rest is missing."
    return [Finding("truncated", words, Span(len(body), len(oracle)), Span(0, len(body)))]


def _show(text: str) -> str:
    return visible_line(text, _SHOWN)


def _place(pair: Pair, answers: Answers) -> str:
    """Name a place for a sentence: `Field acc`, `Element 3 of 5`, `The answer`."""
    if pair.in_key:
        return f"In a key, {_show(pair.prediction.text)}"
    if answers.cut:
        return f"The value at character {pair.prediction.start}"
    match pair.path:
        case ():
            return "The answer"
        case (int(index),):
            total = len(answers.left.children)
            kind = "Token" if answers.left.kind == "text" else "Element"
            return "The answer" if total == 1 else f"{kind} {index + 1} of {total}"
        case (str(), *_):
            return f"Field {_show(path_text(pair.path))}"
        case _:
            return f"Element {_show(path_text(pair.path))}"


def _fields(found: Difference) -> list[Finding]:
    """Report fields that are missing or too many."""
    findings = []
    for mode, fields, verb in (("missing_field", found.missing, "missing"), ("extra_field", found.extra, "too many")):
        if fields:
            names = ", ".join(_show(path_text(path)) for path, _ in fields[:5]) + (" …" if len(fields) > 5 else "")
            are = "Field {} is {}." if len(fields) == 1 else "Fields {} are {}."
            span = fields[0][1].span
            missing = mode == "missing_field"
            words = are.format(names, verb)
            findings.append(
                Finding(
                    mode, words, span if missing else None, None if missing else span, _show(path_text(fields[0][0]))
                )
            )
    return findings


def _types(answers: Answers, found: Difference) -> list[Finding]:
    in_text = answers.left.kind == answers.right.kind == "text"
    pairs = found.types
    if not pairs or (in_text and (len(pairs) > 1 or found.values)):
        return []  # a row of tokens has no types to speak of, unless a single token is all that differs
    first = pairs[0]
    kinds = (_kind(first.oracle), _kind(first.prediction))
    more = f" ({len(pairs)} such differences)" if len(pairs) > 1 else ""
    words = f"{_place(first, answers)} is {kinds[1]}, the oracle has {kinds[0]}{more}."
    return [Finding("wrong_type", words, first.oracle.span, first.prediction.span, f"{first.oracle.kind} expected")]


def _kind(node: Node) -> str:
    article = "an" if node.kind[0] in "aeio" else "a"
    return {"text": "plain text", "null": "a null"}.get(node.kind, f"{article} {node.kind}")


def _order(answers: Answers, found: Difference) -> list[Finding]:
    """The same elements in another order."""
    if found.missing or found.extra or found.rows or (found.types and answers.left.kind != "text"):
        return []
    pairs = [*found.values, *found.types]
    if len(pairs) < 2 or not same_leaves(answers.left, answers.right):
        return []
    left = Span(min(pair.oracle.start for pair in pairs), max(pair.oracle.end for pair in pairs))
    right = Span(min(pair.prediction.start for pair in pairs), max(pair.prediction.end for pair in pairs))
    words = f"The same values in another order: {len(pairs)} stand elsewhere."
    return [Finding("permuted", words, left, right, "elements")]


def _numbers(answers: Answers, found: Difference) -> list[Finding]:
    """What all differing numbers have in common; digits are compared only where a single number differs."""
    if not found.values or found.count != len(found.values) or not found.complete:
        return []
    modes = [
        number_modes(*(node.text.replace("_", "") for node in (pair.oracle, pair.prediction))) for pair in found.values
    ]
    findings = []
    for mode in modes[0]:
        alike = [any((other.mode, other.detail) == (mode.mode, mode.detail) for other in each) for each in modes]
        if all(alike) and not (len(modes) > 1 and mode.mode in _SINGULAR):
            findings.append(_number_finding(answers, found.values, mode))
    return findings


def _number_finding(answers: Answers, pairs: list[Pair], mode: NumberMode) -> Finding:
    first = pairs[0]
    where = _place(first, answers)
    given, wanted = _show(first.prediction.text), _show(first.oracle.text)
    more = f" (and {len(pairs) - 1} more alike)" if len(pairs) > 1 else ""
    words = f"{where} is {given}, the oracle has {wanted}: {mode.words}{more}."
    return Finding(mode.mode, words, first.oracle.span, first.prediction.span, mode.detail)


def _cut(answers: Answers, found: Difference) -> list[Finding]:
    """The prediction stops early: its leaves are the first leaves of the oracle."""
    if found.values or found.types or found.extra or not (found.rows or found.missing):
        return []
    a, b = leaves(answers.left), leaves(answers.right)
    if not (b or answers.cut) or len(b) >= len(a) or [leaf_value(n) for n in b] != [leaf_value(n) for n in a[: len(b)]]:
        return []
    if answers.cut and answers.prediction[answers.right.end :].strip():
        return []
    words = f"The answer stops after {len(b):,} of {len(a):,} values."
    if answers.cut:
        words = f"The answer stops at character {answers.right.end:,} of the oracle's {len(answers.oracle):,}."
    return [Finding("truncated", words, Span(a[len(b)].start, a[-1].end), answers.right.span)]


def _elements(answers: Answers, found: Difference) -> list[Finding]:
    """Exactly one element of several is another one, is missing, or is too many."""
    if found.count != 1:
        return []
    if found.values and (answers.cut or len(leaves(answers.left)) > 1):
        pair = found.values[0]
        words = f"{_place(pair, answers)} alone differs: {_show(pair.prediction.text)}, the oracle has "
        words += f"{_show(pair.oracle.text)}."
        return [Finding("one_element", words, pair.oracle.span, pair.prediction.span, "replaced")]
    return _one_more_or_less(answers, found.rows[0]) if found.rows else []


def _one_more_or_less(answers: Answers, row: Row) -> list[Finding]:
    if len(row.dropped) == 1 and not row.added and (row.prediction.children or answers.cut):
        span = row.dropped[0].span
        which = f"at character {span.start}" if answers.cut else f"{row.at + 1} of {len(row.oracle.children)}"
        words = f"Element {which} of the oracle is missing, all others are right."
        return [Finding("one_element", words, span, row.prediction.span, "dropped")]
    if len(row.added) == 1 and not row.dropped and (row.oracle.children or answers.cut):
        span = row.added[0].span
        which = f"at character {span.start}" if answers.cut else f"at place {row.at + 1}"
        words = f"One element too many, {which}; all others are right."
        return [Finding("one_element", words, row.oracle.span, span, "added")]
    return []


def _strings(answers: Answers, found: Difference) -> list[Finding]:
    """What sets two different strings or words apart, where nothing else differs."""
    if found.count != 1 or not found.values or found.values[0].oracle.kind not in ("string", "word"):
        return []
    pair = found.values[0]
    a, b = str(leaf_value(pair.oracle)), str(leaf_value(pair.prediction))
    spans = pair.oracle.span, pair.prediction.span
    where = _place(pair, answers)
    findings = []
    if len(a) > 1 and Counter(a) == Counter(b):
        words = f"{where} has the same characters in another order."
        findings.append(Finding("permuted", words, *spans, detail="characters"))
    start = common_prefix(a, b)
    tail = common_suffix(a, b, min(len(a), len(b)) - start)
    left, right = a[start : len(a) - tail], b[start : len(b) - tail]
    if b and start == len(b) and len(left) > 1:
        words = f"{where} stops after {len(b):,} of {len(a):,} characters."
        findings.append(Finding("truncated", words, *spans, detail="characters"))
    if len(left) <= 1 and len(right) <= 1 and len(a) > 1:
        kind = "replaced" if left and right else "dropped" if left else "added"
        words = f"{where} differs in one character, at place {start}: {_change(left, right)}."
        findings.append(Finding("one_element", words, *spans, detail=f"character {kind}"))
    return findings


def _change(left: str, right: str) -> str:
    given, wanted = (code_point(char) if char else "" for char in (right, left))
    if left and right:
        return f"{given}, the oracle has {wanted}"
    return f"{wanted} is dropped" if left else f"{given} is added"
