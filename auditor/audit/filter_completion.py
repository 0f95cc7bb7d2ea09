"""What can stand at the end of a filter that is being written: names, and the values that the file has."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterable
from typing import NamedTuple

from auditor.audit.blindness import why_not_filtered
from auditor.errors import AuditorError
from auditor.store.expr import Match, Or, parse, unparse, write_name
from auditor.store.filter import Vocabulary
from auditor.store.suggestions import dimension_values
from auditor.text import has_invisible

MOST = 8
"""Suggestions that are offered."""
_SECONDS = 0.15
"""How long values are looked for."""
_STEPS = 2_000
"""Of SQLite's machine, between two looks at the clock."""
_LAST = re.compile(r"[^\s()]*$")


class Completion(NamedTuple):
    """A text that can take the place of the filter's last characters."""

    start: int
    text: str


def complete_filter(
    connection: sqlite3.Connection, text: str, saved: Iterable[str] = (), hidden: frozenset[str] = frozenset()
) -> list[Completion]:
    """Return what the last term of a filter can become, the likeliest first; nothing for a term in quotes.

    `saved` are the names of saved filters, which `@` begins; names of `hidden` dimensions are never offered. It looks
    for values a moment only: a file in which that takes longer has none offered.
    """
    last = _LAST.search(text)
    assert last is not None, "it matches nothing, too"
    term, start = last.group(), last.start()
    if '"' in term or not term:
        return []
    if term.startswith("@"):
        return [Completion(start, f"@{name}") for name in saved if f"@{name}".startswith(term)][:MOST]
    vocabulary = Vocabulary(connection)
    name, colon, values = term.partition(":")
    if name == "facet" and colon:
        inner, colon, values = values.partition(":")
        name = f"facet:{inner}"
    if not colon:
        known = [*vocabulary.known(), "loc"]
        shown = [one for one in dict.fromkeys(known) if why_not_filtered(hidden, [one]) is None]
        fitting = [one for one in shown if one.startswith(name) and not has_invisible(one)]
        return [Completion(start, f"{write_name(one)}:") for one in fitting][:MOST]
    if why_not_filtered(hidden, [name]) is not None:
        return []
    before, comma, begun = values.rpartition(",")
    head = f"{name}:{before}{comma}"
    found = [one for one in _values(connection, vocabulary, name) if one.lower().startswith(begun.lower())]
    written = (unparse(Match("x", (one,))).partition(":")[2] for one in found)
    return [Completion(start, head + one) for one in written][:MOST]


def begun_filter(where: str) -> str:
    """Return a filter so that what is written behind it narrows it: with a blank, and alternatives in parentheses."""
    if not where:
        return ""
    return f"({where}) " if isinstance(parse(where), Or) else f"{where} "


def _values(connection: sqlite3.Connection, vocabulary: Vocabulary, name: str) -> list[str]:
    until = time.monotonic() + _SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
    try:
        return dimension_values(connection, vocabulary, name)
    except (sqlite3.OperationalError, AuditorError):
        return []
    finally:
        connection.set_progress_handler(None, 0)
