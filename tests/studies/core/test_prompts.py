"""Prompts: the five ways, places filled once, worked examples that are right, and the rounds of reflection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.cli.main import main
from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.model import Task
from auditor.studies.core.prompts import Prompting, _texts, messages_of, prompt_records, with_prompt
from tests.hostile import HOSTILE
from tests.studies.core.rewritten import told_of

SAMPLE = Path(__file__).resolve().parents[3] / "sample_runs" / "core"
SOURCE = "def f(x):\n    return '@QUESTION@ @CALL@' * x\n"
OUTPUT = Task("core", "p/i/t", "output", "python", SOURCE, "2", "output", "4", extra={"entry_point": "f"})
PROBE = Task(
    "core", "p/i/t", "probe/p1", "python", SOURCE, "2", "probe", 4, question="Is @CALL@ it?", extra={"entry_point": "f"}
)


@pytest.mark.parametrize("task", [OUTPUT, PROBE], ids=["output", "probe"])
@pytest.mark.parametrize("prompting", list(Prompting))
def test_every_way_shows_program_call_and_form(task: Task, prompting: Prompting) -> None:
    system, user = messages_of(task, prompting)
    assert (system.role, user.role) == ("system", "user")
    assert user.content.count(SOURCE.rstrip("\n")) == 1 and "f(2)" in user.content
    assert "[/ANSWER]" in user.content and "@PROGRAM@" not in user.content and "@FORM@" not in user.content
    # What the program or the question writes like a place stays as it is.
    assert user.content.count("@QUESTION@") == 1
    assert user.content.count("@CALL@") == (2 if task is PROBE else 1)
    if prompting is Prompting.CHAIN_OF_THOUGHT:
        assert user.content.count("[/THOUGHT]\n[ANSWER]") == 2
    assert with_prompt(task, prompting).prompt == {"system": system.content, "user": user.content}


@pytest.mark.parametrize("text", list(HOSTILE.values()), ids=list(HOSTILE))
def test_hostile_texts_stand_in_a_prompt_as_they_are(text: str) -> None:
    task = Task("s", "c", "probe/a", "python", text, text, "probe", 1, question=text, extra={"entry_point": text})
    for prompting in Prompting:
        user = messages_of(task, prompting, [text] * prompting.rounds)[1].content
        assert text.rstrip("\n") in user


def test_the_worked_examples_are_right() -> None:
    for example in _texts()["example"]:
        call, program = example["call"], example["program"].strip()
        space: dict[str, Any] = {}
        exec(program, space)
        oracle: Any = repr(eval(call, space))
        if example["target"] == "probe":
            oracle = told_of(program, call, 4).held[2]
        question = Question(example["target"], oracle, "", answer_type="boolean", call=call)
        policy = "probe" if example["target"] == "probe" else "python-literal"
        reply = example["reply"].strip()
        assert grade(question, reply, policy=policy, envelope="answer-tags").status.value == "correct-valid"


def test_a_later_round_follows_from_the_replies() -> None:
    first, second = "[ANSWER] 1 [/ANSWER]", "[ANSWER] @CALL@ [/ANSWER]"
    messages = messages_of(OUTPUT, Prompting.REFLECTION_2, [first, second])
    assert [message.role for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message.content for message in messages[2::2]] == [first, second]
    assert messages[3] == messages[5] and "[ANSWER] f(2) == VALUE [/ANSWER]" in messages[5].content
    with pytest.raises(ValueError, match="nothing to ask"):
        messages_of(OUTPUT, Prompting.REFLECTION_1, [first, second])
    with pytest.raises(ValueError, match="nothing to ask"):
        messages_of(OUTPUT, Prompting.DIRECT, [first])
    assert len(list(prompt_records())) == 2 * len(Prompting)


# --- the command ---------------------------------------------------------------------------------------------------


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def replies(requests: list[dict[str, Any]], path: str, text: str) -> None:
    keys = ("study", "case", "arm", "setting", "sample")
    kept = [{**{key: one[key] for key in keys}, "response": text} for one in requests]
    kept[0]["response"] = None if path == "r1.jsonl" else text
    Path(path).write_text("".join(json.dumps(one) + "\n" for one in kept))


def test_two_rounds_from_the_first_request_to_the_responses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    common = ["build", "core-requests", str(SAMPLE), "--prompting", "rhda-1"]
    assert main([*common, "--setting", "m", "--samples", "2", "-o", "q1.jsonl"]) == 0
    first = lines("q1.jsonl")
    assert len(first) == 2 * 238 and (first[0]["round"], first[0]["rounds"]) == (1, 2)
    assert {one["sample"] for one in first} == {0, 1} and len(first[0]["messages"]) == 2
    replies(first, "r1.jsonl", "[ANSWER] 1 [/ANSWER]")
    assert main([*common, "--replies", "r1.jsonl", "-o", "q2.jsonl"]) == 1
    assert "there is no reply to its round 1" in capsys.readouterr().err
    Path("other-key.jsonl").write_text(json.dumps({**first[0], "messages": None, "raw": "[ANSWER] 1 [/ANSWER]"}) + "\n")
    assert main([*common, "--replies", "other-key.jsonl", "-o", "q3.jsonl"]) == 1
    assert "other-key.jsonl:1: it has no response." in capsys.readouterr().err
    second = lines("q2.jsonl")
    assert len(second) == len(first) - 1 and second[0]["messages"][2]["content"] == "[ANSWER] 1 [/ANSWER]"
    replies(second, "r2.jsonl", "[ANSWER] 2 [/ANSWER]")
    both = ["--replies", "r1.jsonl", "--replies", "r2.jsonl"]
    assert main([*common, *both, "--responses", "-o", "all.jsonl"]) == 1
    told = lines("all.jsonl")
    assert told[0] == {
        **{key: second[0][key] for key in ("study", "case", "arm", "setting", "sample")},
        "response": "[ANSWER] 2 [/ANSWER]",
        "turns": ["[ANSWER] 1 [/ANSWER]"],
    }
    assert main([*common, *both, "-o", "q3.jsonl"]) == 2
    assert "rhda-1 has 2 rounds, and there are replies to all." in capsys.readouterr().err


def test_calls_that_cannot_be_answered_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.jsonl").write_text('nonsense\n{"study": "core", "case": "x", "arm": "output", "setting": "m"}\n')
    for arguments, words in (
        (["-o", "q"], "the requests need a setting"),
        (["-o", "q", "--responses"], "there are no replies to put together"),
        (["-o", "q", "--replies", "none"], "it cannot be read (No such file or directory)"),
        (["-o", "q", "--replies", "r.jsonl", "--setting", "m"], "leave --setting out"),
        (["-o", "q", "--replies", "r.jsonl", "--prompting", "rhda-2", "--responses"], "rhda-2 has 3 rounds"),
    ):
        assert main(["build", "core-requests", str(SAMPLE), *arguments]) == 2
        assert words in capsys.readouterr().err
    assert main(["build", "core-requests", str(tmp_path), "-o", "q", "--setting", "m"]) == 2
    assert main(["build", "core-requests", str(SAMPLE), "-o", "q", "--replies", "r.jsonl", "--responses"]) == 1
    told = capsys.readouterr().err
    assert "r.jsonl:1: it is not JSON" in told and "r.jsonl:2: the run has no such task." in told
