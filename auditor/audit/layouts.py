"""Tables laid out as a paper has them: which there are, and what each is made of."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.filter import Vocabulary
from auditor.text import visible_line


class LayoutTable(NamedTuple):
    """One table, as it is read."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The first cell names the row, the others are formatted numbers."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """What a layout comes to."""

    tables: Sequence[LayoutTable]
    records: Sequence[Mapping[str, Scalar]]
    """The same for programs: a flat record a number, exact, all with the same fields."""
    notes: Sequence[str] = field(default_factory=tuple)
    """What a reader must know, a sentence each."""


class Layout(NamedTuple):
    """A way to lay tables out."""

    description: str
    needs: tuple[str, ...]
    """Dimensions that the audit file must know."""
    make: Callable[[sqlite3.Connection, str, str | None], LaidOut]
    """Makes the tables of a filter, judged by a policy where one is given."""


def layouts() -> Mapping[str, Layout]:
    """Return the layouts by their names."""
    from auditor.audit.prex_layouts import PREX_LAYOUTS

    return PREX_LAYOUTS


def lay_out(connection: sqlite3.Connection, name: str, where: str = "", policy: str | None = None) -> LaidOut:
    """Make the tables of a layout; raises InputError for an unknown one and where dimensions are missing."""
    known = layouts()
    if name not in known:
        told = f"there is no layout {visible_line(name, 60)!r}."
        raise InputError(told, hint=f"Layouts: {', '.join(known)}.")
    layout = known[name]
    missing = sorted(set(layout.needs) - set(Vocabulary(connection).known()))
    if missing:
        raise InputError(
            f"the layout {name} is made by {', '.join(layout.needs)}, and no task here has {', '.join(missing)}.",
            hint="Use --rows and --cols for tables by other dimensions.",
        )
    return layout.make(connection, where, policy)
