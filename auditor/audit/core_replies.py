"""What settings made of problems with several implementations: the rows of a file as the values of CoRE's measures."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditor.audit.judging import judge_by
from auditor.errors import InputError
from auditor.store.cells import in_order
from auditor.store.expr import parse
from auditor.store.filter import Vocabulary
from auditor.store.problem_rows import (
    Planned,
    ProblemTask,
    asked_tasks,
    planned_repetitions,
    problem_answers,
    problem_tasks,
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
    right, invalid, samples = _answers(connection, where, policy, tasks)
    found: dict[str, dict[str, dict[int, ProblemAnswers]]] = defaultdict(lambda: defaultdict(dict))
    asked = list(asked_tasks(connection, where))
    _check_once(tasks, {task for task, _, _ in asked})
    for task, setting, wanted in asked:
        about = tasks[task]
        for sample in samples.get(Planned(about.study, about.is_probe, setting), ()):
            if wanted not in (None, sample) or task in invalid[setting, sample]:
                continue
            repetitions = found[setting][about.problem]
            answers = repetitions.get(sample)
            if answers is None:
                answers = repetitions[sample] = ProblemAnswers()
            is_right = task in right[setting, sample]
            if about.is_probe:
                answers.probes.append(Probe(is_right, about.dimensions))
                continue
            one = answers.implementations.get(about.implementation)
            if one is None:
                one = answers.implementations[about.implementation] = ImplementationAnswers(about.style)
            one.tests.append(task)
            if not is_right:
                one.failed.append(task)
    if not found:
        told = f"no output and no probe of a problem matches {visible_line(where)!r}."
        raise InputError(told, hint=hint_for_nothing(connection, where))
    order = [str(name) for (name,) in in_order(connection, ["setting"], [(name,) for name in found])]
    problems = dict.fromkeys(task.problem for task in tasks.values())
    return Problems(
        tasks,
        {
            name: {
                one: [found[name][one][at] for at in sorted(found[name][one])] for one in problems if one in found[name]
            }
            for name in order
        },
    )


Places = dict[tuple[str, int], set[int]]
"""Row ids of tasks by setting and sample."""


def _answers(
    connection: sqlite3.Connection, where: str, policy: str | None, tasks: Mapping[int, ProblemTask]
) -> tuple[Places, Places, dict[Planned, list[int]]]:
    """Return right and invalid tasks, and the repetitions of each setting: planned ones and further ones seen."""
    right: Places = defaultdict(set)
    invalid: Places = defaultdict(set)
    seen = {plan: set(range(samples)) for plan, samples in planned_repetitions(connection).items()}
    ungraded = 0
    with judge_by(connection, policy):
        for answer in problem_answers(connection, where, judged=policy is not None):
            about = tasks[answer.task]
            place = answer.setting, answer.sample
            seen.setdefault(Planned(about.study, about.is_probe, answer.setting), set()).add(answer.sample)
            if answer.invalid:
                invalid[place].add(answer.task)
            elif answer.right:
                right[place].add(answer.task)
            ungraded += answer.ungraded and not answer.invalid
    if ungraded:
        verb = "is" if ungraded == 1 else "are"
        told = f"{counted(ungraded, 'reply')} to outputs and probes {verb} not graded, so that nothing can be measured."
        raise InputError(told, hint="Run: auditor grade FILE")
    return right, invalid, {plan: sorted(numbers) for plan, numbers in seen.items()}


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
