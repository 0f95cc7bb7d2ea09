"""The words of the builder: a problem with its implementations and tests, and why one of them is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from auditor.model import Scalar
from auditor.studies.core.probe_moments import Wanted


@dataclass(frozen=True, slots=True)
class Implementation:
    """One program that solves a problem."""

    name: str
    source: str
    style: str
    """The family of those that are written alike in other problems: a facet of its tasks."""


class Test(NamedTuple):
    """One call of a problem's function."""

    name: str
    arguments: str
    """As they stand between the parentheses of the call."""
    output: str | None = None
    """What it gives, as a Python literal; None: what the implementations agree on."""


class WrittenProbe(NamedTuple):
    """A question that somebody wrote; its answer comes from the run."""

    implementation: str
    test: str
    wanted: Wanted
    question: str | None = None
    """In the writer's words; None: in ours."""
    dimensions: tuple[str, ...] = ()
    """As the writer sees them; empty: by our rules."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What several functionally equivalent implementations solve."""

    name: str
    entry_point: str
    """The function that every implementation defines."""
    implementations: tuple[Implementation, ...]
    tests: tuple[Test, ...]
    statement: str = ""
    facets: Mapping[str, Scalar] = field(default_factory=dict)
    probes: tuple[WrittenProbe, ...] = ()
    """Those that somebody wrote; others are proposed beside them."""

    def call(self, test: Test) -> str:
        """Return a test as an expression."""
        return f"{self.entry_point}({test.arguments})"


class Reason(StrEnum):
    """Why an implementation, a test or a problem is refused; the values are stable names."""

    NOT_PYTHON = "not_python"
    NO_ENTRY_POINT = "no_entry_point"
    TOO_SIMPLE = "too_simple"
    TOO_SIMILAR = "too_similar"
    RUN_FAILED = "run_failed"
    NOT_LITERAL = "not_literal"
    NOT_DETERMINISTIC = "not_deterministic"
    DISAGREES = "disagrees"
    NOT_MEASURED = "not_measured"
    NO_ANSWER = "no_answer"
    TOO_FEW = "too_few"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason against an implementation, or against a problem as a whole."""

    problem: str
    implementation: str | None
    reason: Reason
    detail: str
    """One sentence with the facts: which test, which other implementation."""


class Pair(NamedTuple):
    """Two implementations of a problem and how alike their tokens are."""

    first: str
    second: str
    jaccard: float


_NUMBERED = re.compile(r"(.+?)-?[0-9]+")


def style_of(name: str) -> str:
    """Return the style that an implementation's name tells: itself, without a number at its end."""
    numbered = _NUMBERED.fullmatch(name)
    return numbered[1] if numbered else name
