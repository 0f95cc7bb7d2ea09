"""Reading in another process gives what reading here gives, and its end, however it comes, is noticed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import InputError, PartlyDoneError
from auditor.formats import lines_ahead
from auditor.formats.lines_ahead import read_ahead
from auditor.formats.records import Batch, Columns, Refusal, ResponseRow
from auditor.formats.response_lines import ResponseLines
from tests.hostile import HOSTILE
from tests.runs import response

STUDIES = frozenset({"s", "caf\udce9"})


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_ahead, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(lines_ahead, "_cores", lambda: 2)


def write(path: Path, *lines: bytes | dict[str, Any]) -> Path:
    path.write_bytes(b"".join((x if isinstance(x, bytes) else json.dumps(x).encode()) + b"\n" for x in lines))
    return path


def many(path: Path, count: int = 40_000) -> Path:
    return write(path, *(response(f"c{n}", response="x" * 100) for n in range(count)))


def items(batches: Iterable[Batch | Columns]) -> list[ResponseRow | Refusal]:
    """Return refusals and rows, each in their order."""
    found: list[ResponseRow | Refusal] = []
    for batch in batches:
        found += [*batch.refusals, *batch.rows()] if isinstance(batch, Columns) else batch
    return sorted(found, key=lambda item: isinstance(item, ResponseRow))


def both_ways(path: Path) -> list[ResponseRow | Refusal]:
    """Read a file ahead and here; return what came after checking that it is the same to the type of each text."""
    here, there = ResponseLines(path, STUDIES), ResponseLines(path, STUDIES)
    expected = items(here.batches())
    with read_ahead(there) as batches:
        batches = list(batches)
    assert all(isinstance(batch, Columns) for batch in batches)
    assert items(batches) == expected
    assert [tuple(map(type, item)) for item in items(batches) if isinstance(item, ResponseRow)] == [
        tuple(map(type, item)) for item in expected if isinstance(item, ResponseRow)
    ]
    assert (there.done, list(there.settings)) == (here.done, list(here.settings))
    return expected


def test_plain_lines(tmp_path: Path) -> None:
    lines = [response(f"c{n}", setting=f"m{n % 3}", sample=n % 5) for n in range(40)]
    assert len(both_ways(write(tmp_path / "r.jsonl", *lines))) == 40


def test_several_batches(tmp_path: Path) -> None:
    path = many(tmp_path / "r.jsonl")
    with read_ahead(ResponseLines(path, STUDIES)) as batches:
        assert len(list(batches)) > 2
    both_ways(path)


def test_fields_that_only_some_lines_have(tmp_path: Path) -> None:
    more: list[dict[str, Any]] = [
        {"reasoning": "r"},
        {"finish": "length"},
        {"response": None, "error": "e"},
        {"usage": {"tokens": 3}, "seconds": 0.5, "own": [1]},
        {},
    ]
    both_ways(write(tmp_path / "r.jsonl", *(response(f"c{n}", **fields) for n, fields in enumerate(more))))


def test_lines_that_are_refused(tmp_path: Path) -> None:
    bad: list[bytes | dict[str, Any]] = [
        b"{",
        b"",
        b'"text"',
        response(study="other"),
        {"study": "s"},
        response(sample=-1),
    ]
    found = both_ways(write(tmp_path / "r.jsonl", response(), *bad, response("c2")))
    assert [type(item) for item in found] == [Refusal] * 5 + [ResponseRow] * 2


def test_a_file_of_nothing_but_refusals(tmp_path: Path) -> None:
    both_ways(write(tmp_path / "r.jsonl", b"[]", b"{}"))


@pytest.mark.parametrize("name", HOSTILE)
def test_text_of_any_kind_in_every_field(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    fields = ("case", "arm", "setting", "response", "reasoning", "finish", "error", "own")
    both_ways(write(tmp_path / "r.jsonl", *(response(**{field: text}) for field in fields)))


@pytest.mark.parametrize("field", ["study", "case", "arm", "setting", "response", "finish", "own"])
def test_bytes_that_are_not_utf_8(tmp_path: Path, field: str) -> None:
    raw = json.dumps(response(**{field: "caf@"})).encode().replace(b"caf@", b"caf\xe9")
    for line in (raw, response(**{field: "caf\udce9"})):
        assert isinstance(both_ways(write(tmp_path / "r.jsonl", line))[0], ResponseRow)


def test_a_name_of_a_file_that_is_no_text(tmp_path: Path) -> None:
    found = both_ways(write(tmp_path / "-r\udce9\n.jsonl", response(), b"{}"))
    assert isinstance(found[0], Refusal)


def test_small_files_and_single_cores_start_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "r.jsonl", response())

    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    for name, value in (("WORTH_A_PROCESS", 1 << 20), ("_cores", lambda: 1)):
        with monkeypatch.context() as patch:
            patch.setattr(lines_ahead, name, value)
            with read_ahead(ResponseLines(path, STUDIES)) as batches:
                assert len(items(batches)) == 1


@pytest.mark.parametrize("program", ["no-such-program", "false"])
def test_where_no_other_process_can_read_this_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    lines = ResponseLines(write(tmp_path / "r.jsonl", response(), response("c2")), STUDIES)
    with read_ahead(lines) as batches:
        assert len(items(batches)) == 2
    assert lines.done == lines.path.stat().st_size


def test_modules_beside_the_data_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "r.jsonl", response())
    (tmp_path / "auditor").mkdir()
    for name in ("auditor/__init__.py", "marshal.py", "json.py", "msgspec.py"):
        (tmp_path / name).write_text("open('ran', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    both_ways(tmp_path / "r.jsonl")
    assert not (tmp_path / "ran").exists()


# --- how it ends ---------------------------------------------------------------------------------------------------


@contextmanager
def started(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Collect the processes that are started."""
    processes: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*args: Any, **more: Any) -> subprocess.Popen[bytes]:
        processes.append(real(*args, **more))
        return processes[-1]

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", popen)
        yield processes


