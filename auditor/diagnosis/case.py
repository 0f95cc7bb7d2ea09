"""What a search for faults is asked: a program, its input, what it gives, and what was predicted instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from auditor.execution.program import Language

Equal = Callable[[str, str], bool]
"""Whether a text that a program gives (first) and a prediction are the same answer, as the grading policy says."""


@dataclass(frozen=True, slots=True)
class Case:
    """A wrong prediction of what a program gives."""

    source: str
    input: str
    """The text on standard input; with `function`, the arguments as they stand between the parentheses of the call."""
    oracle: str
    prediction: str
    equal: Equal
    function: str | None = None
    """The function that is called; the answer is then the value's repr. None: the answer is what the program prints."""
    language: Language = "python"

    @property
    def call(self) -> str | None:
        """The call that is evaluated."""
        return None if self.function is None else f"{self.function}({self.input})"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may try."""

    programs: int = 1_500
    """Programs with a fault that are run."""
    seconds: float = 60.0
    """Processor time of these programs together."""
