"""`auditor trace`: the state at a step, lists of steps, JSON, and what cannot be run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from auditor.cli.main import main
from auditor.text import has_invisible
from tests.probed import item, probe_audit
from tests.replayed import CORE, REPLIES, tasks
from tests.tui.conftest import audit_of
from tests.walls import need_wall

ITEM = "loops/nand-like/{}/model-a/0"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> str:
    need_wall()
    cpp = tasks()[0] | {"case": "cpp", "language": "cpp"}
    reply = dict(REPLIES[0]) | {"case": "cpp"}
    name = {"case": "odd", "source": "変数 = '\\x1b[2J'\nprint(変数)\n", "input": ""}
    return str(
        audit_of(
            tmp_path_factory.mktemp("trace"),
            [*tasks(), cpp, tasks()[0] | name],
            [*REPLIES, reply, dict(REPLIES[0]) | {"case": "odd"}],
        )
    )


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["trace", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_state_at_the_checkpoint_and_the_claim(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, audit, ITEM.format("inside-loop-state"))
    assert found["item"] == ITEM.format("inside-loop-state") and found["outcome"]["ending"] == "finished"
    assert found["at"]["step"] == found["checkpoint"] and found["cut"] is None
    state = found["at"]["module"]
    assert [state[name] for name in ("ans", "cnt1", "dp1")] == ["63250", "500", "500"]
    fields = {one["name"]: one for one in found["claim"]["fields"]}
    assert [fields[name]["holds"] for name in ("ans", "cnt1", "dp1")] == [False, False, True]
    assert found["contradiction"] == fields["ans"]["parted"]
    there = told(capsys, audit, ITEM.format("inside-loop-state"), "--at", "contradiction")["at"]
    assert there["step"] == found["contradiction"] and there["changes"][0]["name"] == "ans"


def test_a_table_says_the_same_to_people(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", audit, ITEM.format("post-loop-state")]) == 0
    out = capsys.readouterr().out
    for words in (
        "Wrong at the checkpoint",
        "ans is 251502, predicted 251500",
        "Programs run behind a wall",
        "print(ans)",
    ):
        assert words in out


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--steps", "3-7"], 5),
        (["--steps", "4"], 1),
        (["--changes", "ans"], 5),
        (["--outputs"], 1),
        (["--visits", "--at", "7"], 3),
        (["--iterations"], 5),
        (["--iterations", "--limit", "2"], 2),
    ],
    ids=["a range", "one", "changes", "outputs", "visits", "iterations", "a limit"],
)
def test_lists_of_steps(audit: str, options: Sequence[str], count: int, capsys: pytest.CaptureFixture[str]) -> None:
    listed = told(capsys, audit, ITEM.format("short-trace-final"), *options)["list"]
    assert len(listed) == count
    assert [one["step"] for one in listed] == sorted({one["step"] for one in listed})
    assert main(["trace", audit, ITEM.format("short-trace-final"), *options]) == 0
    assert len(capsys.readouterr().out.splitlines()) == count + 2


@pytest.mark.parametrize(
    ("item", "options", "sentence"),
    [
        ("short-trace-final", ["--at", "nowhere"], "names no step"),
        ("short-trace-final", ["--at", "checkpoint"], "no such step: checkpoint"),
        ("short-trace-final", ["--at", "999"], "has no step 999: it has 37 steps, 0 to 36"),
        ("short-trace-final", ["--steps", "a-b"], "are no steps"),
        ("short-trace-final", ["--steps", "1", "--outputs"], "only one of"),
    ],
)
def test_what_cannot_be_shown_is_said(
    audit: str, item: str, options: Sequence[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", audit, ITEM.format(item), *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_probe_is_told_with_its_moment_and_the_trace_around_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_wall()
    path = str(probe_audit(tmp_path))
    found = told(capsys, path, item("count"))
    assert found["at"]["step"] == found["checkpoint"] == found["probe"]["step"] == 19
    probe = found["probe"]
    assert (probe["given"], probe["answer"], probe["agrees"], probe["span"]) == (4, 4, True, [3, 19])
    assert [row["step"] for row in found["around"]] == list(range(14, 23))
    assert [row["step"] for row in found["around"] if row["mark"]] == [15, 19]
    assert [one["step"] for one in told(capsys, path, item("count"), "--visits")["list"]] == [3, 7, 11, 15, 19]
    unknown = told(capsys, path, item("line"))["probe"]
    assert unknown["given"] is None and "not which moment" in unknown["reason"]
    assert main(["trace", path, item("wrong")]) == 0
    out = capsys.readouterr().out
    for words in (
        "Question: What of wrong?",
        "Asked about: step 12, visit 3 of 4 of line 4.",
        "The run answers true, and the recorded answer is false: they differ.",
        "◆  12    4     if at and value == values[at - 1]:",
        "◆•       at        2",
    ):
        assert words in out


def test_a_program_in_another_language_is_not_run(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", audit, "loops/cpp/short-trace-final/model-a/0"]) == 2
    assert capsys.readouterr().err == "auditor: replay is for Python programs, and this one is in C++.\n"


def test_text_of_the_program_reaches_a_terminal_visibly(audit: str, capsys: pytest.CaptureFixture[str]) -> None:
    item = "loops/odd/short-trace-final/model-a/0"
    assert main(["trace", audit, item, "--at", "last"]) == 0
    out = capsys.readouterr().out
    assert "変数" in out and not any(has_invisible(line) for line in out.splitlines())
    assert told(capsys, audit, item, "--at", "last")["at"]["module"]["変数"] == repr("\x1b[2J")


def test_a_run_that_takes_too_long_is_stopped_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_wall()
    task = tasks()[0] | {"source": f"{CORE}while True:\n    pass\n"}
    path = str(audit_of(tmp_path, [task], [dict(REPLIES[0])]))
    found = told(capsys, path, ITEM.format("short-trace-final"), "--seconds", "0.5")
    assert found["outcome"]["ending"] == "wall_time" and found["cut"] == "seconds"
    assert any("stopped after 0.5 s under watch" in note for note in found["notes"])
