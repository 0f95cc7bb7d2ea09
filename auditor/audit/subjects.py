"""Make the implementations and probes of problems items that experts judge, in the file that holds their tasks."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from auditor.audit.asked_probe import NEAREST
from auditor.audit.implementations import token_set
from auditor.codebook import find_codebook
from auditor.errors import InputError
from auditor.model import SUBJECT, JsonValue, Setting, Study, Task
from auditor.store.catalog import Catalog
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, transaction, translate
from auditor.store.problem_rows import problem_tasks
from auditor.store.subject_rows import SETTING, insert_subjects
from auditor.store.tasks import Outcome, load_task
from auditor.text import visible_line

IMPLEMENTATIONS, PROBES = "core-implementations", "core-probes"
"""The codebooks. The studies are named after the one whose tasks they hold: `core-implementations`, `core-probes`."""


class Nearest(NamedTuple):
    """The most similar other implementation of a problem."""

    implementation: str
    jaccard: float
    source: str


@dataclass(frozen=True, slots=True)
class SubjectsReport:
    """What became of implementations and probes."""

    implementations: Counter[Outcome] = field(default_factory=Counter)
    probes: Counter[Outcome] = field(default_factory=Counter)
    studies: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Items whose program or probe is another one now than in the file."""


def add_subjects(path: Path, *, replace_changed: bool = False) -> SubjectsReport:
    """Add an item for every implementation and every probe of the problems of a file; repeating it changes nothing.

    What differs from an item that is there is left as it is and reported, unless `replace_changed`, which supersedes
    the item with its marks. Raises InputError where there is neither, and where a study of that name is another one.
    """
    try:
        with closing(open_file(path)) as connection, transaction(connection):
            found = [(row, load_task(connection, row)) for row in problem_tasks(connection)]
            if not found:
                raise InputError(
                    "no task here is an output or a probe of a problem that has implementations.",
                    hint="Build some with: auditor build core",
                )
            return _Adding(connection, replace_changed).add([task for _, task in found])
    except sqlite3.Error as error:
        raise translate(error, path) from error


class _Adding:
    """Writes studies, tasks and items."""

    def __init__(self, connection: sqlite3.Connection, replace_changed: bool) -> None:
        self._connection = connection
        self._catalog = Catalog(connection)
        self._replace = replace_changed
        self._conflicts: list[str] = []

    def add(self, tasks: Sequence[Task]) -> SubjectsReport:
        catalog = self._catalog
        catalog.add_setting(Setting(SETTING))
        for name in (IMPLEMENTATIONS, PROBES):
            ensure_codebook(self._connection, find_codebook(name))
        implementations = self._put(implementation_subjects(tasks), IMPLEMENTATIONS)
        probes = self._put(map(probe_subject, (task for task in tasks if task.target == "probe")), PROBES)
        studies = tuple(dict.fromkeys(name for _, found in (implementations, probes) for name in found))
        return SubjectsReport(implementations[0], probes[0], studies, tuple(self._conflicts))

    def _put(self, subjects: Iterable[Task], codebook: str) -> tuple[Counter[Outcome], list[str]]:
        counts: Counter[Outcome] = Counter()
        studies: dict[str, None] = {}
        for subject in subjects:
            if subject.study not in studies:
                self._add_study(subject.study, codebook)
                studies[subject.study] = None
            outcome = self._catalog.add_task(subject, "problem", replace=self._replace)
            counts[outcome] += 1
            if outcome is Outcome.CONFLICT:
                self._conflicts.append(str(subject.key))
                continue
            task_id = self._catalog.tasks[subject.key].id
            insert_subjects(self._connection, [task_id], self._catalog.settings[SETTING])
        return counts, list(studies)

    def _add_study(self, name: str, codebook: str) -> None:
        study = Study(name, "bytes", "none", "problem", codebook, 1)
        if self._catalog.add_study(study, replace=False) is Outcome.CONFLICT:
            raise InputError(
                f"the study {visible_line(name, 60)!r} is declared already, and not for this.",
                hint="Import that run under another name with --study.",
            )


# --- what is judged ------------------------------------------------------------------------------------------------


def probe_subject(task: Task) -> Task:
    """Return a probe as what is judged: the same program, question and answer under the same names."""
    return replace(task, study=f"{task.study}-probes", target=SUBJECT, prompt=None)


def implementation_subjects(tasks: Sequence[Task]) -> Iterator[Task]:
    """Return every implementation once, from its first output, with the most similar other one of its problem."""
    first: dict[tuple[str, str | None, str], Task] = {}
    for task in tasks:
        if task.target == "output":
            first.setdefault((task.study, task.problem, _name(task)), task)
    by_problem: dict[tuple[str, str | None], list[Task]] = defaultdict(list)
    for (study, problem, _), task in first.items():
        by_problem[study, problem].append(task)
    for alike in by_problem.values():
        tokens = {_name(task): token_set(task.language, task.source) for task in alike}
        sources = {_name(task): task.source for task in alike}
        for task in alike:
            name = _name(task)
            nearest = _nearest(name, tokens, sources)
            extra: Mapping[str, JsonValue] = {NEAREST: nearest._asdict()} if nearest else {}
            yield Task(
                f"{task.study}-implementations",
                f"{task.problem}/{name}",
                "implementation",
                task.language,
                task.source,
                "",
                SUBJECT,
                None,
                problem=task.problem,
                implementation=task.implementation,
                facets=task.facets,
                measures=task.measures,
                extra=extra,
            )


def _name(task: Task) -> str:
    return task.implementation if task.implementation is not None else task.case


def _nearest(name: str, tokens: Mapping[str, frozenset[str] | None], sources: Mapping[str, str]) -> Nearest | None:
    """Return the other implementation that shares most tokens, the first of several; None where there is none."""
    from auditor.studies.core.tokens import jaccard

    own = tokens[name]
    if own is None:
        return None
    others = [(jaccard(own, some), other) for other, some in tokens.items() if other != name and some is not None]
    if not others:
        return None
    most, other = max(others, key=lambda pair: pair[0])
    return Nearest(other, most, sources[other])
