"""Values as texts, within bounds and without running a line of the program whose values they are."""

from __future__ import annotations

import marshal
import sys
import types
from collections import OrderedDict, deque
from typing import Any

_FLAT = 2
"""The version of `marshal` in which equal values have equal bytes, whoever else refers to them."""
SCALARS = frozenset(map(id, (int, float, bool, str, bytes, complex, type(None))))
"""By `id`: a program's type may have a hash of its own, whose code would run when it is looked up in a set."""
_NAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, types.ModuleType)
NODE_LIMIT = 2_000
"""Members of containers and attributes that one value's text goes into."""
DEPTH_LIMIT = 12
_LONG_INTEGER_BITS = 20_000
_CUT = "..."
_SEPARATOR = 2
"""Characters between two members."""
_MADE_BY_A_PROGRAM = 1 << 9
"""The flag of types that a class statement made."""


def fingerprint(value: Any) -> bytes | None:
    """Return bytes that are equal exactly for equal values of equal types; None for values of other than builtin types.

    `marshal` asks no object for anything, and takes exactly the builtin types, not what derives from them.
    """
    try:
        return marshal.dumps(value, _FLAT)
    except (ValueError, RecursionError, MemoryError):
        return None


def builtin_text(value: object) -> str | None:
    """Return the repr of a value that has a fingerprint, digits without limit; None when it nests too deep."""
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return repr(value)
    except RecursionError:
        return None
    finally:
        sys.set_int_max_str_digits(digits)


def cut(text: str, limit: int) -> str:
    """Return a text of at most about `limit` characters, which says when something was left out and how much."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}{_CUT} ({len(text):,} characters)"


HIDDEN = frozenset(map(id, (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)))
"""What is a definition and no state, by `id` of its type."""
_FLAGS = type.__dict__["__flags__"].__get__
_A_CLASS = 1 << 31
"""The flag of metaclasses."""


def is_definition(kind: type) -> bool:
    """Say whether values of a type are functions, classes or modules, of whatever metaclass."""
    return id(kind) in HIDDEN or bool(_FLAGS(kind) & _A_CLASS)


def _type_name(kind: type) -> str:
    """Return a type's name without asking a metaclass for it."""
    name = type.__dict__["__name__"].__get__(kind)
    return name if type(name) is str else "?"


def _bases(kind: type) -> tuple[type, ...]:
    bases: tuple[type, ...] = type.__dict__["__mro__"].__get__(kind)
    return bases


def derives(kind: type, *from_any: type) -> bool:
    """Say whether a type is one of some or derives from one; `isinstance` would ask the value for its class."""
    return any(base is one for base in _bases(kind) for one in from_any)


def _raw(kind: type, name: str) -> object:
    """Return what a type's classes hold under a name, without asking any of them."""
    for base in _bases(kind):
        space = type.__dict__["__dict__"].__get__(base)
        if name in space:
            return space[name]
    return None


def attributes(value: object) -> dict[str, object]:
    """Return an object's own attributes, from its dict and its slots, without running its code."""
    kind = type(value)
    found: dict[str, object] = {}
    getter = _raw(kind, "__dict__")
    if type(getter) is types.GetSetDescriptorType:
        space = getter.__get__(value)
        if type(space) is dict:
            found.update((name, item) for name, item in space.items() if type(name) is str)
    for base in _bases(kind):
        if not _FLAGS(base) & _MADE_BY_A_PROGRAM:
            continue
        for name, member in type.__dict__["__dict__"].__get__(base).items():
            if type(member) is types.MemberDescriptorType and type(name) is str:
                try:
                    found.setdefault(name, member.__get__(value))
                except AttributeError:
                    continue  # a slot that nothing was put in
    return found


