"""Settings, and how an answer becomes a reply: envelopes kept and broken, cut replies, missing ones, reasoning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from making.cases import INSIDE, LONG, POST, SHORT
from making.chance import between, pick, share
from making.copying import miscopy, misread_input
from making.faults import (
    Fault,
    Proposal,
    Question,
    lost_carry,
    off_by_one,
    stale_value,
    stops_early,
    wrong_operator,
)


@dataclass(frozen=True)
class Simulated:
    """A setting: which fault, how often in each arm, and how its replies look."""

    fault: str
    tried: tuple[Fault, ...]
    rates: Mapping[str, float]
    broken: float
    """Share of replies whose envelope is not the one asked for."""
    reasons: float = 0.0
    """Share of replies with a reasoning text."""
    gives_up: float = 0.012
    cut: float = 0.01
    missing: float = 0.01

    @property
    def name(self) -> str:
        return f"simulated/{self.fault}"


def rates(short: float, long: float, inside: float, post: float) -> dict[str, float]:
    return {SHORT: short, LONG: long, INSIDE: inside, POST: post}


SETTINGS = (
    Simulated("careful", (lost_carry, stale_value, off_by_one), rates(0.03, 0.12, 0.2, 0.15), 0.03, reasons=0.35),
    Simulated("off-by-one", (off_by_one,), rates(0.2, 0.45, 0.75, 0.55), 0.05),
    Simulated("stops-early", (stops_early,), rates(0.1, 0.65, 0.7, 0.6), 0.08, gives_up=0.07, cut=0.05, missing=0.02),
    Simulated("stale-value", (stale_value,), rates(0.25, 0.4, 0.6, 0.65), 0.06),
    Simulated("wrong-operator", (wrong_operator,), rates(0.4, 0.55, 0.5, 0.55), 0.07),
    Simulated("lost-carry", (lost_carry,), rates(0.25, 0.55, 0.55, 0.6), 0.05, reasons=0.3, cut=0.025),
    Simulated("misreads-input", (misread_input,), rates(0.2, 0.55, 0.5, 0.5), 0.06, reasons=0.15),
    Simulated("miscopies", (miscopy,), rates(0.25, 0.4, 0.45, 0.4), 0.3),
)


@dataclass(frozen=True)
class Reply:
    """One simulated reply; `cause` and `detail` say what was planted, None when nothing was."""

    text: str | None
    answer: str | None
    """The answer that the reply holds in full, None when it holds none."""
    wrong: bool
    finish: str = "stop"
    error: str | None = None
    reasoning: str | None = None
    cause: str | None = None
    detail: str | None = None
    enveloped: bool = True


def same(study: str, answer: str, oracle: str) -> bool:
    """Compare as the study's policy does: bytes for `text`, else JSON values or tokens."""
    if study == "text":
        return answer == oracle
    try:
        expected = json.loads(oracle)
    except ValueError:
        return answer.split() == oracle.split()
    try:
        # serialising tells true from 1, which comparing would not
        return json.dumps(json.loads(answer), sort_keys=True) == json.dumps(expected, sort_keys=True)
    except ValueError:
        return False


def answer_under_fault(setting: Simulated, question: Question) -> Proposal | None:
    """Return the first wrong answer that the setting's fault leads to, or None when it does not strike here."""
    names = (setting.name, question.case.name, question.arm)
    if share(*names, "strikes") >= setting.rates[question.arm]:
        return None
    kind = pick(setting.tried, *names, "which")
    for proposal in kind(question, setting.name):
        if proposal.answer and not same(question.case.study, proposal.answer, question.oracle):
            return proposal
    return None


