"""`auditor build core`: what is written and printed, the exit codes, and going on after an interruption."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.cli.main import main
from auditor.studies.core import building
from auditor.studies.core.building import build_all
from auditor.studies.core.built import Built
from auditor.studies.core.run_files import earlier_builds
from tests.studies.core.problems import BAD, FUNCTIONAL, LOOPS, RECURSIVE, write_problem
from tests.walls import need_wall

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "core.md").read_text(encoding="utf-8")
SMALL = ("[1, 0, -4, 2]", "[2, 2]")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_wall()
    monkeypatch.chdir(tmp_path)


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_a_problem_goes_from_its_folder_to_a_graded_audit(capsys: pytest.CaptureFixture[str]) -> None:
    bad = {name: BAD[name][1] for name in ("short", "other")}
    write_problem(Path("problems/squares"), {"loops": LOOPS, "recursive": RECURSIVE, **bad}, SMALL)
    Path("problems/squares/implementations/odd\x1b.py").write_bytes(b"\xff")
    assert main(["build", "core", "problems", "-o", "run", "--workers", "1"]) == 1
    told = capsys.readouterr()
    assert re.search(r"squares +2 +2 +1 +1 +13/13 +8/8 +0\.[34]\d +3\.5 +5 ", told.out)
    assert "refused: squares/short: too_simple: its cyclomatic complexity is 1, below 3." in told.out
    assert "refused: squares/other: disagrees: with test t01 it gives 5, and" in told.out
    assert "squares/odd␛: byte 1 of odd␛.py is not UTF-8." in told.err
    assert "\x1b" not in told.out + told.err
    assert "7 tasks of 1 problem in run." in told.out
    tasks = lines("run/tasks.jsonl")
    assert [task["arm"] for task in tasks] == ["output"] * 2 + [f"probe/p{number}" for number in range(1, 6)]
    assert len(lines("run/prompts.jsonl")) == 10
    key = {"study": "core", "setting": "m"}
    replies = [
        {**key, "case": task["case"], "arm": task["arm"], "response": f"[ANSWER] {task['oracle']!r} [/ANSWER]"}
        for task in tasks[1:]
    ]
    replies[0]["response"] = "[ANSWER] total([1, 0, -4, 2]) == 7 [/ANSWER]"
    Path("run/responses.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    assert main(["import", "a.db", "run"]) == 0
    capsys.readouterr()
    assert main(["grade", "a.db", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["statuses"] == {"correct-valid": 5, "wrong-valid": 1}
    assert main(["build", "core", "problems", "-o", "run"]) == 2
    assert "this run has replies already" in capsys.readouterr().err


def test_an_interrupted_build_keeps_what_is_finished_and_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        write_problem(Path("problems") / name, {"loops": LOOPS, "recursive": RECURSIVE}, SMALL)
    command = ["build", "core", "problems", "-o", "run", "--workers", "1", "--probes", "0"]
    asked: list[list[str]] = []

    def until_interrupted(problems: Any, *rest: Any) -> Iterator[Built]:
        problems = list(problems)
        asked.append([problem.name for problem in problems])
        for number, built in enumerate(build_all(problems, *rest)):
            if number:
                raise KeyboardInterrupt
            yield built

    monkeypatch.setattr(building, "build_all", until_interrupted)
    assert main(command) == 130
    assert "interrupted; 1 problem finished." in capsys.readouterr().err
    assert {task["problem"] for task in lines("run/tasks.jsonl")} == {"one"}
    assert main([*command, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["problem"] for one in report["problems"]] == ["one", "two"] and report["missing"] == 0
    assert asked == [["one", "two"], ["two"]]
    before = Path("run/tasks.jsonl").read_bytes()
    assert main(command) == 0 and asked[2:] == [[]]
    assert Path("run/tasks.jsonl").read_bytes() == before
    assert report["problems"][0]["sizes"]["styles"] == {"loops": 1, "recursive": 1}


def test_a_killed_build_keeps_what_is_finished_beside_the_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        """Takes the program away as kill -9 does: nothing is written after it."""

    for name in ("one", "two"):
        write_problem(Path("problems") / name, {"loops": LOOPS, "recursive": RECURSIVE}, SMALL)
    command = ["build", "core", "problems", "--workers", "1", "--probes", "1"]
    asked: list[list[str]] = []
    made: list[Built] = []

    def until_killed(problems: Any, *rest: Any) -> Iterator[Built]:
        problems = list(problems)
        asked.append([problem.name for problem in problems])
        for number, built in enumerate(build_all(problems, *rest)):
            if number:
                raise KilledError
            made.append(built)
            yield built

    monkeypatch.setattr(building, "build_all", until_killed)
    with pytest.raises(KilledError):
        main([*command, "-o", "run"])
    kept = Path(".run-unfinished.jsonl")
    assert not Path("run").exists() and len(kept.read_bytes().split(b"\n")) == 3
    with kept.open("ab") as file:
        file.write(b'\n{"problem": "two", "dig')
    assert list(earlier_builds(Path("run")).values()) == made[:1] and made[0].tasks
    assert main([*command, "-o", "run"]) == 0
    assert asked == [["one", "two"], ["two"]]
    assert sorted(path.name for path in Path().iterdir()) == ["problems", "run"]
    assert {task["problem"] for task in lines("run/tasks.jsonl")} == {"one", "two"}


def test_similar_pairs_are_told_to_experts_and_marked(capsys: pytest.CaptureFixture[str]) -> None:
    write_problem(Path("squares"), {"functional": FUNCTIONAL, "recursive": RECURSIVE}, SMALL)
    command = ["build", "core", "squares", "-o", "run", "--workers", "1", "--probes", "0", "--similar", "0.1"]
    assert main(command) == 0
    assert "for experts: squares: functional and recursive, Jaccard 0.5" in capsys.readouterr().out
    assert {task["facets"]["similar"] for task in lines("run/tasks.jsonl")} == {True}
    assert main([*command, "--too-similar", "0.05"]) == 2
    assert "--similar is above --too-similar" in capsys.readouterr().err


def test_written_probes_come_first_and_get_their_answers(capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_problem(Path("squares"), {"loops": LOOPS, "recursive": RECURSIVE}, SMALL)
    case = {"implementation": "loops", "test": "t01"}
    visit = {**case, "kind": "value-at-visit", "line": 5, "variable": "result"}
    written: list[dict[str, object]] = [
        {**visit, "question": "How much is it at the end?", "dimensions": ["Boundary"]},
        {**visit, "n": 1},
        {**case, "kind": "branch", "line": 4, "n": 3},
        {**case, "kind": "first-time", "line": 4},
        {**visit, "n": 9},
        {**visit, "test": "t09"},
        {**case, "kind": "branch", "line": 4, "variable": "value"},
        {**visit, "kind": "guess"},
        {**visit, "dimensions": ["Depth"]},
        {**visit, "answer": 5},
    ]
    (folder / "probes.jsonl").write_text("".join(json.dumps(one) + "\n" for one in written))
    assert main(["build", "core", "squares", "-o", "run", "--workers", "1", "--probes", "4"]) == 1
    told = capsys.readouterr()
    assert "loops: no_answer: the probe about line 5 (value-at-visit) has no answer in the run of test t01." in told.out
    assert "is about a case that is not there: no such test t09 is admitted." in told.out
    assert [f"squares/probes.jsonl:{number}:" in told.err for number in range(5, 11)] == [False, False, *[True] * 4]
    probes = {task["question"]: task for task in lines("run/tasks.jsonl") if task["target"] == "probe"}
    assert len(probes) == 4
    last = probes["How much is it at the end?"]
    assert (last["oracle"], last["dimensions"], last["probe"]["n"]) == (6, ["Boundary"], 2)
    assert sorted(task["oracle"] for task in probes.values()) == [False, 1, 1, 6]


def test_what_can_be_asked_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    write_problem(Path("squares"), {"loops": LOOPS, "recursive": RECURSIVE}, SMALL)
    command = ["build", "core-probes", "squares", "--implementation", "loops"]
    assert main([*command, "--limit", "3"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"\d+ probes proposed; the deepest 3 are listed\.", told)
    assert "what is the value of `result`?" in told
    assert main([*command, "--test", "t02", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    depths = [one["depth"] for one in report["probes"]]
    assert depths == sorted(depths, reverse=True) and {one["test"] for one in report["probes"]} == {"t02"}
    for arguments, words in ((["--test", "t9"], "there is no test t9"), (["--implementation", "x"], "there are loops")):
        assert main(["build", "core-probes", "squares", *arguments]) == 2
        assert words in capsys.readouterr().err
    failing = LOOPS.replace("return", "raise ValueError\n    return")
    write_problem(Path("failing"), {"loops": failing, "recursive": RECURSIVE}, SMALL)
    assert main(["build", "core-probes", "failing", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert {one["implementation"] for one in report["probes"]} == {"recursive"}
    (refused,) = report["refused"]
    assert refused["implementation"] == "loops" and refused["reason"].startswith("the run does not come to its end")
    assert main(["build", "core-probes", "failing", "--implementation", "loops"]) == 1
    told = capsys.readouterr().out
    assert "No probe is proposed." in told and "refused: loops: with test t01 the run does not come" in told
    (Path("squares") / "problem.toml").write_text("entry_point = ")
    assert main(["build", "core-probes", "squares"]) == 2
    assert "squares: problem.toml cannot be read" in capsys.readouterr().err


def test_folders_that_hold_no_problem_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    for arguments, words in (
        (["empty"], "there are no problems here"),
        (["nowhere"], "there is no folder nowhere"),
    ):
        assert main(["build", "core", *arguments, "--dry-run"]) == 2
        assert words in capsys.readouterr().err
    assert main(["build", "core"]) == 2
    assert "there is no place to write to" in capsys.readouterr().err
    write_problem(Path("p/a"), {"loops": LOOPS}, ('1\n"', "total([1])", "[1])(2"))
    with Path("p/a/tests.jsonl").open("a") as file:
        file.write('{"input": "[1]", "output": "1\\u0000"}\n')
    Path("p/b").mkdir()
    Path("p/b/problem.toml").write_text("entry_point = 5\n")
    assert main(["build", "core", "p", "--dry-run", "--workers", "1"]) == 1
    told = capsys.readouterr()
    assert "b: problem.toml names no entry_point" in told.err
    assert "a/tests.jsonl:1: its input is not the arguments of a call." in told.err
    assert "a/tests.jsonl:3: its input is not the arguments of a call." in told.err
    assert "a/tests.jsonl:4: its output is no Python literal" in told.err and "Styles" not in told.out
    assert "refused: a: too_few: 1 of its implementations passes; two are needed to compare." in told.out
    assert "Nothing was written." in told.out


def test_the_walk_of_the_page_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sample_runs").symlink_to(ROOT / "sample_runs")
    (block,) = re.findall(r"<!-- walk -->\n\n((?:    .*\n)+)", PAGE)
    commands = [shlex.split(line) for line in block.splitlines()]
    assert len(commands) == 3
    for program, *arguments in commands:
        assert program == "auditor"
        assert main(arguments) == 0, arguments
