"""What is to run, within which limits, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from auditor.execution.outcome import Outcome

Language = Literal["python", "c++"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use; a compiler has limits of its own."""

    wall: float = 10.0
    """Seconds by the clock."""
    cpu: float = 10.0
    """Seconds of processor time of one process, rounded up to whole ones."""
    memory: int = 1 << 30
    """Bytes of address space of one process."""
    file_size: int = 16 << 20
    """Bytes of one file."""
    folder: int = 64 << 20
    """Bytes of all files in the program's folder."""
    tasks: int = 32
    """Threads and processes at a time."""
    forks: bool = False
    """Whether the program may start processes; threads it may always."""
    output: int = 8 << 20
    """Bytes of standard output and standard error together."""
    result: int = 64 << 20
    """Bytes that a program may tell of itself: values and traces."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program's source and how it is run."""

    source: bytes
    language: Language = "python"
    fresh: bool = False
    """Start a new interpreter for it, as a shell would, instead of a copy of one that has started; takes longer."""
    options: tuple[str, ...] = ()
    """Further words for the compiler of a C++ program; they win over its usual ones."""

    @classmethod
    def python(cls, source: str, *, fresh: bool = False) -> Program:
        """Return a Python program of this text."""
        return cls(source.encode(errors="surrogatepass"), "python", fresh)

    @classmethod
    def cpp(cls, source: str) -> Program:
        """Return a C++20 program of this text."""
        return cls(source.encode(errors="surrogatepass"), "c++")


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one run."""

    outcome: Outcome
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0
    """By the clock, from the program's first instruction; compilation is not in it."""
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    """Bytes of the program's resident memory, at least the few megabytes of the interpreter that started it."""
