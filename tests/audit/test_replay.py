"""Replays of items: what is run, what is said of it, and going from step to step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.item_parts import read_item
from auditor.audit.replay import Budget, Replay, Sandbox, Subject, open_sandbox, record, subject_of
from auditor.audit.replay_moves import find_step, iteration_of, loop_at, nearest, neighbour, next_iteration, next_output
from auditor.audit.replay_words import claim_sentence, step_sentence
from auditor.errors import AuditorError, InputError
from auditor.execution.protection import RefusedError
from auditor.model import Checkpoint
from auditor.store.queue import ReviewItem
from auditor.text import has_invisible
from tests.hostile import HOSTILE
from tests.replayed import CORE, LOOP_LINE, REPLIES, line_of, reply, tasks
from tests.tui.conftest import audit_of
from tests.walls import need_wall


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    need_wall()
    with open_sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return audit_of(tmp_path_factory.mktemp("replay"), tasks(), list(REPLIES))


def item_of(audit: Path, arm: str) -> ReviewItem:
    return read_item(audit, f"loops/nand-like/{arm}/model-a/0")


def plain(source: str, stdin: str = "", **others: Any) -> Subject:
    return replace(Subject(source, source, stdin, None, "output", None, None), **others)


@pytest.mark.parametrize(
    ("arm", "state", "iteration"),
    [
        ("inside-loop-state", {"ans": "63250", "cnt1": "500", "dp1": "500"}, 502),
        ("post-loop-state", {"ans": "251502", "cnt1": "2", "dp1": "2"}, 1002),
    ],
)
def test_the_worked_example_stops_where_its_checkpoint_says(
    box: Sandbox, audit: Path, arm: str, state: dict[str, str], iteration: int
) -> None:
    replay = record(subject_of(item_of(audit, arm)), box)
    assert replay.version.is_clean and replay.checkpoint == replay.opening
    seen = replay.trace.state(replay.opening).variables
    assert {name: seen[name] for name in state} == state
    assert iteration_of(replay, LOOP_LINE, replay.opening) == (iteration, 1002)
    assert "◆ checkpoint" in step_sentence(replay, replay.trace.step(replay.opening))
    assert replay.contradiction is not None and replay.contradiction < replay.opening
    assert claim_sentence(replay).startswith(f"Wrong at the checkpoint (step {replay.checkpoint:,}): ans is ")


@pytest.mark.parametrize(
    ("arm", "output", "said"),
    [
        ("short-trace-final", b"9\n", "'9', predicted '8'"),
        ("long-trace-final", b"251502\n", "'251502', predicted '251002'"),
    ],
)
def test_an_output_parts_at_the_step_that_wrote_it(
    box: Sandbox, audit: Path, arm: str, output: bytes, said: str
) -> None:
    replay = record(subject_of(item_of(audit, arm)), box)
    assert replay.trace.run.stdout == output and replay.checkpoint is None
    assert replay.trace.step(replay.opening).line == 14 and said in claim_sentence(replay)


def test_a_prediction_of_the_iteration_before_is_found_there(box: Sandbox, audit: Path) -> None:
    item = item_of(audit, "inside-loop-state")
    early = replace(subject_of(item), prediction='{"ans":62750,"cnt1":2,"dp1":2}')
    late = replace(early, prediction='{"ans":63252,"cnt1":2,"dp1":2}')
    before, after = record(early, box), record(late, box)
    assert before.last_true is not None and before.last_true < before.opening
    assert "1 iteration before the checkpoint" in claim_sentence(before)
    assert before.contradiction == before.last_true + 1
    assert after.last_true is not None and after.last_true > after.opening
    assert "first true together after it" in claim_sentence(after)


def test_a_clean_program_that_is_another_one_is_not_taken(box: Sandbox, audit: Path) -> None:
    subject = subject_of(item_of(audit, "inside-loop-state"))
    other = record(replace(subject, clean=CORE.replace("ans += dp1", "ans += dp0")), box)
    assert not other.version.is_clean and other.trace.state(other.opening).variables["ans"] == "63250"


def test_a_call_is_run_as_one(box: Sandbox, tmp_path: Path) -> None:
    task: dict[str, object] = {
        "study": "loops",
        "case": "f",
        "language": "python",
        "source": "def f(x, n=2):\n    return x[::-1] * n",
    }
    forward = task | {"arm": "output", "input": "'ab', n=3", "target": "output", "oracle": "'bababa'"}
    answer: dict[str, object] = {"study": "loops", "case": "f", "setting": "m", "sample": 0}
    reply = answer | {"arm": "output", "response": '{"output": "\'babab\'"}'}
    item = read_item(audit_of(tmp_path, [forward], [reply]), "loops/f/output/m/0")
    output = record(subject_of(item), box)
    assert output.trace.run.stdout == b"'bababa'\n"
    assert output.output is not None and output.output.written == len("'babab")
    assert item.grade is not None
    asked = replace(item, task=replace(item.task, target="input", input=""))
    given = record(subject_of(replace(asked, grade=replace(item.grade, prediction="f('ab', 2)"))), box)
    assert given.trace.run.stdout == b"'baba'\n" and given.output is not None
    assert "the output that was asked for" in claim_sentence(given)


@pytest.mark.parametrize(
    ("predicted", "written"),
    [
        ('"babaab"', "'baba"),
        ("'babab'", "'babab"),
        ("'baba  ba'", "'baba"),
        ("{'a', 'b'}", ""),
        ("'bababa", "'bababa"),
    ],
)
def test_how_a_literal_is_spelled_is_no_contradiction(
    box: Sandbox, tmp_path: Path, predicted: str, written: str
) -> None:
    task: dict[str, object] = {"study": "loops", "case": "f", "arm": "output", "language": "python", "input": "'ab'"}
    task |= {"source": "def f(x):\n    return x[::-1] * 3", "target": "output", "oracle": "'bababa'"}
    reply = {"study": "loops", "case": "f", "arm": "output", "setting": "m", "sample": 0}
    answer = {"response": '{"output": "1"}'}
    item = read_item(audit_of(tmp_path, [task], [reply | answer]), "loops/f/output/m/0")
    assert item.grade is not None
    item = replace(item, policy="python-literal", grade=replace(item.grade, prediction=predicted))
    output = record(subject_of(item), box).output
    assert output is not None and output.written == len(written)


def test_what_cannot_be_replayed_is_said(audit: Path) -> None:
    item = item_of(audit, "short-trace-final")
    for language, name in (("cpp", "C++"), ("cstar", "C*"), ("\x1b[2J", "␛[2J")):
        with pytest.raises(InputError) as error:
            subject_of(replace(item, task=replace(item.task, language=language)))
        assert name in str(error.value) and "replay is for Python programs" in str(error.value)
    with pytest.raises(InputError, match="nothing would run"):
        subject_of(replace(item, task=replace(item.task, source="def f(x):\n    return x\n", input="import os")))
    with pytest.raises(InputError, match="no input was predicted"):
        subject_of(replace(item, grade=None, task=replace(item.task, target="input")))


def test_a_run_without_a_wall_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.execution.protection.WALLS", ())
    with open_sandbox(unsafe=True) as bare:
        replay = record(plain("print(6 * 7)\n"), bare)
    assert replay.trace.run.stdout == b"42\n" and not replay.is_contained
    assert replay.protection == bare.protection.sentence


def test_where_nothing_protects_the_refusal_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**others: Any) -> None:
        raise RefusedError("programs are not run: the system offers no wall.")

    monkeypatch.setattr("auditor.execution.sandbox.strongest_protection", refuse)
    with pytest.raises(RefusedError) as error:
        open_sandbox()
    assert "no wall" in str(error.value) and "--unsafe" in str(error.value)


@pytest.mark.parametrize(
    ("source", "budget", "said"),
    [
        ("while True:\n    pass\n", Budget(seconds=0.3, steps=1000), "stopped at the time limit"),
        ("for i in range(9000):\n    i\n", Budget(steps=600, after=5, before=50), "kept are steps 0-599, 1"),
        ("1 / 0\n", Budget(), "ended with ZeroDivisionError in line 1"),
        ("import os\nprint(1, flush=True)\nos._exit(3)\n", Budget(), "nothing of the run was recorded"),
        ("def f(:\n", Budget(), "SyntaxError"),
        ("import sys\nx = 1\nsys.settrace(None)\nx = 2\n", Budget(), "tracer was switched off"),
    ],
    ids=["time", "steps", "exception", "exit", "syntax", "switched off"],
)
def test_what_a_reader_has_to_know_is_said(box: Sandbox, source: str, budget: Budget, said: str) -> None:
    try:
        words = " ".join(record(plain(source), box, budget=budget).notes)
    except AuditorError as error:
        words = str(error)
    assert said in words


def test_large_values_that_are_compared_now_and_then_are_named(box: Sandbox) -> None:
    source = "big = ['x' * 1000 for _ in range(1000)]\nalias = big\nfor i in range(20):\n    alias[i] = ''\n"
    replay = record(plain(source), box)
    assert replay.trace.loose and any("big" in note for note in replay.notes)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_values_are_said_in_one_visible_line(box: Sandbox, text: str) -> None:
    source = f"value = {text!a}\nprint(ascii(value))\n"
    replay = record(plain(source, prediction=text + "?", oracle=text), box)
    words = [claim_sentence(replay), *replay.notes, step_sentence(replay, replay.trace.step(replay.last))]
    assert not any(has_invisible(one) or "\n" in one for one in words)


# --- moves ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counted(box: Sandbox) -> Replay:
    source = "for i in range(6):\n    print(i)\n    x = i\n"
    return record(plain(source), box)


def test_steps_are_named_by_words_and_numbers(counted: Replay) -> None:
    last = counted.last
    named = {"first": 0, "last": last, "5": 5, "+3": 7, "-3": 1, "+999,999": last, " LAST ": last, "-90": 0}
    assert {text: find_step(counted, text, 4) for text in named} == named
    with pytest.raises(InputError, match=f"has no step 999,999: it has {last + 1} steps, 0 to {last}"):
        find_step(counted, "999,999", 4)
    for text in ("", "x", "1.5", "checkpoint", "contradiction", "true", "9" * 40, "\x1b[2J"):
        with pytest.raises(InputError) as error:
            find_step(counted, text, 4)
        assert not has_invisible(str(error.value))


def test_iterations_and_outputs_follow_each_other(counted: Replay) -> None:
    assert loop_at(counted, 0) == 1
    begins, at = [], 0
    while (found := next_iteration(counted, at)) is not None:
        begins.append(found)
        at = found
    assert [counted.trace.state(step).variables["i"] for step in begins] == list("012345")
    assert next_iteration(counted, begins[2], backwards=True) == begins[1]
    assert next_iteration(counted, begins[0], backwards=True) is None
    written, at = [], 0
    steps = []
    while (found := next_output(counted, at)) is not None:
        at = found
        steps.append(at)
        written.append(counted.trace.run.stdout[: counted.trace.step(at).output])
    assert written == [b"".join(b"%d\n" % n for n in range(count + 1)) for count in range(6)]
    assert next_output(counted, steps[0], backwards=True) is None
    back, at = [], counted.last
    while (found := next_output(counted, at, backwards=True)) is not None:
        at = found
        back.append(at)
    assert back == [step for step in reversed(steps) if step != counted.last]


def test_gaps_are_stepped_over(box: Sandbox) -> None:
    source = "for i in range(4000):\n    x = i\n"
    replay = record(plain(source), box, budget=Budget(steps=400, before=50, after=5))
    first, second = replay.trace.kept
    assert neighbour(replay.marks, first.stop - 1, 1) == second.start
    assert neighbour(replay.marks, second.start, -1) == first.stop - 1
    assert neighbour(replay.marks, 0, -1) is None and neighbour(replay.marks, replay.last, 1) is None
    assert nearest(replay.marks, first.stop + 5) == first.stop - 1
    assert nearest(replay.marks, second.start - 2) == second.start


def test_a_checkpoint_without_a_known_moment_is_none(box: Sandbox) -> None:
    replay = record(plain("x = 1\n", checkpoint=Checkpoint(1, "sometimes"), target="state", prediction='{"x": 1}'), box)
    assert replay.checkpoint is None and replay.state is not None
    assert "No checkpoint was reached" in claim_sentence(replay)
    assert replay.last_true == replay.last


_INNER = """def walk(rows):
    seen = 0
    for row in rows:
        row_sum = 0
        for cell in row:
            row_sum += cell
            seen += 1
{stop}        print(row_sum)
    return seen
