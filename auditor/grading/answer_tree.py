"""Read an answer, JSON or Python literal or plain text, as a tree whose nodes know their characters."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal

from auditor.grading.exact_json import TooHardError, exact_number
from auditor.grading.literals import NotLiteralError, read_literal
from auditor.model import Span

NODE_LIMIT = 20_000
_PYTHON_NUMBER = re.compile(
    r"\s*(?P<number>[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+"
    r"|(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?[jJ]?)(?![\w.]))"
)
"""A number in all of Python's spellings."""
_STRING = r"[bBuUrR]{0,2}(?:'[^'\\\n]*(?:\\.[^'\\\n]*)*'|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\")"
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])"
_VALUE_TOKEN = re.compile(
    rf"\s*(?:(?P<string>{_STRING})|(?P<number>{_NUMBER})|(?P<word>[^\W\d]\w*)|(?P<mark>[\[\](){{}},:]))", re.DOTALL
)
_TEXT_TOKEN = re.compile(
    r"(?P<number>(?<![\w.])[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?!\w))"
    r"|(?P<word>\w+)|(?P<mark>[^\w\s])"
)
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_WORD_KINDS = {"true": "boolean", "false": "boolean", "null": "null", "none": "null"}


@dataclass(slots=True)
class Node:
    """A value in an answer.

    `kind` is list, tuple, set, object, string, bytes, integer, decimal, complex number, boolean, null, word, or text (a
    row of tokens).
    """

    kind: str
    text: str
    """The characters of a leaf; empty for containers."""
    start: int
    end: int
    children: list[Node] = field(default_factory=list)
    keys: list[Node] = field(default_factory=list)
    """For objects: the key of each child."""

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def is_leaf(self) -> bool:
        return self.kind not in _CONTAINERS


_CONTAINERS = frozenset({"list", "tuple", "set", "object", "text"})


def leaf_value(node: Node) -> object:
    """Return what decides whether two leaves are equal: an exact number, a string's content, or the text."""
    if node.kind in ("integer", "decimal"):
        text = node.text.replace("_", "")
        try:
            if text.lstrip("+-")[:2].lower() in ("0x", "0o", "0b"):
                text = f"{Decimal(int(text, 0)):f}"  # str refuses integers of many digits
            return exact_number(text)
        except TooHardError:
            return node.text
    if node.kind == "string":
        return string_content(node.text)
    return node.text.lower() if node.kind in ("boolean", "null", "complex number") else node.text


def string_content(text: str) -> str:
    """Return what a string literal says; the literal itself when it cannot be read."""
    try:
        value = json.loads(text) if text.startswith('"') else read_literal(text)
    except (ValueError, NotLiteralError):
        return text
    return value if isinstance(value, str) else text


def _leaf(group: str, text: str, start: int) -> Node:
    kind = group
    if group == "string" and "b" in text[:2].lower().split("'")[0].split('"')[0]:
        kind = "bytes"
    elif group == "number":
        kind = _number_kind(text.lstrip("+-").replace("_", "").lower())
    elif group == "word":
        kind = _WORD_KINDS.get(text.lower(), "word")
    elif group == "mark":
        kind = "word"
    return Node(kind, text, start, start + len(text))


def _number_kind(digits: str) -> str:
    if digits.isdigit() or digits[:2] in ("0x", "0o", "0b"):
        return "integer"
    return "complex number" if digits.endswith("j") else "decimal"


def read_text(text: str, start: int = 0, end: int | None = None) -> Node | None:
    """Read a range of plain text as a row of numbers, words and marks; None beyond NODE_LIMIT."""
    end = len(text) if end is None else end
    root = Node("text", "", start, end)
    for match in _TEXT_TOKEN.finditer(text, start, end):
        if len(root.children) >= NODE_LIMIT:
            return None
        root.children.append(_leaf(match.lastgroup or "word", match.group(), match.start()))
    return root


def read_value(text: str, *, python: bool = False) -> Node | None:
    """Read JSON or a Python literal; None when the text is neither, or beyond NODE_LIMIT.

    `python` admits all of Python's ways to write a number.
    """
    body_end = len(text.rstrip())
    at, count = 0, 0
    stack: list[_Open] = []
    while at < body_end and count < NODE_LIMIT:
        match = (_PYTHON_NUMBER.match(text, at, body_end) if python else None) or _VALUE_TOKEN.match(text, at, body_end)
        if match is None:
            return None
        group = match.lastgroup or ""
        token, start, at = match.group(group), match.start(group), match.end()
        count += 1
        if group != "mark":
            node = _leaf(group, token, start)
        elif token in _CLOSING:
            stack.append(_Open(token, start))
            continue
        elif token in ")]}":
            if not stack or _CLOSING[stack[-1].bracket] != token:
                return None
            closed = stack.pop().close(at)
            if closed is None:
                return None
            node = closed
        else:
            if not stack or not stack[-1].separate(token):
                return None
            continue
        if not stack:
            return node if at >= body_end else None
        if not stack[-1].add(node):
            return None
    return None


@dataclass(slots=True)
class _Open:
    """A container whose end is not reached; `ready` says that a value may come next."""

    bracket: str
    start: int
    values: list[Node] = field(default_factory=list)
    keys: list[Node] = field(default_factory=list)
    ready: bool = True
    commas: int = 0

    def add(self, node: Node) -> bool:
        if not self.ready:
            return False
        self.values.append(node)
        self.ready = False
        return True

    def separate(self, mark: str) -> bool:
        if self.ready or not self.values:
            return False
        if mark == ":":
            if self.bracket != "{" or len(self.values) != len(self.keys) + 1:
                return False
            self.keys.append(self.values.pop())
        else:
            if self.keys and len(self.keys) != len(self.values):
                return False
            self.commas += 1
        self.ready = True
        return True

    def close(self, end: int) -> Node | None:
        if self.keys and len(self.keys) != len(self.values):
            return None
        if self.bracket == "(" and len(self.values) == 1 and not self.commas:
            return self.values[0]
        kind = {"[": "list", "(": "tuple"}.get(self.bracket) or ("object" if self.keys or not self.values else "set")
        return Node(kind, "", self.start, end, self.values, self.keys)
