"""Two answers as trees of values, where a policy compares values: what is equal in them is what the policy takes so."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from auditor.grading.answer_tree import Node, read_value
from auditor.grading.exact_json import NotJsonError, TooHardError, read_json
from auditor.grading.literals import NotLiteralError, read_literal
from auditor.grading.policies import JSON_OR_TOKENS, PYTHON_LITERAL
from auditor.grading.question import Policy
from auditor.model import StringContent, ValueNode

VALUES_UP_TO = 60_000
"""Characters of both answers: trees of longer ones take some seconds."""
_UNREADABLE = (NotLiteralError, NotJsonError, TooHardError)
_MAY_BE_VALUE = re.compile(r"\s*[\[({\"']")
_UNIT = re.compile(r"\\(?:x..|u....|U.{8}|N\{[^}]*\}|[0-7]{1,3}|.)|.", re.DOTALL)


class GradedValues(NamedTuple):
    """What a policy that compares values says of two answers."""

    equal: bool
    oracle: ValueNode | None
    """None where the answers cannot be taken apart; then so is the other one."""
    prediction: ValueNode | None
    reason: str
    """Why their differences are those of the texts; empty where they are those of the values."""


def graded_values(policy: str, oracle: str, prediction: str) -> GradedValues | None:
    """Read two answers as values; None where the policy compares no values, or one of the answers is none.

    `equal` is the policy's own verdict. There are trees only where they hold exactly the values that the policy read.
    """
    if policy not in (PYTHON_LITERAL.name, JSON_OR_TOKENS.name):
        return None
    if len(oracle) + len(prediction) > VALUES_UP_TO:
        both = _MAY_BE_VALUE.match(oracle) and _MAY_BE_VALUE.match(prediction)
        reason = f"compared as texts, not as values: more than {VALUES_UP_TO:,} characters"
        return GradedValues(False, None, None, reason) if both else None
    python = policy == PYTHON_LITERAL.name
    judge: Policy = PYTHON_LITERAL if python else JSON_OR_TOKENS
    read = read_literal if python else read_json
    try:
        values = [read(text) for text in (oracle, prediction)]
    except _UNREADABLE:
        return None
    equal = judge.equal(oracle, prediction).correct
    numbers = _Numbers(read, python=python)
    left, right = (numbers.tree(text, value) for text, value in zip((oracle, prediction), values, strict=True))
    if left is not None and right is not None and (left.identity == right.identity) == equal:
        return GradedValues(equal, left, right, "")
    return GradedValues(equal, None, None, "" if equal else "compared as texts: the values cannot be taken apart")


class _Numbers:
    """Gives each value a number, the same for values that are equal under the policy."""

    def __init__(self, read: Callable[[str], Any], *, python: bool) -> None:
        self._read = read
        self._python = python
        self._numbers: dict[object, int] = {}
        self._leaves: dict[str, int] = {}

    def tree(self, text: str, value: Any) -> ValueNode | None:
        """Return a text as a tree; None where the tree would not hold the value that was read from it."""
        node = read_value(text, python=self._python)
        try:
            tree = None if node is None else self._numbered(node)
        except _UNREADABLE:
            return None
        return tree if tree is not None and tree.identity == self._of(value) else None

    def _numbered(self, node: Node) -> ValueNode:
        if node.is_leaf:
            identity = self._leaves.get(node.text)
            if identity is None:
                identity = self._leaves[node.text] = self._of(self._read(node.text))
            return ValueNode(node.kind, node.start, node.end, identity)
        children = [self._numbered(child) for child in node.children]
        keys = [self._numbered(key) for key in node.keys]
        inside = [child.identity for child in children]
        identity = self._container(node.kind, inside, [key.identity for key in keys])
        return ValueNode(node.kind, node.start, node.end, identity, children, keys)

    def _of(self, value: Any) -> int:
        if isinstance(value, dict):
            inside = [self._of(item) for item in value.values()]
            return self._container("object", inside, [self._of(key) for key in value])
        for kind in (list, tuple, set):
            if type(value) is kind:
                return self._container(kind.__name__, [self._of(item) for item in value])
        # JSON knows numbers of one type, Python tells them apart by theirs; a boolean is a number in neither.
        exact = self._python or isinstance(value, bool | str) or value is None
        return self._number((type(value) if exact else "number", value))

    def _container(self, kind: str, inside: list[int], keys: list[int] | None = None) -> int:
        if kind == "object":
            fields = frozenset(zip(keys or [], inside, strict=True))
            # A key that stands twice is no field of its own: such a tree holds more than the value does.
            return self._number((kind, fields, len(inside)))
        return self._number((kind, frozenset(inside), len(inside)) if kind == "set" else (kind, tuple(inside)))

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def string_content(policy: str, text: str) -> StringContent | None:
    """Return what a string literal says, character by character; None where one is not written on its own.

    That is so in raw strings and where two escapes make one character.
    """
    quote = text[:1]
    if quote not in ("'", '"') or len(text) < 2:
        return None
    read = read_literal if policy == PYTHON_LITERAL.name else read_json
    units = list(_UNIT.finditer(text, 1, len(text) - 1))
    try:
        shown = [
            unit.group() if unit.group()[0] != "\\" else str(read(f"{quote}{unit.group()}{quote}")) for unit in units
        ]
        content = "".join(shown)
        if any(len(each) != 1 for each in shown) or content != read(text):
            return None
    except _UNREADABLE:
        return None
    return StringContent(content, (*(unit.start() for unit in units), len(text) - 1))