class _Writer:
    """The text of one value; counts what it goes into."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.nodes = NODE_LIMIT
        self.characters = limit
        self.above: set[int] = set()

    def text(self, value: Any) -> str:
        kind = type(value)
        if self.nodes <= 0 or self.characters <= 0:
            return _CUT
        self.nodes -= 1
        if id(kind) in SCALARS:
            text = self._scalar(value)
        elif derives(kind, *_NAMED):
            text = _named(value)
        elif id(value) in self.above:
            text = _CUT
        elif len(self.above) >= DEPTH_LIMIT:
            text = f"<{_type_name(kind)}>"
        else:
            self.above.add(id(value))
            try:
                return self._inner(value, kind)
            finally:
                self.above.discard(id(value))
        self.characters -= len(text) + _SEPARATOR
        return text

    def _scalar(self, value: Any) -> str:
        if type(value) is int and value.bit_length() > _LONG_INTEGER_BITS:
            return f"<int of {value.bit_length():,} bits>"
        if type(value) in (str, bytes) and len(value) > self.limit:
            return f"{value[: self.limit]!r}{_CUT}"
        return builtin_text(value) or _CUT

    def _items(self, items: Any, size: int) -> str:
        texts = []
        for item in items:
            if self.nodes <= 0 or self.characters <= 0:
                texts.append(f"{_CUT} ({size:,} in all)")
                break
            texts.append(self.text(item))
        return ", ".join(texts)

    def _pairs(self, pairs: Any, size: int, between: str) -> str:
        texts = []
        for key, item in pairs:
            if self.nodes <= 0 or self.characters <= 0:
                texts.append(f"{_CUT} ({size:,} in all)")
                break
            texts.append(f"{key if between == '=' else self.text(key)}{between}{self.text(item)}")
        return ", ".join(texts)

    def _inner(self, value: Any, kind: type) -> str:
        name = _type_name(kind)
        if derives(kind, list):
            inner = f"[{self._items(list.__iter__(value), list.__len__(value))}]"
            return inner if kind is list else f"{name}({inner})"
        if derives(kind, tuple):
            return self._tuple(value, kind, name)
        if derives(kind, dict):
            pairs = OrderedDict.items(value) if derives(kind, OrderedDict) else dict.items(value)
            inner = f"{{{self._pairs(pairs, dict.__len__(value), ': ')}}}"
            return inner if kind is dict else f"{name}({inner})"
        base: Any
        for base in (set, frozenset, deque):
            if derives(kind, base):
                inner = self._items(base.__iter__(value), base.__len__(value))
                return f"{{{inner}}}" if kind is set and inner else f"{name}({f'[{inner}]' if inner else ''})"
        for scalar in (int, float, str, bytes):
            if derives(kind, scalar):  # of a type that derives from it
                return f"{name}({scalar.__repr__(value)[: self.limit]})"
        if derives(kind, BaseException):
            arguments = BaseException.__dict__["args"].__get__(value)
            return f"{name}({self._items(arguments, len(arguments))})"
        if kind is range:
            return repr(value)
        found = attributes(value)
        if not found and not _FLAGS(kind) & _MADE_BY_A_PROGRAM:
            return f"<{name}>"
        return f"{name}({self._pairs(iter(found.items()), len(found), '=')})"

    def _tuple(self, value: tuple[Any, ...], kind: type, name: str) -> str:
        inner = self._items(tuple.__iter__(value), tuple.__len__(value))
        if kind is tuple:
            return f"({inner},)" if tuple.__len__(value) == 1 else f"({inner})"
        fields = _raw(kind, "_fields")
        if type(fields) is tuple and all(type(field) is str for field in fields):
            pairs = zip(fields, tuple.__iter__(value), strict=False)
            return f"{name}({self._pairs(pairs, tuple.__len__(value), '=')})"
        return f"{name}(({inner}))"


def _named(value: Any) -> str:
    kind = type(value)
    if derives(kind, type):
        return f"<class {_type_name(value)}>"
    if kind is types.FunctionType:
        return f"<function {value.__code__.co_name}>"
    if kind is types.MethodType:
        return "<method>"
    return "<builtin function>" if kind is types.BuiltinFunctionType else "<module>"


def bounded_text(value: object, limit: int) -> str:
    """Return any value's text: builtin values as Python writes them, objects as `Name(attribute=...)`.

    Cycles, depth beyond DEPTH_LIMIT, members beyond NODE_LIMIT and characters beyond about `limit` show as `...`.
    """
    return _Writer(limit).text(value)
