"""What is taken from files that hold more than one needs: programs in several languages, inputs of any size."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What to take from the records of a public data set."""

    language: str = "python"
    """Programs in this language: `python` (Python 3) or `cpp`."""
    solutions: int = 1
    """Programs of one problem; the first ones."""
    input_limit: int = 10_000
    """Characters of an input, beyond which it is left out."""
