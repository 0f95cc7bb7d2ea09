"""The figures of CoRE over a whole file, piece by piece, and the items behind each: of the screen that shows them.

    count_core(connection, report)     all pieces; each is reported when it is there
    core_items(path, of)               the items that one figure counts

Every figure comes from the layout that `auditor accuracy --layout` prints; nothing is computed here a second time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from auditor.analysis import Resampling
from auditor.audit.core_figures import exposure_layout, heat_map_layout
from auditor.audit.core_layouts import measures_layout, problems_layout
from auditor.audit.core_replies import Problems, read_problems
from auditor.audit.core_superficial import behind_right_outputs
from auditor.audit.core_words import Progress
from auditor.audit.layouts import LaidOut
from auditor.audit.tabulate import REPLICATES, SEED, AccuracyTable
from auditor.errors import InputError
from auditor.store.file import open_for_reading, translate
from auditor.store.problem_rows import answers_to, problem_tasks, setting_families, setting_names

RESAMPLING = Resampling(REPLICATES, SEED)
"""Of all intervals, as the command's unless it is told otherwise."""
_TELL_SECONDS = 0.1
"""Between two reports of how far a piece is."""


class Missing(NamedTuple):
    """Why there is nothing to show of a piece."""

    why: str


@dataclass(frozen=True, slots=True)
class CoreFigures:
    """Pieces of the figures; None = not counted yet."""

    superficial: AccuracyTable | Missing | None = None
    """By setting, of the answered probes of runs whose output was predicted rightly: how many are right."""
    measures: LaidOut | Missing | None = None
    problems: LaidOut | Missing | None = None
    exposure: LaidOut | Missing | None = None
    heat_map: LaidOut | Missing | None = None
    nothing: str = ""
    """Why the file has none of them."""
    doing: str = ""
    """Which piece is being counted, and how far that is."""
    complete: bool = False

    def over(self, before: CoreFigures) -> CoreFigures:
        """Return these pieces, and where one is not counted what it was before."""
        made = self
        for name in _PIECES:
            if getattr(self, name) is None:
                made = made.having(name, getattr(before, name))
        return made

    def shows_what(self, before: CoreFigures) -> bool:
        """Say whether it has the pieces that were there before, and no others: only how far it is differs."""
        return replace(self, doing="") == replace(before, doing="")

    def having(self, piece: str, value: Any) -> CoreFigures:
        """Return the same with another value of a piece."""
        return replace(self, **{piece: value})


_PIECES = ("heat_map", "exposure", "superficial", "measures", "problems")
"""In the order in which the screen shows them, so that what is chosen first stays where it is."""
Report = Callable[[CoreFigures], None]
"""Is given what is counted so far; it may raise to stop."""


class CoreItems(NamedTuple):
    """Outputs and probes of problems under settings; None = all there are."""

    setting: str | None = None
    families: frozenset[str] | None = None
    """Of settings."""
    styles: frozenset[str] | None = None
    """Of implementations."""
    problem: str | None = None
    target: str | None = None
    """`output` or `probe`."""
    not_right: bool = False
    """Only wrong answers, and those without a reply."""


def count_core(connection: sqlite3.Connection, report: Report) -> CoreFigures:
    """Count the pieces one after the other, in one state of the file; what cannot be counted says why."""
    connection.execute("BEGIN")
    found = CoreFigures(doing="reading the replies")
    report(found)
    try:
        problems = read_problems(connection, "", None)
    except InputError as error:
        return CoreFigures(nothing=str(error), complete=True)
    for piece in _PIECES:
        found = replace(found, doing=piece.replace("_", " "))
        report(found)
        progress = _Telling(found, found.doing, report)
        found = found.having(piece, _count(piece, connection, problems, progress))
    return replace(found, doing="", complete=True)


class _Telling:
    """Reports how far a piece is, not oftener than a person can read."""

    def __init__(self, found: CoreFigures, piece: str, report: Report) -> None:
        self._found, self._piece, self._report = found, piece, report
        self._told = 0.0

    def __call__(self, done: int, total: int) -> None:
        if monotonic() - self._told >= _TELL_SECONDS:
            self._told = monotonic()
            self._report(replace(self._found, doing=f"{self._piece} {done:,} of {total:,}"))


def _count(
    piece: str, connection: sqlite3.Connection, problems: Problems, progress: Progress
) -> LaidOut | AccuracyTable | Missing:
    made: dict[str, Callable[..., LaidOut]] = {
        "measures": partial(measures_layout, resampling=RESAMPLING, progress=progress),
        "heat_map": partial(heat_map_layout, resampling=RESAMPLING, progress=progress),
        "exposure": partial(exposure_layout, resampling=RESAMPLING),
        "problems": problems_layout,
    }
    try:
        if piece == "superficial":
            return behind_right_outputs(connection, resampling=Resampling(0, SEED))
        return made[piece](connection, where="", policy=None, problems=problems)
    except InputError as error:
        return Missing(error.message)


def core_items(path: Path, of: CoreItems) -> list[int]:
    """Return the row ids of the responses that a figure counts, in the order of import."""
    try:
        with closing(open_for_reading(path)) as connection:
            families = setting_families(connection)
            settings = [
                row
                for row, name in setting_names(connection).items()
                if of.setting in (None, name) and (of.families is None or families[name][0] in of.families)
            ]
            tasks = [
                row
                for row, task in problem_tasks(connection).items()
                if (of.styles is None or task.style in of.styles)
                and of.problem in (None, task.problem)
                and of.target in (None, "probe" if task.is_probe else "output")
            ]
            return answers_to(connection, tasks, settings, not_right=of.not_right)
    except sqlite3.Error as error:
        raise translate(error, path) from error
