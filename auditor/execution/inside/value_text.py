"""Values as texts, within bounds and without running a line of the program whose values they are."""

from __future__ import annotations

import marshal
import sys
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple

_FLAT = 2
"""The version of `marshal` in which equal values have equal bytes, whoever else refers to them."""
SCALARS = frozenset(map(id, (int, float, bool, str, bytes, complex, type(None))))
"""By `id`: a program's type may have a hash of its own, whose code would run when it is looked up in a set."""
_NAMED = (
    (types.BuiltinFunctionType, "<builtin function>"),
    (types.MethodType, "<method>"),
    (types.ModuleType, "<module>"),
)
NODE_LIMIT = 2_000
"""Members of containers and attributes that one value's text goes into."""
DEPTH_LIMIT = 12
_LONG_INTEGER_BITS = 20_000
_SMALL = 1 << 62
"""Below this an integer's digits are within every limit."""
_CUT = "..."
_SEPARATOR = 2
"""Characters between two members."""
_MADE_BY_A_PROGRAM = 1 << 9
"""The flag of types that a class statement made."""


_marshalled, _repr = marshal.dumps, repr
"""Taken before a program can put something else in their place."""


def fingerprint(value: Any) -> bytes | None:
    """Return bytes that are equal exactly for equal values of equal types; None for values of other than builtin types.

    `marshal` asks no object for anything, and takes exactly the builtin types, not what derives from them.
    """
    try:
        return _marshalled(value, _FLAT)
    except (ValueError, RecursionError, MemoryError):
        return None


def builtin_text(value: object) -> str | None:
    """Return the repr of a value that has a fingerprint, digits without limit; None when it nests too deep."""
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return _repr(value)
    except RecursionError:
        return None
    finally:
        sys.set_int_max_str_digits(digits)


def cut(text: str, limit: int) -> str:
    """Return a text of at most about `limit` characters, which says when something was left out and how much."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}{_left_out(text)}"


def _left_out(value: str | bytes) -> str:
    """Say that something of a text was left out, and how long it is."""
    return f"{_CUT} ({len(value):,} {'bytes' if type(value) is bytes else 'characters'})"


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


Writer = Callable[["_Writing", Any, str, Any], str]


class Shape(NamedTuple):
    """How the values of one type are written; kept by type, since finding it out takes longer than the writing."""

    kind: type
    write: Writer
    name: str
    extra: Any = None


_SHAPES: dict[int, Shape] = {}


def _attribute_readers(kind: type) -> tuple[Any, list[tuple[str, Any]]]:
    """Return what reads an object's dict, or None, and what reads each of its slots."""
    getter = _raw(kind, "__dict__")
    slots = [
        (name, member)
        for base in _bases(kind)
        if _FLAGS(base) & _MADE_BY_A_PROGRAM
        for name, member in type.__dict__["__dict__"].__get__(base).items()
        if type(member) is types.MemberDescriptorType and type(name) is str
    ]
    return (getter if type(getter) is types.GetSetDescriptorType else None), slots


def _read_attributes(value: object, readers: tuple[Any, list[tuple[str, Any]]]) -> dict[str, object]:
    getter, slots = readers
    space = getter.__get__(value) if getter is not None else {}
    if type(space) is not dict:
        space = {}
    if not slots:
        return space
    found = {name: item for name, item in space.items() if type(name) is str}
    for name, member in slots:
        try:
            found.setdefault(name, member.__get__(value))
        except AttributeError:
            continue  # a slot that nothing was put in
    return found


def attributes(value: object) -> dict[str, object]:
    """Return an object's own attributes, from its dict and its slots, without running its code."""
    return dict(_read_attributes(value, _attribute_readers(type(value))))


class _Writing:
    """The text of one value in the making; counts what it goes into."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.nodes = NODE_LIMIT
        self.characters = limit
        self.above: set[int] = set()

    def text(self, value: Any) -> str:
        """Return the text of a value or of a member of one."""
        if self.nodes <= 0 or self.characters <= 0:
            return _CUT
        self.nodes -= 1
        kind = type(value)
        if id(kind) in SCALARS:
            text = self._scalar(value, kind)
        else:
            shape = _SHAPES.get(id(kind)) or _shape_of(kind)
            if shape.write is _plain:
                text = str(shape.extra)
            elif id(value) in self.above:
                text = _CUT
            elif len(self.above) >= DEPTH_LIMIT:
                text = f"<{shape.name} {_CUT}>"
            else:
                self.above.add(id(value))
                try:
                    return shape.write(self, value, shape.name, shape.extra)
                finally:
                    self.above.discard(id(value))
        self.characters -= len(text) + _SEPARATOR
        return text

    def _scalar(self, value: Any, kind: type) -> str:
        if kind is int:
            if -_SMALL < value < _SMALL:
                return int.__repr__(value)
            if value.bit_length() > _LONG_INTEGER_BITS:
                return f"<int of {value.bit_length():,} bits>"
        if kind in (str, bytes) and len(value) > self.limit:
            return f"{value[: self.limit]!r}{_left_out(value)}"
        return builtin_text(value) or _CUT

    def items(self, items: Iterable[Any], size: int) -> str:
        """Return the texts of members."""
        texts = []
        # Taken in one go: other threads may change a set or dictionary while its members are written.
        for item in list(islice(items, self.nodes + 1)):
            if self.nodes <= 0 or self.characters <= 0:
                texts.append(f"{_CUT} ({size:,} in all)")
                break
            texts.append(self.text(item))
        return ", ".join(texts)

    def pairs(self, pairs: Iterable[tuple[Any, Any]], size: int, named: bool) -> str:
        """Return the texts of names or keys with their values."""
        texts = []
        for key, item in list(islice(pairs, self.nodes + 1)):
            if self.nodes <= 0 or self.characters <= 0:
                texts.append(f"{_CUT} ({size:,} in all)")
                break
            texts.append(f"{self._named(key)}={self.text(item)}" if named else f"{self.text(key)}: {self.text(item)}")
        return ", ".join(texts)

    def _named(self, key: Any) -> str:
        """Return an attribute's name; what a program put among them may be anything, with a `__format__` of its own."""
        return key if type(key) is str else self.text(key)


