"""Turn the text of a program from one notation into another, leaving layout, names and numbers as they are."""

from __future__ import annotations

import re

from auditor.studies.prex.cstar.notation import Notation
from auditor.studies.prex.cstar.syntax_tree import Place


def respell(source: str, written: Notation, wanted: Notation) -> str:
    """Return a program's text with every symbol in the wanted notation; the text must be one in the notation `written`.

    The way back gives the same text again. A space is put in where a word would otherwise run into its neighbour.
    """
    changes = {
        spelled: wanted.spell(symbol)
        for symbol, spelled in written.spellings.items()
        if spelled != wanted.spell(symbol)
    }
    if not changes:
        return source
    if all(_is_sign(spelled) and _is_sign(new) for spelled, new in changes.items()):
        return source.translate({ord(spelled): new for spelled, new in changes.items()})
    tokens = re.compile(_tokens_of(written))
    parts: list[str] = []
    end = 0
    for found in tokens.finditer(source):
        between = source[end : found.start()]
        token = changes.get(found.group(), found.group())
        if not between and parts and _runs_into(parts[-1], token):
            between = " "
        parts += (between, token)
        end = found.end()
    parts.append(source[end:])
    return "".join(parts)


class PlaceMap:
    """Where what stands at a place of a program's text stands in the same program in another notation."""

    def __init__(self, source: str, written: Notation, other: str, wanted: Notation) -> None:
        """`other` is `source` in the notation `wanted`."""
        here, self._there = _token_places(source, written), _token_places(other, wanted)
        self._starts = {(place.line, place.column): number for number, place in enumerate(here)}
        self._ends = {(place.end_line, place.end_column): number for number, place in enumerate(here)}

    def map(self, place: Place) -> Place | None:
        """Return the other place; None where no token begins or ends there."""
        start = self._starts.get((place.line, place.column))
        end = self._ends.get((place.end_line, place.end_column))
        if start is None or end is None or max(start, end) >= len(self._there):
            return None
        first, last = self._there[start], self._there[end]
        return Place(first.line, first.column, last.end_line, last.end_column)


def _token_places(source: str, notation: Notation) -> list[Place]:
    """Return the place of every token, parentheses and marks among them."""
    tokens = re.compile(_tokens_of(notation) + r"|\S")
    places: list[Place] = []
    for number, line in enumerate(source.split("\n"), 1):
        for found in tokens.finditer(line):
            places.append(Place(number, found.start() + 1, number, found.end() + 1))
    return places


def _tokens_of(notation: Notation) -> str:
    """Return the pattern of words, numbers and symbols of a notation, the longest first."""
    spellings = sorted(notation.spellings.values(), key=len, reverse=True)
    return r"[A-Za-z][A-Za-z0-9]*|[0-9]+|" + "|".join(map(re.escape, spellings))


def _is_sign(spelled: str) -> bool:
    """Say whether a spelling is one character that cannot be part of a name or a number."""
    return len(spelled) == 1 and not (spelled.isascii() and spelled.isalnum())


def _runs_into(before: str, after: str) -> bool:
    """Say whether two tokens would be read as one word."""
    return before[-1:].isascii() and before[-1:].isalnum() and after[:1].isascii() and after[:1].isalnum()
