"""The envelopes `ans-tags`, `answer-tags` and `none`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import NamedTuple

from auditor.grading.literals import read_expression
from auditor.grading.question import Extraction, Question
from auditor.grading.reply_scan import outside_reasoning
from auditor.grading.verdicts import RuleVerdict, read_rule, read_word

_REASON = re.compile(r"<reason>.*?</reason>", re.DOTALL)
_STRICT_ANS = re.compile(
    r"(?:<ans>##success##</ans>|<ans>##error##</ans>\s*<rule>\s*\[?\s*(?:[Rr]ule[\s-]*)?[0-9]+\s*\]?\s*</rule>)"
)
_EQUALS_TRIED = 50
_CALL_LENGTH = 50_000


@dataclass(frozen=True, slots=True)
class AsIs:
    """No envelope: the reply itself is the prediction, character for character."""

    name: str = "none"

    def read(self, reply: str, question: Question, finish: str | None = None) -> Extraction:
        """Return the reply; white space is left to the policy."""
        return Extraction(True, "reply", reply)


def _last_tag(text: str, tag: str) -> str | None:
    """Return what stands in the last `<tag>`; None when there is none or it is not closed."""
    start = text.rfind(f"<{tag}>")
    end = text.find(f"</{tag}>", start) if start >= 0 else -1
    return text[start + len(tag) + 2 : end] if end >= 0 else None


@dataclass(frozen=True, slots=True)
class AnsTags:
    """`<ans>##success##</ans>`, or `<ans>##error##</ans><rule>N</rule>`, after an optional `<reason>` block.

    The last `<ans>` and the last `<rule>` outside reasoning count, as in the benchmark that defines the format.
    The prediction is the verdict's compact JSON text.
    """

    name: str = "ans-tags"

    def read(self, reply: str, question: Question, finish: str | None = None) -> Extraction:
        """Extract the verdict; a bare word inside the tag is taken under its own rule."""
        closed = reply.rfind("</reason>") + 1  # without this bound, unclosed tags would make the search quadratic
        body = _REASON.sub("", reply[: closed + 8]) + reply[closed + 8 :] if closed else reply
        text = outside_reasoning(body) if re.search(r"</?think", body, re.IGNORECASE) else body
        answer = _last_tag(text, "ans")
        if answer is None:
            opened = text.rfind("<ans>") >= 0
            why = "the tag <ans> is not closed" if opened else "no tag <ans>"
            return Extraction(False, "none", None, why, truncated=opened)
        word = read_word(answer)
        if word is None:
            return Extraction(False, "none", None, "the tag <ans> holds neither ##success## nor ##error##")
        rule_text = _last_tag(text, "rule") if word == "error" else None
        rule = read_rule(rule_text) if rule_text is not None else None
        prediction = RuleVerdict(word, rule).text()
        if body == text and _STRICT_ANS.fullmatch(text.strip()):
            return Extraction(True, "envelope", prediction)
        exact = answer.strip() in ("##success##", "##error##")
        note = "an earlier <ans> was passed over" if text.count("<ans>") > 1 else None
        return Extraction(False, "last-tag" if exact else "bare-word", prediction, note)


class _Block(NamedTuple):
    content: str
    closed: bool


def _blocks(text: str) -> list[_Block]:
    blocks = []
    for piece in text.split("[ANSWER]")[1:]:
        content, tag, _ = piece.partition("[/ANSWER]")
        blocks.append(_Block(content, bool(tag)))
    return blocks


@dataclass(frozen=True, slots=True)
class AnswerTags:
    """`[ANSWER] call == value [/ANSWER]` or `[ANSWER] value [/ANSWER]`, after an optional `[THOUGHT]` block.

    For the target `input` the prediction is the call, else the value.
    """

    name: str = "answer-tags"

    def read(self, reply: str, question: Question, finish: str | None = None) -> Extraction:
        """Extract the answer; a block that its stop sequence left open is taken only when the reply ended by it."""
        text = outside_reasoning(reply)
        blocks = _blocks(text)
        if not blocks:
            return Extraction(False, "none", None, "no tag [ANSWER]")
        if not blocks[-1].closed and (finish != "stop" or len(blocks) > 1):
            return Extraction(False, "none", None, "the tag [ANSWER] is not closed", truncated=True)
        contents = {block.content.strip() for block in blocks}
        if len(contents) > 1:
            return Extraction(False, "none", None, "two candidates" if len(contents) == 2 else "several candidates")
        prediction, part = _split(contents.pop(), question)
        if prediction is None:
            return Extraction(False, "none", None, part)
        before, _, after = text.partition("[ANSWER]")
        parts = [] if blocks[-1].closed else ["stop-sequence"]
        if before.strip() or (blocks[-1].closed and after.rpartition("[/ANSWER]")[2].strip()):
            parts.append("prose")
        if len(blocks) > 1:
            parts.append("repeated")
        parts += [part] if part else []
        return Extraction(not parts, "+".join(parts) or "envelope", prediction)


def _split(content: str, question: Question) -> tuple[str | None, str | None]:
    """Return (prediction, rule part) of a block; (None, reason) when the split is not clear."""
    fenced = re.fullmatch(r"```[A-Za-z]*\n(.*?)\n?```", content, re.DOTALL)
    body, part = (fenced.group(1).strip(), "fence") if fenced else (content, None)
    body = re.sub(r"\Aassert\s+", "", body)
    wants_call = question.target == "input"
    at = _asked_equals(body, question.call) if question.call and not wants_call else None
    if at is None and "==" in body:
        at = _call_equals(body)
        if at is not None and question.call and not wants_call:
            part = "other-call"
    if at is not None:
        taken = (body[:at] if wants_call else body[at + 2 :]).strip()
        return (taken, part) if taken else (None, "nothing stands after ==")
    if "==" in body and _tree(body) is None:
        return None, "no == whose left side is the call that was asked"
    return (body, part) if body else (None, "the tag [ANSWER] is empty")


def _tree(text: str) -> ast.expr | None:
    return read_expression(text) if len(text) <= _CALL_LENGTH else None


def _asked_equals(body: str, call: str) -> int | None:
    """Return where the == stands whose left side is the call that was asked, however it is spaced or quoted."""
    asked = _tree(call)
    wanted = ast.dump(asked) if asked is not None else call.strip()
    at = body.find("==")
    for _ in range(_EQUALS_TRIED):
        if at < 0:
            return None
        left = body[:at].strip()
        tree = _tree(left) if left != call.strip() else asked
        if left == call.strip() or (tree is not None and ast.dump(tree) == wanted):
            return at
        at = body.find("==", at + 2)
    return None


def _call_equals(body: str) -> int | None:
    """Return where the first == stands whose left side is a whole call."""
    at = body.find("==")
    for _ in range(_EQUALS_TRIED):
        if at < 0:
            return None
        if isinstance(_tree(body[:at]), ast.Call):
            return at
        at = body.find("==", at + 2)
    return None


NONE = AsIs()
ANS_TAGS = AnsTags()
ANSWER_TAGS = AnswerTags()
