from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import InputError
from auditor.formats.records import Record, Refusal, ResponseRow, RunInfo
from auditor.formats.run_directory import FORMAT
from auditor.formats.run_writer import write_run_directory
from auditor.model import Checkpoint, JsonValue, Response, ResponseKey, Setting, Study, Task
from auditor.text import UndecodedText, read_extra
from tests.hostile import HOSTILE

FILES = ("run.toml", "tasks.jsonl", "settings.jsonl", "responses.jsonl")


def read(folder: Path) -> tuple[list[Record], list[Response]]:
    """Read a run directory in which nothing is refused."""
    source = FORMAT.open(folder)
    records, responses = list(source.records()), []
    for batch in source.responses():
        for row in batch:
            assert isinstance(row, ResponseRow)
            key = ResponseKey(row.study, row.case, row.arm, row.setting, row.sample)
            responses.append(Response(key, row.text, row.reasoning, row.finish, row.error, read_extra(row.extra)))
    assert not [record for record in records if isinstance(record, Refusal)]
    return records, responses


def write(folder: Path, records: list[Record], responses: list[Response]) -> dict[str, bytes]:
    """Write the records and return the files' bytes."""
    (run,) = [record for record in records if isinstance(record, RunInfo)]
    write_run_directory(
        folder,
        run,
        [record for record in records if isinstance(record, Study)],
        [record for record in records if isinstance(record, Task)],
        [record for record in records if isinstance(record, Setting)],
        responses,
    )
    assert {file.name for file in folder.iterdir()} == set(FILES)
    return {name: (folder / name).read_bytes() for name in FILES}


def round_trip(folder: Path, records: list[Record], responses: list[Response]) -> None:
    """Check that what is written is read as the same, and written again as the same bytes."""
    first = write(folder / "first", records, responses)
    assert read(folder / "first") == (records, responses)
    assert write(folder / "second", *read(folder / "first")) == first


def everywhere(text: str, study: str) -> tuple[list[Record], list[Response]]:
    """Return a run that holds a text in every field that takes text."""
    beside: dict[str, JsonValue] = {f"x{text}": {text: [text, None, 1]}}
    records: list[Record] = [
        RunInfo("r"),
        Study(study),
        Task(
            *(study, text, text, text, text, text, "output", text),
            clean_source=text,
            problem=text,
            implementation=text,
            test=text,
            checkpoint=Checkpoint(1, "after-line", 0, (text, text), 1),
            prompt={"system": text, "user": text, f"x{text}": text},
            question=text,
            answer_type=text,
            dimensions=(text,),
            measures={text: 1.5, f"x{text}": 3},
            facets={text: text, f"x{text}": None},
            extra={**beside, "checkpoint": {f"x{text}": text}},
        ),
        Task(study, text, f"x{text}", "cstar", text, text, "verdict", {text: [text]}),
        Setting(text, text, text, text, {text: text}, beside),
        Setting(f"x{text}"),
    ]
    responses = [
        Response(
            ResponseKey(study, text, text, text, 3), text, text, text, text,
            {"usage": {text: text}, "seconds": 1.5, **beside},
        ),
        Response(ResponseKey(study, text, text, f"x{text}", 0), None),
    ]  # fmt: skip
    return records, responses


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_in_every_field_comes_back_byte_for_byte(tmp_path: Path, name: str) -> None:
    study = "s" if "surrogate" in name else HOSTILE[name]
    round_trip(tmp_path, *everywhere(HOSTILE[name], study))


def test_bytes_that_are_not_utf8_are_written_raw_again(tmp_path: Path) -> None:
    records, responses = everywhere("plain", "s")
    responses.append(Response(ResponseKey("s", "plain", "plain", "plain", 4), UndecodedText("caf\udce9 \ud83d")))
    files = write(tmp_path / "first", records, responses)
    assert b'"response": "caf\xe9 \\ud83d"}\n' in files["responses.jsonl"]
    _, (*_, last) = read(tmp_path / "first")
    assert isinstance(last.text, UndecodedText)
    assert write(tmp_path / "second", *read(tmp_path / "first")) == files


