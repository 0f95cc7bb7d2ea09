"""Turn the text of a program from one notation into another, leaving layout, names and numbers as they are."""

from __future__ import annotations

import re

from auditor.studies.prex.cstar.notation import Notation


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
    spellings = sorted(written.spellings.values(), key=len, reverse=True)
    tokens = re.compile(r"[A-Za-z][A-Za-z0-9]*|[0-9]+|" + "|".join(map(re.escape, spellings)))
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


def _runs_into(before: str, after: str) -> bool:
    """Say whether two tokens would be read as one word."""
    return before[-1:].isascii() and before[-1:].isalnum() and after[:1].isascii() and after[:1].isalnum()
