"""Compare two answer trees: which leaves, fields, types and elements differ, and where. Bounded by the trees' size."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from auditor.grading.answer_tree import Node, leaf_value

DIFFERENCE_LIMIT = 200
_NAMES_SHOWN = 5

Path = tuple[int | str, ...]
"""The indices of elements and the names of fields on the way from the root."""


class Pair(NamedTuple):
    """Two nodes at the same place that differ."""

    path: Path
    oracle: Node
    prediction: Node
    in_key: bool = False
    """They stand in the key of a field, not in its value."""


class Row(NamedTuple):
    """Two lists of different lengths: what is left of each once equal ends are cut away."""

    path: Path
    oracle: Node
    prediction: Node
    dropped: list[Node]
    added: list[Node]
    at: int
    """Index of the first difference."""


@dataclass(slots=True)
class Difference:
    """Everything that sets a prediction apart from its oracle."""

    values: list[Pair] = field(default_factory=list)
    types: list[Pair] = field(default_factory=list)
    missing: list[tuple[Path, Node]] = field(default_factory=list)
    extra: list[tuple[Path, Node]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    complete: bool = True
    """False when the limit cut the comparison."""

    @property
    def count(self) -> int:
        return len(self.values) + len(self.types) + len(self.missing) + len(self.extra) + len(self.rows)


def leaves(node: Node) -> list[Node]:
    """Return the leaves of a tree from left to right, keys left out."""
    found, stack = [], [node]
    while stack:
        each = stack.pop()
        if each.is_leaf:
            found.append(each)
        else:
            stack.extend(reversed(each.children))
    return found


def same_leaves(oracle: Node, prediction: Node) -> bool:
    """Say whether both hold the same leaves in whatever order."""
    a, b = leaves(oracle), leaves(prediction)
    return len(a) == len(b) and Counter(map(_key, a)) == Counter(map(_key, b))


def _key(node: Node) -> tuple[str, object]:
    number = node.kind in ("integer", "decimal")
    return ("number" if number else node.kind), leaf_value(node)


def _identity(node: Node) -> object:
    """Return a hashable value that is equal for equal subtrees."""
    if node.is_leaf:
        return _key(node)
    keys = tuple(map(_key_of, node.keys))
    return (node.kind, keys, tuple(map(_identity, node.children)))


def _key_of(node: Node) -> object:
    return node.kind, (leaf_value(node) if node.is_leaf else _identity(node))


def tree_difference(oracle: Node, prediction: Node, *, exact_types: bool) -> Difference:
    """Compare; `exact_types` tells integers from decimals and lists from tuples, as Python does."""
    found = Difference()
    stack = [Pair((), oracle, prediction)]
    while stack:
        pair = stack.pop()
        if found.count >= DIFFERENCE_LIMIT:
            found.complete = False
            break
        a, b = pair.oracle, pair.prediction
        if _type(a, exact_types) != _type(b, exact_types):
            found.types.append(pair)
        elif a.is_leaf:
            if leaf_value(a) != leaf_value(b):
                found.values.append(pair)
        elif a.kind == "object":
            stack.extend(reversed(_fields(pair, found, exact_types)))
        elif len(a.children) != len(b.children):
            found.rows.append(_row(pair))
        else:
            stack.extend(
                Pair((*pair.path, index), *each)
                for index, each in reversed(list(enumerate(zip(a.children, b.children, strict=True))))
            )
    return found


def _type(node: Node, exact: bool) -> str:
    if not exact and node.kind in ("integer", "decimal"):
        return "number"
    return "list" if not exact and node.kind == "tuple" else node.kind


def _fields(pair: Pair, found: Difference, exact_types: bool) -> list[Pair]:
    """Match the fields of two objects by key; what has no partner is missing or extra.

    With exact types, keys that are equal in Python and of other types are partners that differ in type.
    """
    theirs = {_key_of(key): index for index, key in enumerate(pair.prediction.keys)}
    alike = {_python_key(pair.prediction.keys[index]): key for key, index in theirs.items()} if exact_types else {}
    pairs = []
    for key, child in zip(pair.oracle.keys, pair.oracle.children, strict=True):
        name = (*pair.path, _name(key))
        mine = _key_of(key)
        index = theirs.pop(mine, None)
        if index is None and exact_types:
            index = theirs.pop(alike.get(_python_key(key)), None)
        if index is None:
            found.missing.append((name, Node("field", "", key.start, child.end)))
            continue
        if exact_types:
            found.types.extend(_key_types(name, key, pair.prediction.keys[index]))
        pairs.append(Pair(name, child, pair.prediction.children[index]))
    for index in theirs.values():
        key, child = pair.prediction.keys[index], pair.prediction.children[index]
        found.extra.append(((*pair.path, _name(key)), Node("field", "", key.start, child.end)))
    return pairs


def _key_types(name: Path, oracle: Node, prediction: Node) -> list[Pair]:
    """Return the first leaf of a key that has another type than that of an equal key."""
    leaf_pairs = zip(leaves(oracle), leaves(prediction), strict=False)
    return [Pair(name, a, b, in_key=True) for a, b in leaf_pairs if a.kind != b.kind][:1]


def _python_key(node: Node) -> object:
    """Return a hashable value that is equal for keys that Python takes for the same: True, 1 and 1.0."""
    if node.kind == "boolean":
        return "number", int(node.text == "True")
    return (node.kind, tuple(map(_python_key, node.children))) if not node.is_leaf else _key(node)


def _name(key: Node) -> str:
    if key.kind == "string":
        return str(leaf_value(key))
    if key.is_leaf:
        return key.text
    inside = ", ".join(map(_name, key.children[:_NAMES_SHOWN])) + (", …" if len(key.children) > _NAMES_SHOWN else "")
    return f"({inside},)" if len(key.children) == 1 else f"({inside})"


def path_text(path: Path) -> str:
    """Write a path as `a.b[2]`."""
    pieces = [f"[{step}]" if isinstance(step, int) else f".{step[:60] or chr(34) * 2}" for step in path]
    return "".join(pieces).removeprefix(".")


def _row(pair: Pair) -> Row:
    a, b = ([_identity(child) for child in node.children] for node in (pair.oracle, pair.prediction))
    start, limit = 0, min(len(a), len(b))
    while start < limit and a[start] == b[start]:
        start += 1
    tail = 0
    while tail < limit - start and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return Row(
        pair.path,
        pair.oracle,
        pair.prediction,
        pair.oracle.children[start : len(a) - tail],
        pair.prediction.children[start : len(b) - tail],
        start,
    )
