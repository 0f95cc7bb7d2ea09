"""`auditor build prex`: run directories that can be imported, going on after an interruption, and what is refused."""

from __future__ import annotations

import json
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from auditor.cli.build_prex import _build, _Plan
from auditor.cli.build_stopping import Where
from auditor.cli.main import main
from auditor.studies.prex.grid import GridOptions
from auditor.studies.prex.prompts import Strategy
from auditor.studies.prex.splits import Split, hand_written

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "prex.md").read_text(encoding="utf-8")
SOURCES = {"one": "int a;\na = 4;\n", "two": "int b;\nint c;\nc = (b + 1);\n", "three": "halt;\n"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def built(*arguments: str) -> int:
    return main(["build", "prex", *arguments, "--workers", "1", "--quiet"])


def records(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_a_build_can_be_imported_and_says_its_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("-o", "out", "--split", "translated,hand-written", "--count", "2", "--shift", "Standard,KeywordObf")
    assert built(*asked, "--alphabet", "tokens", "--formalism", "k") == 0
    said = capsys.readouterr().out
    assert "lines: least" in said and "C* tokens: least" in said
    assert "4 valid programs, 24 programs with their errors, 48 tasks\nin out." in said
    assert {path.name for path in Path("out").iterdir()} == {"hand-written", "translated"}
    tasks = records("out/translated/tasks.jsonl")
    assert len(tasks) == 24
    assert {task["arm"] for task in tasks} == {"K/Standard", "K/KeywordObf/one-token"}
    assert all("prompt" not in task for task in tasks)
    prompts = records("out/hand-written/prompts.jsonl")
    assert [(row["arm"], row["prompting"]) for row in prompts] == [
        (arm, way) for arm in ("K/Standard", "K/KeywordObf/one-token") for way in ("da", "cot")
    ]
    assert main(["import", "a.db", "out/hand-written", "out/translated", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["info", "a.db", "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert {one["name"]: one["tasks"] for one in info["studies"]} == {"prex-hand-written": 24, "prex-translated": 24}


def test_the_walk_of_the_page_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"<!-- walk -->\n\n((?:    .*\n)+)", PAGE)
    for line in block.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "auditor"
        assert main([*arguments, "--workers", "1"] if arguments[0] == "build" else arguments) == 0, line
    asked = records("asked/hand-written/tasks.jsonl")[0]
    assert "<reason>" in asked["prompt"]["user"]


def test_the_same_build_does_nothing_and_another_seed_builds_anew(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("-o", "out", "--split", "hand-written", "--count", "2", "--shift", "Standard", "--json")
    assert built(*asked) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["programs"], told["finished"], told["tasks"]) == (2, 2, 24)
    assert told["splits"][0]["lines"] == {"least": 11, "median": 15.5, "greatest": 20}
    first = Path("out/hand-written/tasks.jsonl").stat()
    assert built(*asked) == 0
    assert Path("out/hand-written/tasks.jsonl").stat().st_ino == first.st_ino
    before = Path("out/hand-written/tasks.jsonl").read_bytes()
    assert built(*asked, "--seed", "again") == 0
    assert Path("out/hand-written/tasks.jsonl").read_bytes() != before
    assert built(*asked) == 0
    assert Path("out/hand-written/tasks.jsonl").read_bytes() == before


def test_final_states_are_built_beside_verdicts_and_can_be_graded(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("-o", "out", "--split", "hand-written", "--count", "1", "--formalism", "S", "--shift", "Standard")
    assert built(*asked) == built(*asked, "--task", "final-state") == 0
    assert "1 valid program, 1 task\nin out." in capsys.readouterr().out
    (task,) = records("out/final-state-hand-written/tasks.jsonl")
    reply = "<answer>" + "".join(f"<{name}>{value}</{name}>" for name, value in json.loads(task["oracle"]).items())
    replied = {**{key: task[key] for key in ("study", "case", "arm")}, "setting": "s", "response": reply + "</answer>"}
    Path("out/final-state-hand-written/responses.jsonl").write_text(json.dumps(replied) + "\n")
    assert main(["import", "a.db", "out/final-state-hand-written", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["grade", "a.db", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["statuses"]["correct-valid"] == 1
    assert built(*asked, "--task", "final-state", "--seed", "5") == 2
    assert "this run has replies already" in capsys.readouterr().err


def test_programs_of_ones_own_are_built_and_what_is_refused_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("own").mkdir()
    for name, source in SOURCES.items():
        Path(f"own/{name}.imp").write_text(source)
    Path("own/doubled.py").write_text("n = int(input())\nprint(2 * n)\n")
    Path("own/listed.py").write_text("x = [1]\n")
    Path("own/inputs.toml").write_text('doubled = "21"\n')
    asked = ("--programs", "own", "--formalism", "S", "--shift", "Standard")
    assert built("-o", "out", *asked, "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert [(row["split"], row["programs"]) for row in told["splits"]] == [("hand-written", 3), ("translated", 1)]
    assert told["refused"] == [{"where": "listed", "reason": "line 1: C* cannot express [1] as an integer."}]
    assert records("out/translated/tasks.jsonl")[0]["source"].endswith("n = 21;\nans = (2 * n);\n")
    assert built("-o", "out", *asked) == 1
    assert "listed: line 1: C* cannot express" in capsys.readouterr().err
    Path("own/wrong.imp").write_text("int a;\na = (1 / a);\n")
    assert built("-o", "other", *asked) == 2
    assert "wrong: errors are planted in valid programs only" in capsys.readouterr().err
    Path("empty").mkdir()
    assert built("-o", "other2", "--programs", "empty") == 2
    assert "there are no programs here" in capsys.readouterr().err
    assert not Path("other2").exists()


@pytest.mark.parametrize(
    ("names", "split", "sentence"),
    [
        ("a.imp", "translated", "own: there are no translated programs here."),
        ("a.py", "hand-written", "own: there are no hand-written programs here."),
        ("a.imp", "fuzzer-generated", "random programs are made, not read from a folder."),
        ("a_b.imp a-b.imp", "hand-written", "a-b.imp and a_b.imp would be one program, a-b."),
        ("a.py b.py", "translated", "own: no Python program here can be translated: a: line 1: "),
    ],
)
def test_only_the_named_splits_are_built_of_a_folder(
    names: str, split: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("own").mkdir()
    for name in names.split():
        Path("own", name).write_text("x = [1]\n" if name.endswith(".py") else "int a;\n")
    assert built("-o", "out", "--programs", "own", "--split", split) == 2
    assert sentence in capsys.readouterr().err
    assert not Path("out").exists()


def test_odd_file_names_and_seeds_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd").mkdir()
    for name in ("a\x1b[31m\nb", "\udcff\udcfe"):
        Path(f"odd/{name}.imp").write_text("int a;\n")
    Path("odd/\x1b]0;x\x07.py").write_bytes(b"\xff\n")
    asked = ("--programs", "odd", "--split", "hand-written,translated", "--seed", "\udcff\x1b")
    assert built("-o", "out", *asked, "--formalism", "K", "--shift", "KeywordSwap") == 1
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err
    assert "this is not UTF-8." in told.err
    cases = {task["case"].rpartition("/")[0] for task in records("out/hand-written/tasks.jsonl")}
    assert cases == {"a\x1b[31m\nb", "\udcff\udcfe"}


def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path) -> None:
    for name, source in SOURCES.items():
        (tmp_path / f"{name}.imp").write_text(source)
    programs = {Split.HAND_WRITTEN: hand_written(tmp_path)}
    plan = _Plan(tmp_path / "out", GridOptions(), (Strategy.DIRECT,), programs, [])

    def interrupted(_: str, done: int, __: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    try:
        done, stopped = _build(plan, Where(1), interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopped is not None
    assert (done, stopped.exit_code) == ({Split.HAND_WRITTEN: 2}, 130)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".parts"]
    steps: list[int] = []
    done, stopped = _build(plan, Where(1), lambda _, number, __: steps.append(number))
    assert (done, stopped, steps) == ({Split.HAND_WRITTEN: 3}, None, [3])
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["hand-written"]
    cases = [task["case"].partition("/")[0] for task in records("out/hand-written/tasks.jsonl")]
    assert list(dict.fromkeys(cases)) == ["one", "three", "two"]
    assert len(cases) == 3 * 36


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-o", "taken", "--count", "1"], "taken: this folder exists and no build made it."),
        (["-o", "file", "--count", "1"], "file: this is a file, not a folder."),
        (["-o", "x", "--split", "by-hand"], "there is no by-hand; give some of hand-written,translated,fuzzer"),
        (["-o", "x", "--programs", "nowhere"], "nowhere: there is no such folder."),
        (["-o", "x", "--programs", "file"], "file: this is no folder."),
        (["-o", "x", "--shift", ","], "give some of Standard,KeywordSwap,KeywordObf, separated by commas."),
        (["-o", "own", "--count", "1"], "no build made it."),
    ],
)
def test_what_cannot_be_built_is_said(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("taken").mkdir()
    Path("taken/notes").write_text("mine")
    Path("file").write_text("mine")
    Path("own/translated").mkdir(parents=True)
    assert built(*arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert Path("taken/notes").read_text() == "mine"


def test_python_is_translated_and_asked_about(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    Path("p.py").write_text("n = int(input())\nwhile n > 9:\n    n //= 2\nprint(n)\n")
    Path("n.txt").write_text("75\n")
    assert main(["cstar", "translate", "p.py", "--input", "n.txt"]) == 0
    program = capsysbinary.readouterr().out
    assert program.startswith(b"int n;\nint ans;\nn = 75;\nwhile (n > 9)\n")
    Path("p.imp").write_bytes(program)
    assert main(["cstar", "prompt", "p.imp", "--formalism", "k", "--task", "final-state"]) == 0
    prompt = capsysbinary.readouterr().out
    assert program in prompt
    assert b"Rule 36\n" in prompt
    assert main(["cstar", "prompt", "p.imp", "--json", "--strategy", "cot"]) == 0
    assert set(json.loads(capsysbinary.readouterr().out)) == {"system", "user"}
    assert main(["cstar", "prompt", "p.imp", "--notation", "obf"]) == 2
    Path("p.py").write_text("x = 1\ny = [x]\n")
    assert main(["cstar", "translate", "p.py"]) == 2
    assert b"p.py, line 2: C* cannot express [x] as an integer." in capsysbinary.readouterr().err
