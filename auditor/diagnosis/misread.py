"""Faults of the input: an element dropped, doubled, exchanged with the next one, or read with a slip."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from auditor.diagnosis.fault import ordinal, shown
from auditor.diagnosis.parsed import Parsed

_TOKEN = re.compile(r"\S+")
_NUMBER = re.compile(r"[+-]?[0-9]+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LETTERS = 60
"""Longer words are not misread letter by letter."""
_DIGITS = 12


class Misreading(NamedTuple):
    """The whole input as it would be read, and the slip."""

    input: str
    original: str
    changed: str
    clause: str


def misread_text(text: str) -> Iterator[Misreading]:
    """Yield the misreadings of a standard input: its lines, words, numbers and letters."""
    words = list(_TOKEN.finditer(text))
    for number, word in enumerate(words, 1):
        following = words[number] if number < len(words) else None
        line = text.count("\n", 0, word.start()) + 1
        name = f"word {number} of the input, {shown(word[0])} in line {line},"
        for changed, verb in _slips(word[0]):
            new = text[: word.start()] + changed + text[word.end() :]
            yield Misreading(new, word[0], changed, f"{name} {verb}")
        end = following.start() if following else word.end()
        yield Misreading(text[: word.start()] + text[end:], word[0], "", f"{name} were missing")
        doubled = text[: word.end()] + " " + word[0] + text[word.end() :]
        yield Misreading(doubled, word[0], f"{word[0]} {word[0]}", f"{name} stood there twice")
        if following and following[0] != word[0]:
            middle = text[word.end() : following.start()]
            new = text[: word.start()] + following[0] + middle + word[0] + text[following.end() :]
            swapped = f"{following[0]} {word[0]}"
            clause = f"words {number} and {number + 1} of the input, {shown(word[0])} and {shown(following[0])}, "
            yield Misreading(new, f"{word[0]} {following[0]}", swapped, f"{clause}were exchanged")
    lines = _LINE.findall(text)
    for number, line_text in enumerate(lines if len(lines) > 1 else (), 1):
        before, after = "".join(lines[: number - 1]), "".join(lines[number:])
        clause = f"line {number} of the input, {shown(line_text.rstrip())},"
        yield Misreading(before + after, line_text, "", f"{clause} were missing")
        yield Misreading(before + line_text * 2 + after, line_text, line_text * 2, f"{clause} stood there twice")


def _slips(word: str) -> Iterator[tuple[str, str]]:
    """Yield what a word may be read as, and how that is said."""
    if _NUMBER.fullmatch(word):
        seen = {word}
        for changed in _numbers(word):
            if changed not in seen:
                seen.add(changed)
                yield changed, f"were read as {shown(changed)}"
        if len(word) < _DIGITS:
            return
    if 1 < len(word) <= _LETTERS:
        for changed, words in letter_slips(word):
            yield changed, f"were read {words}"


def _numbers(word: str) -> Iterator[str]:
    if len(word) < 500:  # longer ones Python converts only when told to
        value = int(word)
        yield from (str(value + 1), str(value - 1), str(-value))
    digits = word.lstrip("+-")
    sign = word[: len(word) - len(digits)]
    for place in range(len(digits) if 1 < len(digits) < _DIGITS else 0):
        yield sign + digits[:place] + digits[place + 1 :]
        yield sign + digits[: place + 1] + digits[place:]
        if place:
            yield sign + digits[: place - 1] + digits[place] + digits[place - 1] + digits[place + 1 :]


def letter_slips(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text with one letter missing, doubled or exchanged with the next, each once, and how that is said."""
    seen = {text}
    for place, letter in enumerate(text):
        name = f"its {ordinal(place + 1)} character {shown(letter)}"
        slips = [
            (text[:place] + text[place + 1 :], f"without {name}"),
            (text[:place] + letter + text[place:], f"with {name} doubled"),
            (text[:place] + letter.swapcase() + text[place + 1 :], f"with {name} in the other case"),
        ]
        if place + 1 < len(text):
            swapped = text[:place] + text[place + 1] + letter + text[place + 2 :]
            slips.append((swapped, f"with {name} and the next one exchanged"))
        for changed, words in slips:
            if changed not in seen:
                seen.add(changed)
                yield changed, words


