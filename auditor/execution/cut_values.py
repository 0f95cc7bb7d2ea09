"""Which texts of values in a trace are not the whole value: they were cut when they were recorded."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = "..."
"""Stands, outside all quotes, where a tracer left something out; see `value_text`."""
_COUNTED = re.compile(r"\.\.\. \(([0-9,]{1,40}) (?:characters|bytes)\)\Z")
_LONGEST_COUNT = 80
_QUOTES = re.compile(r"(b?)(['\"]).*\2", re.DOTALL)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)


class CutValue(NamedTuple):
    """How much of a value its text shows."""

    shown: int
    """Characters of the text that are the value's."""
    full: int | None
    """Characters (of bytes: bytes) of the whole value; None where that is not known: parts within it were left out."""

    @property
    def words(self) -> str:
        """Say it for people."""
        if self.full is None:
            return "cut: parts are left out where ... stands"
        return f"cut: {self.shown:,} of {self.full:,} characters are shown"


def cut_of(text: str | None) -> CutValue | None:
    """Return how a value's text was cut; None for a whole one, and for none."""
    if text is None or _MARK not in text:
        return None
    counted = _COUNTED.search(text, max(0, len(text) - _LONGEST_COUNT))
    if counted is not None:
        # Of a string's beginning, which stands in quotes, its own characters are counted.
        quotes = _QUOTES.fullmatch(text, 0, counted.start())
        return CutValue(counted.start() - (len(quotes[1]) + 2 if quotes else 0), int(counted[1].replace(",", "")))
    return CutValue(len(text), None) if _MARK in _QUOTED.sub("", text) else None
