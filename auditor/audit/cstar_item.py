"""What is shown of a C* task beside its program: the line of its violation, and all of it in standard symbols.

Everything is of one item as it is shown: of an item of which a blind review hides semantics and notation nothing is
said that would tell them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from auditor.errors import InputError
from auditor.grading.cstar_rules import CSTAR_LANGUAGES
from auditor.model import JsonValue, Task
from auditor.store.queue import ReviewItem
from auditor.studies.prex.cstar.notation import STANDARD, SWAPPED, Notation
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.studies.prex.cstar.machine import Execution
    from auditor.studies.prex.prompts import Prompt

_SHOWN_PROBLEM = 400


class CStarProgram(NamedTuple):
    """A program with all that says what it does."""

    source: str
    notation: Notation
    formalism: Formalism


class LineMark(NamedTuple):
    """What execution says of one line of a program."""

    line: int
    """Counted from 1."""
    words: str
    """What stands behind the line."""
    sentence: str
    """The same with all that is known."""


def is_cstar(task: Task) -> bool:
    """Say whether a task is about a C* program."""
    return task.language.lower() in CSTAR_LANGUAGES


def cstar_program(item: ReviewItem) -> CStarProgram:
    """Return an item's program; raises InputError that says why it is not known what the program does."""
    from auditor.audit.cstar_run import formalism_of_task, notation_of_task

    task = item.task
    if not is_cstar(task):
        raise InputError("this program is not in C*.")
    if item.hidden:
        raise InputError("the semantics and the symbols of the program are hidden in this blind review.")
    notation, formalism = notation_of_task(task), formalism_of_task(task)
    if notation is None:
        raise InputError("the facets notation and shift name no notation of C*.")
    if formalism is None:
        raise InputError("neither the facet semantics nor the arm says S or K.")
    return CStarProgram(task.source, notation, formalism)


def shown_language(item: ReviewItem) -> str:
    """Return a task's language as highlighting knows it: of a C* program also its notation, as far as it is shown."""
    if not is_cstar(item.task):
        return item.task.language
    notation = shown_notation(item)
    return "cstar" if notation is None else f"cstar:{notation.key}"


def shown_notation(item: ReviewItem) -> Notation | None:
    """Return the notation of a C* item's program; None for other items, and where it is not known or hidden."""
    if item.hidden or not is_cstar(item.task):
        return None
    from auditor.audit.cstar_run import notation_of_task

    return notation_of_task(item.task)


def find_mark(program: CStarProgram, check: Callable[[], None] | None = None) -> LineMark | None:
    """Run a program, and return the line where it violates a rule, or else ends without a verdict; None for success.

    A text that is no program has its mark where it stops being one. May take a second or so; `check` is called now and
    then, and ends it by raising.
    """
    from auditor.audit.cstar_run import STEPS, parsed_program
    from auditor.studies.prex.cstar.machine import run
    from auditor.studies.prex.cstar.parsing import CStarSyntaxError

    try:
        execution = run(parsed_program(program.source, program.notation), program.formalism, STEPS, check)
    except CStarSyntaxError as error:
        expected = error.message.removeprefix(f"line {error.line}, ")
        return LineMark(error.line, f"no C* program: {expected}", _no_program(error))
    except InputError as error:
        return LineMark(1, f"no C* program: {error.message}", _no_program(error))
    return mark_of_run(execution)


def mark_of_run(execution: Execution) -> LineMark | None:
    """Return the line where a run violates a rule, or else ends without a verdict; None for success."""
    from auditor.studies.prex.cstar.machine import Ending

    place = execution.place
    if place is None or execution.verdict == "success":
        return None
    if execution.rule is not None:
        words = f"violates Rule {execution.rule} of {execution.formalism.value}"
    else:
        short = {Ending.STUCK: "stuck: no rule applies", Ending.STEPS: f"not over after {execution.steps:,} steps"}
        words = short.get(execution.ending, "a value of more than 600 digits")
    return LineMark(place.line, words, execution.sentence)


def _no_program(error: InputError) -> str:
    return visible_line(f"The text is no C* program: {error}", _SHOWN_PROBLEM)


# --- in standard symbols -------------------------------------------------------------------------------------------


def standard_source(program_text: str, notation: Notation) -> str:
    """Return a program's text in standard symbols, line by line the same."""
    return respell(program_text, notation, STANDARD)


class StandardPrompt(NamedTuple):
    """A recorded prompt in standard symbols."""

    parts: dict[str, JsonValue]
    is_whole: bool
    """Whether all of it is in them; else only the program, and signs that no other text holds."""


def standard_prompt(item: ReviewItem) -> StandardPrompt | None:
    """Return an item's prompt with program, grammar and rules in standard symbols; None where none can be shown so.

    Of a prompt that is not one of ours the program is turned back, and of an alphabet that nobody has seen every sign:
    in other prose nobody knows which `-` is a symbol.
    """
    notation, task = shown_notation(item), item.task
    if notation is None or not task.prompt:
        return None
    parts = dict(task.prompt)
    if (ours := _ours(task, notation)) is not None:
        return StandardPrompt(parts | ours._asdict(), True)
    source = task.source.rstrip("\n")
    for name, part in parts.items():
        if isinstance(part, str) and notation is SWAPPED:
            parts[name] = part.replace(source, standard_source(source, notation)) if source else part
        elif isinstance(part, str):
            parts[name] = respell(part, notation, STANDARD)
    return StandardPrompt(parts, notation is not SWAPPED)


def _ours(task: Task, notation: Notation) -> Prompt | None:
    """Return the prompt in standard symbols where the recorded one is one that is built here; else None."""
    from auditor.audit.cstar_run import formalism_of_task
    from auditor.studies.prex.prompts import Strategy, executability_prompt, final_state_prompt

    formalism, recorded = formalism_of_task(task), task.prompt or {}
    if formalism is None:
        return None
    make = final_state_prompt if task.target == "state" else executability_prompt
    for strategy in Strategy:
        prompt = make(formalism, notation, strategy).about(task.source)
        if recorded.get("user") == prompt.user:
            standard = make(formalism, STANDARD, strategy).about(standard_source(task.source, notation))
            return standard._replace(system=str(recorded.get("system") or standard.system))
    return None
