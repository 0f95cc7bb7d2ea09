from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import InputError
from auditor.formats.records import Planned, Refusal, ResponseRow
from auditor.formats.run_directory import FORMAT
from auditor.model import Checkpoint, Setting, Study, Task

RUN = '[run]\nname = "r"\n[[study]]\nname = "s"\nsamples = 2\n[[study]]\nname = "t"\n'
TASK: dict[str, Any] = {
    "study": "s",
    "case": "c",
    "arm": "a",
    "language": "python",
    "source": "x = 1\nprint(x)\n",
    "input": "",
    "target": "output",
    "oracle": "1\n",
}
POINT = {"line": 2, "when": "after-loop"}


def run(folder: Path, tasks: list[Any] | None = None, settings: list[Any] | None = None, **files: bytes) -> Path:
    """Write a run directory; lines are given as values or as bytes."""
    folder.mkdir(exist_ok=True)
    (folder / "run.toml").write_text(RUN)
    for name, lines in (("tasks", tasks), ("settings", settings)):
        if lines is not None:
            data = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
            (folder / f"{name}.jsonl").write_bytes(b"\n".join(data))
    for name, content in files.items():
        (folder / f"{name}.jsonl").write_bytes(content)
    return folder


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in TASK.items() if key != name}


BROKEN_TASKS: list[tuple[Any, str]] = [
    (b"nonsense", "it is not JSON: expecting value at character 1."),
    (b'{"study": "s", "study": "s"}', 'the key "study" appears twice.'),
    *((without(name), f"it has no {name}.") for name in TASK),
    (TASK | {"study": "u"}, 'its study "u" is not declared in run.toml.'),
    (TASK | {"case": 7}, "case is the number 7, but must be text."),
    (TASK | {"input": None}, "input is null, but must be text."),
    (
        TASK | {"target": "guess"},
        'target is "guess", but must be one of output, state, verdict, probe, input, subject.',
    ),
    (TASK | {"oracle": 1}, "oracle is the number 1, but must be text where the target is output."),
    (TASK | {"target": "state", "oracle": []}, "oracle is a list, but must be text where the target is state."),
    (TASK | {"target": "input", "oracle": True}, "oracle is true, but must be text where the target is input."),
    (TASK | {"clean_source": []}, "clean_source is a list, but must be text or null."),
    (TASK | {"test": 3}, "test is the number 3, but must be text or null."),
    (TASK | {"dimensions": "State"}, "dimensions is text, but must be a list of texts."),
    (TASK | {"dimensions": ["State", 2]}, "dimensions holds the number 2, but must be a list of texts."),
    (TASK | {"prompt": "Predict"}, "prompt is text, but must be an object."),
    (TASK | {"prompt": {"user": ["x"]}}, "prompt.user is a list, but must be text or null."),
    (TASK | {"measures": [1]}, "measures is a list, but must be an object."),
    (TASK | {"measures": {"loc": "3"}}, "measures.loc is text, but must be a number."),
    (TASK | {"measures": {"loc": True}}, "measures.loc is true, but must be a number."),
    (TASK | {"measures": {"loc": None}}, "measures.loc is null, but must be a number."),
    (TASK | {"facets": {"shift": ["a"]}}, "facets.shift is a list, but must be a single value."),
    (TASK | {"facets": {"\x1b[m": {}}}, "facets.␛[m is an object, but must be a single value."),
    (TASK | {"checkpoint": 3}, "checkpoint is the number 3, but must be an object."),
    (TASK | {"checkpoint": {"when": "after-loop"}}, "in its checkpoint, it has no line."),
    (TASK | {"checkpoint": {"line": 1}}, "in its checkpoint, it has no when."),
    (
        TASK | {"checkpoint": POINT | {"line": 0}},
        "in its checkpoint, line is the number 0, but must be a whole number from 1.",
    ),
    (TASK | {"checkpoint": POINT | {"line": 3}}, "in its checkpoint, line is 3, but the source ends at line 2."),
    (
        TASK | {"clean_source": "x", "checkpoint": POINT | {"clean_line": 2}},
        "in its checkpoint, clean_line is 2, but the clean source ends at line 1.",
    ),
    (
        TASK | {"checkpoint": POINT | {"when": "later"}},
        'in its checkpoint, when is "later", but must be before-iteration, after-loop or after-line.',
    ),
    (
        TASK | {"checkpoint": POINT | {"iteration": -1}},
        "in its checkpoint, iteration is the number -1, but must be a whole number from 0.",
    ),
    (TASK | {"checkpoint": POINT | {"fields": [1]}}, "in its checkpoint, fields holds the number 1, but must be a list "
     "of texts."),
]  # fmt: skip


@pytest.mark.parametrize(("task", "reason"), BROKEN_TASKS, ids=[reason for _, reason in BROKEN_TASKS])
def test_an_unusable_task_is_refused_and_the_rest_goes_on(tmp_path: Path, task: Any, reason: str) -> None:
    good = TASK | {"case": "good"}
    records = list(FORMAT.open(run(tmp_path / "r", [task, b"", good])).records())
    assert [record for record in records if isinstance(record, Refusal)] == [Refusal("tasks.jsonl:1", reason)]
    assert [record.case for record in records if isinstance(record, Task)] == ["good"]


