"""Why a filter leaves nothing: a value that nothing has, and the nearest one that something has."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator

from auditor.errors import InputError
from auditor.model import SUBJECT
from auditor.store.doubtful import count_left_out
from auditor.store.expr import And, Compare, Expr, Match, Not, Or, parse
from auditor.store.filter import TEXTS, Vocabulary
from auditor.store.known_values import meant
from auditor.store.subject_rows import any_subject
from auditor.text import from_storage, visible_line

_MOST_VALUES = 5_000
"""Values of a dimension that are looked at: a nearer one is only a hint."""
_VALUES_SHOWN = 10
_NAMES = {
    "tag": "SELECT name FROM tags",
    "annotator": "SELECT name FROM annotators",
    "stale": "SELECT name FROM annotators",
    "bookmarked": "SELECT name FROM annotators",
    "assigned": "SELECT name FROM annotators",
    "held": "SELECT name FROM annotators",
    "study": "SELECT name FROM studies",
    "case": "SELECT name FROM cases",
    "setting": "SELECT name FROM settings",
}
"""Dimensions whose values stand in a table of their own."""


def hint_for_nothing(connection: sqlite3.Connection, where: str) -> str | None:
    """Return a hint on the first value in a filter that nothing in the file has; None when every value occurs.

    Where it leaves nothing only because all of that is invalid, the hint says so.
    """
    if (invalid := count_left_out(connection, where)) > 0:
        return f"All of the {invalid:,} that it would leave are invalid; with invalid:yes it leaves them."
    vocabulary = Vocabulary(connection)
    if "target" not in vocabulary.mentioned(parse(where)) and any_subject(connection, where):
        return f"Programs and probes that people judge are left out; with target:{SUBJECT} it leaves them."
    for name, value in _wanted(parse(where)):
        known = _values(connection, vocabulary, name)
        if known is None or value in known or (value.lower() in ("true", "false") and value.lower() in known):
            continue
        near = difflib.get_close_matches(value[:100], known, 1)
        if near:
            return meant(name, near[0])
        for other in vocabulary.known():
            if other.startswith(f"{name}.") and value in (_values(connection, vocabulary, other) or ()):
                return meant(other, value)
        shown = ", ".join(visible_line(one, 40) for one in known[:_VALUES_SHOWN]) or "none"
        more = ", …" if len(known) > _VALUES_SHOWN else ""
        what = "annotator" if _NAMES.get(name) == _NAMES["annotator"] else visible_line(name, 40)
        return f"There is no {what} {visible_line(value, 40)!r}; there are: {shown}{more}."
    return None


def nothing_counted(connection: sqlite3.Connection, where: str) -> InputError:
    """Return the error that no response and no planned cell is left to count by a filter."""
    told = (
        f"no response and no planned cell matches {visible_line(where)!r}."
        if where
        else "nobody was asked anything yet."
    )
    if any_subject(connection, where):
        return InputError(told, hint="Programs and probes that people judge count in no table of answers.")
    return InputError(told, hint=hint_for_nothing(connection, where))


def dimension_values(connection: sqlite3.Connection, vocabulary: Vocabulary, name: str) -> list[str]:
    """List values that a dimension has in the file, or could have; raises InputError for an unknown dimension."""
    if (fixed := vocabulary.fixed_values(name)) is not None:
        return list(fixed)
    return _values(connection, vocabulary, name) or []


def _wanted(expr: Expr) -> Iterator[tuple[str, str]]:
    """Walk over the values that a filter asks for, not those that it excludes."""
    match expr:
        case Match(name, values):
            yield from ((name, value) for value in values)
        case Compare(name, "=", value):
            yield name, value
        case And(parts) | Or(parts):
            for part in parts:
                yield from _wanted(part)
        case Not(_):
            return


def _values(connection: sqlite3.Connection, vocabulary: Vocabulary, name: str) -> list[str] | None:
    """List the values of a dimension as text; None where they are numbers or texts, or fixed and checked elsewhere."""
    if vocabulary.fixed_values(name) is not None or name in TEXTS:
        return None
    if name in _NAMES:
        rows = connection.execute(f"{_NAMES[name]} LIMIT {_MOST_VALUES}").fetchall()
    else:
        dimension = vocabulary.dimension(name)
        sql = f"SELECT DISTINCT {dimension.text} FROM {vocabulary.tables_of(name)} LIMIT {_MOST_VALUES}"
        rows = connection.execute(sql, dimension.params).fetchall()
    values = [value for (value,) in rows if value is not None]
    if values and all(isinstance(value, int | float) for value in values):
        return None
    return [str(from_storage(value) if isinstance(value, bytes) else value) for value in values]
