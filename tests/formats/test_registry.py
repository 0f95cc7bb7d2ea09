from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from auditor.errors import AuditorError, InputError
from auditor.formats import formats, recognise
from auditor.formats.run_toml import read_run_toml
from auditor.formats.run_writer import response_line
from auditor.formats.setting_record import setting_line
from auditor.formats.task_record import task_line
from auditor.model import Checkpoint, Response, ResponseKey, Setting, Task

HINT = "The known formats are core-probes, cruxeval, lcb-execution, prex, run-directory."
CASE = {"code": "def f(x): return x", "input": "1", "output": "1", "id": "sample_0"}
ITEM = {"question_id": 1, "id": "a", "function_name": "g", "code": "c", "input": "g(x = 1)", "output": "1"}
SCORED = {"raw_generations": {}, "raw_scored_generations": {}, "pass_at_1": 1.0, "pass_at_5": 1.0}


def test_the_built_in_formats_are_found_by_their_own_names() -> None:
    assert list(formats()) == ["core-probes", "cruxeval", "lcb-execution", "prex", "run-directory"]
    for name, format_ in formats().items():
        assert format_.name == name
        assert format_.description


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (json.dumps(CASE), "cruxeval"),
        ("\ufeff\n" + json.dumps(CASE | {"more": [1]}) + "\n{", "cruxeval"),
        ("broken\n" + json.dumps(CASE), "cruxeval"),
        (json.dumps(dict(reversed(CASE.items())) | {"code": "x" * 300_000}), "cruxeval"),
        (json.dumps(ITEM), "lcb-execution"),
        (json.dumps(ITEM | {"zeta": "x" * 300_000}), "lcb-execution"),
        (json.dumps({"sample_0": ["1", "2"]}), "cruxeval"),
        (json.dumps({"any id \"quoted\"": []}, indent=2), "cruxeval"),
        (json.dumps({"a": ["x" * 300_000]}), "cruxeval"),
        *((json.dumps(dict([(key, SCORED[key]), *SCORED.items()])), "cruxeval") for key in SCORED),
    ],
)  # fmt: skip
def test_files_are_recognised_by_content_whatever_their_name(tmp_path: Path, content: str, name: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(content)
    assert recognise(path).name == name


def test_a_folder_with_a_run_toml_is_a_run_directory(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("")
    assert recognise(tmp_path).name == "run-directory"


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (b"", "it is empty."),
        (b"\xef\xbb\xbf \n\n", "it is empty."),
        (b"PK\x03\x04rest", "it looks like a ZIP archive."),
        (b"SQLite format 3\0", "it looks like binary data."),
        (b"hello", "it looks like text that is not JSON."),
        (b'[run]\nname = "x"', "it looks like text that is not JSON."),
        (b"[1, 2]", "it looks like JSON, but is a list."),
        (b"{}", "it looks like JSON: an empty object."),
        (b'{"version": 2, "eval": {}}', "it looks like JSON: an object with the keys version, eval."),
        (
            b'{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1}',
            "it looks like JSON: an object with the keys a, b, c, d, e, f, ….",
        ),
        (b'{"\\u001b[2J": 1}', "it looks like JSON: an object with the keys ␛[2J."),
        (b'{"doc_id": 0}\n{"doc_id": 1}', "it looks like JSON lines: an object with the keys doc_id in the first."),
        (b'{"a": {"b": [' + b"1," * 200_000, 'it looks like a long JSON object that begins with "a".'),
        (
            b'{"study": "s", "case": "c", "arm": "a", "setting": "m", "response": "x"}\n',
            "it looks like one file of a run directory, whose folder is to be given instead.",
        ),
    ],
)
def test_an_unknown_file_is_refused_with_what_it_looks_like(tmp_path: Path, content: bytes, looks: str) -> None:
    path = tmp_path / "cruxeval.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        recognise(path)
    assert str(caught.value) == f"{path}: {looks} {HINT}"


