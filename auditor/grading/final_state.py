"""The envelope `state-tags`: a program's final state in tags, `<answer><a>10</a><b>3</b></answer>`, or how it ends."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from auditor.grading.policies import canonical
from auditor.grading.question import Extraction, Question
from auditor.grading.reply_scan import outside_reasoning
from auditor.model import Finding, Span
from auditor.text import visible_line

ERROR, TIMEOUT = '"##error##"', '"##timeout##"'
"""The JSON texts that stand for an answer that is no state: the program ends in an error, or does not end."""
_WORDS = {"##error##": ERROR, "##timeout##": TIMEOUT}
_VARIABLE = re.compile(r"<([A-Za-z][A-Za-z0-9]*)>([^<]*)</([A-Za-z][A-Za-z0-9]*)>")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_REASON = re.compile(r"<reason>.*?</reason>", re.DOTALL)
_OPEN, _CLOSE = "<answer>", "</answer>"


class Content(NamedTuple):
    """What stands between the tags, read."""

    prediction: str | None
    """Compact JSON: an object of the variables, or a text that says how the program ends; None when it is neither."""
    why: str = ""
    """Why it is neither."""


def read_state(text: str) -> Content:
    """Read the content of an answer: variables in tags with nothing but white space around, or `##error##`."""
    word = _WORDS.get(text.strip())
    if word:
        return Content(word)
    fields: dict[str, str] = {}
    end = 0
    for found in _VARIABLE.finditer(text):
        name, value, closing = found.groups()
        if text[end : found.start()].strip():
            break
        if name != closing:
            return Content(None, f"the tag <{visible_line(name, 40)}> is closed as </{visible_line(closing, 40)}>")
        if name in fields:
            return Content(None, f"the variable {visible_line(name, 40)} stands twice")
        fields[name] = _value(value.strip())
        end = found.end()
    if text[end:].strip():
        return Content(None, "the tag <answer> holds something else than variables in tags")
    return Content("{" + ",".join(f'"{name}":{value}' for name, value in fields.items()) + "}")


def _value(text: str) -> str:
    """Return a value as JSON: an integer of any size as such, anything else as text."""
    return canonical(text) if _INTEGER.fullmatch(text) else json.dumps(text)


def _last_block(text: str) -> str | None:
    """Return what stands in the last `<answer>`; one around it wins where the inner is a variable of that name."""
    start = text.rfind(_OPEN)
    end = text.find(_CLOSE, start) if start >= 0 else -1
    if end < 0:
        return None
    inner = text[start + len(_OPEN) : end]
    outer = text.rfind(_OPEN, 0, start)
    if outer >= 0 and text.find(_CLOSE, outer) == end and _INTEGER.fullmatch(inner.strip()):
        close = text.find(_CLOSE, end + len(_CLOSE))
        return text[outer + len(_OPEN) : close] if close >= 0 else None
    return inner


@dataclass(frozen=True, slots=True)
class StateTags:
    """`<answer>` with a tag for each variable, after an optional `<reason>` block; `##error##` or `##timeout##` in it.

    The last `<answer>` outside reasoning counts. The prediction is compact JSON: an object, or one of the two words.
    """

    name: str = "state-tags"

    def read(self, reply: str, question: Question, finish: str | None = None) -> Extraction:
        """Extract the state; nothing is taken from a block that is not closed or holds anything else."""
        closed = reply.rfind("</reason>") + 1  # without this bound, unclosed tags would make the search quadratic
        body = _REASON.sub("", reply[: closed + 8]) + reply[closed + 8 :] if closed else reply
        text = outside_reasoning(body) if re.search(r"</?think", body, re.IGNORECASE) else body
        block = _last_block(text)
        if block is None:
            opened = _OPEN in text
            why = "the tag <answer> is not closed" if opened else "no tag <answer>"
            return Extraction(False, "none", None, why, truncated=opened)
        content = read_state(block)
        if content.prediction is None:
            return Extraction(False, "none", None, content.why)
        exact = body == text and text.strip() == f"{_OPEN}{block}{_CLOSE}"
        return Extraction(exact, "envelope" if exact else "last-tag", content.prediction)


def ending_finding(oracle: str, prediction: str) -> Finding | None:
    """Explain an answer that has the program end otherwise: in an error, not at all, or with a state."""
    given, expected = prediction.strip(), oracle.strip()
    if given == expected or not {given, expected} & {ERROR, TIMEOUT}:
        return None
    spans = Span(0, len(oracle)), Span(0, len(prediction))
    if expected == ERROR:
        what = "that the program does not end" if given == TIMEOUT else "a final state"
        return Finding("false_success", f"The answer is {what}, but the program ends in an error.", *spans)
    if given == ERROR:
        what = "does not end" if expected == TIMEOUT else "runs to its end"
        return Finding("false_error", f"An error is predicted, but the program {what}.", *spans)
    told = "A program without end is predicted, but it ends." if given == TIMEOUT else "A state is predicted, but the"
    sentence = told if given == TIMEOUT else f"{told} program does not end."
    return Finding("wrong_value", sentence, *spans)


STATE_TAGS = StateTags()
