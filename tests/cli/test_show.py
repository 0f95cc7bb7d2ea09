"""`auditor show`: the texts of one item, exactly, into a pipe or a file."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.item_parts import PART_IDS
from auditor.audit.load import LoadOptions, load
from auditor.cli.main import main
from auditor.cli.show import show_command
from auditor.store.executions import Execution, TaskExecution, put_executions, put_task_executions
from auditor.store.file import copy_file, open_file, transaction
from auditor.text import to_bytes
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run

KEYS = [f"s/c{number}/output/m/0" for number in range(len(HOSTILE))]


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("show")
    tasks = [task(f"c{number}", oracle=text, prompt={"user": text}) for number, text in enumerate(HOSTILE.values())]
    replies = [response(f"c{number}", response=text) for number, text in enumerate(HOSTILE.values())]
    load(folder / "a.db", [write_run(folder / "run", tasks, replies)], LoadOptions())
    return str(folder / "a.db")


def test_a_pipe_and_a_file_get_the_bytes_as_they_are_stored(
    audit: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for number, (key, text) in enumerate(zip(KEYS, HOSTILE.values(), strict=True)):
        path = tmp_path / str(number)
        assert main(["show", audit, key, "--part", "reply"]) == 0
        assert main(["show", audit, key, "--part", "reply", "-o", str(path)]) == 0
        out, err = capfdbinary.readouterr()
        assert out == path.read_bytes() == to_bytes(text)
        assert f"{len(to_bytes(text)):,} byte".encode() in err


def test_json_has_every_part(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", audit, KEYS[6], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["item"] == KEYS[6]
    assert [*found["parts"], "item"] == list(PART_IDS)
    assert found["parts"]["reply"] == [*HOSTILE.values()][6] and found["parts"]["reasoning"] is None


def test_the_choice_of_parts_is_complete() -> None:
    (option,) = (one for one in show_command.params if one.name == "part")
    assert tuple(getattr(option.type, "choices", ())) == (*PART_IDS[:-1], "executed", "item")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["s/c99/output/m/0"], "there is no item 's/c99/output/m/0'."),
        (["s/c1/output/m/0", "--part", "reasoning"], "s/c1/output/m/0: reasoning: none was recorded."),
        (["s/c1/output/m/0", "--part", "prediction"], "prediction: not graded yet."),
        (["s/c1/output/m/0", "-o", "/"], "it is a folder."),
    ],
)
def test_what_cannot_be_shown_is_said(
    audit: str, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", audit, *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_part_of_a_key_lists_the_items_that_have_it(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", audit, "c3"]) == 2
    assert capsys.readouterr().err.endswith(
        "'c3' is not the whole key of an item. Name one of these (1 item with it):\n  s/c3/output/m/0\n"
    )
    assert main(["show", audit, "output/m"]) == 2
    listed = capsys.readouterr().err.splitlines()
    assert "the first 20 items with it" in listed[0]
    assert [line.strip() for line in listed[1:]] == KEYS[:20]


def test_a_file_is_replaced_only_with_force(audit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.txt"
    path.write_text("mine")
    command = ["show", audit, KEYS[0], "--part", "oracle", "-o", str(path)]
    assert main(command) == 2
    assert "it exists already. Name another file, or replace it with --force." in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert main([*command, "--force"]) == 0
    assert path.read_text() == next(iter(HOSTILE.values()))


def test_what_running_the_task_gave_is_a_part(
    audit: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "copy.db"
    copy_file(Path(audit), path)
    assert main(["show", str(path), KEYS[1], "--part", "executed"]) == 2
    assert b"its task was not run" in capfdbinary.readouterr().err
    text = HOSTILE["clipboard write"]
    with closing(open_file(path)) as connection, transaction(connection):
        run = Execution(b"k", "run", "CPython 3", "bubblewrap", "finished", "it ended", None, True, 0.1, text)
        put_executions(connection, [run])
        put_task_executions(connection, [TaskExecution(1, b"k", "disputed", "bytes")])
    assert main(["show", str(path), KEYS[0], "--part", "executed"]) == 0
    assert capfdbinary.readouterr().out == to_bytes(text)
    assert main(["show", str(path), KEYS[0], "--json"]) == 0
    found = json.loads(capfdbinary.readouterr().out)["executed"]
    assert (found["verdict"], found["output"], found["ending"]) == ("disputed", text, "finished")
    assert main(["accuracy", str(path), "--json"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["disputed"] == 1
