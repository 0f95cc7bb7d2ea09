"""Choices that depend on names alone, so that adding a program changes nothing about the others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
SEED = "exact-output 1"


def share(*names: object) -> float:
    """Return a number in [0, 1) that is fixed by the names."""
    digest = hashlib.sha256("\x1f".join([SEED, *map(str, names)]).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def pick(options: Sequence[Item], *names: object) -> Item:
    """Return the option that the names choose."""
    return options[int(share("pick", *names) * len(options))]


def between(low: int, high: int, *names: object) -> int:
    """Return an integer from low to high, both included."""
    return low + int(share("between", *names) * (high - low + 1))


def shuffled(items: Sequence[Item], *names: object) -> list[Item]:
    """Return the items in the order that the names give."""
    order = sorted(range(len(items)), key=lambda i: share("order", i, *names))
    return [items[i] for i in order]
