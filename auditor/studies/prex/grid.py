"""The grid of PrEx: every valid program with its five invalid counterparts, under each semantics and each shift."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from auditor.errors import InputError
from auditor.model import JsonValue, Scalar, Study, Task
from auditor.studies.prex.cstar.error_kinds import VIOLATED, PlantedError
from auditor.studies.prex.cstar.machine import Execution, run
from auditor.studies.prex.cstar.notation import NOTATIONS, SINGLE_TOKEN, STANDARD, SWAPPED, Notation
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.planting import Field
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import If, Program, While, every_statement
from auditor.studies.prex.program_sizes import Size, size_of
from auditor.studies.prex.prompts import Prompt, Strategy, executability_prompt, final_state_prompt
from auditor.studies.prex.splits import Split, ValidProgram

VALID = "valid"
"""What stands in the place of the error's name for the program without one."""


class Shift(Enum):
    """What happened to the symbols, by the paper's names."""

    STANDARD = "Standard"
    SWAP = "KeywordSwap"
    OBFUSCATED = "KeywordObf"


class Asked(Enum):
    """What is asked of a program."""

    VERDICT = "verdict"
    """Whether it violates a rule, and which: of valid and invalid programs."""
    FINAL_STATE = "final-state"
    """The values of its variables at the end: of valid programs."""


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
    asked: Asked = Asked.VERDICT

    @property
    def arms(self) -> list[tuple[Formalism, Shift]]:
        """The configurations, in the order of their tasks."""
        return [(formalism, shift) for formalism in self.formalisms for shift in self.shifts]

    def arm(self, formalism: Formalism, shift: Shift) -> str:
        """Return the name of a configuration, e.g. `S/KeywordSwap`; it tells the alphabets of KeywordObf apart."""
        one_token = shift is Shift.OBFUSCATED and self.alphabet == SINGLE_TOKEN.key
        return "/".join((formalism.value, shift.value, *(("one-token",) if one_token else ())))

    def prompt(self, formalism: Formalism, shift: Shift, strategy: Strategy) -> Prompt:
        """Return what a model is asked; the program's place is open."""
        make = executability_prompt if self.asked is Asked.VERDICT else final_state_prompt
        return make(formalism, self.notation(shift), strategy)

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


def study_of(split: Split, asked: Asked) -> Study:
    """Return the study that the programs of a split belong to."""
    if asked is Asked.FINAL_STATE:
        return Study(f"predstate-{split.value}", "json-or-tokens", "state-tags", "program", samples=1)
    return Study(f"prex-{split.value}", "verdict", "ans-tags", "program", "prex", 1)


def matched_programs(valid: ValidProgram, seed: str) -> Iterator[Matched]:
    """Yield the valid program and one for each kind of error; what each does is known by execution.

    Raises InputError when the program is not valid, or has no place for an error.
    """
    program = parse(valid.source)
    field = Field(program)
    yield _valid(valid, program)
    name = valid.name.encode("utf-8", "backslashreplace").decode()  # random numbers take no lone surrogates
    for error in PlantedError:
        planted = field.plant(error, f"{seed}/{name}")
        yield _matched(error, planted.program, planted.source, dict(planted.executions))


def _valid(valid: ValidProgram, program: Program) -> Matched:
    executions = {formalism: run(program, formalism) for formalism in Formalism}
    for execution in executions.values():
        if execution.verdict != "success":
            raise InputError("the program is not valid.", hint=execution.sentence)
    return _matched(None, program, valid.source, executions)


def _matched(
    error: PlantedError | None, program: Program, source: str, executions: dict[Formalism, Execution]
) -> Matched:
    for formalism, execution in executions.items():
        assert execution.rule == (VIOLATED[error][formalism] if error else None), execution.sentence
    decisions = sum(isinstance(statement, If | While) for statement, _, _ in every_statement(program))
    return Matched(error, source, executions, size_of(source), decisions + 1)


def tasks_of(valid: ValidProgram, options: GridOptions) -> Iterator[Task]:
    """Yield the tasks of a valid program, for verdicts those of its counterparts too: one for each configuration.

    Raises InputError as `matched_programs` does.
    """
    if options.asked is Asked.FINAL_STATE:
        programs = iter((_valid(valid, parse(valid.source)),))
    else:
        programs = matched_programs(valid, options.seed)
    for matched in programs:
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
        prompt = dict(options.prompt(formalism, shift, options.whole_prompt).about(source)._asdict())
    execution = matched.executions[formalism]
    asks_verdict = options.asked is Asked.VERDICT
    return Task(
        study_of(valid.split, options.asked).name,
        f"{valid.name}/{error}" if asks_verdict else valid.name,
        options.arm(formalism, shift),
        "cstar",
        source,
        "",
        "verdict" if asks_verdict else "state",
        verdict_of(execution) if asks_verdict else state_of(execution),
        clean_source=valid.source,
        prompt=prompt,
        measures={
            "tokens": matched.size.tokens,
            "cyclomatic": matched.cyclomatic,
            "trace_length": execution.steps,
        },
        facets=facets,
    )


def verdict_of(execution: Execution) -> dict[str, JsonValue]:
    """Return the right answer to whether a program that was executed violates a rule."""
    if execution.rule is None:
        return {"verdict": "success"}
    return {"verdict": "error", "rule": f"Rule {execution.rule}"}


def state_of(execution: Execution) -> str:
    """Return the variables at the end of an execution as compact JSON, in the order of their declaration."""
    return json.dumps(dict(execution.state), separators=(",", ":"))
