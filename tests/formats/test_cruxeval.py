from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import InputError
from auditor.formats.cruxeval import FORMAT, LCB_FORMAT
from auditor.formats.records import Planned, Refusal, ResponseRow, RunInfo, Source
from auditor.model import Setting, Study, Task
from auditor.text import UndecodedText
from tests.hostile import HOSTILE

NAME = "gpt-4+cot_temp0.2_output.json"
CASE: dict[str, Any] = {"code": "def f(x):\n    return x + 1", "input": "1", "output": "2", "id": "sample_0"}
ITEM: dict[str, Any] = {
    "question_id": 2777,
    "id": "sample_0",
    "function_name": "countSeniors",
    "code": "def countSeniors(details: List[str]) -> int:\n    return 1\n",
    "input": "countSeniors(details = ['x'])",
    "output": "1",
    "numsteps": 12,
    "problem_id": 1,
    "contest_id": "weekly-contest-300",
    "contest_date": "2023-05-20T00:00:00",
    "difficulty": "easy",
}
STUDY = Study("cruxeval", policy="python-literal", envelope="none", cluster="program")


def write(path: Path, *values: Any) -> Path:
    path.write_bytes(b"\n".join(v if isinstance(v, bytes) else json.dumps(v).encode() for v in values))
    return path


def rows(source: Source) -> list[ResponseRow]:
    return [item for batch in source.responses() for item in batch if isinstance(item, ResponseRow)]


def refusals(source: Source) -> list[str]:
    return [str(item) for batch in source.responses() for item in batch if isinstance(item, Refusal)]


# --- cases ---------------------------------------------------------------------------------------------------------


def test_a_case_becomes_two_tasks(tmp_path: Path) -> None:
    source = FORMAT.open(write(tmp_path / "cases.jsonl", CASE | {"note": 1}))
    assert (source.kind, source.study, source.default_study) == ("cases", "cruxeval", None)
    code = CASE["code"]
    assert list(source.records()) == [
        STUDY,
        Task(
            *("cruxeval", "sample_0", "output", "python", code, "1", "output", "2"),
            measures={"loc": 2},
            extra={"note": 1},
        ),
        Task(
            *("cruxeval", "sample_0", "input", "python", code, "", "input", "2"),
            measures={"loc": 2},
            extra={"reference_input": "1", "note": 1},
        ),
    ]
    assert [*source.responses(), *source.planned()] == []


def test_unusable_cases_are_refused_and_the_rest_goes_on(tmp_path: Path) -> None:
    missing = {key: value for key, value in CASE.items() if key != "output"}
    lines = [CASE, missing, CASE | {"id": 3}, CASE | {"code": None}, b"{", CASE, CASE | {"id": "last"}]
    source = FORMAT.open(write(tmp_path / "cases.jsonl", *lines))
    records = list(source.records())
    assert [str(record) for record in records if isinstance(record, Refusal)] == [
        "cases.jsonl:2: it has no output.",
        "cases.jsonl:3: id is the number 3, but must be text.",
        "cases.jsonl:4: code is null, but must be text.",
        "cases.jsonl:5: it is not JSON: expecting property name enclosed in double quotes at character 2.",
        "cases.jsonl:6: it repeats the case sample_0, which line 1 gave.",
    ]
    assert [record.case for record in records if isinstance(record, Task)] == ["sample_0"] * 2 + ["last"] * 2


def test_the_study_can_be_named(tmp_path: Path) -> None:
    source = FORMAT.open(write(tmp_path / "cases.jsonl", CASE), study="mine")
    assert {record.study for record in source.records() if isinstance(record, Task)} == {"mine"}


def test_a_livecodebench_item_becomes_one_task_with_facets(tmp_path: Path) -> None:
    source = LCB_FORMAT.open(write(tmp_path / "items.jsonl", ITEM))
    study, task = source.records()
    assert study == Study("cruxeval-lcb", policy="python-literal", envelope="none", cluster="program")
    assert task == Task(
        *("cruxeval-lcb", "sample_0", "output", "python", ITEM["code"], ITEM["input"], "output", "1"),
        measures={"loc": 2, "numsteps": 12},
        facets={"difficulty": "easy", "contest_date": "2023-05-20T00:00:00"},
        extra={
            "question_id": 2777,
            "function_name": "countSeniors",
            "problem_id": 1,
            "contest_id": "weekly-contest-300",
        },
    )


# --- predictions ---------------------------------------------------------------------------------------------------


