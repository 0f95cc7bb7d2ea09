"""The envelope `{"output": "<exact text>"}`: when a reply keeps it, and what may be taken when it does not.

The extraction is conservative. Every object outside reasoning blocks that has the key `output` is a candidate; two
that differ, or one that the reply cuts off, and nothing is taken.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from auditor.grading.exact_json import ExactNumber, NotJsonError, TooHardError, read_json
from auditor.grading.json_objects import ReadObject, read_object
from auditor.grading.question import Extraction, Question
from auditor.grading.reply_scan import Opening, ReplyScan

_OBJECTS, _FAILURES = 20_000, 2_000
"""Most objects read and most readings failed in one reply; beyond them nothing is taken."""
_COST_PER_CHARACTER = 3
_FENCED = re.compile(r"\s*(?:`{3,}|~{3,})[ \t]*(?:[A-Za-z][\w+#.-]*)?(.*?)(?:`{3,}|~{3,})?\s*", re.DOTALL)
_BARE_KEY = re.compile(r"\s*([\"']?)output\1[ \t]*:[ \t]*(?P<value>[^\n{}]*[^\s{},])[ \t]*,?\s*")
_SCALAR = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true|false|[^\"'\u2018\u2019\u201c\u201d`\[\]:]*")


class Candidate(NamedTuple):
    """An answer that could be meant, as text, with the parts of its rule's name."""

    prediction: str | None
    """None when the value is of a kind that cannot be taken."""
    rule: tuple[str, ...]
    code: bool
    note: str | None = None


class _Search(NamedTuple):
    candidates: list[Candidate]
    truncated: bool
    exhausted: bool
    rest: str


@dataclass(frozen=True, slots=True)
class OutputJson:
    """The whole reply is one JSON object whose only key is `output`, with a string value."""

    name: str = "output-json"

    def read(self, reply: str, question: Question, finish: str | None = None) -> Extraction:
        """Extract the answer; the rule's name joins what was needed: `fence`, `prose+extra-keys` …"""
        stripped = reply.strip()
        if stripped.startswith("{"):
            whole = read_object(stripped, 0)
            if isinstance(whole, ReadObject) and whole.end == len(stripped) and whole.repair is None:
                keys = [pair.key for pair in whole.pairs]
                if keys == ["output"] and isinstance(whole.pairs[0].value, str):
                    return Extraction(True, "envelope", whole.pairs[0].value)
        return _choose(_search(stripped))


def _search(text: str) -> _Search:
    """Collect the candidates in one walk whose work is bounded by a multiple of the reply's length."""
    scan = ReplyScan(text)
    found: list[Candidate] = []
    objects, failures, cost, budget = 0, 0, 0, _COST_PER_CHARACTER * len(text) + 1_000_000
    for place in scan:
        if not isinstance(place, Opening):
            found.clear()
            continue
        if objects >= _OBJECTS:
            return _Search(found, False, True, scan.rest())
        result, objects = read_object(text, place.at), objects + 1
        if isinstance(result, ReadObject):
            scan.position = result.end
            found.extend(_candidates(text, result, place))
            continue
        if result.truncated:
            return _Search(found, True, False, scan.rest())
        scan.position = max(scan.position, result.at)
        failures, cost = failures + 1, cost + result.cost
        if failures > _FAILURES or cost > budget:
            return _Search(found, False, True, scan.rest())
    return _Search(found, False, False, scan.rest())


def _candidates(text: str, found: ReadObject, place: Opening) -> list[Candidate]:
    outputs = [pair for pair in found.pairs if pair.key == "output"]
    parts = ["fence" if place.fenced else ""]
    if found.repair:
        parts.append(found.repair)
    if len(found.pairs) > len(outputs):
        parts.append("extra-keys")
    if len(outputs) > 1:
        parts.append("duplicate-key")
    result = []
    for pair in outputs:
        prediction, note = _as_text(pair.value, text[pair.start : pair.end])
        kind = [] if isinstance(pair.value, str) else ["json-value"]
        result.append(Candidate(prediction, (*parts, *kind), place.code, note))
    return result


def _as_text(value: Any, raw: str) -> tuple[str | None, str | None]:
    """Return a value's text; numbers, booleans and objects are taken as their JSON text, lists and null are not."""
    if isinstance(value, str):
        return value, None
    if value is None:
        return None, "the value of output is null"
    if isinstance(value, list | tuple | set) and not isinstance(value, ExactNumber):
        return None, "the value of output is a list, which may stand for lines or for itself"
    try:
        read_json(raw)
    except (NotJsonError, TooHardError):
        return None, "the value of output is no JSON value"
    return raw, None


def _choose(search: _Search) -> Extraction:
    if search.truncated:
        return Extraction(False, "none", None, "the reply ends inside an object", truncated=True)
    if search.exhausted:
        return Extraction(False, "none", None, "too many objects or braces to search: nothing was taken")
    candidates = [each for each in search.candidates if not each.code] or search.candidates
    if not candidates:
        return _bare_key(search.rest)
    if len({each.prediction for each in candidates}) > 1 or len({each.note for each in candidates}) > 1:
        values = len({(each.prediction, each.note) for each in candidates})
        return Extraction(False, "none", None, f"{'two' if values == 2 else values} candidates")
    first = candidates[0]
    if first.prediction is None:
        return Extraction(False, "none", None, first.note)
    parts = [part for part in first.rule if part]
    if first.rule[0] != "fence" and not _is_whole(search.rest):
        parts.insert(0, "prose")
    if len(candidates) > 1 and "duplicate-key" not in parts:
        parts.append("repeated")
    return Extraction(False, "+".join(parts) or "after-reasoning", first.prediction)


def _is_whole(rest: str) -> bool:
    """Say whether the text outside reasoning is one object and nothing else."""
    stripped = rest.strip()
    if not stripped.startswith("{"):
        return False
    whole = read_object(stripped, 0)
    return isinstance(whole, ReadObject) and whole.end == len(stripped)


def _bare_key(rest: str) -> Extraction:
    """Take `output: 12` without braces when the reply holds nothing else, on one line, as one plain value."""
    body = rest
    if body.lstrip().startswith(("```", "~~~")):
        fenced = _FENCED.fullmatch(body) if len(body) < 10_000 else None
        body = fenced.group(1) if fenced else body
    match = _BARE_KEY.fullmatch(body) if len(body) < 10_000 else None
    if match:
        value = match.group("value")
        if value.startswith('"'):
            try:
                text = json.loads(value)
            except ValueError:
                text = None
            if isinstance(text, str):
                return Extraction(False, "bare-key", text)
        elif _SCALAR.fullmatch(value):
            return Extraction(False, "bare-key", value)
    if not rest.strip():
        return Extraction(False, "none", None, "the reply holds nothing but reasoning")
    return Extraction(False, "none", None, "no object with the key output")


OUTPUT_JSON = OutputJson()
