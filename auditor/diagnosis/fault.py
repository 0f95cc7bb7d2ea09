"""One planted fault: where it is, what it changes, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from auditor.text import visible_line

_SHOWN = 60


class Kind(StrEnum):
    """What sort of slip a fault is; the values are stable names."""

    BRANCH = "branch"
    """A condition that comes out the other way, always or each time."""
    BRANCH_ONCE = "branch_once"
    """A condition that comes out the other way a single time."""
    BOUND = "bound"
    """A comparison, range, slice or index that is off by one."""
    CONSTANT = "constant"
    """A starting value or another constant that is off by one."""
    OPERATOR = "operator"
    """Another operator, or `min` for `max` and the like."""
    DIVISION = "division"
    """Another rounding of a division."""
    INPUT = "input"
    """An element of the input that is read wrongly."""
    STATEMENT = "statement"
    """A statement skipped, run twice, exchanged with the next one, or in another block."""
    ITERATION = "iteration"
    """A loop that runs over other elements than it should."""
    ORDER = "order"
    """A sort or reversal that is missing, wrong way round or by another key."""
    STRING = "string"
    """A method of texts taken for another one, or left out."""
    COLLECTION = "collection"
    """A method of lists, sets or dictionaries taken for another one; a copy taken for the thing itself."""


class Edit(NamedTuple):
    """Bytes of the source that are exchanged."""

    start: int
    end: int
    text: str


class Draft(NamedTuple):
    """A fault of the source as its finder sees it; the first edit is the one that it is named by."""

    kind: Kind
    edits: tuple[Edit, ...]
    clause: str | None = None
    """What is said after "if"; None: the first edit's old text were its new text."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A single change of the program or of its input."""

    kind: Kind
    line: int | None
    """The line of the source, from 1; None for the input."""
    column: int | None
    """Bytes before the change in its line."""
    original: str
    changed: str
    clause: str
    """The change in words, to stand after "if"."""
    source: str
    """The whole source with the fault."""
    input: str
    """The whole input with the fault."""

    @property
    def sentence(self) -> str:
        """Say it for people."""
        return f"The prediction is exactly what the program gives if {self.clause}."


def shown(text: str) -> str:
    """Return a piece of a program for a sentence."""
    return f"`{visible_line(text, _SHOWN)}`"


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd and so on."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