def test_generations_keep_the_order_of_the_file_and_may_be_ragged(tmp_path: Path) -> None:
    source = FORMAT.open(write(tmp_path / NAME, {"sample_10": ["a", "b"], "sample_2": [], "sample_1": ["c"]}))
    assert source.kind == "responses"
    assert list(source.ids) == ["sample_10", "sample_2", "sample_1"]
    setting = Setting("gpt-4+cot_temp0.2", "gpt-4", prompting="cot", facets={"temperature": 0.2})
    assert list(source.records()) == [setting]
    assert [(row.case, row.sample, row.text, row.extra) for row in rows(source)] == [
        ("sample_10", 0, "a", None),
        ("sample_10", 1, "b", None),
        ("sample_1", 0, "c", None),
    ]
    assert list(source.planned()) == [Planned("cruxeval", "output", setting.name, None)]
    assert source.bytes_done == source.bytes_total > 0
    assert source.where(rows(source)[1]) == f"{NAME}: sample_10, sample 1"
    assert source.default_study == STUDY


def test_logged_verdicts_stay_tied_to_their_sample(tmp_path: Path) -> None:
    content = {
        "raw_generations": {"a": ["1", "2"], "b": ["3", "4"], "c": ["5"], "d": ["6"]},
        "raw_scored_generations": {"b": [True], "a": [False, True], "c": [1], "e": [True]},
        "pass_at_1": 50.0,
    }
    source = FORMAT.open(write(tmp_path / NAME, content))
    assert next(iter(source.records())) == RunInfo(NAME, extra={"pass_at_1": 50.0})
    assert [(row.text, row.extra) for row in rows(source)] == [
        ("1", '{"logged_correct": false}'),
        ("2", '{"logged_correct": true}'),
        *((text, None) for text in "3456"),
    ]
    assert refusals(source) == [
        f"{NAME}: b: it has 2 generations, but another number of verdicts (1), so its logged verdicts were left out.",
        f"{NAME}: c: its verdicts are no list of true and false, so its logged verdicts were left out.",
        f"{NAME}: e: it has verdicts, but no generations.",
    ]


def test_entries_that_are_no_lists_of_texts_are_refused(tmp_path: Path) -> None:
    body = b'{"a": ["1"], "b": "2", "c": ["3", null], "d": {"x": 1}, "e": ["4"], "e": ["5"], "f[/]\\u001b": 6}'
    source = FORMAT.open(write(tmp_path / NAME, body))
    assert [row.text for row in rows(source)] == ["1"]
    assert refusals(source) == [
        f"{NAME}: b: its generations are text, but must be a list of texts.",
        f"{NAME}: c: its generation 1 is null, but must be text.",
        f"{NAME}: d: its generations are an object, but must be a list of texts.",
        f"{NAME}: e: the file holds this case more than once.",
        f"{NAME}: f[/]␛: its generations are the number 6, but must be a list of texts.",
    ]


BROKEN: dict[bytes, str] = {
    b'{"a": ["1"]': "it is not JSON: expecting ',' delimiter at character 12.",
    b'{"a": ["1"], "b": NaN}': "it holds NaN, which is not JSON.",
    b'{"raw_generations": ["1"]}': "raw_generations is a list, but must be an object of lists of texts.",
    b'{"raw_scored_generations": {}}': "raw_generations is null, but must be an object of lists of texts.",
    b'{"raw_generations": {}, "raw_scored_generations": 1}': "raw_scored_generations is the number 1, but must be an "
    "object of lists of verdicts.",
    b'{"raw_generations": {}, "raw_generations": {}}': "it holds raw_generations more than once.",
}


@pytest.mark.parametrize("data", BROKEN, ids=repr)
def test_an_unusable_file_is_refused_as_a_whole(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / NAME, data)
    with pytest.raises(InputError) as caught:
        FORMAT.open(path)
    assert str(caught.value) == f"{path}: {BROKEN[data]}"


@pytest.mark.parametrize(
    ("name", "setting", "arm"),
    [
        ("gpt-4_temp0.8_input.json", Setting("gpt-4_temp0.8", "gpt-4", None, "direct", {"temperature": 0.8}), "input"),
        (
            "a+b_temp1+cot_temp0_output.generations.json",
            Setting("a+b_temp1+cot_temp0", "a+b_temp1", None, "cot", {"temperature": 0.0}),
            "output",
        ),
        ("m_temp0.2", Setting("m_temp0.2", "m", None, "direct", {"temperature": 0.2}), "output"),
    ],
)
def test_the_file_name_says_setting_and_arm(tmp_path: Path, name: str, setting: Setting, arm: str) -> None:
    source = FORMAT.open(write(tmp_path / name, {"a": ["1"]}))
    assert list(source.records()) == [setting]
    assert [(row.setting, row.arm) for row in rows(source)] == [(setting.name, arm)]


def test_a_name_that_says_nothing_needs_a_setting(tmp_path: Path) -> None:
    path = write(tmp_path / "run1.json", {"a": ["1"]})
    with pytest.raises(InputError) as caught:
        FORMAT.open(path)
    assert str(caught.value) == (
        f"{path}: its name does not say which setting it is of. "
        "Give --setting NAME, or name it, or its folder, like gpt-4+cot_temp0.2_output.json."
    )


