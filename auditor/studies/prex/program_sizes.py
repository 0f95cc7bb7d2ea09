"""How large programs are, and the table of sizes by split."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

_TOKEN = re.compile(r"\w+|<=|>=|==|!=|&&|\|\||[^\w\s]")


class Size(NamedTuple):
    """The size of one program."""

    lines: int
    tokens: int
    """Words, numbers and signs of C*; a model's tokenizer counts others."""


class SizeRow(NamedTuple):
    """The sizes of a split's valid programs."""

    split: str
    programs: int
    lines: tuple[int, float, int]
    """Least, median and greatest."""
    tokens: tuple[int, float, int]


def size_of(source: str) -> Size:
    """Return how many lines and tokens a program in the standard notation has."""
    return Size(len(source.splitlines()), sum(1 for _ in _TOKEN.finditer(source)))


def size_table(sizes: Mapping[str, Sequence[Size]]) -> list[SizeRow]:
    """Return a row for each split that has programs."""
    return [
        SizeRow(split, len(given), _spread(one.lines for one in given), _spread(one.tokens for one in given))
        for split, given in sizes.items()
        if given
    ]


def _spread(values: Iterable[int]) -> tuple[int, float, int]:
    ordered = sorted(values)
    return ordered[0], median(ordered), ordered[-1]