print(walk([[1, 2], [1, 2], [5, 6, 7], [8]]))
"""
_INNER_STOP = """        if seen >= 5:
            print(json.dumps({"row_sum": row_sum, "seen": seen}))
            raise SystemExit
"""


def test_the_end_of_an_inner_loop_is_found_in_the_clean_program(box: Sandbox, tmp_path: Path) -> None:
    clean, source = _INNER.format(stop=""), "import json\n" + _INNER.format(stop=_INNER_STOP)
    point = {
        "line": line_of(source, "json.dumps"),
        "clean_line": 5,
        "when": "after-loop",
        "fields": ["row_sum", "seen"],
    }
    task: dict[str, object] = {"study": "loops", "case": "inner", "arm": "post-loop-state", "language": "python"}
    task |= {"input": "", "target": "state"}
    task |= {"source": source, "clean_source": clean, "oracle": '{"row_sum":18,"seen":7}', "checkpoint": point}
    given = reply("post-loop-state", '{"row_sum":8,"seen":8}', case="inner")
    subject = subject_of(read_item(audit_of(tmp_path, [task], [given]), "loops/inner/post-loop-state/model-a/0"))
    replay = record(subject, box)
    assert replay.version.is_clean and replay.checkpoint is not None
    seen = replay.trace.state(replay.checkpoint).variables
    assert (seen["row_sum"], seen["seen"], seen["row"]) == ("18", "7", "[5, 6, 7]")
    assert replay.last_true is not None and replay.last_true > replay.checkpoint
    other = record(replace(subject, clean=clean.replace("row_sum = 0", "row_sum = 1")), box)
    assert not other.version.is_clean and other.checkpoint is not None
