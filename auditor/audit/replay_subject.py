"""What a replay of an item runs: the program that the model was shown, or the one without its checkpoint."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import NamedTuple

from auditor.audit.asked_probe import ENTRY_POINT, asked_probe
from auditor.audit.call_arguments import only_functions
from auditor.audit.replay_probe import ProbeQuestion
from auditor.audit.runnable import called_function
from auditor.errors import InputError
from auditor.execution.landmarks import is_loop
from auditor.grading.literals import read_literal
from auditor.grading.probe_types import answer_kind
from auditor.model import SUBJECT, Checkpoint, Task
from auditor.store.queue import ReviewItem
from auditor.store.tasks import oracle_text
from auditor.text import visible_line

_LANGUAGES = {"cpp": "C++", "cstar": "C*", "c": "C", "java": "Java", "javascript": "JavaScript", "rust": "Rust"}
_NEWLINE = "\n"
_LITERAL_POLICIES = ("python-literal", "call-equals")


class Version(NamedTuple):
    """One program of a task."""

    source: str
    run: str
    """The source, and what calls its function where the task is about a call."""
    checkpoint: Checkpoint | None
    is_clean: bool = False
    """Whether it is not the one that the model was shown, but the one without what stops it at the checkpoint."""
    may_end_often: bool = False
    """Whether the checkpoint is after a loop that may end several times, of which the right one has to be found."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is run, and what is predicted of it."""

    source: str
    """The program as the model was shown it."""
    run: str
    """What is run: the source, and a line below it that calls its function where the task is about a call."""
    stdin: str
    checkpoint: Checkpoint | None
    target: str
    prediction: str | None
    oracle: str | None
    exact: bool = False
    """Whether white space counts in an output."""
    is_correct: bool = False
    """Whether the prediction was graded as correct; its policy may take for equal what is spelled otherwise."""

    clean: str | None = None
    """The program without what stops it at the checkpoint, where that is another one."""
    probe: ProbeQuestion | None = None
    """What is asked about the run, where the task is a probe or one that is judged."""

    @property
    def versions(self) -> list[Version]:
        """Return what can be run, the best first: a run of the clean program goes on behind the checkpoint."""
        shown = Version(self.source, self.run, self.checkpoint)
        point, clean = self.checkpoint, self.clean
        if point is None or clean is None or point.clean_line is None or self.is_call:
            return [shown]
        if not is_loop(clean, point.clean_line):
            return [shown]
        often = point.when != "before-iteration" and not is_loop(clean, point.clean_line, outermost=True)
        return [Version(clean, clean, replace(point, line=point.clean_line), True, often), shown]

    @property
    def is_call(self) -> bool:
        """Whether the task is about a call of a function."""
        return self.run != self.source


def subject_of(item: ReviewItem) -> Subject:
    """Return what a replay of an item runs; raises InputError when there is nothing that it could run."""
    task = item.task
    if task.language != "python":
        name = _LANGUAGES.get(task.language, visible_line(task.language, 40))
        raise InputError(f"replay is for Python programs, and this one is in {name}.")
    prediction = item.grade.prediction if item.grade else None
    source, given, stdin = task.source, task.input, task.input
    predicted: str | None = prediction
    if task.target == "input":
        if prediction is None:
            raise InputError("no input was predicted, so there is none to run the program with.")
        given = stdin = prediction
        predicted = None
    correct = item.grade is not None and item.grade.status.is_correct
    clean = task.clean_source if task.clean_source != source else None
    run, functions = source, only_functions(source)
    named = called_function(task)
    if named in functions:
        functions = tuple(sorted(functions, key=lambda name: name != named))
    elif named is not None and not functions and task.extra.get(ENTRY_POINT) == named:
        # What a program does besides defining functions hinders nobody from calling the one that the task names.
        functions = (named,) if _call((named,), given) is not None else ()
    if functions:
        call = _call(functions, given)
        if call is None:
            raise InputError("the program only defines functions, and its input is no call of one: nothing would run.")
        run, stdin = f"{source.removesuffix(_NEWLINE)}{_NEWLINE}print(repr({call}))\n", ""
    oracle, exact = item.oracle_text, item.policy == "bytes"
    if functions and item.policy in _LITERAL_POLICIES:
        if task.target == "output" and (written := _as_written(predicted)) is not None:
            predicted, exact = written, True
        if task.target == "input" and (written := _as_written(oracle)) is not None:
            oracle, exact = written, True
    return Subject(
        source,
        run,
        stdin,
        task.checkpoint,
        task.target,
        predicted,
        oracle,
        exact=exact,
        is_correct=correct,
        clean=clean,
        probe=_question(task),
    )


def _question(task: Task) -> ProbeQuestion | None:
    asked = asked_probe(task)
    if asked is None:
        return None
    kind, answer = answer_kind(task.answer_type, task.oracle), oracle_text("probe", task.oracle) or "null"
    return ProbeQuestion(asked, task.question or "", kind, answer, task.target == SUBJECT)


def _as_written(text: str | None) -> str | None:
    """Return a literal as the run of a call writes its value; None where that cannot be told.

    How a value is spelled is no difference to the policy, but every character of a string is. The order in which the
    members of a set are written is another one in each process.
    """
    if text is None:
        return None
    try:
        value = read_literal(text)
        return None if _has_set(value) else f"{value!r}\n"
    except (ValueError, RecursionError):  # no literal, or an integer of more digits than Python writes
        return None


def _has_set(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_set, (*value, *value.values())))
    return isinstance(value, set) or (isinstance(value, list | tuple) and any(map(_has_set, value)))


def _call(functions: tuple[str, ...], given: str) -> str | None:
    """Return the call that an input stands for, on one line: it is a call itself, or the arguments of one."""
    given = given.strip()
    for text in (given, f"{functions[0]}({given})"):
        try:
            tree = ast.parse(text, mode="eval").body
            if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in functions:
                return ast.unparse(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None