def test_keys_stand_in_a_fixed_order_and_absent_ones_are_left_out(tmp_path: Path) -> None:
    records, responses = everywhere("t", "s")
    files = write(tmp_path / "r", records, responses)
    task, bare = (list(json.loads(line)) for line in files["tasks.jsonl"].splitlines())
    required = ["study", "case", "arm", "language", "source", "input", "target", "oracle"]
    assert task == [
        *required,
        *("clean_source", "problem", "implementation", "test", "checkpoint", "prompt"),
        *("question", "answer_type", "dimensions", "measures", "facets", "xt"),
    ]
    assert bare == required
    full, none = (list(json.loads(line)) for line in files["responses.jsonl"].splitlines())
    assert none == ["study", "case", "arm", "setting", "sample", "response"]
    assert full == [*none, "reasoning", "finish", "error", "usage", "seconds", "xt"]
    assert files["run.toml"].decode() == (
        '[run]\nname = "r"\n\n[[study]]\nname = "s"\npolicy = "json-or-tokens"\nenvelope = "none"\n'
        'cluster = "program"\ncodebook = "execution"\n'
    )


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(InputError) as caught:
        write(tmp_path, *everywhere("t", "s"))
    assert str(caught.value) == f"{tmp_path}: it exists already. Give a new or an empty folder."
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    write(tmp_path / "r", *everywhere("t", "s"))


def test_nothing_is_left_behind_when_the_records_fail_midway(tmp_path: Path) -> None:
    def failing() -> Iterator[Response]:
        yield Response(ResponseKey("s", "c", "a", "m", 0), "x")
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        write_run_directory(tmp_path / "r", RunInfo("r"), [Study("s")], [], [], failing())
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match=r"r: writing it failed \(.+\)\."):
        write_run_directory(tmp_path / "file" / "r", RunInfo("r"), [Study("s")], [], [], [])


# --- any records ---------------------------------------------------------------------------------------------------

texts = st.text(st.characters() | st.sampled_from('\ud83d\ude00\udc80\0\x1b\x85\u2028\r\n:"\\ '), max_size=6)
optional_texts = st.none() | texts
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
unknown = st.dictionaries(texts.map("x-".__add__), json_values, max_size=2)
facets = st.dictionaries(texts, st.none() | st.booleans() | numbers | texts, max_size=2)
checkpoints = st.builds(
    Checkpoint,
    st.just(1),
    st.sampled_from(["before-iteration", "after-loop", "after-line"]),
    st.none() | st.integers(0, 9),
    st.lists(texts, max_size=2).map(tuple),
    st.none() | st.just(1),
)
tasks = st.builds(
    lambda target, oracle, text, **fields: Task(
        target=target, oracle=oracle if target in ("verdict", "probe") else text, **fields
    ),
    target=st.sampled_from(["output", "state", "input", "verdict", "probe"]),
    oracle=json_values,
    text=optional_texts,
    study=st.just("s"),
    **dict.fromkeys(["case", "arm", "language", "source", "input"], texts),
    **dict.fromkeys(["clean_source", "problem", "implementation", "test", "question", "answer_type"], optional_texts),
    checkpoint=st.none() | checkpoints,
    prompt=st.none() | st.dictionaries(st.just("user"), optional_texts),
    dimensions=st.lists(texts, max_size=2).map(tuple),
    measures=st.dictionaries(texts, numbers, max_size=2),
    facets=facets,
    extra=unknown,
)
named_settings = st.builds(
    Setting, texts, optional_texts, optional_texts, optional_texts, facets, unknown
)  # fmt: skip
keys = st.builds(ResponseKey, st.just("s"), texts, texts, texts, st.integers(0, 2**63 - 1))
usage = st.fixed_dictionaries(
    {}, optional={"usage": st.dictionaries(texts, json_values, max_size=2), "seconds": numbers}
)
extras = st.builds(lambda known, rest: {**known, **rest}, usage, unknown)
responses = st.builds(Response, keys, optional_texts, optional_texts, optional_texts, optional_texts, extras)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(tasks, max_size=3, unique_by=lambda task: task.key),
    st.lists(named_settings, max_size=3, unique_by=lambda setting: setting.name),
    st.lists(responses, max_size=6),
)
def test_any_run_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    some_tasks: list[Task],
    some_settings: list[Setting],
    some_responses: list[Response],
) -> None:
    records: list[Record] = [RunInfo("r"), Study("s"), *some_tasks, *some_settings]
    round_trip(tmp_path_factory.mktemp("run"), records, some_responses)
