"""What can be asked about the run of an item's call: proposals from its trace, and answers that the run gives."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from auditor.audit.runnable import called_function
from auditor.errors import InputError
from auditor.execution.protection import RefusedError
from auditor.execution.sandbox import Sandbox
from auditor.formats.json_text import UnusableError
from auditor.model import Task, join_key
from auditor.store.changes import OwnProbe
from auditor.studies.core.building import HASH_SEEDS
from auditor.studies.core.probe_moments import (
    AT_EXIT,
    AT_ITERATION,
    AT_VISIT,
    BRANCH,
    FIRST_TIME,
    KINDS,
    LOOP_COUNT,
    Wanted,
)
from auditor.studies.core.probe_questions import ordinal
from auditor.studies.core.probes import Probe, RunToAsk, Unaskable, run_to_ask
from auditor.studies.core.prompts import Prompting, with_prompt
from auditor.studies.core.reasoning_way import DIMENSIONS
from auditor.studies.exact_output.function_lines import arguments_of
from auditor.text import counted, visible_line

__all__ = [
    "DIMENSIONS",
    "KINDS",
    "CaseRuns",
    "ProbeCase",
    "ProbeRun",
    "Wanted",
    "case_to_ask",
    "open_run",
    "opened_boxes",
    "prompt_of",
]

LONGEST_QUESTION = 2_000
"""Characters."""
_ALL_THE_SAME = "To run it all the same, with all your files in reach of it, give --unsafe."


@dataclass(frozen=True, slots=True)
class ProbeCase:
    """An implementation of a problem with a test: what is run, and what probes are asked of."""

    task: Task
    call: str

    @property
    def name(self) -> str:
        """Return problem, implementation and test."""
        task = self.task
        return join_key((task.problem or "", task.implementation or "", task.test or ""))


def case_to_ask(task: Task) -> ProbeCase:
    """Return what is run to ask about a task; raises InputError where no probe of it could be asked."""
    if task.problem is None or task.implementation is None:
        raise InputError("this item is of no problem with named implementations, so there are no probes of its run.")
    if task.language != "python":
        raise InputError(
            f"probes are asked about Python programs, and this one is in {visible_line(task.language, 40)}."
        )
    if task.test is None:
        raise InputError("this item names no test, and a probe is about the run of one.")
    function = called_function(task)
    if function is None:
        raise InputError("it is not known which function of this program is called.")
    try:
        arguments = arguments_of(task.input, function).strip()
    except UnusableError as error:
        raise InputError(f"the input of this item is not the arguments of a call: {error}") from error
    return ProbeCase(task, f"{function}({arguments})")


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """A recorded run about which can be asked."""

    case: ProbeCase
    run: RunToAsk

    def proposals(self) -> list[OwnProbe]:
        """Return what can be proposed, those with the longest way to their answer first."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in a program are no concern of the reader
            return [_own(probe) for probe in self.run.propose()]

    def answered(self, wanted: Wanted, question: str = "", dimensions: Sequence[str] = ()) -> OwnProbe:
        """Return a probe with the answer that the run gives; without words or dimensions with those of our rules.

        Raises InputError where the run has no such moment, or no one answer that JSON has.
        """
        _check(wanted, question, dimensions)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.run.asked(wanted)
        if found is None:
            raise InputError(f"the run gives no answer: {self._why_none(wanted)}")
        own = _own(found)
        kept = tuple(name for name in DIMENSIONS if name in dimensions)
        return own._replace(question=question.strip() or own.question, dimensions=kept or own.dimensions)

    def lines(self) -> list[int]:
        """Return the lines of functions that run at least once, in their order."""
        story = self.run.story
        return sorted(line for line in story.by_line if line in story.facts.lines)

    def variables(self) -> list[str]:
        """Return the names that the program's lines give values, in the order of their characters."""
        return sorted({name for name in self.run.story.stores if name.isidentifier()})

    def _why_none(self, wanted: Wanted) -> str:
        line, story = wanted.line, self.run.story
        times, facts = len(story.by_line.get(line, ())), story.facts.lines.get(line)
        if not times or facts is None:
            return f"line {line} does not run."
        if facts.statements != 1 or facts.hidden or facts.ends > line:
            return f"line {line} is not one simple statement, so which of its visits is the n-th has no one answer."
        if wanted.kind in (BRANCH, FIRST_TIME) and facts.condition is None:
            return f"line {line} has no condition of an if or a while."
        if wanted.kind in (LOOP_COUNT, AT_ITERATION, AT_EXIT) and facts.loop is None:
            return f"line {line} begins no loop."
        if wanted.kind == AT_VISIT and (facts.condition is not None or facts.loop is not None):
            return f"line {line} begins a loop or is a condition: ask at a line within, or before an iteration."
        if wanted.kind in (BRANCH, AT_VISIT) and wanted.n is not None and wanted.n > times:
            done = "is evaluated" if wanted.kind == BRANCH else "runs"
            return f"line {line} {done} {counted(times, 'time')}, not {wanted.n}."
        when = "" if wanted.n is None else f" for the {ordinal(wanted.n)} time"
        what = "" if wanted.variable is None else f" with a short value of {visible_line(wanted.variable, 40)}"
        return f"line {line} has no {wanted.kind}{when}{what} that is the same in every run."