def test_a_task_keeps_everything_it_says(tmp_path: Path) -> None:
    full = TASK | {
        "clean_source": "x = 1\n",
        "problem": "p",
        "implementation": "i",
        "test": "t",
        "checkpoint": POINT | {"iteration": 0, "fields": ["x"], "clean_line": 1, "odd": 5},
        "prompt": {"system": None, "user": "u", "turns": [1]},
        "question": "q",
        "answer_type": "integer",
        "dimensions": ["State"],
        "measures": {"cyclomatic": 3, "load": 1.5},
        "facets": {"split": "llm", "hard": True, "n": 3, "none": None},
        "reference_input": "1",
    }
    (task,) = [r for r in FORMAT.open(run(tmp_path / "r", [full])).records() if isinstance(r, Task)]
    assert task == Task(
        *("s", "c", "a", "python", "x = 1\nprint(x)\n", "", "output", "1\n"),
        clean_source="x = 1\n",
        problem="p",
        implementation="i",
        test="t",
        checkpoint=Checkpoint(2, "after-loop", 0, ("x",), 1),
        prompt={"system": None, "user": "u", "turns": [1]},
        question="q",
        answer_type="integer",
        dimensions=("State",),
        measures={"cyclomatic": 3, "load": 1.5},
        facets={"split": "llm", "hard": True, "n": 3, "none": None},
        extra={"reference_input": "1", "checkpoint": {"odd": 5}},
    )


@pytest.mark.parametrize("target", ["verdict", "probe"])
@pytest.mark.parametrize("oracle", [{"verdict": "error", "rule": "Rule 76"}, [1, None], "success", 3, True, None])
def test_the_oracle_of_a_verdict_or_probe_is_any_json_value(tmp_path: Path, target: str, oracle: Any) -> None:
    source = FORMAT.open(run(tmp_path / "r", [TASK | {"target": target, "oracle": oracle}]))
    assert [record.oracle for record in source.records() if isinstance(record, Task)] == [oracle]


def test_a_second_task_of_the_same_names_is_refused(tmp_path: Path) -> None:
    source = FORMAT.open(run(tmp_path / "r", [b"", TASK, TASK | {"source": "y"}]))
    assert [record for record in source.records() if isinstance(record, Refusal)] == [
        Refusal("tasks.jsonl:3", "it repeats s/c/a, which line 2 gave.")
    ]


def test_settings_are_read_and_bad_ones_refused(tmp_path: Path) -> None:
    lines = [
        {"setting": "m", "model": "gpt", "mode": "high", "prompting": "cot", "facets": {"fault": "x"}, "price": 1},
        {"model": "gpt"},
        {"setting": 3},
        {"setting": "n", "mode": 1},
        {"setting": "o", "facets": {"a": []}},
        {"setting": "m"},
        {"setting": "p"},
    ]
    records = list(FORMAT.open(run(tmp_path / "r", [TASK], lines)).records())
    assert [record for record in records if isinstance(record, Setting)] == [
        Setting("m", "gpt", "high", "cot", {"fault": "x"}, {"price": 1}),
        Setting("p"),
    ]
    assert [str(record) for record in records if isinstance(record, Refusal)] == [
        "settings.jsonl:2: it has no setting.",
        "settings.jsonl:3: setting is the number 3, but must be text.",
        "settings.jsonl:4: mode is the number 1, but must be text or null.",
        "settings.jsonl:5: facets.a is a list, but must be a single value.",
        "settings.jsonl:6: it repeats m, which line 1 gave.",
    ]


def test_every_arm_is_planned_under_every_declared_or_seen_setting(tmp_path: Path) -> None:
    tasks = [TASK, TASK | {"case": "d"}, TASK | {"arm": "b"}, TASK | {"study": "t"}]
    response = {"study": "s", "case": "c", "arm": "a", "setting": "seen", "response": "1"}
    lines = b"\n".join(json.dumps(line).encode() for line in (response, response | {"setting": "bad", "response": 1}))
    source = FORMAT.open(run(tmp_path / "r", tasks, [{"setting": "declared"}], responses=lines))
    assert [record for record in source.records() if isinstance(record, Study)] == [Study("s", samples=2), Study("t")]
    (batch,) = source.responses()
    assert batch == [
        ResponseRow("s", "c", "a", "seen", 0, "1", None, None, None, None, 1),
        Refusal("responses.jsonl:2", "response is the number 1, but must be text or null."),
    ]
    assert isinstance(batch[0], ResponseRow)
    assert source.where(batch[0]) == "responses.jsonl:1"
    assert source.bytes_done == source.bytes_total == len(lines)
    assert list(source.planned()) == [
        Planned(study, arm, setting, samples)
        for study, arm, samples in (("s", "a", 2), ("s", "b", 2), ("t", "a", None))
        for setting in ("declared", "seen")
    ]


def test_tasks_alone_or_responses_alone_are_enough(tmp_path: Path) -> None:
    tasks = FORMAT.open(run(tmp_path / "tasks", [TASK]))
    assert list(tasks.responses()) == []
    assert tasks.bytes_total == 0
    responses = FORMAT.open(run(tmp_path / "responses", responses=b""))
    assert len(list(responses.records())) == 3


def test_a_directory_that_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it is no folder with a run.toml, so it is no run directory\."):
        FORMAT.open(tmp_path)
    folder = run(tmp_path / "r")
    with pytest.raises(InputError, match=r"r: it holds neither tasks.jsonl nor responses.jsonl\."):
        FORMAT.open(folder)
    run(folder, [TASK])
    with pytest.raises(InputError, match=r"--setting does not go with a run directory, which names its own\."):
        FORMAT.open(folder, setting="m")
    with pytest.raises(InputError, match=r"--study does not go with a run directory, which names its own\."):
        FORMAT.open(folder, study="s")
    (folder / "responses.jsonl").mkdir()
    with pytest.raises(InputError, match=r"responses.jsonl: it cannot be read \(Is a directory\)\."):
        FORMAT.open(folder)