def test_a_folder_or_a_path_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        recognise(tmp_path)
    assert str(caught.value) == f"{tmp_path}: it is a folder without a run.toml. {HINT}"
    (tmp_path / "file").touch()
    for name in ("nowhere", "file/inside"):
        with pytest.raises(InputError) as caught:
            recognise(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: there is no such file or folder."
    with pytest.raises(InputError, match=r"x: it cannot be read \(File name too long\)\."):
        recognise(tmp_path / ("x" * 300))


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        InputError, match=r"pipe: it is neither a file nor a folder; what comes through a pipe has to be"
    ):
        recognise(tmp_path / "pipe")


def test_other_tools_logs_are_not_taken_for_our_formats(shared: Path) -> None:
    for folder in ("inspect_logs", "lm_eval", "openai_evals", "bigcode"):
        for path in sorted((shared / "data" / folder).iterdir()):
            with pytest.raises(InputError):
                recognise(path)


GREEDY = """
class Greedy:
    name, description = "greedy", "anything"

    def recognises(self, path, head):
        return True


FORMAT = Greedy()
"""


def install(folder: Path, package: str, entry: str) -> None:
    """Lay out an installed package with one entry point and a module that claims every file."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[auditor.formats]\n{entry}\n")
    (folder / "greedy_format.py").write_text(GREEDY)


def test_a_file_that_two_formats_claim_is_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", "greedy", "greedy = greedy_format:FORMAT")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    path = tmp_path / "x"
    path.write_text(json.dumps(CASE))
    with pytest.raises(InputError) as caught:
        recognise(path)
    assert str(caught.value) == f"{path}: it could be of the formats cruxeval and greedy. Say which with --format."
    path.write_text("something else")
    assert recognise(path).name == "greedy"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("mine = no_such_module:FORMAT", "the format mine of pack cannot be loaded: No module named 'no_such_module'."),
        (
            "mine = greedy_format:NOTHING",
            "the format mine of pack cannot be loaded: module 'greedy_format' has no attribute 'NOTHING'.",
        ),
        ("cruxeval = greedy_format:FORMAT", "two installed packages bring a format named cruxeval."),
    ],
)
def test_a_format_that_cannot_be_loaded_or_comes_twice_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, message: str
) -> None:
    install(tmp_path, "pack", entry)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AuditorError) as caught:
        formats()
    assert str(caught.value) == message


def test_the_documentation_names_every_format_and_its_example_is_a_good_run_toml(tmp_path: Path) -> None:
    document = Path(__file__).parents[2] / "docs" / "formats.md"
    text = document.read_text(encoding="utf-8")
    for name in formats():
        assert f"| `{name}` |" in text
    (tmp_path / "run.toml").write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    run, studies = read_run_toml(tmp_path)
    assert run.name == "spring-grid"
    assert [study.name for study in studies] == ["classic"]


def test_the_documentation_names_every_field_of_a_run_directory() -> None:
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    key = ResponseKey("s", "c", "a", "m", 0)
    point = Checkpoint(1, "after-loop", 1, ("x",), 1)
    full = Task(
        *("s", "c", "a", "python", "x", "", "output", "1"),
        clean_source="x",
        problem="p",
        implementation="i",
        test="t",
        checkpoint=point,
        prompt={"user": "u", "system": "s"},
        question="q",
        answer_type="t",
        dimensions=("d",),
        measures={"loc": 1},
        facets={"split": 1},
    )
    objects = [
        task_line(full),
        setting_line(Setting("m", "m", "m", "m", {"f": 1})),
        response_line(Response(key, "x", "r", "f", "e", {"usage": {}, "seconds": 1})),
    ]
    checkpoint = objects[0]["checkpoint"]
    assert isinstance(checkpoint, dict)
    for name in {*checkpoint, *(name for value in objects for name in value)}:
        assert f"`{name}`" in text, name