def _check(wanted: Wanted, question: str, dimensions: Sequence[str]) -> None:
    if wanted.kind not in KINDS:
        raise InputError(f"there is no kind {visible_line(wanted.kind, 40)!r}: it is one of {', '.join(KINDS)}.")
    if wanted.kind.startswith("value-") is (wanted.variable is None):
        which = "a" if wanted.variable is None else "no"
        raise InputError(f"a probe of the kind {wanted.kind} names {which} variable.")
    if strange := [name for name in dimensions if name not in DIMENSIONS]:
        known = ", ".join(DIMENSIONS)
        raise InputError(f"there is no dimension {visible_line(strange[0], 40)!r}: there are {known}.")
    if len(question) > LONGEST_QUESTION:
        raise InputError(f"the question has {len(question):,} characters; {LONGEST_QUESTION:,} are enough.")


def _own(probe: Probe) -> OwnProbe:
    answer, answer_type = json.dumps(probe.answer.value), probe.answer.answer_type
    about = (probe.kind, probe.line, probe.n, probe.variable, probe.question, probe.dimensions)
    return OwnProbe(*about, answer, answer_type, probe.depth, probe.step)


@contextmanager
def opened_boxes(*, unsafe: bool = False) -> Iterator[list[Sandbox]]:
    """Give the sandboxes in which a run is recorded; raises RefusedError where programs cannot be contained here."""
    with ExitStack() as opened:
        try:
            yield [opened.enter_context(Sandbox(unsafe=unsafe, hash_seed=seed)) for seed in HASH_SEEDS]
        except RefusedError as error:
            raise RefusedError(error.message, _ALL_THE_SAME) from error


class CaseRuns:
    """Runs cases one after the other; the last run is kept, since many probes in a row are about one.

    The sandboxes are opened with the first case, and end with the block.
    """

    def __init__(self, *, unsafe: bool = False) -> None:
        """`unsafe` runs programs also where no wall keeps them from harm."""
        self._unsafe = unsafe
        self._opened = ExitStack()
        self._boxes: list[Sandbox] = []
        self._last: ProbeRun | None = None

    def __enter__(self) -> CaseRuns:
        """Begin; nothing runs yet."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the sandboxes."""
        self._opened.close()

    def run_of(self, case: ProbeCase) -> ProbeRun:
        """Return the run of a case; raises as `opened_boxes` and `open_run` do."""
        last = self._last
        if last is None or (last.case.task.source, last.case.call) != (case.task.source, case.call):
            self._boxes = self._boxes or self._opened.enter_context(opened_boxes(unsafe=self._unsafe))
            last = self._last = open_run(case, self._boxes)
        return last


def open_run(case: ProbeCase, boxes: Sequence[Sandbox]) -> ProbeRun:
    """Run a case in every sandbox; raises InputError, which says why, where nothing can be asked about it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = run_to_ask(boxes, case.task.source, case.call)
    if isinstance(run, Unaskable):
        raise InputError(f"nothing can be asked here: {run.why}")
    return ProbeRun(case, run)


def prompt_of(case: ProbeCase, probe: OwnProbe, prompting: Prompting = Prompting.DIRECT) -> str:
    """Return what a model is asked first about a probe."""
    function, _, arguments = case.call.partition("(")
    extra = {**case.task.extra, "entry_point": function}
    asked = replace(case.task, target="probe", input=arguments[:-1], question=probe.question, extra=extra)
    return str((with_prompt(asked, prompting).prompt or {}).get("user", ""))
