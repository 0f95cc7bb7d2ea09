"""What building a problem gives: its tasks, and the facts that the report and the next build need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from auditor.model import Task
from auditor.studies.core.problem import Pair, Refusal


@dataclass(frozen=True, slots=True)
class Sizes:
    """The counts of a problem, as the paper's figures 2 and 4 have them."""

    implementations: int = 0
    tests: int = 0
    """Before the choice."""
    least: int = 0
    """Tests that cover as much as all."""
    exact: bool = True
    """Whether no fewer tests do."""
    chosen: int = 0
    """Tests that are kept: those, and further ones where they were asked for."""
    lines: int = 0
    """Lines of all implementations that tests reach."""
    all_lines: int = 0
    """Lines that there are to reach."""
    branches: int = 0
    all_branches: int = 0
    jaccard: float | None = None
    """The mean over pairs of implementations."""
    cyclomatic: float | None = None
    """The mean over implementations."""
    styles: Mapping[str, int] = field(default_factory=dict)
    """Implementations by style."""
    probes: int = 0
    dimensions: Mapping[str, int] = field(default_factory=dict)
    """Probes by dimension."""


@dataclass(frozen=True, slots=True)
class Built:
    """One problem after the build."""

    problem: str
    tasks: tuple[Task, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    for_experts: tuple[Pair, ...] = ()
    """Pairs so similar that experts have to say whether they differ."""
    sizes: Sizes = Sizes()

    @property
    def admitted(self) -> bool:
        """Whether the problem has tasks."""
        return bool(self.tasks)