def test_no_process_outlives_its_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = many(tmp_path / "r.jsonl")
    with started(monkeypatch) as processes:
        with read_ahead(ResponseLines(path, STUDIES)):
            pass
        with pytest.raises(KeyboardInterrupt), read_ahead(ResponseLines(path, STUDIES)) as batches:
            next(iter(batches))
            raise KeyboardInterrupt
    assert [process.poll() is None for process in processes] == [False, False]


def test_a_process_killed_in_the_middle_is_no_end_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = many(tmp_path / "r.jsonl")
    with (
        started(monkeypatch) as processes,
        read_ahead(ResponseLines(path, STUDIES)) as batches,
        pytest.raises(PartlyDoneError, match="ended from outside"),
    ):
        for _ in batches:
            processes[0].send_signal(signal.SIGKILL)


def test_a_file_that_cannot_be_read_on_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", response())
    lines = ResponseLines(path, STUDIES)
    os.truncate(path, 0)
    path.unlink()
    path.mkdir()
    (path / "x").touch()
    with read_ahead(lines) as batches, pytest.raises(InputError, match=r"r\.jsonl: it cannot be read \(Is a directory"):
        list(batches)


@pytest.mark.timeout(60)
def test_it_ends_when_the_import_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from auditor.formats import lines_ahead\n"
        "from auditor.formats.response_lines import ResponseLines\n"
        "lines_ahead._cores = lambda: 2\n"
        "lines_ahead.WORTH_A_PROCESS = 1\n"
        "start = lines_ahead._start\n"
        "def spy(lines):\n"
        "    process = start(lines)\n"
        "    print(process.pid, flush=True)\n"
        "    return process\n"
        "lines_ahead._start = spy\n"
        "with lines_ahead.read_ahead(ResponseLines(Path(sys.argv[1]), frozenset({'s'}))) as batches:\n"
        "    next(iter(batches))\n"
        "    print('read', flush=True)\n"
        "    time.sleep(60)\n"
    )
    path = many(tmp_path / "r.jsonl")
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True) as importing:
        assert importing.stdout is not None
        reader = int(importing.stdout.readline())
        assert importing.stdout.readline() == "read\n"
        importing.kill()
    while is_running(reader):
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Say whether a process is there and is not merely waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
