"""What must hold for every random program and for everything that is made of it."""

from __future__ import annotations

from auditor.studies.prex.cstar.error_kinds import VIOLATED, PlantedError
from auditor.studies.prex.cstar.fuzzing import Shape, fuzz
from auditor.studies.prex.cstar.machine import Execution, run
from auditor.studies.prex.cstar.notation import NOTATIONS, STANDARD
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.planting import Field
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_kind import Syntax
from auditor.studies.prex.cstar.syntax_tree import Program


def oracle(execution: Execution) -> tuple[object, ...]:
    """Return what is asked of a program: verdict, rule and final state."""
    return execution.verdict, execution.rule, dict(execution.state)


def check_program(seed: int, shape: Shape, *, thorough: bool = False) -> None:
    """Check a random program in both syntaxes, its five invalid twins, and it and its twins in another notation.

    Where it is not `thorough`, only one of the twins is respelled.
    """
    text = print_program(fuzz(seed, shape))
    program = parse(text)
    assert print_program(program) == text
    strict = print_program(program, syntax=Syntax.STRICT)
    assert print_program(parse(strict, syntax=Syntax.STRICT)) == text
    executions = [run(program, formalism) for formalism in Formalism]
    assert executions[0].verdict == "success"
    assert len({str(oracle(one)) for one in executions}) == 1
    field = Field(program)
    for number, error in enumerate(PlantedError):
        planted = field.plant(error, seed)
        for formalism, execution in planted.executions.items():
            assert (execution.verdict, execution.rule) == ("error", VIOLATED[error][formalism]), (seed, error)
        assert len({str(dict(one.state)) for one in planted.executions.values()}) == 1
        assert len({one.place for one in planted.executions.values()}) == 1
        if thorough or number == seed % 5:
            _check_notation(planted.program, planted.source, seed + number)
    _check_notation(program, text, seed)


def _check_notation(program: Program, text: str, number: int) -> None:
    """Check that one of the other notations keeps the oracle, and that the way back gives the same text."""
    notation = [one for one in NOTATIONS.values() if one is not STANDARD][number % 3]
    respelled = respell(text, STANDARD, notation)
    assert respelled == print_program(program, notation)
    assert respell(respelled, notation, STANDARD) == text
    read = parse(respelled, notation)
    for formalism in Formalism:
        assert oracle(run(read, formalism)) == oracle(run(program, formalism))
