"""What is shown of C* items: marks of any text, places in another notation, and prompts in standard symbols."""

from __future__ import annotations

import pytest

from auditor.audit.cstar_item import CStarProgram, find_mark, standard_source
from auditor.audit.cstar_replay import CStarSubject, record_run
from auditor.studies.prex.cstar.fuzzing import Shape, fuzz
from auditor.studies.prex.cstar.notation import NOTATIONS, STANDARD, Notation
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import Place
from tests.hostile import HOSTILE


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=lambda one: one.key)
def test_every_text_has_a_mark_or_none_and_lines_of_its_own(notation: Notation) -> None:
    for text in HOSTILE.values():
        mark = find_mark(CStarProgram(text, notation, Formalism.K))
        assert mark is None or 1 <= mark.line <= text.count("\n") + 1
        assert standard_source(text, notation).count("\n") == text.count("\n")


def test_a_mark_says_what_the_run_comes_to() -> None:
    def words(source: str, formalism: Formalism) -> tuple[int, str] | None:
        mark = find_mark(CStarProgram(source, STANDARD, formalism))
        return None if mark is None else (mark.line, mark.words)

    assert words("int a;\na = a / 0;\n", Formalism.S) == (2, "violates Rule 19 of S")
    assert words("\nbreak;\nint a;\n", Formalism.K) == (2, "violates Rule 34 of K")
    assert words("int a;\nint a;\n", Formalism.K) == (2, "stuck: no rule applies")
    assert words("int a;\nint a;\n", Formalism.S) is None
    assert words("int a;\na = 10;\nwhile (true) { a = a * a; };\n", Formalism.S) == (
        3,
        "a value of more than 600 digits",
    )
    assert words("int a", Formalism.S) is None
    assert words("int a;\nwhile (true)\n{\n};\n", Formalism.S) == (2, "not over after 1,000,000 steps")


def test_a_program_that_nobody_waits_for_any_more_is_given_up() -> None:
    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        find_mark(CStarProgram("while (true) { };", STANDARD, Formalism.S), stop)


@pytest.mark.parametrize("seed", range(6))
def test_places_in_standard_symbols_hold_the_same_construct(seed: int) -> None:
    text = print_program(fuzz(seed, Shape(lines=30, depth=3)))
    for notation in NOTATIONS.values():
        source = respell(text, STANDARD, notation).replace("    ", "\t ")
        program = CStarProgram(source, notation, list(Formalism)[seed % 2])
        replay = record_run(CStarSubject(program, "verdict", None, None))
        standard = replay.standard_source
        for at in range(1, replay.last + 1):
            place, other = replay.place(at), replay.place(at, standard=True)
            assert place is not None and other is not None
            assert respell(_cut(source, place), notation, STANDARD) == _cut(standard, other)


def _cut(source: str, place: Place) -> str:
    """Return the text at a place."""
    lines = source.split("\n")[place.line - 1 : place.end_line]
    lines[-1] = lines[-1][: place.end_column - 1]
    lines[0] = lines[0][place.column - 1 :]
    return "\n".join(lines)
