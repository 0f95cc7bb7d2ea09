"""The valid programs of the splits: enough, of their sizes, valid under both semantics, no two of one shape."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median

import pytest

from auditor.errors import InputError
from auditor.resources import data_folder
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.normal_form import normal_form
from auditor.studies.prex.program_sizes import Size, size_of, size_table
from auditor.studies.prex.splits import (
    ALTOGETHER,
    HAND_WRITTEN_FOLDER,
    PYTHON_FOLDER,
    ValidProgram,
    fuzzed_program,
    hand_written,
    lines_of,
    translated,
)


@cache
def own_programs() -> tuple[list[ValidProgram], list[ValidProgram]]:
    samples = data_folder("sample_runs")
    from_python, left = translated(samples / PYTHON_FOLDER)
    assert left == []
    return hand_written(samples / HAND_WRITTEN_FOLDER), from_python


def test_hand_written_programs_are_many_and_of_the_papers_sizes() -> None:
    sizes = [size_of(one.source).lines for one in own_programs()[0]]
    assert len(sizes) >= 60
    assert min(sizes) == 4
    assert 70 <= max(sizes) <= 90
    assert 16 <= median(sizes) <= 22


def test_no_two_programs_are_alike_in_shape() -> None:
    forms: dict[str, str] = {}
    for one in (*own_programs()[0], *own_programs()[1]):
        other = forms.setdefault(normal_form(parse(one.source)), one.name)
        assert other == one.name


def test_names_and_numbers_make_no_other_shape() -> None:
    one = normal_form(parse("int a; int n; a = 5; while (a < 9) { a = (a + n); break; };"))
    assert one == normal_form(parse("int zz; int ans; zz = 17; while (zz < 0) { zz = (zz + ans); break; };"))
    assert one != normal_form(parse("int a; int n; n = 5; while (a < 9) { a = (a + n); break; };"))
    assert one != normal_form(parse("int a; int n; a = 5; while (a < 9) { a = (a - n); break; };"))


def test_every_own_program_is_valid_under_both_semantics() -> None:
    for one in (*own_programs()[0], *own_programs()[1]):
        program = parse(one.source)
        executions = [run(program, formalism) for formalism in Formalism]
        assert [execution.verdict for execution in executions] == ["success", "success"], one.name
        assert executions[0].state == executions[1].state, one.name


def test_fuzzer_generated_programs_have_the_lengths_of_the_papers_table() -> None:
    lengths = [lines_of(number) for number in range(165)]
    assert (min(lengths), median(lengths), max(lengths)) == (485, 786, 1961)
    for number in (1, 2, 7):
        assert size_of(fuzzed_program(number, "0").source).lines == lines_of(number)
    assert fuzzed_program(7, "0") == fuzzed_program(7, "0") != fuzzed_program(7, "1")
    own = sum(map(len, own_programs()))
    assert own < ALTOGETHER


def test_sizes_are_least_median_and_greatest() -> None:
    (row,) = size_table({"a": [Size(9, 30), Size(4, 80), Size(6, 31), Size(5, 7)], "b": []})
    assert row == ("a", 4, (4, 5.5, 9), (7, 30.5, 80))
    assert size_of("int a;\na = (a <= 12);\n") == (2, 11)


def test_python_programs_that_cannot_be_translated_come_back_with_the_reason() -> None:
    found, left = translated(data_folder("sample_runs") / "classic_programs")
    assert found == []
    assert len(left) == 12
    assert ("max-flow", "line 1: C* cannot express an import.") in left


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.imp").write_text("int a;\n")
    (tmp_path / "odd.imp").write_text("int 5;\n")
    with pytest.raises(InputError, match=r"^odd.imp: line 1, column 5: "):
        hand_written(tmp_path)
