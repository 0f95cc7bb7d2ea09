"""The implementations of an item's problem, the nearest to the item's own first: what each is, and how it was answered.

The same for screens and command line. Similarity is the builder's: the Jaccard index of the programs' tokens.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from auditor.compare.program_sides import Sides, align_programs
from auditor.errors import InputError
from auditor.store.implementation_rows import ImplementationTask, OwnTask, implementation_tasks, own_task
from auditor.store.problem_strip import Repetition
from auditor.store.tasks import count_lines, load_task

NEAREST_FIRST = "nearest first"
FILE_ORDER = "in the order of the file"
_COMPARED_CHARACTERS = 300_000
"""Of all implementations of a problem; where they have more, they stand in the order of the file."""


class Answered(NamedTuple):
    """What a setting made of the outputs of an implementation in one sample."""

    states: Mapping[str, int]
    """How many outputs are in which state: `right`, `wrong`, `no reply` …"""
    on_test: str | None
    """The state of the output of the item's own test; None where there is none."""


@dataclass(frozen=True)
class Implementation:
    """One of the programs that solve a problem."""

    name: str
    language: str
    source: str
    style: str | None = None
    """None = it has none, or a blind review hides it."""
    cyclomatic: float | None = None
    answered: Answered | None = None
    response_id: int | None = None
    """Its item that stands for the one asked about: of the same setting and sample, and of the same test where there is
    one; None = there is none, or a blind review does not lead to it."""

    @property
    def lines(self) -> int:
        """Return how many lines it has."""
        return count_lines(self.source)

    @cached_property
    def tokens(self) -> frozenset[str] | None:
        """Return the tokens that similarity counts; None for what Python cannot read."""
        return token_set(self.language, self.source)


class Compared(NamedTuple):
    """Two implementations side by side."""

    similarity: float | None
    """Which share of their tokens both have; None where one of them is no Python."""
    sides: Sides


@dataclass(frozen=True, slots=True)
class Implementations:
    """The implementation of an item, and the others of its problem."""

    problem: str
    test: str | None
    own: Implementation
    others: Sequence[Implementation]
    order: str
    """In which order the others are."""
    setting: str = ""
    """Whose answers are counted; empty where nobody's are."""
    sample: int = 0
    why_no_answers: str = ""
    """Why no answers are counted."""
    hides_items: bool = False
    """Whether a blind review is not led to the items of the others: they are of the same setting."""

    def place_of(self, name: str) -> int | None:
        """Return the place of an implementation among the others; None where it is not one of them."""
        return next((at for at, one in enumerate(self.others) if one.name == name), None)


def find_implementations(
    connection: sqlite3.Connection, response_id: int, repetition: Repetition | None = None, *, blind: bool = False
) -> Implementations:
    """Return the implementations of an item's problem, with what its setting answered in its sample or in another one.

    A blind review is told neither styles nor measures nor answers. Raises InputError for an item of no problem.
    """
    own = own_task(connection, response_id)
    if own is None:
        raise InputError(
            "this item is about no problem that has implementations.",
            hint='Such items are in studies whose cluster is "problem", and name their problem and implementation.',
        )
    if repetition is not None:
        own = own._replace(setting=repetition.setting, sample=repetition.sample)
    by_name: dict[str, list[ImplementationTask]] = {}
    for task in implementation_tasks(connection, own):
        by_name.setdefault(task.implementation, []).append(task)
    answers = _answers(connection, own, response_id, repetition, blind)

    def read(name: str, task_id: int) -> Implementation:
        task = load_task(connection, task_id)
        item = _item(by_name.get(name, ()), own)
        if blind:
            return Implementation(name, task.language, task.source, response_id=item if own.is_subject else None)
        style, cyclomatic = task.facets.get("style"), task.measures.get("cyclomatic")
        told = None if style is None else str(style)
        return Implementation(name, task.language, task.source, told, cyclomatic, answers.by_name.get(name), item)

    mine = read(own.implementation, own.task_id)
    others = [
        read(name, min(tasks, key=lambda one: _distance(one, own)).task_id)
        for name, tasks in by_name.items()
        if name != own.implementation
    ]
    order = FILE_ORDER
    if sum(len(one.source) for one in (mine, *others)) <= _COMPARED_CHARACTERS and mine.tokens is not None:
        order = NEAREST_FIRST
        others.sort(key=lambda one: -(similarity(mine, one) or 0.0))
    about = (answers.setting, own.sample, answers.why, blind and not own.is_subject)
    return Implementations(own.problem, own.test, mine, others, order, *about)


def compare(one: Implementation, other: Implementation) -> Compared:
    """Put two implementations side by side."""
    return Compared(similarity(one, other), align_programs(one.source, other.source, one.language))


def similarity(one: Implementation, other: Implementation) -> float | None:
    """Return which share of their tokens two implementations have in common; None where one of them is no Python."""
    from auditor.studies.core.tokens import jaccard  # a review begins without what runs programs

    return None if one.tokens is None or other.tokens is None else jaccard(one.tokens, other.tokens)


def token_set(language: str, source: str) -> frozenset[str] | None:
    """Return the tokens of a program, each once; None for what Python's tokenizer does not take."""
    from auditor.studies.core.tokens import unique_tokens

    if language != "python":
        return None
    try:
        return unique_tokens(source)
    except SyntaxError:
        return None


def _distance(task: ImplementationTask, own: OwnTask) -> tuple[bool, bool, bool, int]:
    """Return how far what a task asks is from what the item asks; the task of the least one is taken for it."""
    return (task.is_subject != own.is_subject, task.test != own.test, task.study != own.study, task.task_id)


def _item(tasks: Sequence[ImplementationTask], own: OwnTask) -> int | None:
    """Return the item that stands for the own one; a subject is judged under a codebook that its whole study has."""
    there = [one for one in tasks if one.response_id is not None and one.is_subject == own.is_subject]
    if own.is_subject:
        there = [one for one in there if one.study == own.study]
    found = min(there, key=lambda one: (one.test != own.test, one.target != own.target, one.task_id), default=None)
    return found and found.response_id


class _Answers(NamedTuple):
    by_name: Mapping[str, Answered]
    setting: str = ""
    why: str = ""


def _answers(
    connection: sqlite3.Connection, own: OwnTask, response_id: int, repetition: Repetition | None, blind: bool
) -> _Answers:
    """Count what was answered; the outputs of a problem decide, also where the item is a probe."""
    if own.is_subject:
        return _Answers({}, why="Nobody was asked about these: they are judged themselves.")
    if blind:
        return _Answers({}, why="A blind review shows no styles, measures and answers.")
    from auditor.audit.consistency import consistency

    try:
        found = consistency(connection, response_id, repetition)
    except InputError as error:
        return _Answers({}, why=f"It cannot be told what was answered: {error}")
    rows = {}
    for row in found.implementations:
        states = Counter(cell.state for cell in row.cells.values())
        cell = None if own.test is None else row.cells.get(own.test)
        rows[row.name] = Answered(states, cell and cell.state)
    return _Answers(rows, found.repetition.name)
