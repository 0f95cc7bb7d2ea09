"""The grid of PrEx: every valid program with its five invalid counterparts, under each semantics and each shift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from auditor.model import JsonValue, Scalar, Task
from auditor.studies.prex.cstar.error_kinds import VIOLATED, PlantedError
from auditor.studies.prex.cstar.machine import Execution, run
from auditor.studies.prex.cstar.notation import NOTATIONS, STANDARD, SWAPPED, Notation
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.planting import Field
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import If, Program, While, every_statement
from auditor.studies.prex.program_sizes import Size, size_of
from auditor.studies.prex.prompts import Strategy, executability_prompt
from auditor.studies.prex.splits import ValidProgram

VALID = "valid"
"""What stands in the place of the error's name for the program without one."""


class Shift(Enum):
    """What happened to the symbols, by the paper's names."""

    STANDARD = "Standard"
    SWAP = "KeywordSwap"
    OBFUSCATED = "KeywordObf"


@dataclass(frozen=True, slots=True)
class GridOptions:
    """Which tasks are made of a program, and how."""

    formalisms: tuple[Formalism, ...] = tuple(Formalism)
    shifts: tuple[Shift, ...] = tuple(Shift)
    alphabet: str = "obf"
    """The key of the notation that KeywordObf uses."""
    seed: str = "0"
    """It chooses places and ways of the errors."""
    whole_prompt: Strategy | None = None
    """Which prompt every task holds; None: none."""

    @property
    def arms(self) -> list[tuple[Formalism, Shift]]:
        """The configurations, in the order of their tasks."""
        return [(formalism, shift) for formalism in self.formalisms for shift in self.shifts]

    def notation(self, shift: Shift) -> Notation:
        """Return in which symbols a shift is written."""
        if shift is Shift.OBFUSCATED:
            return NOTATIONS[self.alphabet]
        return SWAPPED if shift is Shift.SWAP else STANDARD


class Matched(NamedTuple):
    """One of the six programs that belong together."""

    error: PlantedError | None
    source: str
    """In the standard notation."""
    executions: dict[Formalism, Execution]
    size: Size
    cyclomatic: int


def arm_of(formalism: Formalism, shift: Shift) -> str:
    """Return the name of a configuration, e.g. `S/KeywordSwap`."""
    return f"{formalism.value}/{shift.value}"


def study_of(valid: ValidProgram) -> str:
    """Return the study that a program belongs to."""
    return f"prex-{valid.split.value}"


def matched_programs(valid: ValidProgram, seed: str) -> Iterator[Matched]:
    """Yield the valid program and one for each kind of error; what each does is known by execution.

    Raises InputError when the program is not valid, or has no place for an error.
    """
    program = parse(valid.source)
    field = Field(program)
    yield _matched(None, program, valid.source, {formalism: run(program, formalism) for formalism in Formalism})
    for error in PlantedError:
        planted = field.plant(error, f"{seed}/{valid.name}")
        yield _matched(error, planted.program, planted.source, dict(planted.executions))


def _matched(
    error: PlantedError | None, program: Program, source: str, executions: dict[Formalism, Execution]
) -> Matched:
    for formalism, execution in executions.items():
        assert execution.rule == (VIOLATED[error][formalism] if error else None), execution.sentence
    decisions = sum(isinstance(statement, If | While) for statement, _, _ in every_statement(program))
    return Matched(error, source, executions, size_of(source), decisions + 1)


def tasks_of(valid: ValidProgram, options: GridOptions) -> Iterator[Task]:
    """Yield the tasks of a valid program and its counterparts, one for each program and configuration."""
    for matched in matched_programs(valid, options.seed):
        sources = {shift: _written(matched.source, options.notation(shift)) for shift in options.shifts}
        for formalism, shift in options.arms:
            yield _task(valid, matched, formalism, shift, sources[shift], options)


def _written(source: str, notation: Notation) -> str:
    """Return a program in another notation, after checking that it is the same program."""
    written = respell(source, STANDARD, notation)
    assert respell(written, notation, STANDARD) == source, "another notation says something else"
    return written


def _task(
    valid: ValidProgram, matched: Matched, formalism: Formalism, shift: Shift, source: str, options: GridOptions
) -> Task:
    notation = options.notation(shift)
    error = matched.error.value if matched.error else VALID
    facets: dict[str, Scalar] = {
        "split": valid.split.value,
        "semantics": formalism.value,
        "shift": shift.value,
        "error_type": error,
        "notation": notation.key,
        "loc": len(valid.source.splitlines()),
    }
    prompt: dict[str, JsonValue] | None = None
    if options.whole_prompt is not None:
        prompt = dict(executability_prompt(formalism, notation, options.whole_prompt).about(source)._asdict())
    execution = matched.executions[formalism]
    return Task(
        study_of(valid),
        f"{valid.name}/{error}",
        arm_of(formalism, shift),
        "cstar",
        source,
        "",
        "verdict",
        oracle_of(execution),
        clean_source=valid.source,
        prompt=prompt,
        measures={
            "tokens": matched.size.tokens,
            "cyclomatic": matched.cyclomatic,
            "trace_length": execution.steps,
        },
        facets=facets,
    )


def oracle_of(execution: Execution) -> dict[str, JsonValue]:
    """Return the right answer to a program that was executed."""
    if execution.rule is None:
        return {"verdict": "success"}
    return {"verdict": "error", "rule": f"Rule {execution.rule}"}
