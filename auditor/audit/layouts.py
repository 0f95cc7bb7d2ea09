"""Tables laid out for reading, as a paper has them: what one is made of, which there are by name, and where."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.filter import Vocabulary
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.analysis import Resampling

_FAMILIES = {
    "core": "auditor.audit.core_layouts:CORE_LAYOUTS",
    "exact-output": "auditor.audit.exact_output_layouts:EXACT_OUTPUT_LAYOUTS",
    "prex": "auditor.audit.prex_layouts:PREX_LAYOUTS",
}
"""Where the layouts are whose names begin so: each study's are imported when one of them is asked for."""


class LayoutTable(NamedTuple):
    """One table, as it is read."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The first cells name the row, the others are formatted numbers."""
    names: int = 1
    """How many cells of a row name it."""
    shaded: Sequence[Sequence[str]] | None = None
    """The rows as a terminal shows them, where it shades their numbers."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """What a layout comes to."""

    tables: Sequence[LayoutTable]
    records: Sequence[Mapping[str, Scalar]]
    """The same for programs: a flat record a number, exact, all with the same fields."""
    notes: Sequence[str] = field(default_factory=tuple)
    """What a reader must know, a sentence each."""
    drawing: Sequence[str] = ()
    """Lines of characters that a terminal shows under the tables."""


class Layout(NamedTuple):
    """A way to lay tables out."""

    description: str
    needs: tuple[str, ...]
    """Dimensions that the audit file must know."""
    make: Callable[..., LaidOut]
    """Makes the tables of a connection, a filter, a policy or None, and of a Resampling where it `resamples`."""
    resamples: bool = False
    """Whether replicates, seed and confidence are for the caller to choose."""


def layouts() -> Mapping[str, Layout]:
    """Return all layouts by their names; imports those of every study."""
    return {name: layout for family in _FAMILIES for name, layout in _family(family).items()}


def _family(name: str) -> Mapping[str, Layout]:
    module, _, attribute = _FAMILIES[name].partition(":")
    found: Mapping[str, Layout] = getattr(importlib.import_module(module), attribute)
    return found


def find_layout(name: str) -> Layout:
    """Return the layout of a name; raises InputError where there is none, with the nearest one."""
    for family in _FAMILIES:
        if name.startswith(f"{family}-") and name in (found := _family(family)):
            return found[name]
    known = layouts()
    near = get_close_matches(name[:60], known, 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise InputError(f"there is no layout {visible_line(name, 60)!r}.", hint=f"{hint}Layouts: {', '.join(known)}.")


def lay_out(
    connection: sqlite3.Connection,
    name: str,
    where: str = "",
    policy: str | None = None,
    resampling: Resampling | None = None,
) -> LaidOut:
    """Make the tables of a layout; raises InputError for an unknown one and where dimensions are missing."""
    layout = find_layout(name)
    missing = sorted(set(layout.needs) - set(Vocabulary(connection).known()))
    if missing:
        raise InputError(
            f"the layout {name} is made by {', '.join(layout.needs)}, and no task here has {', '.join(missing)}.",
            hint="Use --rows and --cols for tables by other dimensions.",
        )
    if not layout.resamples:
        return layout.make(connection, where, policy)
    from auditor.analysis import Resampling
    from auditor.audit.tabulate import REPLICATES, SEED

    return layout.make(connection, where, policy, resampling or Resampling(REPLICATES, SEED))


def all_of(*filters: str) -> str:
    """Join filters with and, leaving out the empty ones."""
    parts = [one for one in filters if one.strip()]
    return parts[0] if len(parts) == 1 else " ".join(f"({one})" for one in parts)


def refuse_policy(policy: str | None) -> None:
    """Raise InputError for a policy where a table does not judge answers anew."""
    if policy is not None:
        raise InputError("this table is made of the verdicts as they were graded.", hint="Leave --policy out.")
