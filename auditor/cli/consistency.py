"""What `auditor show --consistency` prints: a problem under one setting, in one repetition."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.cli.output import print_json, print_table, print_text
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.consistency import Cell, Consistency

_SHOWN = 60
"""Characters of a name in the tables; --json has all."""


def print_consistency(file: Path, item: str, *, as_json: bool) -> int:
    """Print implementations by tests and probes of an item's problem, with the measures; as the screen shows them."""
    from auditor.audit.item_parts import read_item
    from auditor.audit.related_items import RelatedItems
    from auditor.store.file import translate

    read = read_item(file, item)
    try:
        with closing(RelatedItems(file)) as related:
            found = related.consistency(read.response_id)
    except sqlite3.Error as error:
        raise translate(error, file) from error
    if as_json:
        print_json({"item": str(read.key), **_record(found)})
    else:
        _print(found)
    return 0


def _print(found: Consistency) -> None:
    from auditor.audit.consistency import MARKS, marks_told, measure_words

    repetition = found.repetition
    print_text(f"{_cut(found.problem)} · {_cut(repetition.name)} · sample {repetition.sample}")
    if found.implementations:
        print_text()
        rows = []
        for row in found.implementations:
            marks = [MARKS[row.cells[test].state] if test in row.cells else "" for test in found.tests]
            rows.append([_cut(row.name), f"{row.tally.right}/{row.tally.asked}", *marks])
        print_table(["implementation", "right", *map(_cut, found.tests)], rows)
    if found.probes:
        print_text()
        probes = [
            [
                _cut(one.name),
                MARKS[one.cell.state],
                _cut(f"{one.implementation}/{one.test}"),
                _cut(", ".join(one.dimensions)),
                _cut(one.question),
            ]
            for one in found.probes
        ]
        print_table(["probe", "", "of", "dimensions", "question"], probes)
    print_text()
    print_text(measure_words(found))
    print_text(marks_told(found))


def _record(found: Consistency) -> dict[str, Any]:
    from auditor.studies.core.measures import MEASURES

    measures = {
        name: None if (value := getattr(found.measures, field, None)) is None else float(value)
        for name, field in MEASURES.items()
    }
    return {
        "problem": found.problem,
        "setting": found.repetition.name,
        "sample": found.repetition.sample,
        "implementations": [
            {"implementation": row.name, "outputs": [{"test": test, **_told(cell)} for test, cell in row.cells.items()]}
            for row in found.implementations
        ],
        "probes": [
            {
                "probe": one.name,
                "implementation": one.implementation,
                "test": one.test,
                "dimensions": one.dimensions,
                "question": one.question,
                **_told(one.cell),
            }
            for one in found.probes
        ],
        "measures": measures,
        "reason": found.why_undefined or None,
    }


def _told(cell: Cell) -> dict[str, Any]:
    return {"state": cell.state, "status": None if cell.status is None else cell.status.value}


def _cut(text: str) -> str:
    return visible_line(text, _SHOWN)
