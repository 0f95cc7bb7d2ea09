"""What one setting made of one problem in one repetition: its implementations by tests, its probes, CoRE's measures.

The same for screens and command line; nothing here looks at another problem. A reply that is missing is never right.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from auditor.audit.core_words import number
from auditor.errors import InputError
from auditor.model import Status
from auditor.store.problem_strip import (
    Asked,
    Repetition,
    StripTask,
    asked_problem,
    kinds_asked,
    repetitions_of,
    strip_tasks,
)
from auditor.studies.core.measures import MEASURES, Probe, ProblemMeasures, ProblemRun, Tally, measure
from auditor.text import counted, visible_line

__all__ = [
    "MARKS",
    "Cell",
    "Consistency",
    "ImplementationRow",
    "ProbeRow",
    "Repetition",
    "consistency",
    "marks_told",
    "measure_words",
]

MARKS: Mapping[str, str] = MappingProxyType(
    {"right": "✓", "wrong": "✗", "no reply": "·", "not graded": "?", "invalid": "!", "not asked": "-"}
)
"""What stands for each state of a cell."""


class Cell(NamedTuple):
    """What became of an output or a probe."""

    task_id: int
    response_id: int | None
    """None = the file has none."""
    replied: bool
    status: Status | None
    asked: bool = True
    """Whether the setting was to answer it in this repetition."""
    invalid: bool = False

    @property
    def right(self) -> bool:
        return self.status is not None and self.status.is_correct

    @property
    def counts(self) -> bool:
        """Say whether it counts in the measures."""
        return self.asked and not self.invalid

    @property
    def state(self) -> str:
        """Return what it counts as: `right`, `wrong` or `no reply`, or why it does not count."""
        if not self.asked:
            return "not asked"
        if self.invalid:
            return "invalid"
        if not self.replied:
            return "no reply"
        if self.status is None:
            return "not graded"
        return "right" if self.right else "wrong"


@dataclass(frozen=True, slots=True)
class ImplementationRow:
    """An implementation, and its outputs by test."""

    name: str
    cells: Mapping[str, Cell]

    @property
    def tally(self) -> Tally:
        """Return how many of the outputs that count are right."""
        counting = [cell for cell in self.cells.values() if cell.counts]
        return Tally(sum(cell.right for cell in counting), len(counting))


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """A probe, and the answer to it."""

    name: str
    """Its arm."""
    implementation: str
    test: str
    dimensions: tuple[str, ...]
    question: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Consistency:
    """One problem under one setting in one repetition."""

    problem: str
    repetitions: Sequence[Repetition]
    """All that there are of the problem, by setting."""
    at: int
    """The place of the one that is shown."""
    tests: Sequence[str]
    implementations: Sequence[ImplementationRow]
    probes: Sequence[ProbeRow]
    measures: ProblemMeasures | None
    """None where replies are not graded yet."""
    why_undefined: str = ""

    @property
    def repetition(self) -> Repetition:
        return self.repetitions[self.at]


def consistency(connection: sqlite3.Connection, response_id: int, repetition: Repetition | None = None) -> Consistency:
    """Return what a response's setting made of its problem in its repetition, or what another repetition made of it.

    Raises InputError for a response that is no output and no probe of a problem with implementations, and where one
    output is asked for twice.
    """
    asked = asked_problem(connection, response_id)
    if asked is None:
        raise InputError(
            "this item is no output and no probe of a problem that has implementations.",
            hint='They are in studies whose cluster is "problem", and name their problem and implementation.',
        )
    if repetition is not None:
        asked = Asked(asked.problem, repetition.setting, repetition.sample)
    tasks = strip_tasks(connection, asked)
    _check_once(tasks)
    repetitions = repetitions_of(connection, tasks)
    at = next((at for at, one in enumerate(repetitions) if (one.setting, one.sample) == asked[1:]), None)
    if at is None:
        raise InputError("an import put other content in this item's place, and nothing of its repetition is left.")
    kinds = kinds_asked(connection, asked, tasks)
    cells = {task.task_id: _cell(task, kinds) for task in tasks}
    outputs = [task for task in tasks if not task.is_probe]
    tests = list(dict.fromkeys(map(_test, outputs)))
    by_name: dict[str, dict[str, Cell]] = {}
    for task in outputs:
        by_name.setdefault(task.implementation, {})[_test(task)] = cells[task.task_id]
    rows = [ImplementationRow(name, found) for name, found in by_name.items()]
    probes = [
        ProbeRow(task.arm, task.implementation, _test(task), task.dimensions, task.question, cells[task.task_id])
        for task in tasks
        if task.is_probe
    ]
    measures, why = _measures(rows, probes)
    return Consistency(asked.problem, repetitions, at, tests, rows, probes, measures, why)


def measure_words(found: Consistency) -> str:
    """Return the measures of the repetition in one line, and why some of them are undefined."""
    if found.measures is None:
        return found.why_undefined
    values = []
    for name, field in MEASURES.items():
        value = getattr(found.measures, field)
        unit = "" if value is None or name.startswith("Cons") else " %"
        values.append(f"{name} {number(name, value)}{unit}")
    return " · ".join(values) + (f"   {found.why_undefined}" if found.why_undefined else "")


def marks_told(found: Consistency) -> str:
    """Say what the marks stand for that are there: `✓ right, ✗ wrong`."""
    cells = [*(cell for row in found.implementations for cell in row.cells.values())]
    states = {cell.state for cell in (*cells, *(probe.cell for probe in found.probes))}
    return ", ".join(f"{mark} {state}" for state, mark in MARKS.items() if state in states)


def _cell(task: StripTask, kinds: set[tuple[int, bool]]) -> Cell:
    is_asked = (task.study_id, task.is_probe) in kinds
    return Cell(task.task_id, task.response_id, task.replied, task.status, is_asked, task.invalid)


def _test(task: StripTask) -> str:
    return task.case if task.test is None else task.test


def _measures(rows: Sequence[ImplementationRow], probes: Sequence[ProbeRow]) -> tuple[ProblemMeasures | None, str]:
    """Return the measures, and why some or all of them are undefined."""
    cells = [*(cell for row in rows for cell in row.cells.values()), *(probe.cell for probe in probes)]
    waiting = sum(cell.state == "not graded" for cell in cells)
    if waiting:
        return None, f"{counted(waiting, 'reply', 'replies')} not graded yet, so that nothing can be measured."
    tallies = [tally for row in rows if (tally := row.tally).asked]
    found = measure(
        ProblemRun(tallies, [Probe(one.cell.right, frozenset(one.dimensions)) for one in probes if one.cell.counts])
    )
    return found, found.reason or ""


def _check_once(tasks: Sequence[StripTask]) -> None:
    """Refuse two tasks that ask for the same output or are the same probe: one mark cannot stand for both."""
    there: dict[tuple[str, str, str | None], StripTask] = {}
    for one in tasks:
        other = there.setdefault((one.implementation, _test(one), one.arm if one.is_probe else None), one)
        if other is not one:
            what = "the same probe" if one.is_probe else "the same output"
            first, second = (visible_line(f"{task.study} / {task.arm}", 60) for task in (other, one))
            raise InputError(f"{first} and {second} both have {what} of this problem, so that no mark stands for it.")
