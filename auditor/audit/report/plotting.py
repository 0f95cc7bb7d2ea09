"""The plots of a report by themselves: for a terminal, or each as a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from auditor.audit.report.make import PARTS as ALL_PARTS
from auditor.audit.report.subject import Progress, ReportOptions, Steps, Subject
from auditor.collector import collector_at_rest
from auditor.documents.document import Block, Figure, Folded, Section
from auditor.errors import InputError
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.store.response_counts import kept_counts
from auditor.store.responses import require_responses
from auditor.text import visible_line

PARTS = {name: make for name, make in ALL_PARTS.items() if name != "papers"}
"""The parts that have plots: the tables of papers are tables alone."""


_OF_RESPONSES = frozenset({"accuracy", "error-types", "core", "measures", "modes"})
"""Those that sum responses by several dimensions."""


def make_figures(
    path: Path,
    what: str,
    options: ReportOptions | None = None,
    only: str | None = None,
    progress: Progress | None = None,
) -> list[Figure]:
    """Return the figures of one part of the report, or the one of these that has an id.

    Raises InputError for an unknown part or id, and where the part has nothing to plot in this file.
    """
    if what not in PARTS:
        hint = f"There are {', '.join(PARTS)}."
        if str(path) in PARTS:
            hint = f"The file comes first: auditor plot {shell_path(Path(what))} {path}."
        raise InputError(f"there is no plot {visible_line(what, 40)!r}.", hint=hint)
    try:
        with closing(open_for_reading(path)) as connection:
            connection.execute("BEGIN")
            require_responses(connection, path)
            steps = Steps(progress)
            steps.begin(what, 0)
            counts = kept_counts(connection) if what in _OF_RESPONSES else nullcontext()
            with counts, collector_at_rest():
                section = PARTS[what](Subject(connection, path, options or ReportOptions(), steps=steps)).section
    except sqlite3.Error as error:
        raise translate(error, path) from error
    found = list(_figures(section.blocks)) if section is not None else []
    if not found:
        others = ", ".join(name for name in PARTS if name != what)
        if section is None:
            raise InputError(f"there is nothing in this file to plot for {what}.", hint=f"Other plots: {others}.")
        told = f"{what} of this file is too much, or too little, for a plot that can be read."
        raise InputError(told, hint=f"auditor report has it as tables; --where leaves a part. Other plots: {others}.")
    names = [figure.id.removeprefix("fig-") for figure in found]
    if only is not None and only not in names:
        raise InputError(
            f"there is no plot {visible_line(only, 40)!r} of {what}.", hint=f"There are {', '.join(names)}."
        )
    return [figure for figure, name in zip(found, names, strict=True) if only in (None, name)]


def _figures(blocks: Sequence[Block | Section]) -> Iterator[Figure]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Section | Folded):
            yield from _figures(block.blocks)
