"""The predictors of a regression: levels of factors against a reference, and mean-centred logarithms of measures."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.cells import in_order
from auditor.store.file import shell_path
from auditor.store.filter import Vocabulary
from auditor.text import visible_line

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

CONSTANT = "(constant)"
MEASURES = ("trace_length", "peak_state", "state_load")
"""The measures of an execution that the study of exact output has."""
_MOST_COLUMNS = 300
"""Columns of a design: more would hardly be estimable, and take minutes to check."""


class Factor(NamedTuple):
    """A dimension as intercepts."""

    name: str
    levels: tuple[Scalar, ...]
    """In the order of import; the first one is the reference."""


class Design(NamedTuple):
    """The design matrix of some rows."""

    columns: list[str]
    values: Floats
    """A row each, the constant first."""
    factors: list[Factor]
    """Those with at least two levels."""
    single: list[Factor]
    """Those with one, which say nothing."""
    centres: dict[str, float]
    """By measure the mean of its base-2 logarithms, which was subtracted."""
    correlations: list[tuple[str, str, float]]
    """Of each two logarithms; left out where one does not vary."""


def level_column(factor: str, level: Scalar) -> str:
    """Return what the column of a factor's level is called."""
    return f"{factor} {'(none)' if level is None else level}"


def check_measures(connection: sqlite3.Connection, path: Path, measures: Sequence[str]) -> None:
    """Raise InputError where no task has a measure, with what to do about it."""
    known = Vocabulary(connection).known()
    missing = [name for name in measures if name not in known]
    if missing:
        raise InputError(
            f"no task here has the measure {', '.join(visible_line(name, 40) for name in missing)}.",
            hint=f"Run: auditor measure {shell_path(path)}, or name others with --measures.",
        )


def usable(value: Scalar, name: str) -> bool:
    """Say whether a measure's value has a logarithm; raises InputError for one that is no number."""
    number = as_number(value, name)
    return number is not None and number > 0


def as_number(value: Scalar, name: str) -> float | None:
    """Return a measure's value as a number, None where there is none; raises InputError for text."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    try:
        return int(str(value))  # a whole number beyond 64 bits is kept as its digits
    except ValueError as error:
        shown = visible_line(str(value), 40)
        raise InputError(f"{visible_line(name, 40)} is no measure: one of its values is {shown!r}.") from error


def build_design(
    connection: sqlite3.Connection,
    rows: Sequence[Sequence[Scalar]],
    factors: Sequence[str],
    measures: Sequence[str],
    references: Mapping[str, str],
) -> Design:
    """Build the design of rows, each with the values of the factors and then of the measures.

    Raises InputError for a reference that no row has, and for factors of very many values.
    """
    found: list[Factor] = []
    single: list[Factor] = []
    columns, parts = [CONSTANT], [np.ones(len(rows))]
    for at, name in enumerate(factors):
        groups = in_order(connection, [name], ((row[at],) for row in rows))
        levels = _with_reference(name, [level for (level,) in groups], references.get(name))
        if len(columns) + len(levels) > _MOST_COLUMNS:
            told = f"{visible_line(name, 40)} has {len(levels):,} values, too many for an intercept each."
            raise InputError(told, hint="Name other --factors, or narrow the rows with --where.")
        factor = Factor(name, tuple(levels))
        (found if len(levels) > 1 else single).append(factor)
        own = [row[at] for row in rows]
        for level in levels[1:]:
            columns.append(level_column(name, level))
            parts.append(np.array([one == level for one in own], dtype=np.float64))
    logs: dict[str, Floats] = {}
    centres = {}
    for at, name in enumerate(measures, len(factors)):
        values = np.array([log2(as_number(row[at], name) or 0) for row in rows])
        centres[name] = float(values.mean()) if len(values) else 0.0
        logs[name] = values - centres[name]
        columns.append(f"log2 {name}")
        parts.append(logs[name])
    return Design(columns, np.column_stack(parts), found, single, centres, _correlations(logs))


def _with_reference(name: str, levels: list[Scalar], wanted: str | None) -> list[Scalar]:
    """Put the reference first."""
    if wanted is None:
        return levels
    texts = ["(none)" if level is None else str(level) for level in levels]
    if wanted not in texts:
        shown = ", ".join(visible_line(text, 40) for text in texts[:20])
        raise InputError(
            f"no row has the {visible_line(name, 40)} {visible_line(wanted, 60)!r}.", hint=f"There are: {shown}."
        )
    at = texts.index(wanted)
    return [levels[at], *levels[:at], *levels[at + 1 :]]


def _correlations(logs: Mapping[str, Floats]) -> list[tuple[str, str, float]]:
    names = [name for name, values in logs.items() if len(values) > 1 and values.std() > 0]
    return [
        (one, other, float(np.corrcoef(logs[one], logs[other])[0, 1]))
        for at, one in enumerate(names)
        for other in names[at + 1 :]
    ]
