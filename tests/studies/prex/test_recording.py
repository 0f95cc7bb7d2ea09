"""A recorded run: the same as the run itself at every step, in any order, and cut where the budget ends."""

from __future__ import annotations

import pytest

from auditor.studies.prex.cstar.fuzzing import Shape, fuzz
from auditor.studies.prex.cstar.machine import Ending, Stepper, run
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.recording import record
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import Program

NESTED = """int i;
int j;
while (i < 3)
{
    j = 0;
    while (true)
    {
        j = j + 1;
        if (j > i)
        {
            break;
        };
    };
    i = i + 1;
};
j = 1 / (i - 3);
"""


def read(text: str) -> Program:
    return parse(text)


@pytest.mark.parametrize("formalism", Formalism)
@pytest.mark.parametrize("text", [NESTED, "", "a = 1;", "int a; int a;", "halt;", "while (true) { continue; };"])
def test_a_recording_is_the_run_at_every_step(text: str, formalism: Formalism) -> None:
    check(read(text), formalism, 400)


@pytest.mark.parametrize("seed", range(12))
def test_recordings_of_random_programs_are_their_runs_also_where_they_are_cut(seed: int) -> None:
    program = read(print_program(fuzz(seed, Shape(lines=10 + seed, depth=1 + seed % 4))))
    for formalism in Formalism:
        for budget in (1 + 3 * seed, 2_000):
            check(program, formalism, budget)


def check(program: Program, formalism: Formalism, budget: int) -> None:
    recording, stepper = record(program, formalism, budget), Stepper(program, formalism, budget)
    number = 0
    assert dict(recording.state(0)) == {} and recording.statement_of(0) == 0
    for number, step in enumerate(stepper, 1):
        assert recording.step(number) == step
        assert list(recording.state(number).items()) == list(stepper.state.items())
        if step.change is not None:
            assert number in recording.changes_of(step.change.name)
    assert len(recording) == number
    assert str(recording.execution) == str(run(program, formalism, budget)) == str(stepper.execution)
    starts = list(recording.statements)
    assert starts == sorted(set(starts)) and (not starts or starts[0] == 1)
    for at, start in enumerate(starts, 1):
        assert recording.statement_of(start) == at and recording.statement_of(start - 1) == at - 1


@pytest.mark.parametrize("formalism", Formalism)
def test_turns_of_loops_are_known_by_the_loop_and_the_lines_that_are_reached(formalism: Formalism) -> None:
    recording = record(read(NESTED), formalism)
    assert [(loop.line, loop.end_line) for loop in recording.loops] == [(3, 15), (6, 13)]
    assert [len(turns) for turns in recording.turns.values()] == [3, 6]
    assert recording.loops_around(8, 9) == [0, 1] and recording.loops_around(14, 5) == [0]
    assert recording.loops_around(16, 1) == []
    for turns in recording.turns.values():
        assert all(recording.statements[recording.statement_of(step) - 1] == step for step in turns)
    assert sorted(recording.reached) == [1, 2, 3, 5, 6, 8, 9, 11, 13, 14, 15, 16]
    assert recording.violation == len(recording) and recording.step(len(recording)).rule in (19, 7)


def test_a_run_without_an_end_is_kept_up_to_its_budget_and_can_be_given_up() -> None:
    program = read("int i;\nwhile (true)\n{\n    i = i + 1;\n};\n")
    recording = record(program, Formalism.S, 150_000)
    assert len(recording) == 150_000 and recording.execution.ending is Ending.STEPS and recording.violation is None
    assert recording.state(150_000) == recording.execution.state

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        record(program, Formalism.K, check=stop)
