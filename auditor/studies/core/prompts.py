"""What a model is asked about a task, in the ways of the paper, and again after each of its replies."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from auditor.model import JsonValue, Task

PROGRAM_PLACE, CALL_PLACE, QUESTION_PLACE = "@PROGRAM@", "@CALL@", "@QUESTION@"
_FORM, _EXAMPLES = "@FORM@", "@EXAMPLES@"


class Prompting(Enum):
    """How an answer is asked for."""

    DIRECT = "io"
    """The answer alone."""
    CHAIN_OF_THOUGHT = "cot"
    """The steps first, after two worked examples."""
    CHAIN_OF_CODE = "coc"
    """The execution as a trace in code first."""
    REFLECTION_1 = "rhda-1"
    """Expectation, parts, execution; then one round in which the reply is looked at again."""
    REFLECTION_2 = "rhda-2"
    """The same with two such rounds."""

    @property
    def rounds(self) -> int:
        """How often a reply is followed by another question."""
        return {"rhda-1": 1, "rhda-2": 2}.get(self.value, 0)


class Message(NamedTuple):
    """One turn of a conversation."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


@functools.cache
def _texts() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "prompts.toml").read_text(encoding="utf-8"))


def messages_of(task: Task, prompting: Prompting, replies: Sequence[str] = ()) -> list[Message]:
    """Return the conversation that asks for the next reply, after those that came so far.

    Raises ValueError when there are more replies than the prompting has rounds.
    """
    if len(replies) > prompting.rounds:
        raise ValueError("there is nothing to ask after so many replies")
    system, user, again = _open(task.target == "probe", prompting)
    found = [Message("system", system), Message("user", _about(task, user))]
    for reply in replies:
        found += [Message("assistant", reply), Message("user", _about(task, again))]
    return found


def with_prompt(task: Task, prompting: Prompting) -> Task:
    """Return a task that holds what a model is asked first."""
    system, user = (message.content for message in messages_of(task, prompting))
    return replace(task, prompt={"system": system, "user": user})


def prompt_records() -> Iterator[dict[str, JsonValue]]:
    """Yield what a model is asked in every way, once for outputs and once for probes, whose places are marked."""
    for is_probe in (False, True):
        for prompting in Prompting:
            system, user, again = _open(is_probe, prompting)
            yield {
                "target": "probe" if is_probe else "output",
                "prompting": prompting.value,
                "rounds": prompting.rounds,
                "system": system,
                "user": user,
                **({"again": again} if prompting.rounds else {}),
            }


@functools.cache
def _open(is_probe: bool, prompting: Prompting) -> tuple[str, str, str]:
    """Return the system's message, the user's first and the one after a reply; the task's places are open."""
    texts, target = _texts(), "probe" if is_probe else "output"
    name = "rhda" if prompting.rounds else prompting.value
    form, question = texts["form"][target], texts["question"][target]
    user = texts["user"][name].strip().replace(_FORM, form)
    user = user.replace(QUESTION_PLACE, question).replace(_EXAMPLES, "\n\n".join(map(_example, texts["example"])))
    return texts["system"], user, texts["user"]["rhda_again"].strip().replace(_FORM, form)


def _example(values: dict[str, str]) -> str:
    question = _texts()["question"][values["target"]]
    asked = question.replace(CALL_PLACE, values["call"]).replace(QUESTION_PLACE, values["question"])
    return f"```python\n{values['program'].strip()}\n```\n\n{asked}\n\n{values['reply'].strip()}"


def _about(task: Task, text: str) -> str:
    """Put a task into its places, each of which stands there literally and is filled once."""
    call = f"{task.extra.get('entry_point', '')}({task.input})"
    filled = {PROGRAM_PLACE: task.source.rstrip("\n"), CALL_PLACE: call, QUESTION_PLACE: task.question or ""}
    parts: list[str] = []
    while text:
        place, name = min(((text.find(name), name) for name in filled if name in text), default=(len(text), ""))
        parts += [text[:place], filled.get(name, "")]
        text = text[place + len(name) :]
    return "".join(parts)
