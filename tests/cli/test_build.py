"""`auditor build exact-output`: what is written and printed, the exit codes, and going on after an interruption."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest

from auditor.audit.review import open_session
from auditor.cli.build_run import build_cases, run_build
from auditor.cli.build_stopping import Stopped, Where
from auditor.cli.main import main
from auditor.execution.protection import RefusedError, strongest_protection
from auditor.studies.exact_output.building import BuildOptions
from auditor.studies.exact_output.case import ARMS, Verdict
from auditor.studies.exact_output.run_files import RunOptions, earlier_verdicts
from tests.hostile import HOSTILE
from tests.studies.exact_output.programs import SUM, TOTAL, WORKED

ROOT = Path(__file__).resolve().parents[2]
GOOD = {"name": "sum", "program": TOTAL, "short": SUM.short, "long": SUM.long, "topic": "sums"}
BAD = {**GOOD, "name": "swapped", "short": SUM.long, "long": SUM.short}


@pytest.fixture(autouse=True, scope="module")
def wall() -> None:
    try:
        strongest_protection()
    except RefusedError as error:
        pytest.skip(f"untrusted programs cannot be contained here: {error}")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_cases(*cases: object) -> None:
    Path("cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))


def built(*arguments: str) -> int:
    return main(["build", "exact-output", "cases.jsonl", *arguments])


def test_the_worked_example_goes_from_its_program_to_a_review(capsys: pytest.CaptureFixture[str]) -> None:
    write_cases({"name": "nand", "program": WORKED.source, "short": WORKED.short, "long": WORKED.long})
    assert built("-o", "run", "--study", "worked", "--fields", "ans,cnt1,dp1") == 0
    assert capsys.readouterr().out == "1 admitted, 0 refused; 4 tasks in run.\n"
    answers = dict(
        zip(ARMS, ["9", "251503", '{"ans":63250,"cnt1":500,"dp1":500}', '{"ans":1,"cnt1":2,"dp1":2}'], strict=True)
    )
    key = {"study": "worked", "case": "nand", "setting": "m"}
    replies = [{**key, "arm": arm, "response": json.dumps({"output": text})} for arm, text in answers.items()]
    Path("run/responses.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    assert main(["import", "a.db", "run"]) == 0
    assert main(["grade", "a.db", "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["statuses"] == {"correct-valid": 2, "wrong-valid": 2}
    with closing(open_session(Path("a.db"), "ana")) as session:
        assert len(session.queue) == 2
    assert built("-o", "run") == 2
    assert "this run has replies already. Give a new folder." in capsys.readouterr().err


def test_refused_cases_are_listed_and_the_others_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    write_cases(GOOD, BAD, {"name": "nothing"})
    assert built("-o", "run", "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["out"] == "run" and report["tasks"] == 4 and report["unfinished"] == 0
    assert report["admitted"] == [
        {"study": "exact-output", "case": "sum", "loop": 2, "iteration": 4, "fields": ["total", "word"]}
    ]
    assert [(row.get("case"), row["reason"]) for row in report["refused"]] == [
        (None, "unusable"),
        ("swapped", "trace_order"),
    ]
    assert built("-o", "run") == 1  # everything is there already
    shown = capsys.readouterr()
    assert "swapped  trace_order  measurement 1:" in shown.out
    assert "1 admitted, 1 refused; 4 tasks in run." in shown.out
    assert "1 case refused:\n  cases.jsonl:3: it needs either program" in shown.err
    lines = [json.loads(line) for line in Path("run/tasks.jsonl").read_text().splitlines()]
    assert [line["arm"] for line in lines] == list(ARMS)
    assert {line["facets"]["topic"] for line in lines} == {"sums"}


def test_a_dry_run_shows_what_is_proposed_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    write_cases(GOOD)
    assert built("--dry-run", "-o", "run") == 0
    out = capsys.readouterr().out
    assert re.search(r"^sum +2 +4  total, word$", out, re.MULTILINE)
    assert out.endswith("1 admitted, 0 refused; 4 tasks. Dry run: nothing was written.\n")
    assert not Path("run").exists()


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_writes_the_finished_cases() -> None:
    write_cases(*({**GOOD, "name": f"sum-{number}"} for number in range(40)))
    command = [sys.executable, "-m", "auditor", "build", "exact-output", "cases.jsonl", "-o", "run", "--workers", "2"]
    ours, theirs = os.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, start_new_session=True) as build:
        os.close(theirs)
        shown = b""
        while b"1 case built" not in shown:
            shown += os.read(ours, 1000)
        os.killpg(build.pid, signal.SIGINT)
        os.killpg(build.pid, signal.SIGINT)
        with suppress(OSError):  # the other end is closed
            while data := os.read(ours, 1000):
                shown += data
        assert build.wait() == 130
    os.close(ours)
    text = shown.decode()
    assert "The same command goes on from there." in text and "Traceback" not in text
    tasks = Path("run/tasks.jsonl").read_text().splitlines()
    assert 4 <= len(tasks) < 160 and len(tasks) % 4 == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "there is no place to write to."),
        (["-o", "run", "--policy", "byte"], "byte"),
        (["-o", "run", "--fields", "a,b c"], "--fields: the field 'b c' is not the name of a variable."),
        (["-o", "cases.jsonl"], "this is a file, not a folder."),
        (["-o", "."], "this folder exists and no build made it."),
        (["nowhere", "-o", "run"], "there is no file or folder nowhere."),
        (["cases.jsonl", "-o", "run"], "two cases of a study have the same name: sum."),
    ],
)
def test_a_call_that_cannot_be_done_says_why_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    write_cases(GOOD)
    assert built(*arguments) == 2
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error
    assert not Path("run").exists()


def test_an_interrupted_build_keeps_what_is_finished_and_goes_on() -> None:
    def interrupt(label: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    options, cases = BuildOptions(), [SUM, WORKED]
    before = signal.getsignal(signal.SIGINT)
    first, interrupted = build_cases(cases, options, Where(1), {}, interrupt)
    signal.signal(signal.SIGINT, before)
    assert interrupted and [verdict.case for verdict in first.values()] == ["sum"]
    labels: list[str] = []
    both, interrupted = build_cases(cases, options, Where(1), first, lambda label, done, total: labels.append(label))
    assert not interrupted and labels == ["2 cases built"]
    assert [verdict.case for verdict in both.values()] == ["sum", "nand"]


def test_a_process_that_is_killed_leaves_what_is_finished() -> None:
    def kill_all(label: str, done: int, total: int) -> None:
        for process in active_children():
            process.kill()

    cases = [replace(SUM, name=f"sum-{number}") for number in range(6)]
    found, stopped = build_cases(cases, BuildOptions(), Where(2), {}, kill_all)
    assert stopped == Stopped("a process that builds cases was ended from outside. Try --workers 1.", 1)
    assert 1 <= len(found) < 6 and all(verdict.admitted for verdict in found.values())
    found, stopped = build_cases(cases, BuildOptions(), Where(2), found, lambda *_: None)
    assert stopped is None and len(found) == 6


def test_a_killed_build_keeps_what_is_finished_beside_the_run() -> None:
    class KilledError(BaseException):
        """Takes the program away as kill -9 does: nothing is written after it."""

    def kill(label: str, done: int, total: int) -> None:
        raise KilledError

    options, folder = BuildOptions(), Path("run")
    with pytest.raises(KilledError):
        build_cases([SUM, WORKED], options, Where(1), {}, kill, folder)
    with Path(".run-unfinished.jsonl").open("ab") as file:
        file.write(b'\n{"study": "nand", "dig')
    done = earlier_verdicts(folder)
    assert [verdict.case for verdict in done.values()] == ["sum"]
    labels: list[str] = []
    verdicts, _ = run_build(
        [SUM, WORKED], options, RunOptions("run"), Where(1), folder, lambda *told: labels.append(told[0])
    )
    assert labels == ["2 cases built"] and {verdict.case: verdict for verdict in verdicts}["sum"] in done.values()
    assert sorted(path.name for path in Path().iterdir()) == ["run"]


def test_what_was_built_is_read_back_as_it_was() -> None:
    write_cases(GOOD, BAD)
    assert built("-o", "run") == 1
    first: dict[str, Verdict] = earlier_verdicts(Path("run"))
    before = {path.name: path.read_bytes() for path in Path("run").iterdir()}
    assert len(first) == 2 and sum(verdict.admitted for verdict in first.values()) == 1
    assert built("-o", "run") == 1
    assert {path.name: path.read_bytes() for path in Path("run").iterdir()} == before
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []
    Path("run/build.jsonl").write_text("damaged\n")
    assert earlier_verdicts(Path("run")) == {}


def test_hostile_texts_of_cases_reach_the_terminal_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [t for t in HOSTILE.values() if t.strip() and not any(0xD800 <= ord(char) < 0xE000 for char in t)]
    write_cases(*({**GOOD, "name": text, "program": "(" + text, "loop": text} for text in texts))
    assert built("-o", "run") == 1
    shown = capsys.readouterr()
    assert f"0 admitted, {len(texts)} refused" in shown.out
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown.out + shown.err)


def test_hostile_texts_of_problems_and_functions_reach_the_terminal_as_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = [text for text in HOSTILE.values() if text.strip()]
    tests = {"input": texts, "output": texts}
    write_cases(
        *({"name": text, "public_tests": tests, "solutions": [text, "while " + text]} for text in texts),
        *({"name": text, "public_tests": text, "private_tests": text, "input_file": text} for text in texts),
        *({"id": text, "code": text, "input": text} for text in texts),
        *({"id": text, "code": "def f(a):\n    return a", "function_name": text, "input": text} for text in texts),
        *({"id": "one", "code": "def f(a):\n    return a", "input": text} for text in texts),
    )
    assert built("-o", "run") == 1
    shown = capsys.readouterr()
    assert "cases refused:" in shown.err
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown.out + shown.err)


def test_the_commands_of_the_page_run_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")
    files = re.findall(r"`([\w./-]+)`:\n\n```\w+\n(.*?)```", page, re.DOTALL)
    assert [name for name, _ in files] == [
        "programs/total.py",
        "programs/total.toml",
        "problems.jsonl",
        "functions.jsonl",
    ]
    Path("programs").mkdir()
    for name, text in files:
        Path(name).write_text(text)
    commands = [shlex.split(line)[1:] for line in re.findall(r"^    (auditor .*)$", page, re.MULTILINE)]
    assert len(commands) >= 5
    for command in commands:
        # These take longer, or a cluster, and have tests of their own.
        if {"classic", "classic_cpp", "network-simplex", "--scheduler"} & set(command):
            continue
        if command[0] == "import":
            key = {"study": "exact-output", "case": "total", "arm": ARMS[0], "setting": "m"}
            Path("my-run/responses.jsonl").write_text(json.dumps({**key, "response": '{"output":"5"}'}))
        assert main(command) == 0, command
    assert "1 admitted, 0 refused; 4 tasks in my-run." in capsys.readouterr().out
