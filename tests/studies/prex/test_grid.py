"""The grid: six matched programs in six configurations, whose oracles hold when they are read and executed again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from auditor.errors import InputError
from auditor.model import Task
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.notation import NOTATIONS
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.grid import Asked, GridOptions, Shift, study_of, tasks_of
from auditor.studies.prex.prompts import Strategy
from auditor.studies.prex.splits import Split, ValidProgram

SOURCE = """\
int a;
int n;
a = 7;
while ((n * n) < a)
{
    n = (n + 1);
};
"""
VALID = ValidProgram(Split.HAND_WRITTEN, "small-root", SOURCE)
RULES = {
    "valid": (None, None),
    "break_outside_loop": ("Rule 73", "Rule 34"),
    "continue_outside_loop": ("Rule 76", "Rule 31"),
    "divide_by_zero": ("Rule 19", "Rule 7"),
    "modulo_zero": ("Rule 23", "Rule 9"),
    "var_use_before_declare": ("Rule 2", "Rule 2"),
}
"""The paper's Table 5: the rule under S and under K."""


@cache
def tasks() -> tuple[Task, ...]:
    return tuple(tasks_of(VALID, GridOptions()))


def test_six_programs_in_six_configurations_with_keys_of_names() -> None:
    assert len({task.key for task in tasks()}) == 36
    assert {task.study for task in tasks()} == {"prex-hand-written"}
    assert Counter(task.case for task in tasks()) == {f"small-root/{error}": 6 for error in RULES}
    arms = [f"{semantics}/{shift}" for semantics in "SK" for shift in ("Standard", "KeywordSwap", "KeywordObf")]
    assert [task.arm for task in tasks()[:6]] == arms
    for task in tasks():
        assert (task.language, task.target, task.input, task.clean_source) == ("cstar", "verdict", "", SOURCE)
        assert f"{task.facets['semantics']}/{task.facets['shift']}" == task.arm
        assert (task.facets["split"], task.facets["loc"]) == ("hand-written", 7)
        assert task.case == f"small-root/{task.facets['error_type']}"


def test_every_oracle_is_that_of_table_5_and_of_the_program_as_it_is_shown() -> None:
    for task in tasks():
        rule = RULES[str(task.facets["error_type"])][task.arm.startswith("K")]
        assert task.oracle == ({"verdict": "success"} if rule is None else {"verdict": "error", "rule": rule})
        program = parse(task.source, NOTATIONS[str(task.facets["notation"])])
        execution = run(program, Formalism(task.facets["semantics"]))
        assert rule == (f"Rule {execution.rule}" if execution.rule else None)
        assert task.measures["trace_length"] == execution.steps
        assert task.measures["cyclomatic"] == 2


def test_only_the_symbols_differ_between_shifts() -> None:
    sources = {task.arm: task.source for task in tasks() if task.case == "small-root/valid"}
    assert sources["S/Standard"] == sources["K/Standard"] == SOURCE
    assert "while ((n / n) > a)" in sources["K/KeywordSwap"]
    assert "𐕕 ((n 𐕊 n) 𐔳 a)" in sources["S/KeywordObf"]


def test_a_part_of_the_grid_has_the_tasks_of_the_whole() -> None:
    given = GridOptions((Formalism.K,), (Shift.SWAP,), whole_prompt=Strategy.CHAIN_OF_THOUGHT)
    some = list(tasks_of(VALID, given))
    whole = [task for task in tasks() if task.arm == "K/KeywordSwap"]
    assert [replace(task, prompt=None) for task in some] == whole
    for task in some:
        assert task.prompt is not None
        assert f"<program>\n{task.source}</program>" in str(task.prompt["user"])


def test_the_seed_chooses_the_places_and_the_alphabet_the_signs() -> None:
    again = list(tasks_of(VALID, GridOptions()))
    assert again == list(tasks())
    other = list(tasks_of(VALID, GridOptions(seed="1", alphabet="obf-token")))
    assert [task.case for task in other] == [task.case for task in again]
    assert other[-1].oracle == again[-1].oracle
    assert {task.arm for task in other} - {task.arm for task in again} == {
        "S/KeywordObf/one-token",
        "K/KeywordObf/one-token",
    }
    assert [task.source for task in other[:1]] == [SOURCE]
    assert "₪ ((n $ n) ● a)" in next(task.source for task in other if task.arm == "S/KeywordObf/one-token")


def test_final_states_are_asked_of_valid_programs_only() -> None:
    asked = list(tasks_of(VALID, GridOptions(asked=Asked.FINAL_STATE, whole_prompt=Strategy.DIRECT)))
    assert len(asked) == 6
    for task in asked:
        assert (task.study, task.case, task.target) == ("predstate-hand-written", "small-root", "state")
        assert task.oracle == '{"a":7,"n":3}'
        assert task.prompt is not None
        assert "##timeout##" in str(task.prompt["user"])
    study = study_of(Split.HAND_WRITTEN, Asked.FINAL_STATE)
    assert (study.policy, study.envelope) == ("json-or-tokens", "state-tags")


def test_a_program_that_is_not_valid_is_refused() -> None:
    with pytest.raises(InputError, match="errors are planted in valid programs only"):
        list(tasks_of(VALID._replace(source="int a;\na = (a / a);\n"), GridOptions()))
