"""Run C* tasks: the interpreter of their semantics says what is right. Nothing of a program reaches Python itself.

Steps and the size of values are bounded, so that this needs no sandbox: a program cannot do more than compute.
"""

from __future__ import annotations

import hashlib
import json
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from auditor.audit.not_runnable import NotRunnable
from auditor.errors import InputError
from auditor.execution.outcome import Ending, Outcome
from auditor.execution.workers import Done, Job
from auditor.grading.cstar_rules import formalism_of
from auditor.grading.final_state import ERROR
from auditor.model import Task
from auditor.studies.prex.cstar.notation import (
    NOTATIONS,
    SINGLE_TOKEN,
    STANDARD,
    SWAPPED,
    UNSEEN,
    Notation,
    notation_called,
)
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.text import from_bytes, to_bytes, visible_line

if TYPE_CHECKING:
    from auditor.studies.prex.cstar.machine import Execution
    from auditor.studies.prex.cstar.syntax_tree import Program

CSTAR_ENGINE = "C* interpreter 1"
"""Changes when the interpreters give something else, so that nothing of an older one counts."""
STEPS = 1_000_000
"""After so many a program is stopped, and its oracle can be neither confirmed nor disputed."""
_OF_SHIFT = {"None": STANDARD, "Standard": STANDARD, "KeywordSwap": SWAPPED, "KeywordObf": UNSEEN}
_ONLY_SINGLE_TOKEN = frozenset("".join(SINGLE_TOKEN.spellings.values())) - frozenset(
    "".join((*STANDARD.spellings.values(), *UNSEEN.spellings.values()))
)


def formalism_of_task(task: Task) -> Formalism | None:
    """Return the semantics that a task is asked under: its facet `semantics`, or the first part of its arm."""
    found = formalism_of(task.facets) or formalism_of({"semantics": task.arm.partition("/")[0]})
    return Formalism(found.name) if found else None


def notation_of_task(task: Task) -> Notation | None:
    """Return in which symbols a task's source is written: its facet `notation`, else what its facet `shift` makes it.

    None where they name something else.
    """
    named = task.facets.get("notation")
    if named is not None:
        return NOTATIONS.get(str(named))
    notation = _OF_SHIFT.get(str(task.facets.get("shift")))
    return SINGLE_TOKEN if notation is UNSEEN and not _ONLY_SINGLE_TOKEN.isdisjoint(task.source) else notation


def cstar_job(task: Task) -> Job | NotRunnable:
    """Return what running a C* task is, or why it is not run."""
    if task.target not in ("verdict", "state"):
        return NotRunnable(f"a {visible_line(task.target, 40)} is not what a C* program comes to")
    if task.oracle is None or not task.source.strip():
        return NotRunnable("the case text and its oracle are not in the file")
    formalism, notation = formalism_of_task(task), notation_of_task(task)
    if formalism is None:
        return NotRunnable("neither the facet semantics nor the arm says S or K")
    if notation is None:
        return NotRunnable("the facets notation and shift name no notation of C*")
    how = {"formalism": formalism.value, "notation": notation.key, "target": task.target, "steps": STEPS}
    return Job("cstar", to_bytes(task.source), json.dumps(how).encode())


def run_cstar(job: Job) -> Done:
    """Run a C* task; its output is the oracle that it should have, as JSON."""
    how = json.loads(job.stdin)
    start = time.perf_counter()
    outcome, output = _ran(job, how)
    data = None if output is None else output.encode()
    return Done(outcome, data, None, True, time.perf_counter() - start)


def _ran(job: Job, how: dict[str, str]) -> tuple[Outcome, str | None]:
    # Late: the parser takes a moment to be imported, which a file without C* need not wait for.
    from auditor.studies.prex.cstar.machine import Ending as CStarEnding

    standard = standard_text(job)
    try:
        if standard is not None:
            execution = _executed(standard, STANDARD.key, how["formalism"], int(how["steps"]))
        if standard is None or execution.verdict is None:  # where it stops is told by the columns of its own text
            execution = _executed(from_bytes(job.source), how["notation"], how["formalism"], int(how["steps"]))
    except InputError as error:
        return Outcome(Ending.COMPILE_ERROR, message=visible_line(str(error), 200)), None
    if execution.verdict is not None:
        return Outcome(Ending.FINISHED, 0), _told(execution, how["target"])
    if execution.ending is CStarEnding.STUCK:
        return Outcome(Ending.EXCEPTION, exception="no verdict", message=execution.sentence), None
    return Outcome(Ending.CPU_TIME, message=execution.sentence), None


def standard_text(job: Job) -> str | None:
    """Return a job's program in standard symbols; None where turning it back would not give the same text again.

    The program is the same in every notation, so that it is read and run once for all of them.
    """
    source, notation = from_bytes(job.source), notation_called(json.loads(job.stdin)["notation"])
    standard = respell(source, notation, STANDARD)
    return standard if respell(standard, STANDARD, notation) == source else None


def standard_digest(job: Job) -> bytes:
    """Return the same for jobs whose programs are the same in standard symbols."""
    return hashlib.sha256(to_bytes(standard_text(job) or "")).digest()


@lru_cache(maxsize=8)
def _parsed(source: str, notation: str) -> Program:
    from auditor.studies.prex.cstar.parsing import parse

    return parse(source, notation_called(notation))


@lru_cache(maxsize=8)
def _executed(source: str, notation: str, formalism: str, steps: int) -> Execution:
    from auditor.studies.prex.cstar.machine import run

    return run(_parsed(source, notation), Formalism(formalism), steps)


def parsed_program(source: str, notation: Notation) -> Program:
    """Read a program, from any thread; the last few are kept. Raises InputError where the text is none."""
    return _parsed(source, notation.key)


def _told(execution: Execution, target: str) -> str:
    """Return what a run comes to: a verdict with its rule, or the final state."""
    if target == "state":
        return ERROR if execution.rule is not None else json.dumps(dict(execution.state), separators=(",", ":"))
    rule = {} if execution.rule is None else {"rule": f"Rule {execution.rule}"}
    return json.dumps({"verdict": execution.verdict} | rule, separators=(",", ":"))