@pytest.mark.parametrize(
    ("texts", "name", "setting", "arm"),
    [
        (["1", "f(2)"], "run.json", "my model", "output"),
        (["f(1)", " f ([2])", "3"], "run.json", "my model", "input"),
        (["f(1)"], "run_output.json", "my model", "output"),
        (["1"], "run.json", "m_temp0.2_input", "input"),
        (["1"], NAME, "other", "output"),
        ([], "run.json", "my model", "output"),
    ],
)
def test_a_given_setting_is_taken_as_it_is(tmp_path: Path, texts: list[str], name: str, setting: str, arm: str) -> None:
    source = FORMAT.open(write(tmp_path / name, {"a": texts}), study="s", setting=setting)
    assert list(source.planned()) == [Planned("s", arm, setting, None)]
    assert {(row.study, row.arm, row.setting) for row in rows(source)} == {("s", arm, setting) for _ in texts[:1]}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_generations_and_ids_are_kept_exactly(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    source = FORMAT.open(write(tmp_path / NAME, {text: [text, "x"], f"x{text}": ["y"]}))
    assert [(row.case, row.text) for row in rows(source)] == [(text, text), (text, "x"), (f"x{text}", "y")]


def test_bytes_that_are_not_utf8_are_kept(tmp_path: Path) -> None:
    (row,) = rows(FORMAT.open(write(tmp_path / NAME, b'{"a": ["caf\xe9"]}')))
    assert isinstance(row.text, UndecodedText)
    assert row.text == "caf\udce9"


def test_a_file_of_neither_kind_is_refused_even_when_its_format_is_given(tmp_path: Path) -> None:
    path = write(tmp_path / NAME, [1, 2])
    with pytest.raises(InputError) as caught:
        FORMAT.open(path)
    assert str(caught.value) == (
        f"{path}: it is none of the files of cruxeval. Those are: CRUXEval cases as JSON lines, "
        'or {"sample_0": ["…"]} generations, or their scored results.'
    )


# --- real files ----------------------------------------------------------------------------------------------------


def test_the_800_cases_give_1600_tasks(shared: Path) -> None:
    records = list(FORMAT.open(shared / "data/cruxeval/cruxeval.jsonl").records())
    tasks = [record for record in records if isinstance(record, Task)]
    assert len(records) == 1 + len(tasks)
    assert Counter(task.arm for task in tasks) == {"output": 800, "input": 800}
    first = tasks[0]
    assert (first.input, first.oracle) == ("[1, 1, 3, 1, 3, 1]", "[(4, 1), (4, 1), (4, 1), (4, 1), (2, 3), (2, 3)]")


@pytest.mark.parametrize(
    ("name", "percent"),
    [
        ("gpt-4-0613+cot_temp0.2_output", 77.1),
        ("gpt-3.5-turbo-0613_temp0.2_output", 49.4),
        ("codellama-34b+cot_temp0.2_output", 43.6),
        ("codellama-7b_temp0.2_output", 34.2),
        ("gpt-4-0613+cot_temp0.2_input", 75.5),
    ],
)
def test_logged_verdicts_of_real_runs_give_their_logged_accuracy(shared: Path, name: str, percent: float) -> None:
    source = FORMAT.open(shared / f"data/cruxeval/runs/{name}.json")
    replies = rows(source)
    assert not refusals(source)
    assert len(source.ids) == 800
    assert Counter(row.sample for row in replies) == dict.fromkeys(range(10), 800)
    right = sum(row.extra == '{"logged_correct": true}' for row in replies)
    assert round(100 * right / len(replies), 1) == percent
    info = next(iter(source.records()))
    assert isinstance(info, RunInfo)
    assert info.extra["pass_at_1"] == pytest.approx(100 * right / len(replies))
    assert {row.arm for row in replies} == {name.rpartition("_")[2]}


def test_generations_alone_are_those_of_the_scored_results(shared: Path) -> None:
    folder = shared / "data/cruxeval"
    alone = FORMAT.open(folder / "generations/gpt-3.5-turbo-0613_temp0.2_output.generations.json")
    scored = FORMAT.open(folder / "runs/gpt-3.5-turbo-0613_temp0.2_output.json")
    assert [row[:6] for row in rows(alone)] == [row[:6] for row in rows(scored)]
    assert {row.extra for row in rows(alone)} == {None}


def test_livecodebench_predictions_name_479_cases(shared: Path) -> None:
    for path in sorted((shared / "data/cruxeval_lcb/runs").glob("*.json")):
        source = FORMAT.open(path, study="cruxeval-lcb")
        assert len(source.ids) == 479
        assert len(rows(source)) == 4790
        assert source.default_study == Study("cruxeval-lcb", policy="python-literal")