def reply_to(setting: Simulated, question: Question) -> Reply:
    """Make a setting's reply to a task."""
    names = (setting.name, question.case.name, question.arm)
    luck = share(*names, "fate")
    long_run = question.arm != SHORT
    if luck < setting.missing:
        error = pick(("no reply within 600 seconds", "connection closed by the server"), *names)
        return Reply(None, None, True, "error", error, cause="missing", detail=error)
    luck -= setting.missing
    if long_run and luck < setting.gives_up:
        return Reply(_refusal(question), None, True, cause="none", detail="no answer given", enveloped=False)
    luck -= setting.gives_up
    planted = answer_under_fault(setting, question)
    answer = _retyped(question, planted.answer if planted and planted.answer else question.oracle, names)
    reasoning = None
    if share(*names, "reasons") < setting.reasons:
        reasoning = _reasoning(question, planted, names)
    if long_run and 0 <= luck < setting.cut:
        whole = _walk(question, planted, names) + json.dumps({"output": answer})
        text = whole[: len(whole) - between(3, 3 + len(answer) // 2, *names)]
        return Reply(text, None, True, "length", None, reasoning, "length", "the reply is cut off", enveloped=False)
    text, kept = _wrap(setting, question, answer, names)
    cause, detail = (planted.cause, planted.detail) if planted else (None, None)
    return Reply(text, answer, planted is not None, "stop", None, reasoning, cause, detail, kept)


def _retyped(question: Question, answer: str, names: tuple[str, ...]) -> str:
    """Write an answer as models do: often without its last newline, JSON sometimes laid out anew."""
    if question.case.study == "text":
        return answer
    style = share(*names, "style")
    if answer.startswith("{") and style < 0.12:
        state = json.loads(answer)
        return json.dumps(dict(reversed(state.items())) if style < 0.05 else state)
    return answer if style > 0.8 else answer.strip()


def _wrap(setting: Simulated, question: Question, answer: str, names: tuple[str, ...]) -> tuple[str, bool]:
    """Put an answer into the envelope, or into a broken one; say which."""
    good = json.dumps({"output": answer})
    if share(*names, "envelope") >= setting.broken:
        return good, True
    plain = answer.rstrip("\n")
    forms = [
        f"```json\n{good}\n```",
        f"{_opening(question)}\n\n{good}",
        json.dumps({"output": answer, "confidence": "high"}),
        f"{good}\n\nThe loop on line {question.case.loop_line} decides everything here.",
        f"Output: {plain}",
        f"```\n{plain}\n```",
        "{'output': " + repr(answer) + "}",
        '{"output": "' + answer.replace('"', '\\"') + '"}',
    ]
    if plain.startswith("{"):
        forms.append('{"output": ' + plain + "}")
    return pick(forms, *names, "form"), False


def _opening(question: Question) -> str:
    target = "state at the checkpoint" if question.arm in (INSIDE, POST) else "output"
    return f"I followed the program statement by statement. The {target} is:"


def _refusal(question: Question) -> str:
    count = len(question.right.passes)
    if question.arm == LONG:
        return (
            f"The loop on line {question.case.loop_line} of the program runs for {count} iterations on this input. "
            "Without running the program I cannot give its exact output."
        )
    return json.dumps({"output": ""}) if count % 2 else "I would need an interpreter to say what the state is here."


def _values(state: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {json.dumps(value)}" for name, value in state.items())


def _walk(question: Question, planted: Proposal | None, names: tuple[str, ...]) -> str:
    """Tell the first iterations of the run that led to the answer."""
    passes = planted.passes if planted and planted.passes else tuple(question.right.passes)
    told = [f"Iteration {i}: {_values(state)}." for i, state in enumerate(passes, 1) if state]
    return "\n".join(told[: between(6, 12, *names, "told")]) + "\n"


def _reasoning(question: Question, planted: Proposal | None, names: tuple[str, ...]) -> str:
    """Give a short account of the run that led to the answer, with the states it really had."""
    passes = list(planted.passes if planted and planted.passes else question.right.passes)
    line = f"The loop to follow is `{question.case.loop}`."
    shown = sorted({1, 2, max(1, len(passes) // 2), len(passes)})
    told = [f"Before iteration {i}: {_values(passes[i - 1])}." for i in shown if i <= len(passes) and passes[i - 1]]
    close = pick(
        ("So that is the answer.", "Then I write it down.", "Checking the last step again gives the same."), *names
    )
    return "\n".join([line, *told, close])