def _plain(writing: _Writing, value: Any, name: str, text: str) -> str:
    writing.characters -= len(text) + _SEPARATOR
    return text


def _class(writing: _Writing, value: Any, name: str, extra: Any) -> str:
    return _plain(writing, value, name, f"<class {_type_name(value)}>")


def _function(writing: _Writing, value: Any, name: str, extra: Any) -> str:
    return _plain(writing, value, name, f"<function {value.__code__.co_name}>")


def _list(writing: _Writing, value: Any, name: str, extra: Any) -> str:
    inner = f"[{writing.items(list.__iter__(value), list.__len__(value))}]"
    return inner if name == "list" else f"{name}({inner})"


def _tuple(writing: _Writing, value: Any, name: str, fields: Any) -> str:
    size = tuple.__len__(value)
    if fields is not None:
        return f"{name}({writing.pairs(zip(fields, tuple.__iter__(value), strict=False), size, True)})"
    inner = writing.items(tuple.__iter__(value), size)
    inner = f"({inner},)" if size == 1 else f"({inner})"
    return inner if name == "tuple" else f"{name}({inner})"


def _dict(writing: _Writing, value: Any, name: str, items: Any) -> str:
    inner = f"{{{writing.pairs(items(value), dict.__len__(value), False)}}}"
    return inner if name == "dict" else f"{name}({inner})"


def _set(writing: _Writing, value: Any, name: str, base: Any) -> str:
    inner = writing.items(base.__iter__(value), base.__len__(value))
    if name == "set" and inner:
        return f"{{{inner}}}"
    return f"{name}({f'[{inner}]' if inner else ''})"


def _derived_scalar(writing: _Writing, value: Any, name: str, base: Any) -> str:
    if base is int:
        return f"{name}({writing.text(int.__int__(value))})"
    return _plain(writing, value, name, f"{name}({cut(base.__repr__(value), writing.limit)})")


def _exception(writing: _Writing, value: Any, name: str, extra: Any) -> str:
    arguments = BaseException.__dict__["args"].__get__(value)
    return f"{name}({writing.items(arguments, len(arguments))})"


def _range(writing: _Writing, value: Any, name: str, extra: Any) -> str:
    if any(part.bit_length() > _LONG_INTEGER_BITS for part in (value.start, value.stop, value.step)):
        return _plain(writing, value, name, f"<{name}>")
    return _plain(writing, value, name, builtin_text(value) or _CUT)


def _object(writing: _Writing, value: Any, name: str, readers: Any) -> str:
    found = _read_attributes(value, readers)
    return f"{name}({writing.pairs(list(found.items()), len(found), True)})"


def _find_shape(kind: type) -> Shape:
    name = _type_name(kind)
    if derives(kind, type):
        return Shape(kind, _class, name)
    if kind is types.FunctionType:
        return Shape(kind, _function, name)
    for named, text in _NAMED:
        if derives(kind, named):
            return Shape(kind, _plain, name, text)
    if derives(kind, list):
        return Shape(kind, _list, name)
    if derives(kind, tuple):
        fields = _raw(kind, "_fields") if kind is not tuple else None
        named_fields = type(fields) is tuple and all(type(field) is str for field in fields)
        return Shape(kind, _tuple, name, fields if named_fields else None)
    if derives(kind, dict):
        return Shape(kind, _dict, name, OrderedDict.items if derives(kind, OrderedDict) else dict.items)
    for base in (set, frozenset, deque):
        if derives(kind, base):
            return Shape(kind, _set, name, base)
    for scalar in (int, float, str, bytes):
        if derives(kind, scalar):
            return Shape(kind, _derived_scalar, name, scalar)
    if derives(kind, BaseException):
        return Shape(kind, _exception, name)
    if kind is range:
        return Shape(kind, _range, name)
    readers = _attribute_readers(kind)
    if readers == (None, []) and not _FLAGS(kind) & _MADE_BY_A_PROGRAM:
        return Shape(kind, _plain, name, f"<{name}>")
    return Shape(kind, _object, name, readers)


def _shape_of(kind: type) -> Shape:
    """Return how to write values of a type, and keep it; the type is kept too, so that its `id` stays its own."""
    shape = _SHAPES[id(kind)] = _find_shape(kind)
    return shape


def bounded_text(value: object, limit: int) -> str:
    """Return any value's text: builtin values as Python writes them, objects as `Name(attribute=...)`.

    Cycles, depth beyond DEPTH_LIMIT, members beyond NODE_LIMIT and characters beyond about `limit` show as `...`.
    """
    return _Writing(limit).text(value)
