"""JSON values under the grading rule: strict reading with exact numbers, and a number for every distinct value.

`1` and `1.0` are the same number, `0` and `-0.0` too, big integers and long decimals are exact; `true` is not `1`;
key order is free. NaN is not JSON and is refused when read; among values made elsewhere NaN is the same as NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

_INT_DIGITS = 600
"""Below the lowest limit that an interpreter may set on converting digits to int."""


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _INT_DIGITS else Decimal(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("an object has a key twice")
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=Decimal
)


def read_value(text: str, at: int = 0) -> tuple[Any, int]:
    """Read the JSON value that begins at a place; return it and where it ends. Numbers become int or Decimal.

    Raises ValueError with a reason in words, also for what nests too deep or has an exponent too long to compare.
    """
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        problem = error.msg.removesuffix(" at").removesuffix(" starting")
        raise ValueError(f"{problem[0].lower()}{problem[1:]} at character {error.pos}") from None
    except InvalidOperation:
        raise ValueError("a number has an exponent too long to be compared") from None
    except RecursionError:
        raise ValueError("it nests too deep to be read") from None


def json_type(value: Any) -> str:
    """Name the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, Mapping):
        return "object"
    return "array" if isinstance(value, Sequence) else "number"


def is_container(value: Any) -> bool:
    """Say whether a value is an object or an array."""
    return isinstance(value, dict | list) or (isinstance(value, Mapping | Sequence) and not isinstance(value, str))


class Numbering:
    """Gives each value a number: two values have the same number when they are equal under the grading rule.

    Containers are told apart by identity while they are looked up, so the values must stay alive and unchanged.
    """

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._containers: dict[int, int] = {}
        self._items: dict[int, tuple[int, ...]] = {}
        self.nodes = 0
        """Values that were numbered, those inside others included."""
        self.depth = 0
        """The deepest nesting seen; a scalar has depth 0."""

    def add(self, value: Any) -> int:
        """Number a value and all inside it, without recursion."""
        self.nodes += 1
        waiting = [(value, 1, False)] if is_container(value) else []
        while waiting:
            node, depth, inside_done = waiting.pop()
            if inside_done:
                self._containers[id(node)] = self._number(self._container_key(node))
                continue
            self.nodes += len(node)
            self.depth = max(self.depth, depth)
            waiting.append((node, depth, True))
            waiting.extend((child, depth + 1, False) for child in children(node) if is_container(child))
        return self.of(value)

    def of(self, value: Any) -> int:
        """Return the number of a value that was added or is inside one that was."""
        number = self._containers.get(id(value))
        return self._number(_scalar_key(value)) if number is None else number

    def items(self, array: Any) -> tuple[int, ...]:
        """Return the numbers of the items of an array that was added or is inside a value that was."""
        return self._items[id(array)]

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _container_key(self, node: Any) -> object:
        if isinstance(node, Mapping):
            return frozenset((key, self.of(item)) for key, item in node.items())
        items = self._items[id(node)] = tuple(map(self.of, node))
        return items


def children(container: Any) -> Iterable[Any]:
    """Return the values directly inside an object or array."""
    values: Iterable[Any] = container.values() if isinstance(container, Mapping) else container
    return values


def _scalar_key(value: Any) -> object:
    """Return what is equal for equal scalars only, and for no key of a container: these hold numbers, no names."""
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, float | Decimal) and math.isnan(value):
        return ("not a number",)
    return value
