"""The words of the house as frozen dataclasses: what a task, a response and a grade are. No database, no screen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
Scalar: TypeAlias = "bool | int | float | str | None"

Target = str
"""What is asked for: `output`, `state`, `verdict`, `probe` or `input`; or `subject`."""

SUBJECT: Target = "subject"
"""The target of what asks no model anything: a program or a probe that people judge itself."""
TURNS = "turns"
"""The key of a response that has the replies of earlier rounds, a list of texts."""
TARGETS: tuple[Target, ...] = ("output", "state", "verdict", "probe", "input", SUBJECT)
TEXT_TARGETS: frozenset[Target] = frozenset({"output", "state", "input"})
"""Targets whose oracle is text, kept as the exact characters that the program writes."""


class Status(StrEnum):
    """Envelope validity x correctness of one response."""

    CORRECT_VALID = "correct-valid"
    CORRECT_INVALID = "correct-invalid"
    WRONG_VALID = "wrong-valid"
    WRONG_INVALID = "wrong-invalid"
    NO_RESPONSE = "no-response"

    @property
    def is_correct(self) -> bool:
        return self in (Status.CORRECT_VALID, Status.CORRECT_INVALID)

    @property
    def is_wrong(self) -> bool:
        return self in (Status.WRONG_VALID, Status.WRONG_INVALID)


class ReviewState(StrEnum):
    """One annotator's state on one item; an item without a row is not reviewed."""

    NOT_REVIEWED = "not-reviewed"
    IN_PROGRESS = "in-progress"
    REVIEWED = "reviewed"
    DEFERRED = "deferred"


FIRST = "¹"
"""What marks the first cause among the tags of an item."""


class AnnotatorKind(StrEnum):
    """Who tags: people, judging models and the computed mode are never mixed silently."""

    PERSON = "person"
    MODEL = "model"
    COMPUTED = "computed"


_LATER_PASS = re.compile(r"(?P<person>.+)#(?P<number>[2-9]|[1-9][0-9]+)", re.DOTALL)


def pass_name(person: str, number: int) -> str:
    """Return the annotator under which a person's later pass over own items is kept: `ana#2`."""
    return f"{person}#{number}"


def person_of_pass(name: str) -> str | None:
    """Return whose later pass an annotator of this name is; None when the name is none of a later pass."""
    found = _LATER_PASS.fullmatch(name)
    return found["person"] if found else None


class TaskKey(NamedTuple):
    """The names that identify a task."""

    study: str
    case: str
    arm: str

    def __str__(self) -> str:
        return join_key(self)


class ResponseKey(NamedTuple):
    """The names that identify a response; its text form is the `item` of `tags list` and `tags import`."""

    study: str
    case: str
    arm: str
    setting: str
    sample: int

    @property
    def task(self) -> TaskKey:
        return TaskKey(self.study, self.case, self.arm)

    def __str__(self) -> str:
        return join_key(self)


_RESERVED = re.compile("[%/\x00-\x20\x7f-\xa0\ud800-\udfff]")


def join_key(parts: Sequence[str | int]) -> str:
    """Join names with `/`, percent-encoding `%`, `/`, white space, controls and surrogates inside each name."""

    def encode(match: re.Match[str]) -> str:
        return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))

    return "/".join(_RESERVED.sub(encode, str(part)) for part in parts)


def split_key(key: str) -> list[str]:
    """Split a key made by `join_key` into its names."""

    def decode(match: re.Match[str]) -> str:
        return bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "surrogatepass")

    return [re.sub("(?:%[0-9A-Fa-f]{2})+", decode, part) for part in key.split("/")]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a state task stops."""

    line: int
    """The line of the task's source that emits the state, counted from 1."""
    when: str
    """`before-iteration`, `after-loop` or `after-line`."""
    iteration: int | None = None
    fields: tuple[str, ...] = ()
    clean_line: int | None = None
    """The loop's line in the clean source, counted from 1."""


