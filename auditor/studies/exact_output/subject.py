"""A case's program in the hands of its language: how it is run, instrumented and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from auditor.execution.measures import Measures
from auditor.execution.program import Program
from auditor.studies.exact_output.case import Case, Point

if TYPE_CHECKING:
    from auditor.studies.exact_output.checking import Bench


class Instrumented(NamedTuple):
    """A program that writes its state at a checkpoint and ends there."""

    source: str
    line: int
    """The line that writes the state, from 1."""
    counter: str
    """The variable that counts the loop's iterations."""


class Subject(Protocol):
    """What the checks of a case ask of its language."""

    case: Case
    steps: str
    """What a trace's length counts."""
    seeded: bool
    """Whether outputs may depend on the seed of Python's hashes."""

    def program(self, source: str) -> Program:
        """Return a program that can be run."""

    def has_loop(self) -> bool:
        """Say whether a loop stands in the program."""

    def measured(self, bench: Bench, source: str, text: str, where: str, *, state: bool = True) -> Measures:
        """Measure a run; raises NotAdmittedError when that does not work out."""

    def instrument(self, point: Point, arm: str, *, iteration: int) -> Instrumented:
        """Return the program with a counter and the checkpoint of an arm."""

    def iterations_at_end(self, bench: Bench, clean: str, point: Point) -> int:
        """Return how many iterations were made when the loop ends for the first time behind the inside checkpoint."""

    def targets(self, point: Point) -> set[str]:
        """Return the variables that the loop's header itself sets."""

    def points(self, bench: Bench) -> list[Point]:
        """Return where the states may be taken, the best first; raises NotAdmittedError when there is no place."""

    def branches_preserved(self, bench: Bench) -> bool | None:
        """Say whether both inputs take the same branches; None when that is not known."""

    def static_measures(self, source: str) -> dict[str, float]:
        """Return what a source tells without being run, as far as it can be told here."""
