"""What holds for every valid program, tried on random ones: round trips, agreement, planted errors, respelling.

`python -m tests.benchmarks.cstar_properties` does the same with 10,000 programs.
"""

from __future__ import annotations

import pytest

from auditor.errors import InputError
from auditor.studies.prex.cstar.error_kinds import VIOLATED, PlantedError
from auditor.studies.prex.cstar.fuzzing import Shape, fuzz
from auditor.studies.prex.cstar.machine import Ending, Execution, run
from auditor.studies.prex.cstar.notation import NOTATIONS, SINGLE_TOKEN, STANDARD, SWAPPED, UNSEEN
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.planting import Field, plant
from auditor.studies.prex.cstar.printing import print_program, same_program
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import Break, Continue, every_statement
from tests.studies.prex.properties import check_program


@pytest.mark.parametrize("seeds", [range(start, start + 40) for start in range(0, 200, 40)], ids=lambda one: one.start)
def test_random_programs_hold_what_every_program_must(seeds: range) -> None:
    for seed in seeds:
        check_program(seed, Shape(lines=8 + seed % 16, depth=1 + seed % 5))


def test_a_random_program_has_exactly_the_lines_it_shall_have() -> None:
    for lines in (4, 5, 6, 7, 11, 13, 85, 786, 1961):
        assert print_program(fuzz(lines, Shape(lines=lines, depth=6))).count("\n") == lines


def test_random_programs_depend_on_the_seed_alone_and_stay_within_their_depth() -> None:
    one, again, other = (fuzz(seed, Shape(200, 3)) for seed in (7, 7, 8))
    assert same_program(one, again)
    assert not same_program(one, other)
    assert max(depth for _, depth, _ in every_statement(one)) <= 3
    assert all(depth == 0 for _, depth, _ in every_statement(fuzz(1, Shape(50, 0))))


def test_random_programs_use_the_whole_language() -> None:
    texts = "".join(print_program(fuzz(seed, Shape(200, 5, halts=0.05))) for seed in range(6))
    for symbol in ("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||"):
        assert f" {symbol} " in texts
    assert all(word in texts for word in ("(!", "(-", "(+", "if", "while", "break", "continue", "halt", "true"))


@pytest.mark.parametrize("shape", [(3, 1), (1962, 1), (10, 21), (10, -1)])
def test_shapes_that_cannot_be_had_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="cannot be had"):
        Shape(*shape)


SMALL = ["", "halt;", "int a;", "int i; while (i < 3) { i = i + 1; }", "while (true) { break; }", "if (true) { halt; }"]


@pytest.mark.parametrize("source", SMALL)
@pytest.mark.parametrize("error", PlantedError)
def test_every_valid_program_has_a_place_for_every_error(source: str, error: PlantedError) -> None:
    for seed in range(5):
        planted = plant(parse(source), error, seed)
        for formalism, execution in planted.executions.items():
            assert (execution.verdict, execution.rule) == ("error", VIOLATED[error][formalism])
        assert same_program(parse(planted.source), planted.program)


def test_breaks_and_continues_are_planted_outside_loops_only_and_where_they_are_reached() -> None:
    source = "int a; if (a > 0) { a = 1; } else { a = 2; }; while (a < 5) { a = a + 1; };"
    source += "if (a == 5) { a = 9; }; halt; a = 3;"
    field = Field(parse(source))
    for kind, error in ((Break, PlantedError.BREAK_OUTSIDE_LOOP), (Continue, PlantedError.CONTINUE_OUTSIDE_LOOP)):
        lines = set()
        for seed in range(40):
            planted = field.plant(error, seed)
            jumps = [(one, in_loop) for one, _, in_loop in every_statement(planted.program) if isinstance(one, kind)]
            assert [in_loop for _, in_loop in jumps] == [False]
            assert jumps[0][0].place == planted.place
            lines.add(planted.place.line)
        assert len(lines) == 7  # before each of the seven statements outside the loop that the execution comes by


def test_a_condition_without_arithmetic_is_passed_over_for_what_can_be_changed() -> None:
    field = Field(parse("int a; if (true) { if (!false) { a = 1; }; };"))
    for seed in range(12):
        for error in (PlantedError.DIVIDE_BY_ZERO, PlantedError.USE_BEFORE_DECLARATION):
            assert "int y;" not in field.plant(error, seed).source


def test_zeros_and_names_are_planted_in_several_ways() -> None:
    field = Field(parse("int a; int b; a = 5; b = a * 3; int c; c = a + b;"))
    sources = {field.plant(PlantedError.DIVIDE_BY_ZERO, seed).source for seed in range(60)}
    assert any("/ 0)" in source for source in sources)
    assert any("b = 0;" in source for source in sources)
    assert any("/ b)" in source and "b = 0;" not in source for source in sources)
    sources = {field.plant(PlantedError.USE_BEFORE_DECLARATION, seed).source for seed in range(60)}
    assert any("(c * 3)" in source for source in sources)
    assert any("(y + b)" in source for source in sources)


@pytest.mark.parametrize("source", ["break;", "int a; a = 1 / a;", "while (true) { }", "int a; int a;"])
def test_an_error_is_not_planted_in_a_program_that_is_not_valid(source: str) -> None:
    with pytest.raises(InputError, match="valid programs only"):
        plant(parse(source), PlantedError.MODULO_ZERO, budget=1000)


def test_the_way_back_gives_the_same_text() -> None:
    source = "int  a ,b;a=1+2\n-b%3*4/5; // é\tif(a<=b&&!(a==b)||a!=b){break}else{continue};while(a>=b){halt}"
    for notation in NOTATIONS.values():
        assert respell(respell(source, STANDARD, notation), notation, STANDARD) == source
    assert respell("a = b + c * 2;", STANDARD, SWAPPED) == "a = b - c / 2;"
    assert respell("while (a<b) { a=a+1; }", STANDARD, UNSEEN) == "𐕕 (a𐔳b) { a𐕂a𐕐1; }"
    assert respell("₪ (a ● b) { ✓; }", SINGLE_TOKEN, UNSEEN) == "𐕕 (a 𐔳 b) { 𐔾; }"
    assert respell("1a𐕐b𐕂✓ 𐔾𐔾", UNSEEN, SINGLE_TOKEN) == "1a★b€✓ ✓✓"
    assert respell("✓a € 1", SINGLE_TOKEN, STANDARD) == "break a = 1"
    assert respell("if ifs else1", STANDARD, SINGLE_TOKEN) == "▷ ifs else1"


def test_a_swapped_program_read_as_a_standard_one_does_something_else() -> None:
    source = "int a; a = (7 + 3);"
    swapped = respell(source, STANDARD, SWAPPED)

    def state(text: str, execution: Execution) -> int:
        assert execution.ending is Ending.COMPLETE, text
        return execution.state["a"]

    assert state(swapped, run(parse(swapped, SWAPPED), Formalism.S)) == 10
    assert state(swapped, run(parse(swapped), Formalism.S)) == 4