@dataclass(frozen=True, slots=True)
class Study:
    """Cases that are graded under one policy."""

    name: str
    policy: str = "json-or-tokens"
    envelope: str = "none"
    cluster: str = "program"
    """`program` (clean source) or `problem`."""
    codebook: str = "execution"
    samples: int | None = None
    """Declared samples per cell; None = not declared, which counts as what was seen, at least 1."""
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is shown, and the oracle."""

    study: str
    case: str
    arm: str
    language: str
    source: str
    input: str
    target: Target
    oracle: JsonValue
    """Text for `output`, `state` and `input`; a JSON value for `verdict` and `probe`; see `oracle_known` for None."""
    clean_source: str | None = None
    """The uninstrumented (PrEx: the valid) program; None = `source`. Its SHA-256 is the cluster."""
    problem: str | None = None
    implementation: str | None = None
    test: str | None = None
    checkpoint: Checkpoint | None = None
    prompt: Mapping[str, JsonValue] | None = None
    question: str | None = None
    answer_type: str | None = None
    dimensions: tuple[str, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    facets: Mapping[str, Scalar] = field(default_factory=dict)
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    """Keys that this version does not know, kept for export."""

    @property
    def key(self) -> TaskKey:
        return TaskKey(self.study, self.case, self.arm)

    @property
    def oracle_known(self) -> bool:
        """Whether there is an oracle: None means that there is none, but of a probe it is the value `null`."""
        return self.oracle is not None or self.target == "probe"


@dataclass(frozen=True, slots=True)
class Setting:
    """Model + reasoning mode + prompting."""

    name: str
    model: str | None = None
    mode: str | None = None
    prompting: str | None = None
    facets: Mapping[str, Scalar] = field(default_factory=dict)
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Response:
    """One raw reply, or a recorded non-response (`text` is None)."""

    key: ResponseKey
    text: str | None
    reasoning: str | None = None
    finish: str | None = None
    error: str | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    """`usage`, `seconds` and keys that this version does not know."""


class Span(NamedTuple):
    """A half-open range of characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """A computed failure mode with evidence that a reader can check."""

    mode: str
    """Id from the list of computed modes, e.g. `off_by_one`."""
    evidence: str
    """One sentence in words."""
    oracle_span: Span | None = None
    """Characters of the oracle text that the sentence speaks of."""
    prediction_span: Span | None = None
    """Characters of the prediction that the sentence speaks of."""
    detail: str | None = None
    """A finer kind, e.g. `same family` for `wrong_rule`, or the amount for `off_by_one`."""


@dataclass(slots=True)
class ValueNode:
    """A value in an answer, with its characters and all that is inside it."""

    kind: str
    """list, tuple, set, object, string, integer, or another kind of leaf."""
    start: int
    end: int
    identity: int
    """The same number for exactly those values, of both answers, that the policy takes for equal."""
    children: list[ValueNode] = field(default_factory=list)
    keys: list[ValueNode] = field(default_factory=list)
    """For objects: the key of each child."""


class StringContent(NamedTuple):
    """What a string literal says, and where each of its characters is written."""

    text: str
    at: tuple[int, ...]
    """Where each character begins in the literal, and where the last one ends."""


@dataclass(frozen=True, slots=True)
class Grade:
    """The verdict on one response under one policy."""

    status: Status
    extraction: str
    """Name of the rule that found the prediction, e.g. `envelope`, `fence`; `none` when nothing was found."""
    prediction: str | None
    """The extracted answer as text; None when there is none."""
    finding: Finding
    """The primary computed mode."""
    others: tuple[Finding, ...] = ()
    """Further modes that hold beside the primary one."""
    non_literal: bool = False
    """Under `python-literal`: the prediction is no literal, so only an evaluation could tell more."""
    note: str | None = None
    """Why the extraction found nothing, or what it had to repair."""
