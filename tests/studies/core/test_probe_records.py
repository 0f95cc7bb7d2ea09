"""Records of CoRE's probes: answer types in any spelling made consistent, and told; what is unusable is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.cli.main import main
from auditor.formats.records import Note, Refusal
from auditor.grading.policies import PROBE
from auditor.model import JsonValue, Study, Task
from auditor.studies.core.answer_types import dimensions_named, normalised
from auditor.studies.core.probe_records import FORMAT
from auditor.text import visible_line
from tests.hostile import HOSTILE

RECORD: dict[str, Any] = {
    "target_step_index": 12,
    "target_line_number": 2,
    "complexity_type": "State & boundary",
    "reasoning": "because",
    "question": "What is x?",
    "ground_truth": 3,
    "answer_type": "integer",
    "id": "Fine/36_11",
    "model_used": "o1",
    "source_code": "def f(a):\n    x = a\n    return x\n",
    "input": "3",
    "output": "3",
    "meta_data": {"model_name": "o1", "func_name": "f", "cyc_comlexity": 4},
}


@pytest.mark.parametrize(
    ("declared", "truth", "value", "kind", "contradicts"),
    [
        ("integer", 5, 5, "integer", False),
        ("int (count)", "5", 5, "integer", False),
        ("Boolean", "True", True, "boolean", False),
        ("yes/no", "no", False, "boolean", False),
        ("List[int]", "(1, 2)", [1, 2], "list", False),
        ("dictionary", '{"a": null}', {"a": None}, "object", False),
        ("float", "2.5", 2.5, "number", False),
        ("number", 2, 2, "number", False),
        ("None", "None", None, "null", False),
        ("str", "5", "5", "string", False),
        (None, 3.5, 3.5, "number", False),
        (None, "abc", "abc", "string", False),
        ("whatever", [1], [1], "list", False),
        ("integer", "[1, 2]", [1, 2], "list", True),
        ("boolean", 1, 1, "integer", True),
        ("list", "not a list", "not a list", "string", True),
        ("integer", "1e999", "1e999", "string", True),
        ("string", 7, 7, "integer", True),
    ],
)
def test_an_answer_has_the_type_that_is_said_of_it(
    declared: str | None, truth: JsonValue, value: JsonValue, kind: str, contradicts: bool
) -> None:
    found = normalised(declared, truth)
    assert (found.value, type(found.value), found.kind) == (value, type(value), kind)
    assert (found.contradiction is not None) is contradicts
    written = truth if isinstance(truth, str) else repr(truth)
    assert PROBE.equal(found.value, written, found.kind).correct


@pytest.mark.parametrize("text", list(HOSTILE.values()), ids=list(HOSTILE))
def test_no_text_makes_an_answer_unreadable(text: str) -> None:
    for declared in ("integer", "list", "boolean", "null", text, None):
        found = normalised(declared, text)
        assert PROBE.equal(found.value, text, found.kind).correct


def test_dimensions_are_found_in_texts_and_lists() -> None:
    assert dimensions_named("Logical, arithmetic") == ("Arithmetic", "Logic")
    assert dimensions_named(["Boundary", "State"]) == ("State", "Boundary")
    assert dimensions_named(None) == dimensions_named("other") == ()


def read(path: Path) -> tuple[list[Task], list[Refusal], list[str]]:
    source = FORMAT.open(path)
    study, *records = source.records()
    assert isinstance(study, Study) and (study.name, study.cluster) == ("core", "problem")
    tasks = [record for record in records if isinstance(record, Task)]
    refusals = [record for record in records if isinstance(record, Refusal)]
    return tasks, refusals, [record.text for record in records if isinstance(record, Note)]


def test_records_become_tasks_and_the_rest_is_told(tmp_path: Path) -> None:
    path = tmp_path / "probes.jsonl"
    other = {**RECORD, "source_code": "def f(a): return a\n", "id": "Fine/36_12", "input": [4, "a"]}
    rows = [
        RECORD,
        {**other, "answer_type": "int\x07", "ground_truth": "4", "complexity_type": "?"},
        {**RECORD, "id": "Fine/36_13", "ground_truth": [3]},
        RECORD,
        {**RECORD, "id": "36"},
        {name: value for name, value in RECORD.items() if name != "question"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\nnot json\n")
    assert FORMAT.recognises(path, path.read_bytes())
    tasks, refusals, notes = read(path)
    first, second, third = tasks
    assert (first.case, first.arm, first.problem, first.implementation, first.test) == (
        "36/o1/t",
        "probe/11",
        "36",
        "o1",
        "t",
    )
    assert first.dimensions == ("State", "Boundary") and first.measures == {"cyclomatic": 4}
    assert first.extra["entry_point"] == "f" and first.extra["probe"] == {"line": 2, "step": 12}
    assert (second.case, second.input, second.oracle, second.answer_type) == ("36/o1-2/t-2", "4, 'a'", 4, "integer")
    assert (third.oracle, third.answer_type, third.extra["declared_answer_type"]) == ([3], "list", "integer")
    assert [one.where.rpartition(":")[2] for one in refusals] == ["4", "5", "6", "7"]
    assert refusals[0].reason == "its id repeats that of probes.jsonl:1."
    assert notes == [
        f"answer_type {visible_line('int' + chr(7))!r} is taken as integer: 1 probe.",
        "ground_truth was a text and is taken as the value that it writes: 1 probe.",
        "probes.jsonl:3: declared as integer, and the answer is a list; the answer's own type is taken.",
        "complexity_type names no dimension: 1 probe.",
    ]


def test_one_list_is_read_as_its_members(tmp_path: Path) -> None:
    path = tmp_path / "probes.json"
    path.write_text(json.dumps([RECORD, 5], indent=1))
    assert FORMAT.recognises(path, path.read_bytes())
    tasks, refusals, notes = read(path)
    assert len(tasks) == 1 and not notes
    assert [str(one) for one in refusals] == ["probes.json: record 2: it is the number 5."]
    path.write_text("[nonsense")
    assert len(read(path)[1]) == 1
    assert not FORMAT.recognises(path, b"[nonsense") and not FORMAT.recognises(tmp_path, b"")


def test_an_import_tells_what_was_made_of_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("probes.jsonl").write_text(json.dumps({**RECORD, "answer_type": "Integer", "ground_truth": "3"}) + "\n")
    assert main(["import", "a.db", "probes.jsonl"]) == 0
    assert "Note: answer_type 'Integer' is taken as integer: 1 probe." in capsys.readouterr().out
    assert main(["import", "a.db", "probes.jsonl", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["studies"] == ["core"] and report["tasks"]["unchanged"] == 1 and len(report["notes"]) == 2
