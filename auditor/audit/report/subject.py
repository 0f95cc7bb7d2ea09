"""What every part of a report is made from, and what it gives."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from auditor.analysis.cluster_bootstrap import GENERATOR
from auditor.audit.tabulate import REPLICATES, SEED
from auditor.documents.document import Section, Words
from auditor.documents.plots import DASH

Progress = Callable[[str, int, int], None]
"""Called with what is made, the parts done and the parts in all."""


class Steps:
    """Tells how far a report is, or one part of it: which part, and which step of it."""

    def __init__(self, progress: Progress | None = None, parts: int = 1) -> None:
        self._told = progress or (lambda label, done, total: None)
        self._parts = parts
        self._label, self._at = "", 0

    def begin(self, label: str, at: int) -> None:
        """Say that a part is begun, and how many were before it."""
        self._label, self._at = label, at
        self(0, 1)

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Say how many steps of the part are done, and what the next one is about."""
        label = f"{self._label}: {what}" if what else self._label
        self._told(label, self._at * total + done, self._parts * total)


class ReportOptions(NamedTuple):
    """What a report is of, and how its intervals are made."""

    where: str = ""
    title: str = ""
    """Empty = made from the name of the file."""
    date: str | None = None
    """What stands at the head; None = the day of the newest thing in the file."""
    replicates: int = REPLICATES
    seed: int = SEED
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Subject:
    """An audit file that is reported on, in one state."""

    connection: sqlite3.Connection
    path: Path
    options: ReportOptions
    kept: dict[str, Any] = field(default_factory=dict)
    """What took long to make and is wanted twice, by what it is."""
    steps: Steps = field(default_factory=Steps)
    """Is told what is made."""

    @property
    def how(self) -> dict[str, Any]:
        """Return how intervals are made, as the functions that tabulate take it."""
        return {
            "where": self.options.where,
            "replicates": self.options.replicates,
            "seed": self.options.seed,
            "confidence": self.options.confidence,
        }

    @property
    def bootstrap(self) -> str:
        """Say how intervals over clusters are made."""
        return (
            f"{100 * self.options.confidence:g} % percentile intervals from {self.options.replicates:,} bootstrap"
            f" replicates of whole clusters ({GENERATOR}, seed {self.options.seed})"
        )

    def within(self, *filters: str) -> str:
        """Return a filter that leaves what all of some filters leave, and the report's own."""
        return " ".join(f"({one})" for one in (*filters, self.options.where) if one.strip())


@dataclass(frozen=True, slots=True)
class Part:
    """What a module adds to the report."""

    section: Section | None = None
    """None = there is nothing of this kind in the file."""
    lead: str = ""
    """Sentences that begin the summary."""
    quotes: Sequence[Words] = field(default_factory=tuple)
    """Sentences for the summary on what came out, with figures to quote."""
    sure: Sequence[Words] = field(default_factory=tuple)
    """Sentences for the summary on how far that can be trusted."""
    limits: Sequence[Words] = field(default_factory=tuple)
    """What a reader must know before trusting the numbers."""


def name_of(value: object, dimension: str = "") -> str:
    """Return a dimension's value as it is shown; a missing one says so."""
    if value is None:
        return f"(no {dimension})" if dimension else "(none)"
    return str(value) if value != "" else "(empty)"


def percent(part: int, whole: int) -> str:
    """Return a rate in percent with one digit, from the counts: 100 * (part / whole) can miss a tie."""
    return f"{100 * part / whole:.1f}" if whole else DASH


def signed(text: str) -> str:
    """Return numbers with the sign of minus in the place of a hyphen."""
    return text.replace("-", "−")


def interval(ci: tuple[float, float] | None) -> str:
    """Return an interval of fractions in percent, in brackets; empty where there is none."""
    return "" if ci is None else f"[{100 * ci[0]:.1f}{DASH}{100 * ci[1]:.1f}]"
