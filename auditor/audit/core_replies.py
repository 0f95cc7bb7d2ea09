"""What settings made of problems with several implementations: the rows of a file as the values of CoRE's measures."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain

from auditor.audit.judging import judge_by
from auditor.errors import InputError
from auditor.store.cells import in_order
from auditor.store.expr import parse
from auditor.store.file import one_state
from auditor.store.filter import Vocabulary
from auditor.store.problem_rows import (
    Planned,
    ProblemTask,
    asked_tasks,
    planned_repetitions,
    problem_answers,
    problem_tasks,
    setting_names,
)
from auditor.store.suggestions import hint_for_nothing
from auditor.studies.core.exposure import FailingPair
from auditor.studies.core.measures import Probe, ProblemRun, Tally
from auditor.text import counted, visible_line


@dataclass(slots=True)
class ImplementationAnswers:
    """One implementation of a problem under a setting, in one repetition."""

    style: str
    tests: list[int] = field(default_factory=list)
    """Row ids of the tasks."""
    failed: list[int] = field(default_factory=list)
    """Those without a right reply."""

    @property
    def all_right(self) -> bool:
        return not self.failed


@dataclass(slots=True)
class ProblemAnswers:
    """One problem under a setting, in one repetition."""

    implementations: dict[str, ImplementationAnswers] = field(default_factory=dict)
    probes: list[Probe] = field(default_factory=list)

    @property
    def asked(self) -> int:
        """How many outputs and probes there are."""
        return len(self.probes) + sum(len(one.tests) for one in self.implementations.values())

    def add(self, about: ProblemTask, task: int, is_right: bool) -> None:
        """Add an output or a probe; `task` is its row id."""
        if about.is_probe:
            self.probes.append(Probe(is_right, about.dimensions))
            return
        one = self.implementations.get(about.implementation)
        if one is None:
            one = self.implementations[about.implementation] = ImplementationAnswers(about.style)
        one.tests.append(task)
        if not is_right:
            one.failed.append(task)

    def run(self) -> ProblemRun:
        """Return it as the measures take it."""
        tallies = [Tally(len(one.tests) - len(one.failed), len(one.tests)) for one in self.implementations.values()]
        return ProblemRun(tallies, self.probes)


@dataclass(frozen=True, slots=True)
class Problems:
    """What a filter leaves of the problems of a file."""

    tasks: Mapping[int, ProblemTask]
    answers: Mapping[str, Mapping[str, Sequence[ProblemAnswers]]]
    """By setting and problem: one entry a repetition; settings and problems in the order of import."""
    asked: int
    missing: int
    """How many of what was asked have no reply."""

    def dimensions(self) -> set[str]:
        """Return the dimensions that the probes carry."""
        answered = [one for found in self.answers.values() for some in found.values() for one in some]
        return {name for one in answered for probe in one.probes for name in probe.dimensions}

    def failing_pairs(self) -> list[FailingPair]:
        """Return each setting, in each repetition, with each implementation of which it got an output wrong."""
        found = []
        for problems in self.answers.values():
            for problem, repetitions in problems.items():
                for answers in repetitions:
                    for one in answers.implementations.values():
                        if one.failed:
                            tests = tuple(map(self._test, one.tests))
                            found.append(FailingPair(problem, tests, frozenset(map(self._test, one.failed))))
        return found

    def _test(self, task: int) -> str:
        about = self.tasks[task]
        return about.case if about.test is None else about.test


def read_problems(connection: sqlite3.Connection, where: str, policy: str | None) -> Problems:
    """Read what the settings of a filter made of its problems; what has no reply is not right, invalid ones are out.

    Raises InputError for a filter that leaves nothing, or that speaks of what only a reply has, for replies that are
    not graded, and where one output is asked for twice.
    """
    with one_state(connection):
        return _read(connection, where, policy)


def _read(connection: sqlite3.Connection, where: str, policy: str | None) -> Problems:
    vocabulary, expr = Vocabulary(connection), parse(where)
    if vocabulary.needs_response(expr):
        raise InputError(
            "these measures count missing replies as wrong, so their filter cannot speak of what only replies have.",
            hint="Filter by study, problem, implementation, setting, sample or a facet.",
        )
    tasks = problem_tasks(connection)
    if not tasks:
        raise InputError(
            "no task here is an output or a probe of a problem that has implementations.",
            hint='They are in studies whose cluster is "problem", and name their problem and implementation.',
        )
    answered = _answers(connection, where, policy, tasks)
    asked: dict[int, dict[int | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    for task, setting, sample in asked_tasks(connection, where):
        asked[setting][sample].append(task)
    _check_once(tasks, {task for samples in asked.values() for some in samples.values() for task in some})
    names = setting_names(connection)
    found = {names[setting]: _repetitions(setting, tasks, asked[setting], answered) for setting in asked}
    found = {name: problems for name, problems in found.items() if problems}
    if not found:
        told = f"no output and no probe of a problem matches {visible_line(where)!r}."
        raise InputError(told, hint=hint_for_nothing(connection, where))
    order = [str(name) for (name,) in in_order(connection, ["setting"], [(name,) for name in found])]
    answers = {name: found[name] for name in order}
    total = sum(some.asked for problems in answers.values() for runs in problems.values() for some in runs)
    return Problems(tasks, answers, total, total - answered.replies)


@dataclass(frozen=True, slots=True)
class _Answered:
    """What the replies of a filter came to."""

    right: Mapping[tuple[int, int], set[int]]
    """Row ids of tasks by setting and sample."""
    invalid: Mapping[tuple[int, int], set[int]]
    samples: Mapping[Planned, set[int]]
    """The repetitions: planned ones, and further ones seen."""
    replies: int


def _answers(
    connection: sqlite3.Connection, where: str, policy: str | None, tasks: Mapping[int, ProblemTask]
) -> _Answered:
    """Read what the replies came to; raises InputError where some are not graded."""
    right: dict[tuple[int, int], set[int]] = defaultdict(set)
    invalid: dict[tuple[int, int], set[int]] = defaultdict(set)
    samples = {plan: set(range(number)) for plan, number in planned_repetitions(connection).items()}
    ungraded = replies = 0
    seen: set[tuple[tuple[str, bool], int, int]] = set()
    kinds = {row: (task.study, task.is_probe) for row, task in tasks.items()}
    with judge_by(connection, policy):
        for task, setting, sample, is_right, replied, waits, is_invalid in problem_answers(
            connection, where, judged=policy is not None
        ):
            seen.add((kinds[task], setting, sample))
            if is_invalid:
                invalid[setting, sample].add(task)
                continue
            if is_right:
                right[setting, sample].add(task)
            ungraded += waits
            replies += replied
    for kind, setting, sample in seen:
        samples.setdefault(Planned(*kind, setting), set()).add(sample)
    if ungraded:
        verb = "is" if ungraded == 1 else "are"
        told = (
            f"{counted(ungraded, 'answer')} to outputs and probes {verb} not graded, so that nothing can be measured."
        )
        raise InputError(told, hint="Run: auditor grade FILE")
    return _Answered(right, invalid, samples, replies)


def _repetitions(
    setting: int, tasks: Mapping[int, ProblemTask], asked: Mapping[int | None, Sequence[int]], answered: _Answered
) -> dict[str, list[ProblemAnswers]]:
    """Put what one setting was asked together by problem, in the order of import, and repetition.

    `asked` has row ids of tasks by sample, under None those of all samples.
    """
    found: list[dict[str, ProblemAnswers]] = []
    nothing: Set[int] = frozenset()
    plans = {plan[:2]: samples for plan, samples in answered.samples.items() if plan.setting == setting}
    for sample in sorted(set().union(*plans.values())):
        right = answered.right.get((setting, sample), nothing)
        invalid = answered.invalid.get((setting, sample), nothing)
        kinds = {kind for kind, samples in plans.items() if sample in samples}
        problems: dict[str, ProblemAnswers] = {}
        for task in chain(asked.get(None, ()), asked.get(sample, ())):
            about = tasks[task]
            if task not in invalid and (about.study, about.is_probe) in kinds:
                answers = problems.get(about.problem)
                if answers is None:
                    answers = problems[about.problem] = ProblemAnswers()
                answers.add(about, task, task in right)
        found.append(problems)
    order = dict.fromkeys(task.problem for task in tasks.values())
    by_problem = {one: [problems[one] for problems in found if one in problems] for one in order}
    return {one: runs for one, runs in by_problem.items() if runs}


def _check_once(tasks: Mapping[int, ProblemTask], asked: set[int]) -> None:
    """Refuse two tasks that ask for the same output or are the same probe: they would count as two tests."""
    there: dict[tuple[str | None, ...], ProblemTask] = {}
    for row in sorted(asked):
        one = tasks[row]
        name = one.arm if one.is_probe else None
        other = there.setdefault((one.problem, one.implementation, one.test or one.case, name), one)
        if other is not one:
            what = "the same probe" if one.is_probe else "the same output"
            first, second = (visible_line(f"{task.study} / {task.arm}", 60) for task in (other, one))
            raise InputError(
                f"{first} and {second} both have {what} of the problem {visible_line(one.problem, 60)!r}.",
                hint="Leave one of them with --where study:NAME or --where arm:NAME.",
            )