def misread_arguments(text: str) -> Iterator[Misreading]:
    """Yield the misreadings of a call's arguments; of arguments that are no Python, none."""
    try:
        parsed = Parsed(f"f({text})")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield from _elements(parsed, node.elts, node)
        elif isinstance(node, ast.Dict):
            yield from _entries(parsed, node)
        elif isinstance(node, ast.Constant):
            yield from _constant(parsed, node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield _misreading(parsed, parsed.start(node), parsed.end(node), parsed.text(node.operand))


def _misreading(parsed: Parsed, start: int, end: int, changed: str, words: str | None = None) -> Misreading:
    whole = parsed.edited(((start, end, changed),))
    original = parsed.slice(start, end)
    clause = words or f"{shown(original)} in the input (from character {start - 1}) were read as {shown(changed)}"
    return Misreading(whole[2:-1], original, changed, clause)


def _elements(parsed: Parsed, elements: list[ast.expr], node: ast.expr) -> Iterator[Misreading]:
    spans = [(parsed.start(each), parsed.end(each)) for each in elements]
    is_tuple = isinstance(node, ast.Tuple)
    yield from _of_spans(parsed, spans, "element", shown(parsed.text(node)), is_tuple=is_tuple)


def _entries(parsed: Parsed, node: ast.Dict) -> Iterator[Misreading]:
    if any(key is None for key in node.keys):
        return
    spans = [(parsed.start(key), parsed.end(value)) for key, value in zip(node.keys, node.values, strict=True) if key]
    yield from _of_spans(parsed, spans, "entry", shown(parsed.text(node)), doubled=False)


def _of_spans(
    parsed: Parsed,
    spans: list[tuple[int, int]],
    noun: str,
    whole: str,
    *,
    doubled: bool = True,
    is_tuple: bool = False,
) -> Iterator[Misreading]:
    """Yield misreadings of elements in a row; a tuple that one is left of would lose its comma."""
    for place, (start, end) in enumerate(spans):
        text = parsed.slice(start, end)
        name = f"{noun} {place + 1}, {shown(text)}, of the input's {whole}"
        if place + 1 < len(spans):
            following = spans[place + 1]
            yield _misreading(parsed, start, following[0], "", f"{name} were missing")
            swapped = parsed.slice(*following) + parsed.slice(end, following[0]) + text
            if parsed.slice(*following) != text:
                words = f"{name}, and the next one were exchanged"
                yield _misreading(parsed, start, following[1], swapped, words)
        elif place and not (is_tuple and len(spans) == 2):
            yield _misreading(parsed, spans[place - 1][1], end, "", f"{name} were missing")
        elif len(spans) == 1 and not is_tuple:
            yield _misreading(parsed, start, end, "", f"{name} were missing")
        if doubled:
            yield _misreading(parsed, end, end, f", {text}", f"{name} stood there twice")


def _constant(parsed: Parsed, node: ast.Constant) -> Iterator[Misreading]:
    start, end = parsed.start(node), parsed.end(node)
    value = node.value
    if isinstance(value, bool):
        yield _misreading(parsed, start, end, str(not value))
    elif isinstance(value, int):
        seen = {parsed.text(node)}
        for changed in _numbers(parsed.text(node) if parsed.text(node).isdigit() else str(value)):
            if changed not in seen and str(changed).lstrip("-").lstrip("0"):
                seen.add(changed)
                yield _misreading(parsed, start, end, str(int(changed)))
    elif isinstance(value, str) and value and len(value) <= _LETTERS:
        for other, words in letter_slips(value):
            clause = f"the input's {shown(parsed.text(node))} were read {words}"
            yield _misreading(parsed, start, end, repr(other), clause)
